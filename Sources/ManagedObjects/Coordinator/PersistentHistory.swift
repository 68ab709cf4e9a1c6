/// How far somebody has read the history of a coordinator's stores.
///
///     var token = try coordinator.currentHistoryToken()
///     ...
///     let history = try coordinator.history(after: token)
///     token = history.token
///
/// A value that each reader keeps for itself, also from one start of a program to the next: any number of
/// readers see every transaction, at their own pace.
public struct HistoryToken: Sendable, Hashable, Codable {
    /// By the identifier of a store: the number of the last transaction that was read.
    var numbers: [String: Int64] = [:]
}

/// The saves written to a coordinator's stores since a token was taken.
public struct PersistentHistory: Sendable, Equatable {
    /// By store, each store's in the order of its saves. The coordinator's own saves are among them.
    public internal(set) var transactions: [HistoryTransaction] = []
    /// Where to go on.
    public internal(set) var token = HistoryToken()
    /// Whether there may be more than the transactions tell: a store keeps no log, an old part of the log was
    /// pruned, or a row's entity is not known here.
    public internal(set) var isIncomplete = false
}

extension PersistentStoreCoordinator {
    /// A token behind everything that has been saved so far.
    ///
    /// - Throws: ``StoreError``.
    public func currentHistoryToken() throws -> HistoryToken {
        var token = HistoryToken()
        for store in try stores { token.numbers[store.identifier] = try store.lastTransaction() }
        return token
    }

    /// The saves behind a token, by whatever process: the log of the stores that were added with
    /// `keepsHistory`. Unlike ``changesByOthers()`` it moves no cursor of the coordinator.
    ///
    /// - Parameter token: nil reads the log from its beginning.
    /// - Throws: ``StoreError``.
    /// - Complexity: O(changes in the log behind the token).
    public func history(after token: HistoryToken?) throws -> PersistentHistory {
        var history = PersistentHistory()
        for store in try stores {
            let found = try store.transactions(after: token?.numbers[store.identifier])
            history.transactions += found.transactions
            history.token.numbers[store.identifier] = found.last
            history.isIncomplete = history.isIncomplete || found.isIncomplete
        }
        return history
    }
}
