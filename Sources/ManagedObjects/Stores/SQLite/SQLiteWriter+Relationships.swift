import GRDB

extension SQLiteWriter {
    /// Pairs of a relationship from many to many.
    func write(_ link: SavePlan.Link) throws {
        guard let owner = key(link.owner),
            case .join(let number)? = link.entity.relationship(at: link.slot)?.storage,
            let join = store.schema.join(number)
        else { return }
        let view = join.view(link.entity, slot: link.slot, in: store.schema.model)
        try run(
            "DELETE FROM \(join.name) WHERE \(view.owner) = ? AND \(view.member) = ?", link.removed, owner)
        try run(
            "INSERT OR IGNORE INTO \(join.name) (\(view.owner), \(view.member)) VALUES (?, ?)", link.added,
            owner)
    }

    private func run(_ sql: String, _ members: [ManagedObjectID], _ owner: Int64) throws {
        if members.isEmpty { return }
        let statement = try RawStatement(sql, in: database)
        for member in members {
            guard let member = key(member) else { continue }
            statement.bind(.int(owner), at: 1)
            statement.bind(.int(member), at: 2)
            try statement.run()
        }
    }

    /// Positions: numbers that go up, with gaps so that one can go between two without moving the others.
    func write(_ order: SavePlan.Order) throws {
        guard let owner = key(order.owner), let column = orderColumn(order) else { return }
        let known = try positions(column, owner)
        var members = order.members.compactMap(key)
        if !order.isComplete {
            let coming = Set(members)
            members = known.filter { !coming.contains($0.member) }.map(\.member) + members
        } else {
            // Members that another context added meanwhile stand behind.
            let given = Set(members)
            members += known.map(\.member).filter { !given.contains($0) }
        }
        let positions = Dictionary(known.map { ($0.member, $0.position) }) { first, _ in first }
        let wanted = OrderPositions.assigned(to: members.map { positions[$0] ?? nil })
        let statement = try RawStatement(
            "UPDATE \(column.table) SET \(column.position) = ? "
                + "WHERE \(column.owner) = ? AND \(column.member) = ?",
            in: database)
        for (member, position) in zip(members, wanted) where positions[member] != position {
            statement.bind(.int(position), at: 1)
            statement.bind(.int(owner), at: 2)
            statement.bind(.int(member), at: 3)
            try statement.run()
        }
    }

    private struct OrderColumn { let table: SQLName, owner: SQLName, member: SQLName, position: SQLName }

    private func orderColumn(_ order: SavePlan.Order) -> OrderColumn? {
        guard let relationship = order.entity.relationship(at: order.slot) else { return nil }
        let target = store.schema.model.destination(of: relationship)
        switch relationship.storage {
        case .key: return nil
        case .inverseKeys:
            let table = store.schema.table(of: target)
            guard let column = table.column(of: relationship.inverseSlot, in: target),
                let position = column.orderColumnName
            else { return nil }
            return OrderColumn(table: table.name, owner: column.name, member: "Z_PK", position: position)
        case .join(let number):
            guard let join = store.schema.join(number) else { return nil }
            let view = join.view(order.entity, slot: order.slot, in: store.schema.model)
            return view.order.map {
                OrderColumn(table: join.name, owner: view.owner, member: view.member, position: $0)
            }
        }
    }

    private func positions(_ column: OrderColumn, _ owner: Int64) throws -> [(
        member: Int64, position: Int64?
    )] {
        let statement = try RawStatement(
            """
            SELECT \(column.member), \(column.position) FROM \(column.table) WHERE \(column.owner) = ? \
            ORDER BY \(column.position) IS NULL, \(column.position), \(column.member)
            """, in: database)
        statement.bind(.int(owner), at: 1)
        var found: [(Int64, Int64?)] = []
        while try statement.next() {
            found.append((statement.int(0), statement.isNull(1) ? nil : statement.int(1)))
        }
        return found
    }
}

/// The numbers that say where objects stand in an ordered relationship.
enum OrderPositions {
    /// How far apart they are when there is room.
    static let step: Int64 = 1024

    /// Numbers that go up, as many of the old ones kept as can be.
    ///
    /// - Parameter stored: what each has, in the order wanted; nil for what has none.
    /// - Complexity: O(*n* log *n*).
    static func assigned(to stored: [Int64?]) -> [Int64] {
        // Numbers that this library did not give are given anew.
        let old = stored.map { $0.flatMap { (0...StoredNumber.greatest).contains($0) ? $0 : nil } }
        let numbered = old.indices.filter { old[$0] != nil }
        let kept = longestIncreasing(numbered.map { old[$0] ?? 0 }).map { numbered[$0] }
        var result = [Int64](repeating: 0, count: old.count)
        var previous: Int64 = 0, start = 0
        for index in kept + [old.count] {
            let isEnd = index == old.count
            let next = isEnd ? Int64.max : old[index] ?? 0
            let count = Int64(index - start)
            if count > 0 {
                let gap = isEnd ? step : min(step, (next - previous) / (count + 1))
                // No room: all are numbered anew.
                if gap < 1 || previous > Int64.max - gap * (count + 1) {
                    return old.indices.map { (Int64($0) + 1) * step }
                }
                for offset in 0..<count { result[start + Int(offset)] = previous + gap * (offset + 1) }
            }
            if isEnd { break }
            result[index] = next
            (previous, start) = (next, index + 1)
        }
        return result
    }
}
