extension PredicateNode {
    /// The tree as a `WHERE` condition on the table of `entity`, which it calls `t0`.
    func sql(for entity: EntityDescription, in model: ManagedObjectModel) -> SQLFragment {
        condition(SQLScope(model: model, tables: [entity]), orNull: true)
    }

    private func value(_ scope: SQLScope) -> SQLFragment {
        switch self {
        case .constant(let value): .argument(value)
        case .property(let path): path.sql(scope)
        case .arithmetic(let a, let operation, let b):
            "(\(a.value(scope)) \(name: operation.rawValue) \(b.value(scope)))"
        case .coalesce(let a, let b): "COALESCE(\(a.value(scope)), \(b.value(scope)))"
        case .conditional(let test, let a, let b):
            """
            CASE WHEN \(test.condition(scope, orNull: true)) \
            THEN \(a.value(scope)) ELSE \(b.value(scope)) END
            """
        case .count(let path): "(SELECT COUNT(*) \(path.rows(scope).sql))"
        case .compare, .and, .or, .not, .isIn, .text, .any: condition(scope, orNull: false)
        }
    }

    /// A truth value. `orNull` says that a null will count as false anyway, as it does in `WHERE` but not
    /// under `NOT`; then `COALESCE` is left out, since it keeps SQLite from using an index.
    private func condition(_ scope: SQLScope, orNull: Bool) -> SQLFragment {
        func truth(_ test: SQLFragment) -> SQLFragment { orNull ? "(\(test))" : "COALESCE(\(test), 0)" }

        switch self {
        case .compare(let a, let comparison, let b):
            let test: SQLFragment = "\(a.value(scope)) \(name: comparison.rawValue) \(b.value(scope))"
            // IS and IS NOT are never null, and IS uses an index.
            return comparison == .equal || comparison == .notEqual ? "(\(test))" : truth(test)
        case .and(let a, let b):
            return "(\(a.condition(scope, orNull: orNull)) AND \(b.condition(scope, orNull: orNull)))"
        case .or(let a, let b):
            return "(\(a.condition(scope, orNull: orNull)) OR \(b.condition(scope, orNull: orNull)))"
        case .not(let a): return "(NOT \(a.condition(scope, orNull: false)))"
        case .isIn(let a, let list):
            let values = list.filter { $0 != .null }
            let test = truth("\(a.value(scope)) IN \(.list(values))")
            return values.count == list.count ? test : "(\(test) OR \(a.value(scope)) IS NULL)"
        case .text(let a, .contains, let b): return truth("instr(\(a.value(scope)), \(b.value(scope))) > 0")
        case .text(let a, .beginsWith, let b):
            return truth("instr(\(a.value(scope)), \(b.value(scope))) = 1")
        case .text(let a, .localizedContains, let b):
            return "MOODY_LOCALIZED_CONTAINS(\(a.value(scope)), \(b.value(scope)))"
        case .any(let path, let test):
            let (rows, target) = path.rows(scope)
            return "EXISTS(SELECT 1 \(rows) AND \(test.condition(scope + target, orNull: true)))"
        case .constant, .property, .arithmetic, .coalesce, .conditional, .count: return truth(value(scope))
        }
    }
}

/// Where names in SQL come from: `tables` are the entities of `t0`, `t1` and so on.
struct SQLScope {
    let model: ManagedObjectModel
    var tables: [EntityDescription]

    static func + (scope: SQLScope, entity: EntityDescription) -> SQLScope {
        SQLScope(model: scope.model, tables: scope.tables + [entity])
    }
}

extension EntityDescription {
    /// Whether a row of the hierarchy's table is of this entity or one that inherits from it; nil when all are.
    func membership(alias: String, in model: ManagedObjectModel) -> SQLFragment? {
        if superentityName == nil && !hasSubentities { return nil }
        let numbers = model.family(of: self).map { StoredValue.int(Int64($0.number)) }
        return "\(name: alias).Z_ENT IN \(.list(numbers))"
    }
}

extension PropertyPath {
    /// A column, reached through scalar subqueries: unlike a join, one can stand wherever an expression
    /// can, and it is null when a relationship on the way leads nowhere.
    func sql(_ scope: SQLScope) -> SQLFragment {
        var entity = scope.tables[variable]
        var value: SQLFragment = "t\(name: "\(variable)").Z_PK"
        for (depth, property) in names.enumerated() {
            let table = scope.model.table(of: entity)
            guard let slot = entity.slot(of: property), let place = table.column(of: slot, in: entity) else {
                misuse("\(entity.name) has no column \(property)")
            }
            let column = table.columns[place].name
            value =
                depth == 0
                ? "t\(name: "\(variable)").\(name: column)"
                : "(SELECT \(name: column) FROM \(name: table.name) WHERE Z_PK = \(value))"
            if let relationship = entity.relationship(property) {
                entity = scope.model.destination(of: relationship)
            }
        }
        return value
    }

    /// The rows of the to-many relationship the path ends in, as the next table.
    fileprivate func rows(_ scope: SQLScope) -> (sql: SQLFragment, EntityDescription) {
        let owner = PropertyPath(variable: variable, names: names.dropLast())
        let entity = owner.names.reduce(scope.tables[variable]) { entity, name in
            entity.relationship(name).map(scope.model.destination) ?? entity
        }
        guard let last = names.last, let relationship = entity.relationship(last) else {
            misuse("\(entity.name) has no relationship to many at the end of \(names)")
        }
        let target = scope.model.destination(of: relationship)
        let table = scope.model.table(of: target)
        guard let place = table.column(of: relationship.inverseSlot, in: target) else {
            misuse("\(target.name).\(relationship.inverseName) has no column")
        }
        let alias = "t\(scope.tables.count)"
        let rows: SQLFragment = """
            FROM \(name: table.name) AS \(name: alias) \
            WHERE \(name: alias).\(name: table.columns[place].name) = \(owner.sql(scope))
            """
        return (rows, target)
    }
}
