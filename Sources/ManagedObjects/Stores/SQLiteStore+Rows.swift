import GRDB

extension SQLiteStore {
    /// A row as a context takes it in.
    struct Row: Sendable {
        let key: Int64
        /// `Z_OPT`
        let version: Int64
        let entity: EntityDescription
        /// One a slot; null for relationships to many.
        let values: [StoredValue]
    }

    /// The rows that match, in order.
    func rows(_ fetch: FetchDescription) throws -> [Row] {
        let sql = fetch.sql(in: model)
        return try sqlite { try database.read { try self.rows(fetch.entity, sql, in: $0) } }
    }

    /// The rows with these keys, ascending by key; a key without a row is passed over.
    func rows(_ entity: EntityDescription, keys: [Int64]) throws -> [Row] {
        let table = model.table(of: entity).name
        return try sqlite {
            try database.read { database in
                var found: [Row] = []
                for chunk in keys.sorted().chunks(of: 500) {
                    let sql: SQLFragment = """
                        FROM \(name: table) AS t0 WHERE t0.Z_PK IN \(.list(chunk.map { .int($0) })) \
                        ORDER BY t0.Z_PK
                        """
                    found += try self.rows(entity, sql, in: database)
                }
                return found
            }
        }
    }

    private func rows(_ entity: EntityDescription, _ sql: SQLFragment, in database: Database) throws -> [Row]
    {
        let table = model.table(of: entity), family = model.family(of: entity)
        let columns = ["Z_PK", "Z_OPT", "Z_ENT"] + table.columns.map(\.name)
        let text = "SELECT \(columns.map { "t0.\($0)" }.joined(separator: ", ")) \(sql.text)"
        let places = family.map { (number: Int64($0.number), entity: $0, columns: table.columns(of: $0)) }
        let cursor = try GRDB.Row.fetchCursor(
            database.cachedStatement(sql: text), arguments: StatementArguments(sql.arguments))
        var rows: [Row] = []
        while let row = try cursor.next() {
            let number: Int64 = row[2] ?? 0
            let place = places.first { $0.number == number } ?? places[0]
            let values = place.columns.map { column -> StoredValue in
                guard let column else { return .null }
                return StoredValue(row[column + 3] as DatabaseValue)
            }
            rows.append(Row(key: row[0], version: row[1] ?? 0, entity: place.entity, values: values))
        }
        return rows
    }

    /// Some values of the rows that match, in order, without objects: the key, and one value a path.
    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [(
        key: Int64, values: [StoredValue]
    )] {
        let scope = SQLScope(model: model, tables: [fetch.entity])
        var sql: SQLFragment = "SELECT t0.Z_PK"
        for path in paths { sql = "\(sql), \(path.sql(scope))" }
        sql = "\(sql) \(fetch.sql(in: model))"
        return try sqlite {
            try database.read { database in
                let cursor = try GRDB.Row.fetchCursor(
                    database.cachedStatement(sql: sql.text), arguments: StatementArguments(sql.arguments))
                var found: [(key: Int64, values: [StoredValue])] = []
                while let row = try cursor.next() {
                    found.append((row[0], paths.indices.map { StoredValue(row[$0 + 1] as DatabaseValue) }))
                }
                return found
            }
        }
    }

    /// How many rows match.
    func count(_ fetch: FetchDescription) throws -> Int {
        var all = fetch
        all.order = FetchOrder(terms: [])
        let sql: SQLFragment = "SELECT COUNT(*) FROM (SELECT 1 \(all.sql(in: model)))"
        return try sqlite {
            try database.read {
                try Int.fetchOne($0, sql: sql.text, arguments: StatementArguments(sql.arguments)) ?? 0
            }
        }
    }
}

extension Array {
    /// Slices of at most `size`.
    func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
