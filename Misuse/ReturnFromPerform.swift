// refused: a managed object stays on its context's queue; send its reference
import Foundation
import ManagedObjects
import MoodyModel

func misuse(_ context: ManagedObjectContext) async { print(await context.perform { $0.insert(Mood.self) }.camera ?? "") }
