import ManagedObjects
import Synchronization

/// The default stack, for programs that have one: each static method does what the stack's method of its name
/// does.
///
/// - Source: CoreStore's type of this name.
public enum CoreStore {
    private static let stack = Mutex<DataStack?>(nil)

    /// The stack that the static methods use. When none was set, one is made at the first use, for the model
    /// `EXECUTABLE.xcdatamodeld` among the resources of the main bundle; without such a model, for an empty
    /// one, whose calls throw.
    public static var defaultStack: DataStack {
        get {
            if let stack = stack.withLock(\.self) { return stack }
            let made = makeStack()
            return stack.withLock { stack in
                let known = stack ?? made
                stack = known
                return known
            }
        }
        set { stack.withLock { $0 = newValue } }
    }

    /// The logger of stacks that were made without one.
    public static var logger: any CoreStoreLogger {
        get { SharedLogger.current }
        set { SharedLogger.current = newValue }
    }

    private static func makeStack() -> DataStack {
        do { return try DataStack() } catch {
            logger.handle(
                error, "there is no model for the default stack; set CoreStore.defaultStack",
                CallSite(fileName: #fileID, lineNumber: #line, functionName: #function))
            return DataStack(model: .empty)
        }
    }
}
