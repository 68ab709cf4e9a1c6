public import Foundation
import Synchronization

/// Stands between contexts and stores: contexts ask it for rows and hand it what to save.
///
///     let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
///     try coordinator.addPersistentStore(ofType: .sqlite, at: URL(filePath: "Moody.moody"))
///
/// Several stores may be added, each with the entities of a configuration: fetches ask all that hold what is
/// asked for, new objects go to the first that takes them, and relationships do not lead from one to another.
/// Owns the list of stores. Any thread may call.
public final class PersistentStoreCoordinator: Sendable {
    /// The model of all stores.
    public let managedObjectModel: ManagedObjectModel
    private let added = Mutex<[Added]>([])

    private struct Added {
        let store: any PersistentStore
        let info: AddedStore
    }
    let listCaches = ListCaches()
    let followers = Followers()
    /// Whether a look found what others wrote and somebody could not take it in.
    private let hasMissedChanges = Mutex(false)

    /// Creates a coordinator without stores.
    public init(managedObjectModel: ManagedObjectModel) { self.managedObjectModel = managedObjectModel }

    /// Where a store keeps its rows.
    public enum StoreType: Sendable {
        /// A file in Core Data's format.
        case sqlite
        /// Memory; gone with the coordinator.
        case inMemory
        /// A file in the layout of Core Data's XML stores, read and written whole.
        case xml
        /// A binary property list, read and written whole. A layout of our own: Core Data's binary stores are
        /// keyed archives.
        case binary
        /// A file in a format of one's own, read and written whole.
        case file(any StoreFormat)

        var format: (any StoreFormat)? {
            switch self {
            case .sqlite, .inMemory: nil
            case .xml: XMLStoreFormat()
            case .binary: BinaryStoreFormat()
            case .file(let format): format
            }
        }
    }

    /// Opens the store at `url` if there is one of this model, else makes it.
    ///
    /// - Parameter oldVersion: where the caller kept what it migrated.
    /// - Throws: ``StoreError``, ``ModelError``.
    func openStore(
        ofType type: StoreType, configuration: String? = nil, at url: URL? = nil, isReadOnly: Bool = false,
        keepsHistory: Bool = false, oldVersionKeptAt oldVersion: URL? = nil
    ) throws -> AddedStore {
        let url = url?.storeLocation
        guard let entities = managedObjectModel.entities(in: configuration) else {
            throw ModelError.configuration(configuration ?? "", entity: "any entity")
        }
        return try added.withLock { added in
            let store: any PersistentStore
            var isNew = true
            switch (type, url) {
            case (.sqlite, let url?):
                let opened = try SQLiteStore(
                    managedObjectModel, entities: entities, at: url, readOnly: isReadOnly,
                    keepsHistory: keepsHistory)
                (store, isNew) = (opened, opened.isNew)
            case (.inMemory, _): store = MemoryStore(managedObjectModel, entities: entities)
            case (let type, let url?):
                guard let format = type.format else { throw StoreError.noStore }
                let file = StoreFile(url, format)
                let opened = try MemoryStore(
                    managedObjectModel, entities: entities, file: file, isReadOnly: isReadOnly)
                (store, isNew) = (opened, opened.isNew)
            case (_, nil): throw StoreError.noStore
            }
            if added.contains(where: { $0.store.identifier == store.identifier }) {
                try store.close()
                throw StoreError.alreadyAdded
            }
            let info = AddedStore(
                identifier: store.identifier, url: url, type: type, configuration: configuration,
                isReadOnly: store.isReadOnly, isNew: isNew, oldVersionKeptAt: oldVersion)
            added.append(Added(store: store, info: info))
            return info
        }
    }

    /// Opens a SQLite or XML store by the model that it holds or tells of, without having one: see
    /// ``ManagedObjectModel/init(ofStoreAt:)``. The store is only read, and nothing in its folder is written.
    ///
    ///     let coordinator = try PersistentStoreCoordinator(readingStoreAt: url)
    ///     for entity in coordinator.managedObjectModel.entities { ... }
    ///
    /// - Throws: ``StoreError``.
    public convenience init(readingStoreAt url: URL) throws {
        let url = url.storeLocation
        let model = try ManagedObjectModel(ofStoreAt: url)
        self.init(managedObjectModel: model)
        if XMLStoreContents.isXML(url) {
            _ = try openStore(ofType: .xml, at: url, isReadOnly: true)
            return
        }
        let store = try SQLiteStore(model, entities: model.entities, at: url, readOnly: true, isOfStore: true)
        add(store, url: url, configuration: nil)
    }

    /// Adds a store that a migration reads, whose rows name files of `files`.
    func addMigrated(_ url: URL, configuration: String?, _ files: ExternalFiles) throws {
        let entities = managedObjectModel.entities(in: configuration) ?? managedObjectModel.entities
        let store = try SQLiteStore(
            managedObjectModel, entities: entities, at: url, readOnly: true, files: files)
        add(store, url: url, configuration: configuration)
    }

    func add(_ store: any PersistentStore, url: URL?, configuration: String?) {
        let info = AddedStore(
            identifier: store.identifier, url: url, type: url == nil ? .inMemory : .sqlite,
            configuration: configuration, isReadOnly: store.isReadOnly, isNew: false,
            oldVersionKeptAt: nil)
        added.withLock { $0.append(Added(store: store, info: info)) }
    }

    /// Adds a store in memory, whose rows will be written to a file at once.
    func addDraft(configuration: String?) throws -> MemoryStore {
        let entities = managedObjectModel.entities(in: configuration) ?? managedObjectModel.entities
        let store = try MemoryStore(draftOf: managedObjectModel, entities: entities)
        add(store, url: nil, configuration: configuration)
        return store
    }

    /// All stores, in the order they were added.
    ///
    /// - Throws: ``StoreError/noStore``.
    var stores: [any PersistentStore] {
        get throws {
            let stores = added.withLock { $0.map(\.store) }
            if stores.isEmpty { throw StoreError.noStore }
            return stores
        }
    }

    /// The UUIDs of the stores, in the order they were added; ``ManagedObjectID/storeIdentifier`` is one of
    /// them.
    public var storeIdentifiers: [String] { added.withLock { $0.map(\.store.identifier) } }

    /// The stores, in the order they were added.
    public var persistentStores: [AddedStore] { added.withLock { $0.map(\.info) } }

    /// Closes one store and takes it out of the coordinator. Objects of its rows that contexts still have
    /// cannot be read or saved afterwards: reset the contexts first.
    ///
    /// - Throws: ``StoreError/noStore`` when the coordinator has no such store, ``StoreError``.
    public func removePersistentStore(identifier: String) throws {
        let removed = added.withLock { added in
            let index = added.firstIndex { $0.store.identifier == identifier }
            return index.map { added.remove(at: $0).store }
        }
        guard let removed else { throw StoreError.noStore }
        try removed.close()
    }

    func store(of id: ManagedObjectID) throws -> any PersistentStore {
        guard let store = try stores.first(where: { $0.identifier == id.storeIdentifier }) else {
            throw StoreError.otherStore(id)
        }
        return store
    }

    /// Returns what other stacks and processes have written to the stores since the last call, or
    /// since the stores were added: for contexts that want to
    /// ``ManagedObjectContext/mergeChanges(byOthers:)``.
    ///
    /// Asked often, it costs one look at each database's version while nobody writes. A store of an earlier
    /// version of the model that was opened for reading only, and that another program has brought to this
    /// version since, is opened anew.
    ///
    /// - Throws: ``StoreError``; the next call that does not throw tells that something is unknown.
    public func changesByOthers() throws -> ChangesByOthers {
        do {
            var changes = ChangesByOthers()
            for store in try stores {
                do { changes.history.add(try store.changesByOthers()) } catch StoreError.modelChanged {
                    try reopen(store)
                    changes.history.isGap = true
                }
            }
            hasMissedChanges.withLock { missed in
                if missed { changes.history.isGap = true }
                missed = false
            }
            return changes
        } catch {
            missChanges()
            throw error
        }
    }

    /// - Throws: ``StoreError/modelChanged`` when the store is not of this model.
    private func reopen(_ old: any PersistentStore) throws {
        try added.withLock { added in
            guard let index = added.firstIndex(where: { $0.store === old }), old is SQLiteStore,
                old.isReadOnly, let url = added[index].info.url,
                let entities = managedObjectModel.entities(in: added[index].info.configuration),
                let new = try? SQLiteStore(managedObjectModel, entities: entities, at: url, readOnly: true),
                new.identifier == old.identifier
            else { throw StoreError.modelChanged }
            // Who is reading from the old one ends it by letting it go.
            added[index] = Added(store: new, info: added[index].info)
        }
    }

    /// Has the next look tell that something is unknown: what the last one found could not be taken in.
    package func missChanges() { hasMissedChanges.withLock { $0 = true } }

    /// A stream of the saves of this coordinator's contexts from now on, in their order. Each call gives a
    /// stream of its own, which keeps every notification until it is read, and ends with ``close()``.
    ///
    ///     for await note in coordinator.saves { print(note.insertedObjectIDs) }
    public var saves: AsyncStream<SaveNotification> { followers.makeStream() }

    /// Closes the stores: a `-wal` is moved into its store. Contexts cannot be used afterwards.
    public func close() throws {
        let stores = added.withLock { added in
            defer { added = [] }
            return added.map(\.store)
        }
        followers.endStreams()
        for store in stores { try store.close() }
    }
}

/// A store of a coordinator.
public struct AddedStore: Sendable {
    /// The store's UUID.
    public let identifier: String
    /// The file; nil for a store in memory.
    public let url: URL?
    /// The kind of store.
    public let type: PersistentStoreCoordinator.StoreType
    /// The name of the configuration whose entities the store takes; nil for all.
    public let configuration: String?
    /// Whether the store was opened for reading only.
    public let isReadOnly: Bool
    /// Whether the store was made when it was added.
    public let isNew: Bool
    /// Where the store of the earlier version is kept that was migrated when it was added; nil when none was.
    public let oldVersionKeptAt: URL?
}

extension PersistentStoreCoordinator {
    /// Writes `data` to a file beside the store and syncs it, or keeps it for the row when it has less than
    /// 100 KiB. May be called by many threads at once; the file gets its row with
    /// ``ManagedObject/setStaged(_:for:)``.
    ///
    /// With several stores it goes to the first.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    public func stage(_ data: Data) throws -> ExternalData {
        ExternalData(count: data.count, value: try stores[0].stage(data))
    }

    /// Looks at everything in the stores and beside them.
    ///
    /// - Complexity: reads every page.
    public func report() throws -> StoreReport {
        try stores.reduce(into: StoreReport()) { $0.add(try $1.report()) }
    }

    /// Inserts many rows without the indexes that only fetches need. They are made at the end, of sorted
    /// rows: row by row each would write a page of its own.
    ///
    /// Meanwhile fetches are right, and slow. A process that is killed leaves a store without these indexes;
    /// the next that opens it to write makes them.
    ///
    /// - Throws: ``StoreError``, and what `body` throws; then, too, the indexes are made.
    package func withoutFetchIndexes(_ body: () throws -> Void) throws {
        let stores = try stores.filter { !$0.isReadOnly }
        for store in stores { try store.dropFetchIndexes() }
        do { try body() } catch {
            for store in stores { try? store.makeFetchIndexes() }
            throw error
        }
        for store in stores { try store.makeFetchIndexes() }
    }

    /// Returns a text that a program keeps in the first store's metadata; nil for an unknown name.
    public func metadata(_ key: String) throws -> String? { try stores[0].metadata(key) }

    /// Sets metadata of the first store; a nil value takes the key away.
    ///
    /// - Throws: ``StoreError``, also for a key that begins with `NS` or `_NS`.
    public func setMetadata(_ values: [String: String?]) throws {
        if let key = values.keys.sorted().first(where: StoreMetadata.isReserved) {
            throw StoreError.reservedMetadata(key)
        }
        try stores[0].changeMetadata { metadata in
            for (key, value) in values { metadata[key] = value.map { .text($0) } }
        }
    }

    /// Sets one of the first store's metadata by what it is; nobody else sets it in between.
    ///
    /// - Throws: ``StoreError``.
    package func changeMetadata(_ key: String, _ change: (String?) -> String?) throws {
        try stores[0].changeMetadata { metadata in
            metadata[key] = change(metadata[key]?.text).map { .text($0) }
        }
    }

    /// The first store's UUID, as text.
    public func storeIdentifier() throws -> String { try stores[0].identifier }

    /// The version of SQLite that is linked, "3.40.1".
    public static var sqliteVersion: String { SQLiteStore.libraryVersion }
}
