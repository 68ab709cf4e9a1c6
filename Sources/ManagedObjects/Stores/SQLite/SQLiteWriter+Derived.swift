extension SQLiteWriter: DerivationTables {
    func owners(_ entity: EntityDescription, _ slot: Int, of members: [Int64]) throws -> [Int64] {
        guard let relationship = entity.relationship(at: slot) else { return [] }
        let target = schema.model.destination(of: relationship)
        guard schema.holds(entity), schema.holds(target) else { return [] }
        switch relationship.storage {
        case .key: return []
        case .inverseKeys:
            let table = schema.table(of: target)
            guard let column = table.column(of: relationship.inverseSlot, in: target)?.name else { return [] }
            return try keys(
                """
                SELECT DISTINCT \(column) FROM \(table.name) \
                WHERE Z_PK IN (SELECT value FROM json_each(?)) AND \(column) IS NOT NULL
                """, members)
        case .join(let number):
            guard let join = schema.join(number) else { return [] }
            let view = join.view(entity, slot: slot, in: schema.model)
            return try keys(
                """
                SELECT DISTINCT \(view.owner) FROM \(join.name) \
                WHERE \(view.member) IN (SELECT value FROM json_each(?))
                """, members)
        }
    }

    func rows(_ entity: EntityDescription, _ slot: Int, leadingTo targets: [Int64]) throws -> [Int64] {
        guard schema.holds(entity) else { return [] }
        let table = schema.table(of: entity)
        guard let column = table.column(of: slot, in: entity)?.name else { return [] }
        return try keys(
            "SELECT Z_PK FROM \(table.name) WHERE \(column) IN (SELECT value FROM json_each(?))", targets)
    }

    private func keys(_ sql: String, _ keys: [Int64]) throws -> [Int64] {
        let statement = try RawStatement(sql, in: database)
        statement.bind(.json(keys), at: 1)
        var found: [Int64] = []
        while try statement.next() { found.append(statement.int(0)) }
        return found
    }

    func sources(_ property: DerivedProperty, _ keys: [Int64]) throws -> [DerivedSource] {
        guard schema.holds(property.entity) else { return [] }
        let scope = store.scope(property.entity)
        let stored = PropertyPath(names: [property.attribute.name]).sql(scope)
        var source: SQLFragment = "NULL"
        if case .path(let path, _, _) = property.source { source = path.sql(scope) }
        let sql: SQLFragment = """
            SELECT t0.Z_PK, t0.Z_ENT, \(stored), \(source) \
            FROM \(schema.table(of: property.entity).name) AS t0 \
            WHERE t0.Z_PK IN (SELECT value FROM json_each(\(.argument(.json(keys)))))
            """
        let statement = try RawStatement(sql.text, in: database)
        statement.bind(sql.arguments)
        var found: [DerivedSource] = []
        while try statement.next() {
            let id = try store.id(statement.int(1), property.entity, key: statement.int(0))
            found.append(DerivedSource(id: id, stored: statement.value(2), values: [statement.value(3)]))
        }
        guard case .members(let slot, let target, _, let summed) = property.source else { return found }
        return try members(found, entity: property.entity, slot: slot, target: target, summed: summed)
    }

    /// With a value for each member in place of none.
    private func members(
        _ sources: [DerivedSource], entity: EntityDescription, slot: Int, target: EntityDescription,
        summed: Int?
    ) throws -> [DerivedSource] {
        guard schema.holds(target), let relationship = entity.relationship(at: slot),
            let rows = store.membership(relationship, entity, slot: slot)
        else { return sources.map { DerivedSource(id: $0.id, stored: $0.stored, values: []) } }
        let column = summed.flatMap { schema.table(of: target).column(of: $0, in: target) }
        let value = column.map { $0.reading("t0.\($0.name)") } ?? "t0.Z_PK"
        let statement = try RawStatement(
            "SELECT \(value) \(rows.source) WHERE \(rows.owner) = ?", in: database)
        return try sources.map { source in
            statement.reset()
            statement.bind(.int(source.id.key), at: 1)
            var values: [StoredValue] = []
            while try statement.next() { values.append(statement.value(0)) }
            return DerivedSource(id: source.id, stored: source.stored, values: values)
        }
    }

    func put(_ value: StoredValue, _ property: DerivedProperty, key: Int64) throws {
        let table = schema.table(of: property.entity)
        guard let column = table.column(of: property.slot, in: property.entity) else { return }
        let statement = try RawStatement(
            "UPDATE \(table.name) SET \(column.name) = \(column.mark) WHERE Z_PK = ?", in: database)
        statement.bind(value, at: 1)
        statement.bind(.int(key), at: 2)
        try unique(property.entity) { try statement.run() }
    }
}
