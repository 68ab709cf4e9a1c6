// refused: to expected argument type 'Select<Person, QueryRow>'
import DataStacks
import Foundation
import ManagedObjects
final class Person: ManagedObject { @Attribute var name: String; @Attribute var age: Int; @Attribute var city: String? }
func misuse(_ stack: DataStack) throws { let rows = try stack.queryAttributes(From<Person>(), GroupBy("city")); print(rows.count) }
