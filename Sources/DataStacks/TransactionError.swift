/// Why a transaction was not begun. Nothing was changed then.
public enum TransactionError: Error, Equatable, Sendable {
    /// It was begun inside another transaction of the same stack, which it would have to wait for and be part
    /// of.
    case nested
    /// It was begun in a block of the stack's reader, which has to be told of what it commits.
    case insideReader
    /// It would wait for a transaction of another stack that waits for one of this.
    case wouldWaitForever
}

extension TransactionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nested: "a transaction was begun inside another one of the same stack"
        case .insideReader: "a transaction was begun in a block of the stack's reader"
        case .wouldWaitForever: "two transactions would wait for each other"
        }
    }
}
