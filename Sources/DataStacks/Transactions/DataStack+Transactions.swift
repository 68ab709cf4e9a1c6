import Foundation
package import ManagedObjects

extension DataStack {
    /// Runs `body` after the transactions handed in before it, and commits what it changed; when it throws,
    /// all of that is thrown away.
    ///
    /// The result is `Sendable`: objects stay inside.
    ///
    /// - Parameters:
    ///   - attempts: how often `body` is run at most, when another process or a draft changed the same rows
    ///     meanwhile. It is run on what is stored then.
    ///   - waitsForObservers: whether to return when monitors and lists have reported, or before. A
    ///     transaction that wrote nothing waits for no reports, not even those of earlier ones.
    ///   - fileName: where the call stands, for the logger.
    ///   - lineNumber: where the call stands, for the logger.
    ///   - functionName: where the call stands, for the logger.
    ///   - body: called on the writer's queue, with a transaction of its own.
    /// - Throws: ``StackError/user(_:)`` with what `body` throws, ``StackError/cancelled``,
    ///   ``StackError/validation(_:)`` and ``StackError/store(_:)`` of the save. What the reader cannot read
    ///   is no reason: the commit stands.
    public func perform<Value: Sendable>(
        attempts: Int = 1, waitsForObservers: Bool = true, fileName: StaticString = #fileID,
        lineNumber: Int = #line, functionName: StaticString = #function,
        _ body: @Sendable (Transaction) throws -> Value
    ) async throws(StackError) -> Value {
        let site = CallSite(fileName: fileName, lineNumber: lineNumber, functionName: functionName)
        if Task.isCancelled { throw .cancelled }
        let result: Result<Outcome<Value>, StackError> = await writer.perform { context in
            // Between the two queues is the task's executor, which may be busy: reports do not wait for it.
            context.withCore { self.result(of: body, attempts, entersReader: false, in: $0, site) }
        }
        let outcome = try result.get()
        if waitsForObservers && outcome.hasWritten { await reader.perform { _ in } }
        return outcome.value
    }

    /// Like ``perform(attempts:waitsForObservers:fileName:lineNumber:functionName:_:)``, for a thread that
    /// may wait, such as a pipeline's.
    ///
    /// - Throws: also ``StackError/nested`` inside a transaction, ``StackError/insideReader`` inside a block
    ///   of the reader, and ``StackError/wouldWaitForever`` when two stacks' transactions would wait for each
    ///   other.
    public func performAndWait<Value: Sendable>(
        attempts: Int = 1, waitsForObservers: Bool = true, fileName: StaticString = #fileID,
        lineNumber: Int = #line, functionName: StaticString = #function,
        _ body: @Sendable (Transaction) throws -> Value
    ) throws(StackError) -> Value {
        let site = CallSite(fileName: fileName, lineNumber: lineNumber, functionName: functionName)
        try checkMayWait()
        let result: Result<Outcome<Value>, StackError> = writer.performAndWait { context in
            context.withCore { core in
                self.result(of: body, attempts, entersReader: waitsForObservers, in: core, site)
            }
        }
        let outcome = try result.get()
        if waitsForObservers && outcome.hasWritten { waitForReports() }
        return outcome.value
    }

    /// Changes many objects, some hundred in a transaction; those that are gone are passed over.
    ///
    /// - Throws: ``StackError``. What earlier transactions committed stands.
    package func editEach<Object: ManagedObject>(
        _ type: Object.Type, _ ids: [ManagedObjectID],
        _ change: @Sendable (Object, Transaction) throws -> Void
    ) throws(StackError) {
        for some in ids.parts(of: 256) {
            try performAndWait { transaction in
                for id in some {
                    if let object = transaction.edit(type, id: id) { try change(object, transaction) }
                }
            }
        }
    }

    /// The value that a transaction returned, and whether its commit wrote anything.
    private struct Outcome<Value: Sendable>: Sendable {
        let value: Value
        let hasWritten: Bool
    }

    private func result<Value: Sendable>(
        of body: (Transaction) throws -> Value, _ attempts: Int, entersReader: Bool,
        in core: ContextCore, _ site: CallSite
    ) -> Result<Outcome<Value>, StackError> {
        var left = attempts
        while true {
            let result = run(Transaction(core, self, site)) { transaction in
                let value = try body(transaction)
                return Outcome(value: value, hasWritten: try transaction.save(entersReader: entersReader))
            }
            left -= 1
            guard case .failure(let error) = result, error.isCausedByOthers, left > 0 else { return result }
            logger.log(.trace, "a transaction is run again: \(error)", site)
        }
    }

    /// Runs a block of the writer, and forgets what it used: its objects cannot have left it.
    private func run<Kind: Transaction, Value>(
        _ transaction: Kind, _ body: (Kind) throws -> Value
    ) -> Result<Value, StackError> {
        defer {
            transaction.end()
            transaction.core.forgetEverything()
        }
        do { return .success(try body(transaction)) } catch { return .failure(StackError(error)) }
    }

    // MARK: The forms of 2016

    /// Hands `body` to the writer's queue and returns at once. What it changes is kept if it calls
    /// ``AsynchronousDataTransaction/commit(_:)``, else thrown away with a warning. An error that it throws
    /// goes to the logger's `handleError`, with the place of this call.
    public func beginAsynchronous(
        fileName: StaticString = #fileID, lineNumber: Int = #line, functionName: StaticString = #function,
        _ body: @escaping @Sendable (AsynchronousDataTransaction) throws -> Void
    ) {
        let site = CallSite(fileName: fileName, lineNumber: lineNumber, functionName: functionName)
        writer.enqueue { [self] context in
            context.withCore { core in
                let result = run(AsynchronousDataTransaction(core, self, site)) { transaction in
                    try body(transaction)
                    warnOfLostChanges(transaction)
                }
                if case .failure(let error) = result {
                    logger.handle(error, "the block of an asynchronous transaction threw", site)
                }
            }
        }
    }

    /// Runs `body` after the transactions handed in before it, and returns when it has run and what it
    /// committed was reported. What it changes is kept if it calls ``SynchronousDataTransaction/commit()``,
    /// else thrown away with a warning.
    ///
    /// - Throws: ``StackError/user(_:)`` with what `body` throws; ``StackError/nested``,
    ///   ``StackError/insideReader`` and ``StackError/wouldWaitForever`` where it would wait for itself.
    public func beginSynchronous(
        fileName: StaticString = #fileID, lineNumber: Int = #line, functionName: StaticString = #function,
        _ body: @Sendable (SynchronousDataTransaction) throws -> Void
    ) throws(StackError) {
        let site = CallSite(fileName: fileName, lineNumber: lineNumber, functionName: functionName)
        try checkMayWait()
        let result: Result<Void, StackError> = writer.performAndWait { context in
            context.withCore { core in
                run(SynchronousDataTransaction(core, self, site)) { transaction in
                    try body(transaction)
                    warnOfLostChanges(transaction)
                }
            }
        }
        waitForReports()
        try result.get()
    }

    /// Begins a draft, which ends when it is released.
    ///
    /// - Parameters:
    ///   - supportsUndo: whether changes can be taken back one by one.
    ///   - fileName: where the call stands, for the logger.
    ///   - lineNumber: where the call stands, for the logger.
    ///   - functionName: where the call stands, for the logger.
    public func beginUnsafe(
        supportsUndo: Bool = false, fileName: StaticString = #fileID, lineNumber: Int = #line,
        functionName: StaticString = #function
    ) -> sending UnsafeDataTransaction {
        UnsafeDataTransaction(
            self, supportsUndo: supportsUndo,
            CallSite(fileName: fileName, lineNumber: lineNumber, functionName: functionName))
    }

    private func warnOfLostChanges(_ transaction: Transaction) {
        if transaction.isCommitted || !transaction.hasChanges { return }
        logger.log(.warning, "a transaction ended without a commit; its changes are lost", transaction.site)
    }
}
