import Foundation
import GRDB

extension SQLiteStore {
    func rows(_ fetch: FetchDescription) throws -> [ObjectRow] {
        let sql = fetch.sql(in: scope(fetch.entity)), reader = reader(fetch.entity)
        return try read { database in
            let statement = try RawStatement("SELECT \(reader.columnList) \(sql.text)", in: database)
            statement.bind(sql.arguments)
            var rows: [ObjectRow] = []
            while try statement.next() { rows.append(try reader.row(statement)) }
            return rows
        }
    }

    /// Keys go in as one JSON array: the statement's text is the same for one and for ten thousand.
    func rows(_ entity: EntityDescription, keys: [Int64]) throws -> [ObjectRow] {
        let reader = reader(entity), table = schema.table(of: entity).name
        return try read { database in
            if keys.count == 1 {
                let statement = try RawStatement(
                    "SELECT \(reader.columnList) FROM \(table) AS t0 WHERE t0.Z_PK = ?", in: database)
                statement.bind(.int(keys[0]), at: 1)
                return try statement.next() ? [try reader.row(statement)] : []
            }
            let statement = try RawStatement(
                """
                SELECT \(reader.columnList) FROM \(table) AS t0 \
                WHERE t0.Z_PK IN (SELECT value FROM json_each(?))
                """, in: database)
            statement.bind(.json(keys), at: 1)
            var rows: [ObjectRow] = []
            rows.reserveCapacity(keys.count)
            while try statement.next() { rows.append(try reader.row(statement)) }
            return rows
        }
    }

    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [FetchedValues] {
        let scope = scope(fetch.entity)
        var sql: SQLFragment = "SELECT t0.Z_PK, t0.Z_ENT"
        let columns = paths.map { $0.column(scope) }
        let large = paths.map { $0.isLargeValue(from: fetch.entity, in: schema.model) }
        for column in columns {
            sql = "\(sql), \(column.sql)"
            if let entity = column.entitySQL { sql = "\(sql), \(entity)" }
        }
        sql = "\(sql) \(fetch.sql(in: scope))"
        return try read { database in
            let statement = try RawStatement(sql.text, in: database)
            statement.bind(sql.arguments)
            var found: [FetchedValues] = []
            while try statement.next() {
                var index = 2
                let values = try zip(columns, large).map { column, isLarge -> StoredValue in
                    defer { index += column.entitySQL == nil ? 1 : 2 }
                    guard let target = column.target else {
                        let value = statement.value(index)
                        return isLarge ? try external.value(value).resolved() : value
                    }
                    if statement.isNull(index) { return .null }
                    let number = column.entitySQL == nil ? 0 : statement.int(index + 1)
                    return .id(try id(number, target, key: statement.int(index)))
                }
                found.append(
                    FetchedValues(
                        id: try id(statement.int(1), fetch.entity, key: statement.int(0)), values: values))
            }
            return found
        }
    }

    func scan(
        _ fetch: FetchDescription, _ paths: [PropertyPath], _ body: (ScannedRow) throws -> Void
    ) throws {
        let scope = scope(fetch.entity)
        var sql: SQLFragment = "SELECT t0.Z_PK", targets: [StoreEntity?] = []
        for path in paths {
            let column = path.column(scope), target = column.target
            if path.isLargeValue(from: fetch.entity, in: schema.model) {
                misuse("a scan reads columns, and \(path.names) may lie in a file")
            }
            // Where a row is of one of several entities it takes a second column to say which.
            if let target, target.hasSubentities {
                misuse("a scan reads attributes and rows of one entity, and \(path.names) is neither")
            }
            sql = "\(sql), \(column.sql)"
            targets.append(target.map { homes[$0.index] })
        }
        sql = "\(sql) \(fetch.sql(in: scope))"
        try read(isRepeatable: false) { database in
            let statement = try RawStatement(sql.text, in: database)
            statement.bind(sql.arguments)
            let row = ScannedRow(statement.columns(from: 1), targets)
            while try statement.next() { try body(row) }
        }
    }

    func versions(_ fetch: FetchDescription) throws -> [RowVersion] {
        let sql: SQLFragment = "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT \(fetch.sql(in: scope(fetch.entity)))"
        return try read { database in
            let statement = try RawStatement(sql.text, in: database)
            statement.bind(sql.arguments)
            var found: [RowVersion] = []
            while try statement.next() {
                found.append(
                    RowVersion(
                        id: try id(statement.int(1), fetch.entity, key: statement.int(0)),
                        version: try StoredNumber.counter(statement.int(2), "Z_OPT")))
            }
            return found
        }
    }

    func count(_ fetch: FetchDescription) throws -> Int {
        var all = fetch
        all.order = FetchOrder(terms: [])
        let scope = scope(fetch.entity)
        let sql: SQLFragment =
            fetch.limit == nil && fetch.offset == 0
            ? "SELECT COUNT(*) \(all.sql(in: scope, isOrdered: false))"
            : "SELECT COUNT(*) FROM (SELECT 1 \(all.sql(in: scope)))"
        return try read { database in
            let statement = try RawStatement(sql.text, in: database)
            statement.bind(sql.arguments)
            return try statement.next() ? Int(statement.int(0)) : 0
        }
    }

    func members(_ entity: EntityDescription, key: Int64, slot: Int) throws -> [ManagedObjectID] {
        guard let relationship = entity.relationship(at: slot) else { return [] }
        let target = schema.model.destination(of: relationship)
        guard schema.holds(target), let rows = membership(relationship, entity, slot: slot) else { return [] }
        return try read { database in
            let statement = try RawStatement(
                "SELECT t0.Z_PK, t0.Z_ENT \(rows.source) WHERE \(rows.owner) = ? ORDER BY "
                    + "\(rows.order)t0.Z_PK",
                in: database)
            statement.bind(.int(key), at: 1)
            var found: [ManagedObjectID] = []
            while try statement.next() {
                found.append(try id(statement.int(1), target, key: statement.int(0)))
            }
            return found
        }
    }

    /// Where the rows of a relationship to many are found, as `t0`.
    func membership(_ relationship: RelationshipDescription, _ entity: EntityDescription, slot: Int)
        -> (source: String, owner: String, order: String)?
    {
        let target = schema.model.destination(of: relationship), table = schema.table(of: target)
        switch relationship.storage {
        case .key: return nil
        case .inverseKeys:
            guard let column = table.column(of: relationship.inverseSlot, in: target) else { return nil }
            return (
                "FROM \(table.name) AS t0", "t0.\(column.name)",
                relationship.isOrdered ? Self.order(by: column.orderColumnName.map { "t0.\($0)" }) : ""
            )
        case .join(let number):
            guard let join = schema.join(number) else { return nil }
            let view = join.view(entity, slot: slot, in: schema.model)
            return (
                "FROM \(join.name) AS j JOIN \(table.name) AS t0 ON t0.Z_PK = j.\(view.member)",
                "j.\(view.owner)", Self.order(by: view.order.map { "j.\($0)" })
            )
        }
    }

    /// Members without a position are last.
    private static func order(by column: String?) -> String {
        column.map { "\($0) IS NULL, \($0), " } ?? ""
    }

    private func reader(_ entity: EntityDescription) -> RowReader {
        guard let reader = readers[entity.rootIndex] else { misuse("\(entity.name) is not in this store") }
        return reader
    }

    func scope(_ entity: EntityDescription) -> SQLScope {
        SQLScope(schema: schema, storeIdentifier: identifier, tables: [entity])
    }

    /// The ID of a row whose `Z_ENT` is `number`; 0 says nothing.
    ///
    /// - Throws: ``StoreError/unreadable(_:)`` for numbers that no row of the entity can have.
    func id(_ number: Int64, _ entity: EntityDescription, key: Int64) throws(StoreError) -> ManagedObjectID {
        if number == 0 { return try ManagedObjectID(homes[entity.index], stored: key) }
        guard number > 0, number < homesByNumber.count, let home = homesByNumber[Int(number)] else {
            throw .unreadable("Z_ENT of \(entity.name) \(key) is \(number)")
        }
        return try ManagedObjectID(home, stored: key)
    }
}

extension StoredValue {
    /// `[1,2,3]`
    static func json(_ keys: [Int64]) -> StoredValue {
        var text = "["
        for key in keys {
            if text.utf8.count > 1 { text += "," }
            text += String(key)
        }
        return .text(text + "]")
    }
}

/// How rows of one table are read: which column goes to which slot, by entity.
struct RowReader: Sendable {
    /// `t0.Z_PK, t0.Z_OPT, t0.Z_ENT, t0.ZDATE, ...`
    let columnList: String
    private let entityName: String
    /// By `Z_ENT`; nil for what is not of the family.
    private let plans: [Plan?]
    /// By `Z_ENT`.
    private let homesByNumber: [StoreEntity?]

    /// A class, so that a row takes one reference of it and not those of all its parts.
    private final class Plan: Sendable {
        let entity: EntityDescription
        let home: StoreEntity
        /// A value per slot.
        let steps: [Step]

        init(_ entity: EntityDescription, _ home: StoreEntity, _ steps: [Step]) {
            (self.entity, self.home, self.steps) = (entity, home, steps)
        }
    }

    private struct Step: Sendable {
        /// -1 where the slot has none.
        let column: Int
        /// For a key: what it leads to, and the column with that row's `Z_ENT`, -1 when none.
        let target: StoreEntity?
        let entityColumn: Int
        /// Whether the value may lie in a file.
        var isExternal = false
    }

    private let external: ExternalFileTable

    init(
        family: [EntityDescription], schema: SQLSchema, homes: [StoreEntity], homesByNumber: [StoreEntity?],
        _ external: ExternalFileTable
    ) {
        self.external = external
        let table = schema.table(of: family[0])
        var names: [SQLName] = ["Z_PK", "Z_OPT", "Z_ENT"], entityColumns: [Int] = []
        names += table.columns.map(\.name)
        for column in table.columns {
            entityColumns.append(column.entityColumnName == nil ? -1 : names.count)
            if let name = column.entityColumnName { names.append(name) }
        }
        columnList = names.enumerated().map { index, name in
            let column = index - 3
            return table.columns.indices.contains(column)
                ? table.columns[column].reading("t0.\(name)") : "t0.\(name)"
        }.joined(separator: ", ")
        entityName = family[0].name
        self.homesByNumber = homesByNumber
        var plans = [Plan?](repeating: nil, count: (family.map(schema.number).max() ?? 0) + 1)
        for entity in family {
            let steps = table.columns(of: entity).enumerated().map { slot, columnIndex -> Step in
                guard let columnIndex else { return Step(column: -1, target: nil, entityColumn: -1) }
                let target = entity.relationship(at: slot).map { homes[$0.destination] }
                return Step(
                    column: columnIndex + 3, target: target, entityColumn: entityColumns[columnIndex],
                    isExternal: entity.slots[slot].isExternal)
            }
            plans[schema.number(of: entity)] = Plan(entity, homes[entity.index], steps)
        }
        self.plans = plans
    }

    /// - Throws: ``StoreError/unreadable(_:)`` for numbers that no row can have.
    func row(_ statement: borrowing RawStatement) throws(StoreError) -> ObjectRow {
        let number = statement.int(2)
        guard number > 0, number < plans.count, let plan = plans[Int(number)] else {
            throw .unreadable("Z_ENT of \(entityName) \(statement.int(0)) is \(number)")
        }
        var values: [StoredValue] = []
        values.reserveCapacity(plan.steps.count)
        for step in plan.steps { values.append(try value(step, statement)) }
        return ObjectRow(
            id: try ManagedObjectID(plan.home, stored: statement.int(0)), entity: plan.entity,
            version: try StoredNumber.counter(statement.int(1), "Z_OPT of \(entityName)"), values: values)
    }

    @inline(__always) private func value(_ step: Step, _ statement: borrowing RawStatement)
        throws(StoreError) -> StoredValue
    {
        if step.column < 0 { return .null }
        guard let target = step.target else {
            let value = statement.value(step.column)
            return step.isExternal ? external.value(value) : value
        }
        if statement.isNull(step.column) { return .null }
        var home = target
        if step.entityColumn >= 0 {
            let number = statement.int(step.entityColumn)
            if number > 0, number < homesByNumber.count, let exact = homesByNumber[Int(number)] {
                home = exact
            } else if number != 0 {
                throw .unreadable("a key of \(target.entity.text) says Z_ENT \(number)")
            }
        }
        return .id(try ManagedObjectID(home, stored: statement.int(step.column)))
    }
}
