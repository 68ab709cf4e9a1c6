import Foundation
import GRDB

/// A save, inside its transaction.
struct SQLiteWriter {
    let store: SQLiteStore
    let database: Database
    /// Permanent IDs by temporary key.
    private(set) var ids: [Int64: ManagedObjectID] = [:]
    var schema: SQLSchema { store.schema }

    init(store: SQLiteStore, database: Database) { (self.store, self.database) = (store, database) }

    /// - Returns: the rows that got other derived values.
    mutating func write(_ plan: SavePlan) throws -> [ManagedObjectID] {
        var derived = DerivedValues(store.schema.model)
        try derived?.prepare(plan, self)
        // Deletes first: what takes the place of a deleted row may have its unique values.
        try delete(plan.deletes)
        try reserveKeys(plan.inserts)
        try update(plan.updates)
        try insert(plan.inserts)
        for link in plan.links { try write(link) }
        for order in plan.orders { try write(order) }
        var tables = self
        return try derived?.write(plan, &tables, key: key) ?? []
    }

    /// The key of a row as it will be; nil for one that will not be there.
    func key(_ id: ManagedObjectID) -> Int64? {
        let id = id.current
        if id.key < 0 { return ids[id.key]?.key }
        return id.storeIdentifier == store.identifier ? id.key : nil
    }

    // MARK: Rows

    private func delete(_ deletes: [SavePlan.Delete]) throws {
        for (index, deletes) in Dictionary(grouping: deletes, by: { $0.entity.index }) {
            let entity = schema.model.entities[index]
            let statement = try RawStatement(
                "DELETE FROM \(schema.table(of: entity).name) WHERE Z_PK = ? AND Z_OPT = ?", in: database)
            for delete in deletes {
                statement.bind(.int(delete.id.key), at: 1)
                statement.bind(.int(delete.version), at: 2)
                try statement.run()
                if database.changesCount != 1 { throw StoreError.conflict(delete.id) }
            }
            for slot in entity.relationshipSlots {
                guard case .join(let number)? = entity.relationship(at: slot)?.storage,
                    let join = schema.join(number)
                else { continue }
                let view = join.view(entity, slot: slot, in: schema.model)
                let pairs = try RawStatement("DELETE FROM \(join.name) WHERE \(view.owner) = ?", in: database)
                for delete in deletes {
                    pairs.bind(.int(delete.id.key), at: 1)
                    try pairs.run()
                }
            }
        }
    }

    /// Gives each new row the key after the greatest that its table ever had.
    private mutating func reserveKeys(_ inserts: [SavePlan.Insert]) throws {
        var next: [Int: Int64] = [:]
        for insert in inserts where insert.id.isTemporaryID {
            let root = schema.model.entities[insert.entity.rootIndex]
            let key: Int64
            if let known = next[root.index] {
                key = known
            } else {
                key = try store.lastKey(root, in: database) + 1
            }
            ids[insert.id.key] = ManagedObjectID(store.homes[insert.entity.index], key: key)
            next[root.index] = key + 1
        }
        for (root, key) in next {
            let number = Int64(schema.number(of: schema.model.entities[root]))
            try RawStatement.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", [.int(key - 1), .int(number)],
                in: database)
        }
    }

    private func insert(_ inserts: [SavePlan.Insert]) throws {
        for (index, inserts) in Dictionary(grouping: inserts, by: { $0.entity.index }) {
            let entity = schema.model.entities[index], table = schema.table(of: entity)
            let columns = boundColumns(entity.columnSlots, entity, table)
            let marks = (["?", "?", "?"] + columns.map(\.mark)).joined(separator: ", ")
            let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name.description)).joined(separator: ", ")
            let statement = try RawStatement(
                "INSERT INTO \(table.name) (\(names)) VALUES (\(marks))", in: database)
            let number = StoredValue.int(Int64(schema.number(of: entity)))
            for insert in inserts {
                statement.bind(.int(key(insert.id) ?? 0), at: 1)
                statement.bind(number, at: 2)
                statement.bind(.int(1), at: 3)
                bind(columns, insert.values, to: statement, from: 4)
                try unique(entity, insert.values) { try statement.run() }
            }
        }
    }

    /// Updates of one shape share a statement.
    private func update(_ updates: [SavePlan.Update]) throws {
        struct Shape: Hashable {
            let entity: Int, slots: [Int]
        }
        let groups = Dictionary(grouping: updates) { Shape(entity: $0.entity.index, slots: $0.slots) }
        try makeRoom(updates)
        for (shape, updates) in groups {
            let entity = schema.model.entities[shape.entity], table = schema.table(of: entity)
            let columns = boundColumns(shape.slots, entity, table)
            let sets = (["Z_OPT = ?"] + columns.map { "\($0.name) = \($0.mark)" }).joined(separator: ", ")
            let statement = try RawStatement(
                "UPDATE \(table.name) SET \(sets) WHERE Z_PK = ? AND Z_OPT = ?", in: database)
            for update in updates {
                statement.bind(.int(update.version + 1), at: 1)
                let next = bind(columns, update.values, to: statement, from: 2)
                statement.bind(.int(update.id.key), at: next)
                statement.bind(.int(update.version), at: next + 1)
                try unique(entity, update.valuesAfter) { try statement.run() }
                if database.changesCount != 1 { throw StoreError.conflict(update.id) }
            }
        }
    }

    /// Rows may take each other's unique values, so those that get new ones give theirs up first.
    private func makeRoom(_ updates: [SavePlan.Update]) throws {
        var contended: [Int: [(SavePlan.Update, [SQLName])]] = [:]
        for update in updates where !update.entity.constraintSlots.isEmpty {
            let table = schema.table(of: update.entity)
            let constrained = Set(update.entity.constraintSlots.joined())
            let names = update.slots.filter(constrained.contains).compactMap {
                table.column(of: $0, in: update.entity)?.name
            }
            if !names.isEmpty { contended[update.entity.rootIndex, default: []].append((update, names)) }
        }
        for (root, updates) in contended where updates.count > 1 {
            let table = schema.table(of: schema.model.entities[root]).name
            for (update, names) in updates {
                let sets = names.map { "\($0) = NULL" }.joined(separator: ", ")
                let statement = try RawStatement(
                    "UPDATE \(table) SET \(sets) WHERE Z_PK = ? AND Z_OPT = ?", in: database)
                statement.bind(.int(update.id.key), at: 1)
                statement.bind(.int(update.version), at: 2)
                try statement.run()
            }
        }
    }

    /// A column to write: which slot it is from, and whether it holds a key or the `Z_ENT` of what the key
    /// leads to.
    private struct BoundColumn {
        let name: SQLName
        let slot: Int
        let kind: Kind
        /// The placeholder of the value in the statement.
        var mark = "?"
        var isExternal = false
        enum Kind { case value, key, entity }
    }

    private func boundColumns(_ slots: [Int], _ entity: EntityDescription, _ table: TableLayout)
        -> [BoundColumn]
    {
        slots.flatMap { slot -> [BoundColumn] in
            guard let column = table.column(of: slot, in: entity) else { return [] }
            guard case .relationship = entity.slots[slot] else {
                return [
                    BoundColumn(
                        name: column.name, slot: slot, kind: .value, mark: column.mark,
                        isExternal: entity.slots[slot].isExternal)
                ]
            }
            return [BoundColumn(name: column.name, slot: slot, kind: .key)]
                + (column.entityColumnName.map { [BoundColumn(name: $0, slot: slot, kind: .entity)] } ?? [])
        }
    }

    /// - Returns: the index of the next parameter.
    @discardableResult
    private func bind(
        _ columns: [BoundColumn], _ values: [StoredValue], to statement: borrowing RawStatement,
        from first: Int
    ) -> Int {
        for (offset, column) in columns.enumerated() {
            let value = values[column.slot]
            if column.kind == .value {
                statement.bind(column.isExternal ? ExternalFiles.column(value) : value, at: first + offset)
            } else if case .id(let id) = value, let key = key(id) {
                let number = store.numbersByName[id.entity] ?? 0
                statement.bind(.int(column.kind == .key ? key : Int64(number)), at: first + offset)
            } else {
                statement.bind(.null, at: first + offset)
            }
        }
        return first + columns.count
    }

    /// Runs a statement and turns a broken uniqueness constraint into ``StoreError/notUnique``.
    ///
    /// - Parameter values: the row's values by slot; nil where they are not known.
    func unique(
        _ entity: EntityDescription, _ values: @autoclosure () -> [StoredValue?]? = nil,
        _ body: () throws -> Void
    ) throws {
        do { try body() } catch let error as DatabaseError {
            guard let columns = StoreError.constrainedColumns(error) else { throw error }
            let table = schema.table(of: entity)
            let properties = columns.map { table.property(ofColumn: $0, in: entity) ?? $0 }
            let slots = properties.compactMap { entity.slot(of: $0) }
            let all = values()
            let known = slots.compactMap { all?[$0] }
            throw StoreError.notUnique(
                entity: entity.name, properties: properties,
                values: known.count == properties.count ? known : [])
        }
    }
}
