// refused: non-Sendable 'Mood'-typed result can not be returned
import Foundation
import ManagedObjects
import MoodyModel

func misuse(_ context: ManagedObjectContext) async { print(await context.insert(Mood.self).camera ?? "") }
