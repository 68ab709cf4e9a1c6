/// A row of a memory store, as predicates look at it.
struct MemorySubject: PredicateSubject {
    let id: ManagedObjectID
    let row: MemoryTables.Row
    let tables: MemoryTables

    var objectRow: ObjectRow {
        ObjectRow(id: id, entity: row.entity, version: row.version, values: row.values)
    }

    var predicateKey: StoredValue { .id(id) }

    func predicateValue(of name: String) -> StoredValue {
        row.entity.slot(of: name).map { row.values[$0] } ?? .null
    }

    func predicateTarget(of name: String) -> (any PredicateSubject)? {
        guard let slot = row.entity.slot(of: name), let target = row.values[slot].target,
            let relationship = row.entity.relationship(at: slot)
        else { return nil }
        let root = tables.model.destination(of: relationship).rootIndex
        return tables.rows[root][target.key].map { MemorySubject(id: target, row: $0, tables: tables) }
    }

    func predicateTargets(of name: String) -> [any PredicateSubject] {
        guard let slot = row.entity.slot(of: name), let relationship = row.entity.relationship(at: slot),
            let storeIdentifier = id.storeIdentifier
        else { return [] }
        let root = tables.model.destination(of: relationship).rootIndex
        return tables.members(row.entity, key: id.key, slot: slot).compactMap { key in
            tables.rows[root][key].map { row in
                MemorySubject(
                    id: ManagedObjectID(.of(row.entity.entityName, in: storeIdentifier), key: key), row: row,
                    tables: tables)
            }
        }
    }
}
