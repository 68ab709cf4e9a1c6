public import Foundation

/// A save as the log of a store has it.
public struct HistoryTransaction: Sendable, Equatable {
    /// The UUID of the store.
    public let storeIdentifier: String
    /// Counts the saves of the store.
    public let number: Int64
    /// The time of the transaction.
    public let date: Date
    /// The author that the save named, in Core Data's programs `transactionAuthor`.
    public let author: String?
    /// The name of the context that saved.
    public let contextName: String?
    /// The name of the process that saved.
    public let processName: String?
    /// The rows that the save inserted, changed and deleted.
    public let changes: SaveNotification
}

/// The history of one store.
struct StoreTransactions {
    var transactions: [HistoryTransaction] = []
    /// The number of the last one that there ever was; nil without a log.
    var last: Int64?
    var isIncomplete = false
}
