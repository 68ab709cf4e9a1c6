extension ManagedObjectContext {
    /// Runs `body` on this context's queue and gives back what it returns. Suspends; blocks no thread.
    ///
    /// Values that `body` captures and returns are `Sendable`; objects stay inside.
    public func perform<Value: Sendable>(
        _ body: @Sendable (isolated ManagedObjectContext) throws -> Value
    ) async rethrows -> Value {
        defer { processPendingChanges() }
        return try body(self)
    }

    /// Runs `body` on this context's queue, waits, and returns or throws what it does.
    ///
    /// May be called again from inside `body`, as Core Data's may: the inner call runs at once.
    ///
    /// - Source: Apple, NSManagedObjectContext reference, `performBlockAndWait:`, on reentrancy.
    public nonisolated func performAndWait<Value: Sendable>(
        _ body: @Sendable (isolated ManagedObjectContext) throws -> Value
    ) rethrows -> Value {
        try executor.sync {
            try assumeIsolated { context in
                defer { context.processPendingChanges() }
                return try body(context)
            }
        }
    }

    /// Hands `body` to this context's queue, saves the changes it made, and returns at once. Changes that
    /// cannot be saved are rolled back. Calls from one thread keep their order.
    ///
    /// - Parameters:
    ///   - completion: called on the context's queue with what was saved, or why nothing was.
    ///   - body: Work to run on this context's queue; its changes are saved when it returns.
    public nonisolated func performChanges(
        completion: (@Sendable (Result<SaveNotification, any Error>) -> Void)? = nil,
        _ body: @escaping @Sendable (isolated ManagedObjectContext) -> Void
    ) {
        executor.async {
            self.assumeIsolated { context in
                body(context)
                let result = Result { try context.save() }
                if case .failure = result { context.rollback() }
                context.processPendingChanges()
                completion?(result)
            }
        }
    }
}
