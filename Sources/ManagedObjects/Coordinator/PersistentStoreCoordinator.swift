public import Foundation
import Synchronization

/// Stands between contexts and the store: contexts ask it for rows and hand it what to save.
///
///     let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
///     try coordinator.addPersistentStore(ofType: .sqlite, at: URL(filePath: "Moody.moody"))
///
/// Any thread may call.
public final class PersistentStoreCoordinator: Sendable {
    public let managedObjectModel: ManagedObjectModel
    private let added = Mutex<SQLiteStore?>(nil)

    public init(managedObjectModel: ManagedObjectModel) { self.managedObjectModel = managedObjectModel }

    /// Where a store keeps its rows.
    public enum StoreType: Sendable {
        /// A file in Core Data's format.
        case sqlite
        /// Memory; gone with the coordinator.
        case inMemory
    }

    /// Opens the store at `url` if there is one, else makes it.
    ///
    /// - Parameters:
    ///   - url: the file; not used by a store in memory.
    ///   - isReadOnly: the store must be there, and nothing in its folder is written.
    /// - Returns: whether the store was made.
    /// - Throws: ``StoreError``: no store and none can be made there, not a store, another model's store.
    @discardableResult
    public func addPersistentStore(ofType type: StoreType, at url: URL? = nil, isReadOnly: Bool = false)
        throws
        -> Bool
    {
        try added.withLock { added in
            if added != nil { throw StoreError.oneStoreOnly }
            let store: SQLiteStore
            switch (type, url) {
            case (.sqlite, let url?):
                store = try SQLiteStore(model: managedObjectModel, at: url, readOnly: isReadOnly)
            case (.sqlite, nil): throw StoreError.noStore
            case (.inMemory, _): store = try SQLiteStore(model: managedObjectModel)
            }
            added = store
            return store.isNew
        }
    }

    var store: SQLiteStore {
        get throws {
            guard let store = added.withLock({ $0 }) else { throw StoreError.noStore }
            return store
        }
    }
}

extension PersistentStoreCoordinator {
    /// Writes `data` to a file beside the store and syncs it, or keeps it for the row when it has less than
    /// 100 KiB. May be called by many threads at once; the file gets its row with
    /// ``ManagedObject/setStaged(_:for:)``.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    public func stage(_ data: Data) throws -> ExternalData {
        let column = try store.files?.stage(data) ?? ExternalFiles.inline(data)
        return ExternalData(count: data.count, column: column)
    }

    /// Looks at everything in the store and beside it.
    ///
    /// - Complexity: reads every page of the store.
    public func report() throws -> StoreReport { try store.report() }

    /// What a program keeps in the store beside its rows, under a name of its own.
    public func metadata(_ key: String) throws -> String? { try store.metadata(key) }

    /// A nil value takes the key away.
    public func setMetadata(_ values: [String: String?]) throws { try store.setMetadata(values) }

    /// The store's UUID, as text.
    public func storeIdentifier() throws -> String { try store.identifier() }

    /// Closes the store: its `-wal` is moved into it. Contexts cannot be used afterwards.
    public func close() throws {
        let store = added.withLock { added in
            defer { added = nil }
            return added
        }
        try store?.close()
    }
}

extension PersistentStoreCoordinator {
    /// The version of SQLite that is linked, "3.40.1".
    public static var sqliteVersion: String { SQLiteStore.libraryVersion }
}
