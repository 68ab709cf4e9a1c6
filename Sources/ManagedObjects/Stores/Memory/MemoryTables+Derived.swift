/// The tables of a memory store, with the IDs of their rows.
struct MemoryDerivation: DerivationTables {
    var tables: MemoryTables
    let homes: [StoreEntity]

    func owners(_ entity: EntityDescription, _ slot: Int, of members: [Int64]) throws(Never) -> [Int64] {
        guard let relationship = entity.relationship(at: slot) else { return [] }
        let target = tables.model.destination(of: relationship)
        var owners: Set<Int64> = []
        for member in members {
            if relationship.inverseIsToMany {
                owners.formUnion(tables.members(target, key: member, slot: relationship.inverseSlot))
            } else if let row = tables.rows[target.rootIndex][member],
                let owner = row.values[relationship.inverseSlot].target
            {
                owners.insert(owner.key)
            }
        }
        return owners.sorted()
    }

    func rows(_ entity: EntityDescription, _ slot: Int, leadingTo targets: [Int64]) throws(Never) -> [Int64] {
        targets.flatMap { tables.rowsLeading(to: $0, entity, slot: slot) }
    }

    func sources(_ property: DerivedProperty, _ keys: [Int64]) throws(Never) -> [DerivedSource] {
        keys.compactMap { key in
            guard let row = tables.rows[property.entity.rootIndex][key] else { return nil }
            let id = ManagedObjectID(homes[row.entity.index], key: key)
            return DerivedSource(id: id, stored: row.values[property.slot], values: values(property, id, row))
        }
    }

    private func values(_ property: DerivedProperty, _ id: ManagedObjectID, _ row: MemoryTables.Row)
        -> [StoredValue]
    {
        switch property.source {
        case .now: return []
        case .path(let path, _, _): return [path.value([MemorySubject(id: id, row: row, tables: tables)])]
        case .members(let slot, let target, _, let summed):
            return tables.members(property.entity, key: id.key, slot: slot).compactMap { member in
                guard let row = tables.rows[target.rootIndex][member] else { return nil }
                return summed.map { row.values[$0] } ?? .int(member)
            }
        }
    }

    mutating func put(_ value: StoredValue, _ property: DerivedProperty, key: Int64) throws(Never) {
        guard var row = tables.rows[property.entity.rootIndex][key] else { return }
        row.values[property.slot] = value
        tables.put(row, root: property.entity.rootIndex, key: key)
    }
}
