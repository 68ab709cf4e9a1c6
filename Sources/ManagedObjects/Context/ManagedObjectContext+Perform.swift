extension ManagedObjectContext {
    /// Runs `body` on this context's queue and gives back what it returns. Suspends; blocks no thread.
    ///
    /// What `body` captures and returns is `Sendable`: objects stay inside.
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

    /// Hands `body` to this context's queue, saves what it changed, and returns at once: what cannot be saved
    /// is rolled back. Calls from one thread keep their order.
    public nonisolated func performChanges(
        _ body: @escaping @Sendable (isolated ManagedObjectContext) -> Void
    ) {
        executor.async {
            self.assumeIsolated { context in
                body(context)
                context.saveOrRollback()
                context.processPendingChanges()
            }
        }
    }
}
