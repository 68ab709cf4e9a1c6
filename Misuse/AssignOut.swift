// refused: mutation of captured var 'mood' in concurrently-executing code
import Foundation
import ManagedObjects
import MoodyModel

func misuse(_ context: ManagedObjectContext) { var mood: Mood?; context.performAndWait { mood = $0.insert() }; print(mood!.camera ?? "") }
