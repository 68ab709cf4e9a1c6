public import Foundation

extension PersistentStoreCoordinator {
    /// Writes everything in the coordinator's stores to a new store, of this kind or another: objects,
    /// relationships with their orders, large values, and what programs keep in the first store. Objects get
    /// new IDs.
    ///
    /// - Parameter url: where no file is yet.
    /// - Throws: ``StoreError``: that there is a file, what cannot be read, what cannot be written. Nothing
    ///   is left there then.
    /// - Complexity: memory for all rows but for large values.
    public func copyStore(to url: URL, ofType type: StoreType) throws {
        if FileManager.default.fileExists(atPath: url.path) {
            throw StoreError.file(url.lastPathComponent, errno: EEXIST)
        }
        let target = PersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        do {
            try target.addPersistentStore(ofType: type, at: url)
            _ = try target.save(copyingPlan(to: target))
            try target.setMetadata(try stores[0].allMetadata())
            try target.close()
        } catch {
            try? target.close()
            Self.removeStore(at: url)
            throw error
        }
    }

    /// All rows as new ones.
    private func copyingPlan(to target: PersistentStoreCoordinator) throws -> SavePlan {
        var plan = SavePlan(), copies: [ManagedObjectID: ManagedObjectID] = [:], rows: [ObjectRow] = []
        for entity in managedObjectModel.entities where entity.rootIndex == entity.index {
            rows += try self.rows(
                FetchDescription(entity: entity, predicate: nil, order: FetchOrder(terms: [])))
        }
        for row in rows { copies[row.id] = .temporary(row.entity.entityName) }
        for row in rows {
            guard let id = copies[row.id] else { continue }
            var values = row.values
            for slot in row.entity.columnSlots {
                if let key = values[slot].target { values[slot] = copies[key].map { .id($0) } ?? .null }
            }
            for slot in row.entity.externalSlots {
                guard case .blob(let column) = values[slot] else { continue }
                let data = try stagedValue(column, of: row.id, row.entity)
                values[slot] =
                    try data.map { data in
                        .blob(
                            data.count > ExternalFiles.threshold
                                ? try target.stage(data, for: row.entity, id: id) : ExternalFiles.inline(data)
                        )
                    } ?? .null
            }
            plan.inserts.append(.init(id: id, entity: row.entity, values: values))
            for slot in row.entity.relationshipSlots {
                guard let relationship = row.entity.relationship(at: slot), relationship.isToMany else {
                    continue
                }
                let isPairs =
                    if case .join(let number) = relationship.storage {
                        isFirst(row.entity, slot, number)
                    } else { false }
                if !isPairs && !relationship.isOrdered { continue }
                let members = try members(of: row.id, row.entity, slot: slot).compactMap { copies[$0] }
                if members.isEmpty { continue }
                if isPairs {
                    plan.links.append(
                        .init(owner: id, entity: row.entity, slot: slot, added: members, removed: []))
                }
                if relationship.isOrdered {
                    plan.orders.append(
                        .init(owner: id, entity: row.entity, slot: slot, members: members, isComplete: true))
                }
            }
        }
        return plan
    }

    private func isFirst(_ entity: EntityDescription, _ slot: Int, _ number: Int) -> Bool {
        let first = managedObjectModel.joins[number].first
        return slot == first.slot && entity.isKind(of: managedObjectModel.entities[first.entity])
    }

    /// Removes a store that was just made.
    private static func removeStore(at url: URL) {
        let folder = url.deletingLastPathComponent(), name = url.deletingPathExtension().lastPathComponent
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        try? FileManager.default.removeItem(at: folder.appending(path: ".\(name)_SUPPORT"))
    }
}
