import Dispatch
import ManagedObjects

/// The transaction of `beginAsynchronous`: its block runs later, and its completion later still.
public final class AsynchronousDataTransaction: Transaction {
    /// Saves what was changed so far, and ends the transaction. Without it nothing is kept.
    ///
    /// A second commit is a mistake of the program, and completes with ``StackError/alreadyCommitted``.
    ///
    /// - Parameter completion: called on a queue of the stack's own when monitors and lists have reported:
    ///   with whether anything was written, or why nothing was.
    public func commit(_ completion: @escaping @Sendable (SaveResult) -> Void = { _ in }) {
        let stack = stack
        if isCommitted {
            note(.alreadyCommitted)
            return stack.completions.async { completion(.failure(.alreadyCommitted)) }
        }
        let hasChanges = core.hasChanges
        do throws(StackError) {
            _ = try save(entersReader: false) { stack.completions.async { completion(.success(hasChanges)) } }
        } catch {
            end()
            core.rollback()
            stack.logger.handle(error, "an asynchronous transaction could not be committed", site)
            stack.completions.async { completion(.failure(error)) }
        }
    }
}

/// The transaction of `beginSynchronous`: the call returns when its block has run.
public final class SynchronousDataTransaction: Transaction {
    /// Saves what was changed so far, and ends the transaction. Without it nothing is kept.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: ``StackError/validation(_:)``, ``StackError/store(_:)``: nothing was written then; the first
    ///   mistake of the program that the logger let pass. ``StackError/alreadyCommitted`` for a second
    ///   commit, which is such a mistake itself.
    @discardableResult
    public func commit() throws(StackError) -> Bool {
        if isCommitted {
            note(.alreadyCommitted)
            throw .alreadyCommitted
        }
        // The rest of the block comes before the reader is entered, and may take its time.
        do throws(StackError) { return try save(entersReader: false) } catch {
            end()
            core.rollback()
            throw error
        }
    }
}

/// A draft: a transaction without a block, which lives as long as it is held and may be committed again and
/// again.
///
/// The compiler keeps the draft and its objects in one task or thread at a time. Objects that a draft has
/// read stay as they were; when another transaction changed one of them since, the draft's commit throws
/// ``StackError/store(_:)`` with `conflict`.
public final class UnsafeDataTransaction: Transaction {
    init(_ stack: DataStack, supportsUndo: Bool, _ site: CallSite) {
        let core = ContextCore(unconfinedOn: stack.coordinator, isReadOnly: false)
        if supportsUndo { core.undoManager = UndoManager() }
        super.init(core, stack, site)
    }

    // Objects and core hold each other while there are changes.
    deinit { core.end() }

    override var commitsAgain: Bool { true }

    /// Saves what was changed since the last commit, on the writer's queue, and returns when monitors and
    /// lists have reported.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: ``StackError/validation(_:)``, ``StackError/store(_:)``: nothing was written then, and the
    ///   changes are still here; ``StackError/nested``, ``StackError/insideReader`` and
    ///   ``StackError/wouldWaitForever`` where it would wait for itself.
    @discardableResult
    public func commit() throws(StackError) -> Bool {
        try stack.checkMayWait()
        let isWritten = try wrapping { try stack.writer.onQueue { try save(entersReader: true) } }
        stack.waitForReports()
        return isWritten
    }

    /// Throws away what was changed since the last commit, mistakes that the logger let pass included.
    /// Objects are read anew at their next use, so that a draft whose commit met a conflict can go on.
    public func rollback() {
        core.rollback()
        core.refreshAllObjects()
        forgetMistake()
    }

    /// Takes back what was changed since the last commit, undo, or flush. Does nothing in a draft without
    /// undo.
    public func undo() { core.undoManager?.undo() }

    /// Does again what was taken back last.
    public func redo() { core.undoManager?.redo() }

    /// Ends a group of changes: what follows is undone by itself.
    public func flush() { core.processPendingChanges() }
}

/// The result of a commit: whether anything was written, or why nothing was.
public typealias SaveResult = Result<Bool, StackError>
