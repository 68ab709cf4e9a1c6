import Dispatch
public import Foundation
public import Logging
public import ManagedObjects
import Synchronization

/// Stores with one context that writes, one that reads, and any number of views.
///
///     let stack = DataStack(model: model)
///     try stack.addStorageAndWait(SQLiteStore(fileURL: url))
///     let mood = try await stack.perform { transaction in
///         transaction.create(Into<Mood>()).reference
///     }
///     let titles = try stack.fetchAll(From<Mood>(), as: \.title)
///
/// Changes are made in transactions and nowhere else; they run one after the other. The reader follows what
/// transactions commit, in the order of the commits, so that monitors report commits and nothing else.
///
/// - Source: CoreStore's `DataStack`, whose main context is read-only too.
public final class DataStack: Sendable {
    /// The stores.
    public let coordinator: PersistentStoreCoordinator
    /// Follows what transactions commit. A program that changes something here is stopped with a sentence,
    /// in release builds too: changes are made in transactions.
    public let reader: ManagedObjectContext
    /// Runs transactions and saves drafts, in the order they were handed in.
    let writer: ManagedObjectContext
    /// The versions of the model.
    public let schemaHistory: SchemaHistory
    let logger: any CoreStoreLogger
    let views = ViewPool()
    /// Runs completions, one after the other.
    let completions = DispatchQueue(label: "moody.completions")
    /// Adds stores, one after the other.
    let additions = DispatchQueue(label: "moody.additions")
    let watchers = WatcherList()
    /// Readers beside ``reader`` that follow commits, too; nothing waits for them.
    let otherReaders = Mutex<[ManagedObjectContext]>([])

    /// A stack for one version of a model.
    ///
    /// - Parameter model: the model of the stores.
    /// - Parameter logger: `CoreStore.logger` without one.
    public convenience init(model: ManagedObjectModel, logger: (any CoreStoreLogger)? = nil) {
        self.init(history: SchemaHistory(model: model), logger: logger)
    }

    /// A stack for one version of a model that logs to a logger of swift-log.
    public convenience init(model: ManagedObjectModel, logger: Logger) {
        self.init(history: SchemaHistory(model: model), logger: SwiftLogLogger(logger))
    }

    /// A stack for the current version of a model, which can migrate stores of the earlier ones.
    ///
    /// - Throws: ``StackError/invalidChain(_:)``, before any file is touched. The logger's assertion comes
    ///   first.
    public convenience init(
        _ history: SchemaHistory, logger: (any CoreStoreLogger)? = nil, fileName: StaticString = #fileID,
        lineNumber: Int = #line, functionName: StaticString = #function
    ) throws(StackError) {
        let site = CallSite(fileName: fileName, lineNumber: lineNumber, functionName: functionName)
        let log = logger ?? SharedLogger()
        if let problem = history.problem {
            log.fail("the migration chain is invalid: \(problem)", site)
            throw .invalidChain(problem)
        }
        for version in history.unknownVersions {
            log.log(.warning, "the migration chain names \(version), of which there is no model", site)
        }
        self.init(history: history, logger: logger)
    }

    /// A stack for a model in a bundle: `NAME.xcdatamodeld` or `NAME.xcdatamodel` in its resources.
    ///
    /// - Parameters:
    ///   - modelName: the name without its extension; the program's without one.
    ///   - bundle: the bundle with the model's file.
    ///   - classes: Swift classes of entities, by their names.
    ///   - migrationChain: the order of versions.
    ///   - logger: receives messages and errors.
    ///   - fileName: where the call stands, for the logger.
    ///   - lineNumber: where the call stands, for the logger.
    ///   - functionName: where the call stands, for the logger.
    /// - Throws: ``StackError/noModel(_:)``, ``StackError/invalidChain(_:)``, ``StackError/model(_:)``.
    public convenience init(
        modelName: String = ProcessInfo.processInfo.processName, bundle: Bundle = .main,
        classes: [ManagedObject.Type] = [], migrationChain: MigrationChain = nil,
        logger: (any CoreStoreLogger)? = nil, fileName: StaticString = #fileID, lineNumber: Int = #line,
        functionName: StaticString = #function
    ) throws(StackError) {
        let folder = bundle.resourceURL ?? bundle.bundleURL
        let file = ["xcdatamodeld", "xcdatamodel"].map { folder.appending(path: "\(modelName).\($0)") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
        guard let file else { throw .noModel("\(modelName) in \(folder.path)") }
        try self.init(
            SchemaHistory(modelFile: file, classes: classes, migrationChain: migrationChain), logger: logger,
            fileName: fileName, lineNumber: lineNumber, functionName: functionName)
    }

    private init(history: SchemaHistory, logger: (any CoreStoreLogger)?) {
        schemaHistory = history
        coordinator = PersistentStoreCoordinator(managedObjectModel: history.model)
        reader = ManagedObjectContext(
            persistentStoreCoordinator: coordinator, label: "reader", isReadOnly: true)
        writer = ManagedObjectContext(persistentStoreCoordinator: coordinator, label: "writer")
        self.logger = logger ?? SharedLogger()
    }

    /// A stack over the same stores that only reads, with a reader of its own that follows what the other's
    /// follows. Commits do not wait for it: its lists know no values of deleted objects.
    package init(besideReaderOf stack: DataStack) {
        schemaHistory = stack.schemaHistory
        coordinator = stack.coordinator
        reader = ManagedObjectContext(
            persistentStoreCoordinator: coordinator, label: "second reader", isReadOnly: true)
        writer = ManagedObjectContext(
            persistentStoreCoordinator: coordinator, label: "no writer", isReadOnly: true)
        logger = stack.logger
        stack.otherReaders.withLock { [reader] in $0.append(reader) }
    }

    /// Metadata of the first store, as ``ManagedObjects/PersistentStoreCoordinator/metadata(_:)`` has it.
    ///
    /// - Throws: ``StackError/store(_:)``.
    package func metadata(_ key: String) throws(StackError) -> String? {
        try wrapping { try coordinator.metadata(key) }
    }

    /// Sets metadata of the first store; a nil value takes the key away.
    ///
    /// - Throws: ``StackError/store(_:)``.
    package func setMetadata(_ values: [String: String?]) throws(StackError) {
        try wrapping { try coordinator.setMetadata(values) }
    }

    /// The name of the version of the model that the stack works with.
    public var modelVersion: String { schemaHistory.currentVersion }

    /// Closes the stores. Calls that need one throw ``StackError/store(_:)`` with `noStore` afterwards.
    ///
    /// - Throws: ``StackError/store(_:)``; ``StackError/nested`` inside a transaction, and the like.
    public func close() throws(StackError) {
        try checkMayWait()
        views.removeAll()
        try wrapping { try writer.onQueue { try coordinator.close() } }
    }

    /// - Throws: why the caller must not wait for the writer.
    func checkMayWait() throws(StackError) {
        if writer.isCurrent { throw .nested }
        if reader.isCurrent { throw .insideReader }
        if writer.wouldWaitForever { throw .wouldWaitForever }
    }
}
