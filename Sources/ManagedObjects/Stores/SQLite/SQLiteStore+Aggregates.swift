extension SQLiteStore {
    /// In SQL, but for what it does not know: decimals, and keys that are two columns.
    func aggregates(_ fetch: FetchDescription, _ aggregation: Aggregation) throws -> [[StoredValue]] {
        let scope = scope(fetch.entity), columns = aggregation.paths.map { $0.column(scope) }
        if columns.contains(where: { $0.target != nil })
            || aggregation.columns.contains(where: { $0.isDecimal && $0.function.isArithmetic })
        {
            return try aggregation.results(values(fetch, aggregation.paths).lazy.map(\.values))
        }
        var selected = columns.prefix(aggregation.groups.count).map(\.sql)
        for column in aggregation.columns {
            let value = column.path.map { $0.column(scope).sql }
            let sql = column.function.sql(value)
            guard let value, column.mayBeNaN, column.function.isArithmetic else {
                selected.append(sql)
                continue
            }
            // A NaN is a text, of which SQLite makes 0; and what it gives for both infinities is null.
            selected.append(
                """
                CASE WHEN TOTAL(\(value) = 'NaN') > 0 OR COUNT(\(value)) > 0 AND SUM(\(value)) IS NULL \
                THEN 'NaN' ELSE \(sql) END
                """)
        }
        var sql: SQLFragment = "SELECT \(selected.joined(separator: ", "))"
        sql = "\(sql) \(fetch.sql(in: scope, isOrdered: false))"
        if !aggregation.groups.isEmpty {
            let positions = (1...aggregation.groups.count).map { "\($0)" as SQLFragment }
            sql = "\(sql) GROUP BY \(positions.joined(separator: ", "))"
        }
        let statementText = sql
        let rows = try read { database in
            let statement = try RawStatement(statementText.text, in: database)
            statement.bind(statementText.arguments)
            var rows: [[StoredValue]] = []
            while try statement.next() { rows.append(selected.indices.map { statement.value($0) }) }
            return rows
        }
        return Aggregation.sorted(rows, aggregation.groups.count)
    }
}

extension Aggregation.Function {
    fileprivate var isArithmetic: Bool { self == .sum || self == .average }

    /// - Parameter value: nil for rows.
    fileprivate func sql(_ value: SQLFragment?) -> SQLFragment {
        guard let value else { return "COUNT(*)" }
        return switch self {
        case .count: "COUNT(\(value))"
        case .countDistinct: "COUNT(DISTINCT \(value))"
        case .sum: "COALESCE(SUM(\(value)), 0)"
        case .average: "AVG(\(value))"
        case .minimum: "MIN(\(value))"
        case .maximum: "MAX(\(value))"
        }
    }
}
