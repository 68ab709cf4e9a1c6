// refused: capture of 'person' with non-Sendable type 'Person'
import DataStacks
import Foundation
import ManagedObjects
final class Person: ManagedObject { @Attribute var name: String; @Attribute var age: Int; @Attribute var city: String? }
func misuse(_ stack: DataStack) async throws { let draft = stack.beginUnsafe(); let person = draft.create(Person.self); try await stack.perform { _ in person.name = "q" } }
