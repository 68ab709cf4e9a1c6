extension ContextCore {
    /// Takes in what another context saved. Unsaved changes here stay on top.
    func mergeChanges(from note: SaveNotification) throws {
        if note.isEmpty { return }
        epoch += 1
        for id in note.deletedObjectIDs {
            pending.deletedIDs.insert(id)
            guard let entity = model.entity(named: id.entity),
                let object = registeredObject(entity, id.key), object.status != .detached
            else { continue }
            // Its values stay, so that whoever is told can say what was there.
            updated.remove(object)
            deleted.remove(object)
            object.status = .detached
            object.snapshot = nil
            unregister(object)
            pending.deleted.append(object)
        }
        try take(note.updatedObjectIDs) { object in object != nil }
        try take(note.insertedObjectIDs) { _ in true }
        processPendingChanges()
    }

    /// Reads rows again, in one query an entity: those that have an object or that a list wants to hear of.
    private func take(_ ids: [ManagedObjectID], _ isWanted: (ManagedObject?) -> Bool) throws {
        var wanted: [Int: [Int64]] = [:]
        for id in ids {
            guard let entity = model.entity(named: id.entity) else { continue }
            let object = registeredObject(entity, id.key)
            if let object, object.values.isEmpty, !isWatched(entity) {
                pending.refreshed.append(object)
            } else if isWatched(entity) || (object != nil && isWanted(object)) {
                wanted[entity.index, default: []].append(id.key)
            }
        }
        for (index, keys) in wanted.sorted(by: { $0.key < $1.key }) {
            for row in try coordinator.store.rows(model.entities[index], keys: keys) { take(row) }
        }
    }

    private func take(_ row: SQLiteStore.Row) {
        let object =
            registeredObject(row.entity, row.key)
            ?? makeObject(row.entity, ManagedObjectID(row.entity.entityName, key: row.key))
        pending.refreshed.append(object)
        guard let snapshot = object.snapshot else {
            object.values = row.values
            object.version = row.version
            return
        }
        // Changed on both sides: ours on top of theirs, and the next save is against their version.
        for slot in object.values.indices where object.values[slot].isIdentical(to: snapshot[slot]) {
            object.values[slot] = row.values[slot]
        }
        object.snapshot = row.values
        object.version = row.version
    }
}
