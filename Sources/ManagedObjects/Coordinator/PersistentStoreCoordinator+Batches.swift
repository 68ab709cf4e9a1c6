import Foundation

extension PersistentStoreCoordinator {
    /// Turns the batch into a save, and tries again when another process wrote between the read and the save.
    ///
    /// - Throws: ``StoreError``.
    func execute(_ batch: Batch) throws -> SaveNotification {
        for _ in 0..<20 {
            do { return try executeOnce(batch) } catch StoreError.conflict {
            } catch StoreError.notUnique where batch.settlesUniqueValues {}
        }
        return try executeOnce(batch)
    }

    /// - Throws: ``StoreError/otherStore(_:)``: where it leads there is no row of a store here.
    private func checkTargets(_ values: some Sequence<StoredValue>) throws {
        let here = storeIdentifiers
        for case .id(let id) in values where !here.contains(id.storeIdentifier ?? "") {
            throw StoreError.otherStore(id)
        }
    }

    private func executeOnce(_ batch: Batch) throws -> SaveNotification {
        switch batch {
        case .insert(let entity, let rows, let rule):
            try checkTargets(rows.lazy.flatMap(\.values))
            let sorted = try BatchSorter(entity, rule, in: managedObjectModel).sort(rows) {
                try self.rows($0)
            }
            var plan = SavePlan()
            for row in sorted.inserts {
                let id = ManagedObjectID.temporary(entity.entityName)
                let values = try staged(row.values, entity, id)
                plan.inserts.append(.init(id: id, entity: entity, values: values))
            }
            for (stored, row) in sorted.updates {
                plan.updates.append(
                    .init(
                        id: stored.id, entity: entity, version: stored.version, slots: row.given.sorted(),
                        values: try staged(row.values, entity, stored.id), snapshot: stored.values))
            }
            let saved = try plan.isEmpty ? SavedRows() : save(plan)
            return SaveNotification(
                insertedObjectIDs: plan.inserts.compactMap { saved.ids[$0.id.key] },
                updatedObjectIDs: plan.updates.map(\.id)
            ).adding(saved.derived)
        case .update(let fetch, let changed):
            try checkTargets(changed.values)
            var plan = SavePlan()
            for row in try versions(fetch) {
                guard let entity = managedObjectModel.entity(named: row.id.entity) else { continue }
                var values = [StoredValue](repeating: .null, count: entity.slots.count)
                for (slot, value) in changed { values[slot] = value }
                plan.updates.append(
                    .init(
                        id: row.id, entity: entity, version: row.version, slots: changed.keys.sorted(),
                        values: try staged(values, entity, row.id), snapshot: []))
            }
            let saved = try plan.isEmpty ? SavedRows() : save(plan)
            return SaveNotification(updatedObjectIDs: plan.updates.map(\.id)).adding(saved.derived)
        case .delete(let fetch): return try delete(fetch)
        }
    }

    private func versions(_ fetch: FetchDescription) throws -> [RowVersion] {
        let stores = try stores(for: fetch)
        if stores.count > 1 && (fetch.limit != nil || fetch.offset > 0) {
            // The limit is that of all stores together.
            return try rows(fetch).map { RowVersion(id: $0.id, version: $0.version) }
        }
        return try stores.flatMap { try $0.versions(fetch) }
    }

    private func staged(_ values: [StoredValue], _ entity: EntityDescription, _ id: ManagedObjectID) throws
        -> [StoredValue]
    {
        var values = values
        for slot in entity.externalSlots {
            guard case .blob(let data) = values[slot] else { continue }
            values[slot] = try stage(data, for: entity, id: id)
        }
        return values
    }

    private func delete(_ fetch: FetchDescription) throws -> SaveNotification {
        let rows = try versions(fetch), gone = Set(rows.map(\.id))
        if rows.isEmpty { return SaveNotification() }
        var plan = SavePlan()
        for row in rows {
            guard let entity = managedObjectModel.entity(named: row.id.entity) else { continue }
            plan.deletes.append(.init(id: row.id, entity: entity, version: row.version, snapshot: []))
        }
        var leading: [ManagedObjectID: (version: Int64, slots: [Int])] = [:], order: [ManagedObjectID] = []
        for (entity, slot) in keys(to: fetch.entity) {
            for some in rows.parts(of: 500) {
                let ids = some.map { StoredValue.id($0.id) }
                let path = PredicateNode.property(PropertyPath(names: [entity.slots[slot].name]))
                let found = try versions(
                    FetchDescription(
                        entity: entity, predicate: .isIn(path, ids), order: FetchOrder(terms: [])))
                for row in found where !gone.contains(row.id) {
                    if leading[row.id] == nil { order.append(row.id) }
                    leading[row.id, default: (row.version, [])].slots.append(slot)
                }
            }
        }
        for id in order {
            guard let row = leading[id], let entity = managedObjectModel.entity(named: id.entity) else {
                continue
            }
            plan.updates.append(
                .init(
                    id: id, entity: entity, version: row.version, slots: row.slots.sorted(),
                    values: Array(repeating: .null, count: entity.slots.count), snapshot: []))
        }
        let saved = try save(plan)
        return SaveNotification(updatedObjectIDs: order, deletedObjectIDs: rows.map(\.id))
            .adding(saved.derived)
    }

    /// The keys that may lead to rows of an entity's family, each with the entity that declares it.
    private func keys(to target: EntityDescription) -> [(EntityDescription, Int)] {
        managedObjectModel.entities.flatMap { entity in
            let inherited =
                entity.superentityName.flatMap { managedObjectModel.entity(named: $0) }?.slots.count ?? 0
            return entity.toOneSlots.filter { slot in
                guard slot >= inherited, let relationship = entity.relationship(at: slot) else {
                    return false
                }
                return managedObjectModel.destination(of: relationship).rootIndex == target.rootIndex
            }.map { (entity, $0) }
        }
    }
}
