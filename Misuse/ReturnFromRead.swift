// refused: a managed object stays on its context's queue; send its reference
import DataStacks
import Foundation
import ManagedObjects
final class Person: ManagedObject { @Attribute var name: String; @Attribute var age: Int; @Attribute var city: String? }
func misuse(_ stack: DataStack) throws { let person = try stack.read { try $0.fetchAll(From<Person>())[0] }; print(person.name) }
