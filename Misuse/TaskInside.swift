// refused: risks causing data races
import Foundation
import ManagedObjects
import MoodyModel

func misuse(_ context: ManagedObjectContext) async { await context.perform { let mood: Mood = $0.insert(); Task { print(mood.camera ?? "") } } }
