// refused: risks causing data races
import DataStacks
import Foundation
import ManagedObjects
final class Person: ManagedObject { @Attribute var name: String; @Attribute var age: Int; @Attribute var city: String? }
func misuse(_ stack: DataStack) throws { let draft = stack.beginUnsafe(); let person = draft.create(Person.self); Task { person.name = "z" }; _ = try draft.commit() }
