// refused: requires the types 'Person' and 'Observer.Object' (aka 'Country') be equivalent
import DataStacks
import Foundation
import ManagedObjects
final class Person: ManagedObject { @Attribute var name: String; @Attribute var age: Int; @Attribute var city: String? }
final class Country: ManagedObject { @Attribute var code: Int64 }
final class Observer: ListObserver { typealias Object = Country }
func misuse(_ monitor: ListMonitor<Person>) { monitor.addObserver(Observer()) }
