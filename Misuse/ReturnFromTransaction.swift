// refused: a managed object stays on its context's queue; send its reference
import DataStacks
import ManagedObjects
import MoodyModel

func misuse(_ stack: DataStack) async throws { let photo = try await stack.perform { $0.create(Photo.self) }; print(photo.path) }
