/// Which rows of which entity, in which order: a fetch request without its class.
struct FetchDescription: Sendable {
    var entity: EntityDescription
    var predicate: PredicateNode?
    var order: FetchOrder
    /// At most so many; nil for all.
    var limit: Int?
    var offset = 0

    /// What stands behind `SELECT columns`.
    func sql(in model: ManagedObjectModel) -> SQLFragment {
        let scope = SQLScope(model: model, tables: [entity])
        var sql: SQLFragment = "FROM \(name: model.table(of: entity).name) AS t0"
        let conditions = [
            entity.membership(alias: "t0", in: model), predicate?.sql(for: entity, in: model),
        ].compactMap { $0 }
        for (index, condition) in conditions.enumerated() {
            sql = "\(sql)\(name: index == 0 ? " WHERE " : " AND ")\(condition)"
        }
        sql = "\(sql) ORDER BY \(order.sql(scope))"
        if limit != nil || offset > 0 {
            sql =
                "\(sql) LIMIT \(.argument(.int(Int64(limit ?? -1)))) OFFSET \(.argument(.int(Int64(offset))))"
        }
        return sql
    }
}
