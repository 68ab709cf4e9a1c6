public import Foundation

extension PersistentStoreCoordinator {
    /// Writes everything in the coordinator's stores to a new store, of this kind or another: objects,
    /// relationships with their orders, large values, and what programs keep in the first store. Objects get
    /// new IDs.
    ///
    /// - Parameter url: where no file is yet.
    /// - Throws: ``StoreError``: that there is a file, what cannot be read, what cannot be written. What the
    ///   copy wrote is removed then, and nothing else: a store beside it may share the folder of large
    ///   values.
    /// - Complexity: memory for all rows but for large values.
    public func copyStore(to url: URL, ofType type: StoreType) throws {
        try copyStore(to: url, ofType: type, unsaved: SavePlan())
    }

    /// - Parameter unsaved: what a context would save, written to the copy alone.
    func copyStore(to url: URL, ofType type: StoreType, unsaved: SavePlan) throws {
        let url = url.storeLocation
        if FileManager.default.fileExists(atPath: url.path) {
            throw StoreError.file(url.lastPathComponent, errno: EEXIST)
        }
        let original = persistentStores.first?.url
        // Rows of two moments could lead nowhere.
        try withSnapshot { source in
            if case .sqlite = type {
                try source.writeCopy(to: url, unsaved, of: original)
            } else {
                guard let format = type.format else { throw StoreError.noStore }
                try source.writeCopy(to: StoreFile(url, format, copyOf: original), unsaved)
            }
        }
    }

    private func writeCopy(to file: StoreFile, _ unsaved: SavePlan) throws {
        var copy = StoreCopy(from: self)
        let draft = try copy.target.addDraft(configuration: nil)
        try copy.write(unsaved)
        try copy.target.copyMetadata(from: self)
        file.sweep()
        do {
            let commit = try file.prepare(draft.document(named: draft.identifier), managedObjectModel)
            try commit(true)
        } catch StoreError.changedByOthers {
            throw StoreError.file(file.url.lastPathComponent, errno: EEXIST)
        }
    }

    private func writeCopy(to url: URL, _ unsaved: SavePlan, of original: URL?) throws {
        var copy = StoreCopy(from: self)
        let target = copy.target
        try SQLiteStore.makeCopy(at: url, of: original) { draft, files, written in
            defer {
                written = copy.staged.map(\.name)
                try? target.close()
            }
            let store = try SQLiteStore(
                managedObjectModel, entities: managedObjectModel.entities, at: draft, readOnly: false,
                files: files)
            target.add(store, url: draft, configuration: nil)
            try copy.write(unsaved)
            try target.copyMetadata(from: self)
            try target.close()
        }
    }

    /// Copies the metadata that programs keep in the first store.
    func copyMetadata(from source: PersistentStoreCoordinator) throws {
        let values = try source.stores[0].allMetadata()
        try stores[0].changeMetadata { $0.merge(values) { $1 } }
    }

    /// Calls `body` with a coordinator that has what each store holds now, to be read; what is saved
    /// meanwhile is not in it.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    /// - Complexity: room for a copy of a SQLite store, without its large values, in the folder for temporary
    ///   files.
    package func withSnapshot<Value>(_ body: (PersistentStoreCoordinator) throws -> Value) throws -> Value {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let snapshot = PersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        defer { try? snapshot.close() }
        for store in try stores {
            snapshot.add(try store.snapshot(in: folder.url), url: nil, configuration: nil)
        }
        return try body(snapshot)
    }
}

/// Writes the rows of one coordinator to the new store of another.
private struct StoreCopy {
    let source: PersistentStoreCoordinator
    let target: PersistentStoreCoordinator
    /// The new IDs, temporary until the rows are saved.
    private var ids: [ManagedObjectID: ManagedObjectID] = [:]
    private var versions: [ManagedObjectID: Int64] = [:]
    /// Files that were written for the target.
    private(set) var staged: [ExternalFile] = []

    init(from source: PersistentStoreCoordinator) {
        self.source = source
        target = PersistentStoreCoordinator(managedObjectModel: source.managedObjectModel)
    }

    private var model: ManagedObjectModel { source.managedObjectModel }

    /// Everything that is saved, and then what is not.
    mutating func write(_ unsaved: SavePlan) throws {
        let saved = try target.save(rows())
        if unsaved.isEmpty { return }
        ids = ids.mapValues { saved.ids[$0.key] ?? $0 }
        _ = try target.save(translated(unsaved))
    }

    /// All rows as new ones.
    private mutating func rows() throws -> SavePlan {
        var plan = SavePlan(), rows: [ObjectRow] = []
        for entity in model.entities where entity.rootIndex == entity.index {
            rows += try source.rows(
                FetchDescription(entity: entity, predicate: nil, order: FetchOrder(terms: [])))
        }
        for row in rows {
            ids[row.id] = .temporary(row.entity.entityName)
            versions[row.id] = row.version
        }
        for row in rows {
            guard let id = ids[row.id] else { continue }
            plan.inserts.append(
                .init(id: id, entity: row.entity, values: try values(row.values, row.entity, row.id)))
            for slot in row.entity.relationshipSlots { try addMembers(of: row, slot, to: &plan) }
        }
        return plan
    }

    private func addMembers(of row: ObjectRow, _ slot: Int, to plan: inout SavePlan) throws {
        guard let owner = ids[row.id], let relationship = row.entity.relationship(at: slot),
            relationship.isToMany
        else { return }
        let isPairs =
            if case .join(let number) = relationship.storage { isFirst(row.entity, slot, number) } else {
                false
            }
        if !isPairs && !relationship.isOrdered { return }
        let members = try source.members(of: row.id, row.entity, slot: slot).compactMap { ids[$0] }
        if members.isEmpty { return }
        if isPairs {
            plan.links.append(
                .init(owner: owner, entity: row.entity, slot: slot, added: members, removed: []))
        }
        if relationship.isOrdered {
            plan.orders.append(
                .init(owner: owner, entity: row.entity, slot: slot, members: members, isComplete: true))
        }
    }

    private func isFirst(_ entity: EntityDescription, _ slot: Int, _ number: Int) -> Bool {
        let first = model.joins[number].first
        return slot == first.slot && entity.isKind(of: model.entities[first.entity])
    }

    /// A row's values as the target has them: keys of its own rows, files of its own folder.
    private mutating func values(_ values: [StoredValue], _ entity: EntityDescription, _ id: ManagedObjectID)
        throws
        -> [StoredValue]
    {
        var values = values
        for slot in entity.columnSlots {
            if let key = values[slot].target { values[slot] = self.id(key).map { .id($0) } ?? .null }
        }
        for slot in entity.externalSlots {
            guard case .blob(let data) = try values[slot].resolved() else { continue }
            values[slot] = try target.stores[0].stage(data)
            if case .external(let file) = values[slot] { staged.append(file) }
        }
        return values
    }

    private func id(_ id: ManagedObjectID) -> ManagedObjectID? {
        let id = id.current
        return id.isTemporaryID ? id : ids[id]
    }

    /// Unsaved changes of the source's rows as changes of the target's, which were all just inserted.
    private mutating func translated(_ plan: SavePlan) throws -> SavePlan {
        var result = SavePlan()
        for insert in plan.inserts {
            // A permanent ID that was given before the save is the source's.
            if !insert.id.current.isTemporaryID {
                ids[insert.id.current] = .temporary(insert.entity.entityName)
            }
        }
        for insert in plan.inserts {
            let values = try self.values(insert.values, insert.entity, insert.id)
            result.inserts.append(
                .init(id: id(insert.id) ?? insert.id, entity: insert.entity, values: values))
        }
        for update in plan.updates {
            let id = try copied(update.id, version: update.version)
            var values = update.values
            let slots = Set(update.slots)
            for slot in update.entity.externalSlots where !slots.contains(slot) { values[slot] = .null }
            values = try self.values(values, update.entity, update.id)
            result.updates.append(
                .init(
                    id: id, entity: update.entity, version: 1, slots: update.slots, values: values,
                    snapshot: []))
        }
        for delete in plan.deletes {
            let id = try copied(delete.id, version: delete.version)
            result.deletes.append(.init(id: id, entity: delete.entity, version: 1, snapshot: []))
        }
        for link in plan.links {
            guard let owner = id(link.owner) else { continue }
            result.links.append(
                .init(
                    owner: owner, entity: link.entity, slot: link.slot, added: link.added.compactMap(id),
                    removed: link.removed.compactMap(id)))
        }
        for order in plan.orders {
            guard let owner = id(order.owner) else { continue }
            result.orders.append(
                .init(
                    owner: owner, entity: order.entity, slot: order.slot,
                    members: order.members.compactMap(id), isComplete: order.isComplete))
        }
        return result
    }

    /// The copy of a row that the plan changes.
    ///
    /// - Throws: ``StoreError/conflict(_:)`` when the row is another one by now than the plan was made for.
    private func copied(_ id: ManagedObjectID, version: Int64) throws -> ManagedObjectID {
        guard let copy = ids[id.current], versions[id.current] == version else {
            throw StoreError.conflict(id)
        }
        return copy
    }
}
