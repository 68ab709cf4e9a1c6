package import Foundation

extension PersistentStoreCoordinator {
    /// Calls `body` with the pages of the first store in the order of their keys: the last key, the bytes.
    ///
    /// - Throws: ``StoreError``.
    package func scanPages(_ body: (ScannedRow) throws -> Void) throws { try stores[0].scanPages(body) }

    /// Returns the last key of the last page; 0 without one.
    ///
    /// - Throws: ``StoreError``.
    package func lastPage() throws -> Int64 { try stores[0].lastPage() }

    /// Adds a page behind those there are.
    ///
    /// - Returns: false when `before` is not the last key any more: another process was quicker. False for
    ///   a store that keeps no pages, too.
    /// - Throws: ``StoreError``.
    package func addPage(_ bytes: Data, upTo last: Int64, after before: Int64) throws -> Bool {
        try stores[0].addPage(bytes, upTo: last, after: before)
    }

    /// - Throws: ``StoreError``.
    package func removePages() throws { try stores[0].removePages() }

    /// Returns the ID that a row of an entity in the first store has, whether it is there or not.
    ///
    /// - Throws: ``StoreError``.
    package func objectID(_ entityName: String, key: Int64) throws -> ManagedObjectID {
        ManagedObjectID(.of(EntityName(entityName), in: try stores[0].identifier), key: key)
    }

    /// Returns the greatest key that was ever given to a row of an entity in the first store.
    ///
    /// - Throws: ``StoreError``.
    package func lastKey(of entityName: String) throws -> Int64 {
        guard let entity = managedObjectModel.entities.first(where: { $0.name == entityName }) else {
            misuse("the model has no entity \(entityName)")
        }
        return try stores[0].lastKey(managedObjectModel.entities[entity.rootIndex])
    }
}
