// refused: risks causing data races
import Foundation
import ManagedObjects
import MoodyModel

func misuse(_ mood: Mood) { Task { print(mood.camera ?? "") } }
