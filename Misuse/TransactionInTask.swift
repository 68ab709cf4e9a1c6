// refused: risks causing data races
import DataStacks
import ManagedObjects
import MoodyModel

func misuse(_ stack: DataStack) throws { try stack.performAndWait { transaction in Task { _ = transaction.create(Photo.self) }; return } }
