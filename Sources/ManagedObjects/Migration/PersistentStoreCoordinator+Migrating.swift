public import Foundation

extension PersistentStoreCoordinator {
    /// Opens the store at `url` if there is one, else makes it.
    ///
    /// - Parameters:
    ///   - type: The kind of store to open or create.
    ///   - configuration: the name of one of the model's; nil for all entities.
    ///   - url: the file; not used by a store in memory.
    ///   - isReadOnly: the store must be there, and nothing in its folder is written.
    ///   - keepsHistory: whether a SQLite store is to keep a log of its changes from now on, by which others
    ///     can follow them: Core Data's persistent history. A store that has one keeps it, whoever opens it.
    ///   - migration: brings a store of an earlier version to this model first. Its last version must have
    ///     the entities of this model.
    /// - Returns: whether the store was made.
    /// - Throws: ``StoreError``: no store and none can be made there, not a store, another model's store, or
    ///   one that is there already; ``ModelError`` when the model has no such configuration;
    ///   ``MigrationError``.
    @discardableResult
    public func addPersistentStore(
        ofType type: StoreType, configuration: String? = nil, at url: URL? = nil, isReadOnly: Bool = false,
        keepsHistory: Bool = false, migration: Migration? = nil
    ) throws -> Bool {
        try addStore(
            ofType: type, configuration: configuration, at: url, isReadOnly: isReadOnly,
            keepsHistory: keepsHistory, migration: migration
        ).isNew
    }

    /// As ``addPersistentStore(ofType:configuration:at:isReadOnly:keepsHistory:migration:)``, for the layer
    /// above.
    ///
    /// - Parameter oldVersion: where the caller kept what it migrated.
    package func addStore(
        ofType type: StoreType, configuration: String? = nil, at url: URL? = nil, isReadOnly: Bool = false,
        keepsHistory: Bool = false, migration: Migration? = nil, oldVersionKeptAt oldVersion: URL? = nil
    ) throws -> AddedStore {
        let url = url?.storeLocation
        var oldVersion = oldVersion
        if let migration, let url, !isReadOnly, try Migration.isThere(url) {
            oldVersion =
                try migration.migrateStore(at: url, ofType: type, configuration: configuration) ?? oldVersion
        }
        return try openStore(
            ofType: type, configuration: configuration, at: url, isReadOnly: isReadOnly,
            keepsHistory: keepsHistory, oldVersionKeptAt: oldVersion)
    }
}
