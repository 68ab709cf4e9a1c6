/// A save of a memory store.
struct MemoryWriter {
    let homes: [StoreEntity]
    let storeIdentifier: String
    /// Permanent IDs by temporary key.
    private(set) var ids: [Int64: ManagedObjectID] = [:]
    /// The previous rows, the latest last.
    private var undone: [(root: Int, key: Int64, row: MemoryTables.Row?)] = []
    private var lastKeys: [Int64] = []

    init(homes: [StoreEntity], storeIdentifier: String) {
        (self.homes, self.storeIdentifier) = (homes, storeIdentifier)
    }

    /// Writes the rows. What fails is to be taken back by the caller.
    mutating func write(_ plan: SavePlan, to tables: inout MemoryTables) throws {
        lastKeys = tables.lastKeys
        for delete in plan.deletes {
            let root = delete.entity.rootIndex, key = delete.id.key
            guard tables.rows[root][key]?.version == delete.version else {
                throw StoreError.conflict(delete.id)
            }
            put(nil, root: root, key: key, tables: &tables)
        }
        for insert in plan.inserts where insert.id.isTemporaryID {
            ids[insert.id.key] = ManagedObjectID(
                homes[insert.entity.index], key: tables.nextKey(insert.entity.rootIndex))
        }
        for update in plan.updates {
            let root = update.entity.rootIndex, key = update.id.key
            guard var row = tables.rows[root][key], row.version == update.version else {
                throw StoreError.conflict(update.id)
            }
            for slot in update.slots { row.values[slot] = kept(update.values[slot]) }
            row.version += 1
            put(row, root: root, key: key, tables: &tables)
        }
        for insert in plan.inserts {
            var values = [StoredValue](repeating: .null, count: insert.values.count)
            for slot in insert.entity.columnSlots { values[slot] = kept(insert.values[slot]) }
            // A key that was given away before the save may have been given by another program too.
            if let key = key(insert.id), tables.rows[insert.entity.rootIndex][key] != nil {
                throw StoreError.conflict(insert.id)
            }
            let row = MemoryTables.Row(entity: insert.entity, version: 1, values: values)
            put(row, root: insert.entity.rootIndex, key: key(insert.id) ?? 0, tables: &tables)
        }
        for change in undone {
            if let row = tables.rows[change.root][change.key] { try tables.checkUnique(row) }
        }
    }

    /// Nothing of this can fail.
    func writeRelationships(_ plan: SavePlan, to tables: inout MemoryTables) {
        for delete in plan.deletes { tables.unlinkAll(delete.entity, delete.id.key) }
        for link in plan.links {
            guard let owner = key(link.owner) else { continue }
            for member in link.removed.compactMap(key) {
                tables.link(link.entity, slot: link.slot, owner: owner, member: member, isThere: false)
            }
            for member in link.added.compactMap(key) {
                tables.link(link.entity, slot: link.slot, owner: owner, member: member, isThere: true)
            }
        }
        for order in plan.orders {
            guard let owner = key(order.owner) else { continue }
            tables.order(
                order.entity, slot: order.slot, owner: owner, members: order.members.compactMap(key),
                isComplete: order.isComplete)
        }
    }

    func revert(_ tables: inout MemoryTables) {
        for change in undone.reversed() { tables.put(change.row, root: change.root, key: change.key) }
        if !lastKeys.isEmpty { tables.lastKeys = lastKeys }
    }

    private mutating func put(
        _ row: MemoryTables.Row?, root: Int, key: Int64, tables: inout MemoryTables
    ) {
        let old = tables.put(row, root: root, key: key)
        undone.append((root, key, old))
    }

    /// A key as it will be; nil for a row that will not be there.
    func key(_ id: ManagedObjectID) -> Int64? { permanent(id)?.key }

    private func permanent(_ id: ManagedObjectID) -> ManagedObjectID? {
        let id = id.current
        if id.key < 0 { return ids[id.key] }
        return id.storeIdentifier == storeIdentifier ? id : nil
    }

    private func kept(_ value: StoredValue) -> StoredValue {
        guard case .id(let id) = value else { return value }
        return permanent(id).map { .id($0) } ?? .null
    }
}
