// refused: call to actor-isolated instance method
import Foundation
import ManagedObjects
import MoodyModel

func misuse(_ context: ManagedObjectContext) { print(context.insert(Mood.self).camera ?? "") }
