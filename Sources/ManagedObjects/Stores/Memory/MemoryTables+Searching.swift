extension MemoryTables {
    /// The keys of rows among which all are that a predicate can hold for, found by an index: by unique
    /// values, by what a relationship to one leads to, or by the values of an attribute. Nil where all rows
    /// have to be looked at.
    ///
    /// - Complexity: O(values that the predicate compares with), and the rows found.
    mutating func candidates(
        _ entity: EntityDescription, _ predicate: PredicateNode, _ storeIdentifier: String
    )
        -> Set<
            Int64
        >?
    {
        var wanted: [Int: [StoredValue]] = [:]
        for test in predicate.conjuncts {
            guard let (name, values) = test.wantedValues else { continue }
            if name.isEmpty { return Set(values.compactMap { key($0, storeIdentifier) }) }
            guard let slot = entity.slot(of: name), wanted[slot] == nil else { continue }
            wanted[slot] = values
        }
        if wanted.isEmpty { return nil }
        for slots in entity.constraintSlots {
            if let keys = uniqueRows(entity, slots, wanted) { return keys }
        }
        for (slot, values) in wanted where entity.relationship(at: slot) != nil && !values.contains(.null) {
            let targets = values.compactMap { key($0, storeIdentifier) }
            return Set(targets.flatMap { rowsLeading(to: $0, entity, slot: slot) })
        }
        for slot in wanted.keys.sorted() {
            if let keys = rows(entity, slot, valueIn: wanted[slot] ?? []) { return keys }
        }
        return nil
    }

    /// The key of a row of this store.
    private func key(_ value: StoredValue, _ storeIdentifier: String) -> Int64? {
        value.target.flatMap { $0.storeIdentifier == storeIdentifier ? $0.key : nil }
    }

    /// Nil where a constraint does not decide: a property of it is compared with nothing, with null, which is
    /// in no index, or several of its properties with lists.
    private func uniqueRows(_ entity: EntityDescription, _ slots: [Int], _ wanted: [Int: [StoredValue]])
        -> Set<Int64>?
    {
        var all: [[StoredValue]] = [[]]
        for slot in slots {
            guard let values = wanted[slot], !values.contains(.null), entity.relationship(at: slot) == nil,
                all.count == 1 || values.count == 1
            else { return nil }
            all = all.flatMap { head in values.map { head + [$0] } }
        }
        return Set(all.flatMap { rows(entity, slots, having: $0) })
    }
}

extension PredicateNode {
    /// For a test that holds only if a property of the object itself, or with no name its key, is one of some
    /// values: the property and the values.
    fileprivate var wantedValues: (name: String, values: [StoredValue])? {
        func name(_ path: PropertyPath) -> String? {
            path.variable == 0 && path.names.count < 2 ? path.names.first ?? "" : nil
        }
        switch self {
        case .compare(.property(let path), .equal, .constant(let value)),
            .compare(.constant(let value), .equal, .property(let path)):
            return name(path).map { ($0, [value]) }
        case .isAmong(.property(let path), let list): return name(path).map { ($0, list.values) }
        default: return nil
        }
    }
}
