public import Foundation

/// A model, a coordinator with its stores, and contexts on top: what most programs begin with.
///
///     let container = try PersistentContainer(name: "Moods", managedObjectModel: model)
///     try container.loadPersistentStores()
///     try container.viewContext.performAndWait { context in ... }
///     try await container.performBackgroundTask { context in
///         ...
///         try context.save()
///     }
///
/// The view context merges by itself what background contexts save.
public final class PersistentContainer: Sendable {
    /// Where a store is, and of which kind.
    public struct StoreDescription: Sendable {
        /// The kind of store.
        public var type: PersistentStoreCoordinator.StoreType
        /// Nil for a store in memory.
        public var url: URL?
        /// The configuration whose entities the store holds; nil for all.
        public var configuration: String?
        /// Whether the store is opened for reading only.
        public var isReadOnly = false
        /// Brings a store of an earlier version to the container's model before it is opened.
        public var migration: Migration?

        /// Describes a store.
        public init(
            type: PersistentStoreCoordinator.StoreType = .sqlite, url: URL? = nil,
            configuration: String? = nil, isReadOnly: Bool = false, migration: Migration? = nil
        ) {
            (self.type, self.url) = (type, url)
            (self.configuration, self.isReadOnly) = (configuration, isReadOnly)
            self.migration = migration
        }
    }

    /// The name of the container.
    public let name: String
    /// The coordinator of all stores.
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// The stores that ``loadPersistentStores()`` opens.
    public let persistentStoreDescriptions: [StoreDescription]
    /// On the main queue.
    public let viewContext: ManagedObjectContext

    /// - Parameters:
    ///   - name: without one it is the program's.
    ///   - managedObjectModel: the model of the stores.
    ///   - descriptions: none stands for one SQLite store named after the container, in ``defaultDirectory``.
    public init(
        name: String = ProcessInfo.processInfo.processName, managedObjectModel: ManagedObjectModel,
        descriptions: [StoreDescription] = []
    ) {
        self.name = name
        let url = Self.defaultDirectory.appending(path: "\(name).sqlite")
        persistentStoreDescriptions = descriptions.isEmpty ? [StoreDescription(url: url)] : descriptions
        persistentStoreCoordinator = PersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        viewContext = ManagedObjectContext(
            persistentStoreCoordinator: persistentStoreCoordinator, concurrencyType: .mainQueue, label: "view"
        )
        persistentStoreCoordinator.followers.set(viewContext, isFollowing: true)
    }

    /// A container of one SQLite store, open already, whose model is the one that it holds. The store is only
    /// read.
    ///
    /// - Throws: ``StoreError``.
    public init(readingStoreAt url: URL) throws {
        name = url.deletingPathExtension().lastPathComponent
        persistentStoreDescriptions = []
        persistentStoreCoordinator = try PersistentStoreCoordinator(readingStoreAt: url)
        viewContext = ManagedObjectContext(
            persistentStoreCoordinator: persistentStoreCoordinator, concurrencyType: .mainQueue, label: "view"
        )
    }

    /// The model of all stores.
    public var managedObjectModel: ManagedObjectModel { persistentStoreCoordinator.managedObjectModel }

    /// Opens the stores, or makes them; the default one's folder too.
    ///
    /// - Throws: ``StoreError``, ``ModelError``, ``MigrationError``. Stores before the one that fails stay
    ///   open.
    public func loadPersistentStores() throws {
        for description in persistentStoreDescriptions {
            if let folder = description.url?.deletingLastPathComponent(), folder == Self.defaultDirectory {
                try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            try persistentStoreCoordinator.addPersistentStore(
                ofType: description.type, configuration: description.configuration, at: description.url,
                isReadOnly: description.isReadOnly, migration: description.migration)
        }
    }

    /// An empty context on a queue of its own.
    public func newBackgroundContext() -> ManagedObjectContext {
        ManagedObjectContext(persistentStoreCoordinator: persistentStoreCoordinator, label: "background")
    }

    /// Runs `body` in a new background context. What is not saved in it is lost.
    ///
    /// - Throws: what `body` throws.
    public func performBackgroundTask<Value: Sendable>(
        _ body: @Sendable (isolated ManagedObjectContext) throws -> Value
    ) async rethrows -> Value { try await newBackgroundContext().perform(body) }

    /// `$XDG_DATA_HOME/PROGRAM`, or `~/.local/share/PROGRAM`.
    ///
    /// - Source: XDG Base Directory Specification 0.8; a relative `$XDG_DATA_HOME` does not count.
    public static var defaultDirectory: URL {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = URL(filePath: data ?? "\(home)/.local/share", directoryHint: .isDirectory)
        return folder.appending(path: ProcessInfo.processInfo.processName, directoryHint: .isDirectory)
    }
}
