public import Foundation
public import Logging
public import ManagedObjects

/// A store with one context that writes and one that reads.
///
///     let stack = DataStack(model: model)
///     try stack.addStorage(sqlite: URL(filePath: "Moody.moody"))
///     let mood = try await stack.perform { transaction in
///         transaction.create(Mood.self).reference
///     }
///
/// Changes are made in transactions and nowhere else; they run one after the other. The reader follows what
/// transactions commit, so that its lists report commits and nothing else.
///
/// - Source: CoreStore's `DataStack`, whose main context is read-only too.
public final class DataStack: Sendable {
    public let coordinator: PersistentStoreCoordinator
    /// Follows what transactions commit. Whoever changes something here is stopped with a sentence, in
    /// release builds too: changes are made in transactions.
    public let reader: ManagedObjectContext
    private let writer: ManagedObjectContext
    let logger: Logger

    public init(model: ManagedObjectModel, logger: Logger = Logger(label: "moody.stack")) {
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        reader = ManagedObjectContext(
            persistentStoreCoordinator: coordinator, label: "reader", isReadOnly: true)
        writer = ManagedObjectContext(persistentStoreCoordinator: coordinator, label: "writer")
        self.logger = logger
    }

    /// Opens the SQLite store at `url`, or makes one there. It keeps a log of its changes, by which other
    /// processes can follow them: see ``followOthers()``.
    ///
    /// - Parameter isReadOnly: the store must be there, and nothing in its folder is written; transactions
    ///   fail.
    /// - Returns: whether the store was made.
    /// - Throws: ``StoreError``. A store of another version of the model is refused, never migrated unasked.
    @discardableResult
    public func addStorage(sqlite url: URL, isReadOnly: Bool = false) throws -> Bool {
        let isNew = try coordinator.addPersistentStore(
            ofType: .sqlite, at: url, isReadOnly: isReadOnly, keepsHistory: true)
        logger.debug("\(isNew ? "made" : "opened") \(url.path)")
        return isNew
    }

    /// A store in memory, which ends with the stack.
    public func addInMemoryStorage() throws {
        try coordinator.addPersistentStore(ofType: .inMemory)
    }

    /// Runs `body` after the transactions handed in before it, and commits what it changed; when it throws,
    /// all of that is thrown away. When this returns, the reader's lists have reported.
    ///
    /// What comes out is `Sendable`: objects stay inside.
    ///
    /// - Throws: what `body` throws; ``ValidationError`` and ``StoreError`` of the save. What the reader
    ///   cannot read is no reason: the commit stands.
    public func perform<Value: Sendable>(_ body: @Sendable (Transaction) throws -> Value) async throws
        -> Value
    {
        let (value, note) = try await writer.perform { context in
            try context.withCore { try Self.run(body, in: $0, reader) }
        }
        await reader.perform { self.merge(note, into: $0) }
        return value
    }

    /// The same for a thread that may wait, such as a pipeline's.
    ///
    /// - Throws: also ``TransactionError``, when it is called inside a transaction or a block of the reader,
    ///   or when two stacks' transactions would wait for each other.
    public func performAndWait<Value: Sendable>(_ body: @Sendable (Transaction) throws -> Value) throws
        -> Value
    {
        if writer.isCurrent { throw TransactionError.nested }
        if reader.isCurrent { throw TransactionError.insideReader }
        if writer.wouldWaitForever { throw TransactionError.wouldWaitForever }
        let (value, note) = try writer.performAndWait { context in
            try context.withCore { try Self.run(body, in: $0, reader) }
        }
        reader.performAndWait { merge(note, into: $0) }
        return value
    }

    private static func run<Value: Sendable>(
        _ body: (Transaction) throws -> Value, in core: ContextCore, _ reader: ManagedObjectContext
    ) throws -> (Value, SaveNotification) {
        // What the transaction used is of no use to the next one: its objects cannot have left it.
        defer { core.forgetEverything() }
        let value = try body(Transaction(core))
        // While the rows are still there, so that reports can tell what they held.
        let doomed = core.deletedObjectIDs
        if !doomed.isEmpty { reader.performAndWait { $0.prepareForDeletion(of: doomed) } }
        return (value, try core.save())
    }

    /// What was committed is committed, whether the reader can read it or not: it reads it again before it
    /// reports anything else.
    private func merge(_ note: SaveNotification, into reader: isolated ManagedObjectContext) {
        if note.isEmpty { return }
        do { try reader.mergeChanges(from: note) } catch {
            logger.error("the reader could not follow a commit: \(error)")
        }
        logger.debug(
            """
            committed: \(note.insertedObjectIDs.count) inserted, \(note.updatedObjectIDs.count) updated, \
            \(note.deletedObjectIDs.count) deleted
            """)
    }
}
