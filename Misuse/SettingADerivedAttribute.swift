// refused: cannot assign to property: 'count' is a get-only property
import Foundation
import ManagedObjects
import MoodyModel

final class Shelf: ManagedObject { @Attribute var name: String; @Derived("name") var count: String? }
func misuse(_ shelf: Shelf) { shelf.count = "7" }
