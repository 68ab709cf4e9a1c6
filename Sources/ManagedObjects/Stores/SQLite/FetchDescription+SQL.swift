extension FetchDescription {
    /// What stands behind `SELECT columns`.
    func sql(in scope: SQLScope, isOrdered: Bool = true) -> SQLFragment {
        var sql: SQLFragment = "FROM \(name: scope.schema.table(of: entity).name) AS t0"
        let conditions = [
            entity.membership(alias: "t0", in: scope.schema), predicate?.sql(scope),
        ].compactMap { $0 }
        for (index, condition) in conditions.enumerated() {
            sql = "\(sql)\(name: index == 0 ? " WHERE " : " AND ")\(condition)"
        }
        if isOrdered && !inAnyOrder { sql = "\(sql) ORDER BY \(order.sql(scope))" }
        if limit != nil || offset > 0 {
            sql =
                "\(sql) LIMIT \(.argument(.int(Int64(limit ?? -1)))) OFFSET \(.argument(.int(Int64(offset))))"
        }
        return sql
    }
}

extension FetchOrder {
    /// What stands behind `ORDER BY`.
    func sql(_ scope: SQLScope) -> SQLFragment {
        var sql: SQLFragment = ""
        for term in terms {
            let collation = term.textOrder.map { " COLLATE \($0.collationName)" } ?? ""
            sql = "\(sql)\(term.path.sql(scope))\(name: collation + (term.isDescending ? " DESC" : "")), "
        }
        return "\(sql)t0.Z_PK"
    }
}
