// refused: does not conform to expected type 'FetchClause'
import DataStacks
import Foundation
import ManagedObjects
final class Person: ManagedObject { @Attribute var name: String; @Attribute var age: Int; @Attribute var city: String? }
func misuse(_ stack: DataStack) throws { let age = try stack.queryValue(From<Person>(), Select<Person, Int>(.maximum(\.age)), GroupBy(\.city)); print(age ?? 0) }
