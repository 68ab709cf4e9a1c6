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
    /// Follows what transactions commit. Nothing is to be changed here.
    public let reader: ManagedObjectContext
    private let writer: ManagedObjectContext
    private let logger: Logger

    public init(model: ManagedObjectModel, logger: Logger = Logger(label: "moody.stack")) {
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        reader = ManagedObjectContext(persistentStoreCoordinator: coordinator, label: "reader")
        writer = ManagedObjectContext(persistentStoreCoordinator: coordinator, label: "writer")
        self.logger = logger
    }

    /// Opens the SQLite store at `url`, or makes one there.
    ///
    /// - Parameter isReadOnly: the store must be there, and nothing in its folder is written; transactions fail.
    /// - Returns: whether the store was made.
    /// - Throws: ``StoreError``. A store of another version of the model is refused, never migrated unasked.
    @discardableResult
    public func addStorage(sqlite url: URL, isReadOnly: Bool = false) throws -> Bool {
        let isNew = try coordinator.addPersistentStore(ofType: .sqlite, at: url, isReadOnly: isReadOnly)
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
    /// - Throws: what `body` throws; ``ValidationError`` and ``StoreError`` of the save.
    public func perform<Value: Sendable>(_ body: @Sendable (Transaction) throws -> Value) async throws
        -> Value
    {
        let (value, note) = try await writer.perform { context in
            try context.withCore { try Self.run(body, in: $0, reader) }
        }
        try await reader.perform { try $0.mergeChanges(from: note) }
        log(note)
        return value
    }

    /// The same for a thread that may wait, such as a pipeline's. Not to be called inside a transaction.
    public func performAndWait<Value: Sendable>(_ body: @Sendable (Transaction) throws -> Value) throws
        -> Value
    {
        let (value, note) = try writer.performAndWait { context in
            try context.withCore { try Self.run(body, in: $0, reader) }
        }
        try reader.performAndWait { try $0.mergeChanges(from: note) }
        log(note)
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

    private func log(_ note: SaveNotification) {
        if note.isEmpty { return }
        logger.debug(
            """
            committed: \(note.insertedObjectIDs.count) inserted, \(note.updatedObjectIDs.count) updated, \
            \(note.deletedObjectIDs.count) deleted
            """)
    }
}
