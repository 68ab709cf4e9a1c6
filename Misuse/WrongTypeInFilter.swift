// refused: cannot convert value of type 'String' to expected argument type 'Int16'
import Foundation
import ManagedObjects
import MoodyModel

func misuse() -> Filter<Mood> { \.k == "three" }
