// refused: a managed object stays on its context's queue; send its reference
import DataStacks
import Foundation
import ManagedObjects
final class Person: ManagedObject { @Attribute var name: String; @Attribute var age: Int; @Attribute var city: String? }
func misuse(_ monitor: ListMonitor<Person>) { let person = monitor.read { $0[0, 1] }; print(person.name) }
