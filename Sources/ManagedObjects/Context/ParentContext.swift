import Foundation

/// A context as what another one's rows come from and its saves go to.
///
/// Each call enters the parent's queue. No temporary ID goes from a parent to a child: before anything is
/// read, the parent's new objects get the IDs that they will have in the store, so that a row has one ID for
/// as long as anybody on top knows it.
final class ParentContext: RowSource {
    private let parent: ManagedObjectContext

    init(_ parent: ManagedObjectContext) { self.parent = parent }

    var managedObjectModel: ManagedObjectModel { coordinator.managedObjectModel }
    var wantsPermanentIDs: Bool { true }
    var listCaches: ListCaches { coordinator.listCaches }
    var followers: Followers { parent.childFollowers }
    private var coordinator: PersistentStoreCoordinator { parent.persistentStoreCoordinator }

    private func inParent<Value: Sendable>(_ body: @Sendable (ContextCore) throws -> Value) throws -> Value {
        try parent.executor.sync {
            try parent.assumeIsolated { context in
                try context.withCore { core in
                    try core.lendRows { try body(core) }
                }
            }
        }
    }

    func rows(_ fetch: FetchDescription) throws -> [ObjectRow] {
        try inParent { core in try core.rows(of: core.read(fetch)) }
    }

    func rows(_ ids: [ManagedObjectID]) throws -> [ObjectRow] {
        try inParent { core in try core.rows(of: core.readObjects(ids)) }
    }

    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [FetchedValues] {
        try inParent { core in
            // Related objects may have changed, too, wherever the paths lead.
            if !core.hasChanges { return try core.source.values(fetch, paths) }
            return try core.read(fetch).map { object in
                FetchedValues(id: object.objectID, values: paths.map { $0.value([object]) })
            }
        }
    }

    func count(_ fetch: FetchDescription) throws -> Int {
        try inParent { core in
            core.hasChanges ? try core.read(fetch).count : try core.source.count(fetch)
        }
    }

    func members(of id: ManagedObjectID, _ entity: EntityDescription, slot: Int) throws -> [ManagedObjectID] {
        try inParent { core in
            guard let object = try core.existingObject(id) else { return [] }
            return try core.relationships.readOrderedMembers(of: object, at: slot).map(\.objectID)
        }
    }

    func permanentIDs(for objects: [(id: ManagedObjectID, entity: EntityDescription)]) throws
        -> [ManagedObjectID]
    {
        try coordinator.permanentIDs(for: objects)
    }

    func save(_ plan: SavePlan) throws -> SavedRows {
        try inParent { core in
            try core.apply(plan)
            core.processPendingChanges()
            return SavedRows()
        }
    }

    func storeIdentifier(of id: ManagedObjectID, _ entity: EntityDescription) -> String? {
        coordinator.storeIdentifier(of: id, entity)
    }

    func execute(_ batch: Batch) throws -> SaveNotification {
        try inParent { core in
            let note = try core.source.execute(batch)
            try core.mergeChanges(from: note)
            return note
        }
    }

    func owns(_ file: ExternalFile, of entity: EntityDescription, id: ManagedObjectID) -> Bool { true }

    /// Large values go to files when the parent is saved.
    func stage(_ data: Data, for entity: EntityDescription, id: ManagedObjectID) throws -> StoredValue {
        .blob(data)
    }

    /// A parent's list is another one whenever the parent changes.
    func listCacheLocation(_ fetch: FetchDescription, section: PropertyPath?, name: String)
        -> ListCacheLocation?
    {
        nil
    }
}
