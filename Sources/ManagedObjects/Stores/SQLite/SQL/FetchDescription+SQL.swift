extension FetchDescription {
    /// The SQL after `SELECT columns`.
    func sql(in scope: SQLScope, isOrdered: Bool = true) -> SQLFragment {
        var sql: SQLFragment = "FROM \(scope.schema.table(of: entity).name) AS t0"
        let conditions = [
            membership(in: scope.schema), box(in: scope), predicate?.sql(scope),
        ].compactMap { $0 }
        if !conditions.isEmpty { sql = "\(sql) WHERE \(conditions.joined(separator: " AND "))" }
        if isOrdered && !inAnyOrder { sql = "\(sql) ORDER BY \(order.sql(scope))" }
        if limit != nil || offset > 0 {
            sql =
                "\(sql) LIMIT \(.argument(.int(Int64(limit ?? -1)))) OFFSET \(.argument(.int(Int64(offset))))"
        }
        return sql
    }

    private func membership(in schema: SQLSchema) -> SQLFragment? {
        if includesSubentities { return entity.membership(alias: "t0", in: schema) }
        return "t0.Z_ENT = \(.argument(.int(Int64(schema.numbers[entity.index]))))"
    }

    /// By the index of boxes that bounds the most numbers.
    private func box(in scope: SQLScope) -> SQLFragment? {
        guard let predicate else { return nil }
        return scope.schema.rTreeIndexes.filter { $0.family.contains(entity.family.lowerBound) }
            .compactMap { $0.condition(predicate) }.max { $0.arguments.count < $1.arguments.count }
    }
}

extension FetchOrder {
    /// The SQL after `ORDER BY`.
    func sql(_ scope: SQLScope) -> SQLFragment {
        var sql: SQLFragment = ""
        for term in terms {
            sql += term.path.sql(scope)
            if let order = term.textOrder { sql += " COLLATE \(SQLName(order.collationName))" }
            sql += term.isDescending ? " DESC, " : ", "
        }
        return "\(sql)t0.Z_PK"
    }
}
