/// The tables of a memory store: rows, who points at whom, pairs, orders, and who has which unique values.
struct MemoryTables {
    let model: ManagedObjectModel
    /// By root entity, by key.
    private(set) var rows: [[Int64: Row]]
    /// By root entity: the greatest key ever given.
    var lastKeys: [Int64]
    /// Whether no two rows have one key, whatever their families.
    var isOneSequence = false
    /// By relationship to one (who declares it, its slot), by what it leads to: the rows that lead there.
    private var pointers: [Property: [Int64: Set<Int64>]] = [:]
    /// By relationship from many to many: by the key of the first side those of the second, and the way back.
    private var pairs: [Pairs]
    /// By relationship to many and owner: the order, as far as anybody gave one.
    private var orders: [Property: [Int64: [Int64]]] = [:]
    private var uniques: [Constraint: [[StoredValue]: [Int64]]] = [:]
    /// By attribute, rows by value: each attribute that a fetch compared with values, from then on.
    private var valueIndexes: [Property: [StoredValue: Set<Int64>]] = [:]
    /// Fewer rows are looked at one by one.
    private static let indexThreshold = 32

    struct Row {
        let entity: EntityDescription
        var version: Int64
        var values: [StoredValue]
    }

    /// A property: the entity that declares it, and its slot.
    struct Property: Hashable { let entity: Int, slot: Int }

    private struct Constraint: Hashable { let entity: Int, slots: [Int] }

    private struct Pairs {
        var seconds: [Int64: Set<Int64>] = [:]
        var firsts: [Int64: Set<Int64>] = [:]
    }

    init(_ model: ManagedObjectModel) {
        self.model = model
        rows = Array(repeating: [:], count: model.entities.count)
        lastKeys = Array(repeating: 0, count: model.entities.count)
        pairs = model.joins.map { _ in Pairs() }
    }

    private func property(_ entity: EntityDescription, _ slot: Int) -> Property {
        Property(entity: model.declarer(of: slot, in: entity).index, slot: slot)
    }

    /// Gives keys away.
    ///
    /// - Returns: the first of them.
    mutating func nextKey(_ root: Int, count: Int = 1) -> Int64 {
        let key = lastKeys[root] + 1
        if isOneSequence {
            for other in lastKeys.indices { lastKeys[other] += Int64(count) }
        } else {
            lastKeys[root] += Int64(count)
        }
        return key
    }

    // MARK: Rows

    /// Puts a row in place of what is there; nil takes it out.
    ///
    /// - Returns: what was there.
    @discardableResult
    mutating func put(_ row: Row?, root: Int, key: Int64) -> Row? {
        let old = rows[root][key]
        if let old { index(old, key, isThere: false) }
        rows[root][key] = row
        if let row { index(row, key, isThere: true) }
        return old
    }

    private mutating func index(_ row: Row, _ key: Int64, isThere: Bool) {
        for property in valueIndexes.keys where row.entity.isKind(of: model.entities[property.entity]) {
            let value = row.values[property.slot]
            if isThere {
                valueIndexes[property]?[value, default: []].insert(key)
            } else if valueIndexes[property]?[value]?.remove(key) != nil,
                valueIndexes[property]?[value]?.isEmpty ?? false
            {
                valueIndexes[property]?[value] = nil
            }
        }
        for slot in row.entity.toOneSlots {
            guard let target = row.values[slot].target else { continue }
            let property = property(row.entity, slot)
            if isThere {
                pointers[property, default: [:]][target.key, default: []].insert(key)
            } else {
                pointers[property]?[target.key]?.remove(key)
                if pointers[property]?[target.key]?.isEmpty ?? false { pointers[property]?[target.key] = nil }
            }
        }
        for (constraint, values) in constraints(row) {
            if isThere {
                uniques[constraint, default: [:]][values, default: []].append(key)
            } else {
                uniques[constraint]?[values]?.removeAll { $0 == key }
                if uniques[constraint]?[values]?.isEmpty ?? false { uniques[constraint]?[values] = nil }
            }
        }
    }

    /// The constraints that the row's values are bound by: none with a null, as in SQL.
    private func constraints(_ row: Row) -> [(Constraint, [StoredValue])] {
        row.entity.constraintSlots.compactMap { slots in
            let values = slots.map { row.values[$0] }
            if values.contains(.null) { return nil }
            let declarer = model.declarer(of: slots.max() ?? 0, in: row.entity)
            return (Constraint(entity: declarer.index, slots: slots), values)
        }
    }

    /// The keys of the rows that have the values of a uniqueness constraint: more than one in the middle of a
    /// save only.
    func rows(_ entity: EntityDescription, _ slots: [Int], having values: [StoredValue]) -> [Int64] {
        let declarer = model.declarer(of: slots.max() ?? 0, in: entity)
        return uniques[Constraint(entity: declarer.index, slots: slots)]?[values] ?? []
    }

    /// - Throws: ``StoreError/notUnique(entity:properties:values:)`` when another row has the same values.
    func checkUnique(_ row: Row) throws {
        for (constraint, values) in constraints(row) where (uniques[constraint]?[values]?.count ?? 0) > 1 {
            throw StoreError.notUnique(
                entity: row.entity.name, properties: constraint.slots.map { row.entity.slots[$0].name },
                values: values)
        }
    }

    /// The keys of the rows with one of these values, among them rows of entities that were not asked for;
    /// nil when there are few rows, or when values are equal in other ways than as keys of a table.
    ///
    /// - Complexity: O(rows) for the first fetch by an attribute, then O(values and rows found).
    mutating func rows(_ entity: EntityDescription, _ slot: Int, valueIn values: [StoredValue])
        -> Set<Int64>?
    {
        let root = entity.rootIndex
        guard rows[root].count > Self.indexThreshold,
            case .attribute(let attribute) = entity.slots[slot], !attribute.isTransient,
            values.allSatisfy(attribute.type.isExact)
        else { return nil }
        let property = property(entity, slot)
        if valueIndexes[property] == nil {
            let declarer = model.entities[property.entity]
            var found: [StoredValue: Set<Int64>] = [:]
            for (key, row) in rows[root] where row.entity.isKind(of: declarer) {
                found[row.values[slot], default: []].insert(key)
            }
            valueIndexes[property] = found
        }
        guard let index = valueIndexes[property] else { return nil }
        if values.count == 1 { return index[values[0]] ?? [] }
        return values.reduce(into: []) { $0.formUnion(index[$1] ?? []) }
    }

    /// The rows whose relationship to one leads to a row.
    func rowsLeading(to target: Int64, _ entity: EntityDescription, slot: Int) -> [Int64] {
        (pointers[property(entity, slot)]?[target] ?? []).sorted()
    }

    // MARK: Relationships to many

    func members(_ entity: EntityDescription, key: Int64, slot: Int) -> [Int64] {
        let found = unorderedMembers(entity, key: key, slot: slot)
        guard let order = orders[property(entity, slot)]?[key] else { return found.sorted() }
        let ordered = order.filter(found.contains)
        return ordered + found.subtracting(ordered).sorted()
    }

    private func unorderedMembers(_ entity: EntityDescription, key: Int64, slot: Int) -> Set<Int64> {
        guard let relationship = entity.relationship(at: slot) else { return [] }
        switch relationship.storage {
        case .key: return []
        case .inverseKeys:
            let target = model.destination(of: relationship)
            return pointers[property(target, relationship.inverseSlot)]?[key] ?? []
        case .join(let number):
            return
                (isFirst(entity, slot, number) ? pairs[number].seconds[key] : pairs[number].firsts[key]) ?? []
        }
    }

    private func isFirst(_ entity: EntityDescription, _ slot: Int, _ number: Int) -> Bool {
        let first = model.joins[number].first
        return slot == first.slot && entity.isKind(of: model.entities[first.entity])
    }

    mutating func link(
        _ entity: EntityDescription, slot: Int, owner: Int64, member: Int64, isThere: Bool
    ) {
        guard case .join(let number)? = entity.relationship(at: slot)?.storage else { return }
        let (first, second) = isFirst(entity, slot, number) ? (owner, member) : (member, owner)
        if isThere {
            pairs[number].seconds[first, default: []].insert(second)
            pairs[number].firsts[second, default: []].insert(first)
        } else {
            pairs[number].seconds[first]?.remove(second)
            if pairs[number].seconds[first]?.isEmpty ?? false { pairs[number].seconds[first] = nil }
            pairs[number].firsts[second]?.remove(first)
            if pairs[number].firsts[second]?.isEmpty ?? false { pairs[number].firsts[second] = nil }
        }
    }

    mutating func unlinkAll(_ entity: EntityDescription, _ key: Int64) {
        for slot in entity.relationshipSlots {
            for member in unorderedMembers(entity, key: key, slot: slot) {
                link(entity, slot: slot, owner: key, member: member, isThere: false)
            }
            orders[property(entity, slot)]?[key] = nil
        }
    }

    mutating func order(
        _ entity: EntityDescription, slot: Int, owner: Int64, members: [Int64], isComplete: Bool
    ) {
        let coming = Set(members)
        let before =
            isComplete ? [] : self.members(entity, key: owner, slot: slot).filter { !coming.contains($0) }
        orders[property(entity, slot), default: [:]][owner] = before + members
    }
}

extension AttributeType {
    /// Whether a value of this kind equals those of the attribute that are the same value, and no others: not
    /// a fraction beside whole numbers, nor null.
    fileprivate func isExact(_ value: StoredValue) -> Bool {
        switch (self, value) {
        case (.integer16, .int), (.integer32, .int), (.integer64, .int), (.boolean, .int), (.string, .text),
            (.uri, .text), (.uuid, .blob):
            true
        default: false
        }
    }
}
