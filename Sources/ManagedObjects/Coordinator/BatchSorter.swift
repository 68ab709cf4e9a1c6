/// Sorts the rows of a batch insert into new rows and updates of stored ones.
///
/// - Source: Apple, "Optimizing with batch inserts" (WWDC 2019): with a merge policy a batch insert updates
///   rows that a uniqueness constraint finds.
struct BatchSorter {
    private let entity: EntityDescription
    private let rule: UniqueRowRule
    private let model: ManagedObjectModel

    init(_ entity: EntityDescription, _ rule: UniqueRowRule, in model: ManagedObjectModel) {
        (self.entity, self.rule, self.model) = (entity, rule, model)
    }

    /// The rows that a batch row may meet.
    private enum Rival {
        case stored(Int)
        case new(Int)
    }

    /// - Parameter fetch: reads rows of the stores.
    /// - Throws: ``StoreError/notUnique(entity:properties:values:)`` for a row that two stored rows stand
    ///   against, or one of an entity that lacks some of its properties: no policy says which of them wins.
    func sort(
        _ rows: [BatchRow], fetch: (FetchDescription) throws -> [ObjectRow]
    ) throws -> (inserts: [BatchRow], updates: [(ObjectRow, BatchRow)]) {
        let constraints = entity.constraintSlots
        if rule == .refuse || constraints.isEmpty { return (rows, []) }
        let isLeftOut = rule == .leaveOut
        var stored: [ObjectRow] = [], indices: [ManagedObjectID: Int] = [:]
        var rivals: [[[StoredValue]: Rival]] = []
        for slots in constraints {
            var known: [[StoredValue]: Rival] = [:]
            for row in try storedRows(rows, slots, fetch) {
                let index = indices[row.id] ?? stored.count
                if index == stored.count {
                    stored.append(row)
                    indices[row.id] = index
                }
                if let values = Self.unique(row.values, slots) { known[values] = .stored(index) }
            }
            rivals.append(known)
        }
        var inserts: [BatchRow] = [], updates: [Int: BatchRow] = [:]
        for row in rows {
            var meets: Rival?
            for (number, slots) in constraints.enumerated() {
                guard let values = Self.unique(row.values, slots), let rival = rivals[number][values] else {
                    continue
                }
                if let meets, !Self.isSame(meets, rival), !isLeftOut {
                    throw notUnique(slots, row.values)
                }
                meets = rival
            }
            let rival = meets ?? .new(inserts.count)
            if meets != nil && isLeftOut { continue }
            func current() -> [StoredValue]? {
                switch rival {
                case .new(let index): return index < inserts.count ? inserts[index].values : nil
                case .stored(let index):
                    var values = stored[index].values
                    if let update = updates[index] {
                        for slot in update.given { values[slot] = update.values[slot] }
                    }
                    return values
                }
            }
            let before = current()
            switch rival {
            case .new(let index) where index == inserts.count: inserts.append(row)
            case .new(let index): inserts[index] = merged(inserts[index], with: row)
            case .stored(let index):
                guard stored[index].id.entity == entity.name else {
                    throw notUnique(constraints.first ?? [], row.values)
                }
                var change = row
                if rule == .setAll { change.given = Set(entity.columnSlots).subtracting(derived) }
                updates[index] = updates[index].map { merged($0, with: change) } ?? change
            }
            let now = current()
            for (number, slots) in constraints.enumerated() {
                // Values that it gave up are free for a later row.
                if let values = before.flatMap({ Self.unique($0, slots) }),
                    let known = rivals[number][values],
                    Self.isSame(known, rival)
                {
                    rivals[number][values] = nil
                }
                if let values = now.flatMap({ Self.unique($0, slots) }) { rivals[number][values] = rival }
            }
        }
        return (inserts, updates.keys.sorted().compactMap { key in updates[key].map { (stored[key], $0) } })
    }

    /// Slots whose values the store works out itself.
    private var derived: Set<Int> {
        Set(
            entity.slots.indices.filter { slot in
                if case .attribute(let attribute) = entity.slots[slot] {
                    attribute.derivationExpression != nil
                } else {
                    false
                }
            })
    }

    private func merged(_ row: BatchRow, with other: BatchRow) -> BatchRow {
        if rule == .setAll { return other }
        var row = row
        for slot in other.given { row.values[slot] = other.values[slot] }
        row.given.formUnion(other.given)
        return row
    }

    private static func isSame(_ a: Rival, _ b: Rival) -> Bool {
        switch (a, b) {
        case (.stored(let a), .stored(let b)), (.new(let a), .new(let b)): a == b
        case (.stored, .new), (.new, .stored): false
        }
    }

    private func notUnique(_ slots: [Int], _ values: [StoredValue]) -> StoreError {
        .notUnique(
            entity: entity.name, properties: slots.map { entity.slots[$0].name },
            values: slots.map { values[$0] })
    }

    /// The stored rows that may have a row's values of one constraint; more than those are found where the
    /// constraint has several properties.
    private func storedRows(
        _ rows: [BatchRow], _ slots: [Int], _ fetch: (FetchDescription) throws -> [ObjectRow]
    ) throws -> [ObjectRow] {
        guard let first = slots.first else { return [] }
        let wanted = Set(rows.compactMap { Self.unique($0.values, slots)?.first })
        if wanted.isEmpty { return [] }
        let declarer = model.declarer(of: slots.max() ?? 0, in: entity)
        let path = PredicateNode.property(PropertyPath(names: [entity.slots[first].name]))
        return try fetch(
            FetchDescription(
                entity: declarer, predicate: .isIn(path, Array(wanted)), order: FetchOrder(terms: [])))
    }

    /// The values of a constraint; nil where one of them is null, which is unlike any other.
    private static func unique(_ values: [StoredValue], _ slots: [Int]) -> [StoredValue]? {
        let found = slots.map { values[$0].current }
        return found.contains { if case .null = $0 { true } else { false } } ? nil : found
    }
}
