extension PredicateNode {
    /// The tree as a `WHERE` condition on a table that is called `t0`.
    func sql(_ scope: SQLScope) -> SQLFragment {
        var scope = scope
        scope.hidesArguments = termCount > 1_000
        scope.nestsOnTheLeft = depth > 8
        return condition(scope, orNull: true)
    }

    /// How many terms the chains have together.
    private var termCount: Int {
        switch self {
        case .and(let chain), .or(let chain): chain.terms.reduce(0) { $0 + $1.termCount }
        case .not(let a): a.termCount
        case .any(_, let test), .count(_, let test?): test.termCount
        case .compare(let a, _, let b): max(a.termCount, b.termCount)
        default: 1
        }
    }

    /// How deep groups nest.
    private var depth: Int {
        switch self {
        case .and(let chain), .or(let chain): chain.terms.reduce(0) { max($0, $1.depth) } + 1
        case .not(let a): a.depth + 1
        case .any(_, let test), .count(_, let test?): test.depth + 1
        case .compare(let a, _, let b): max(a.depth, b.depth)
        default: 0
        }
    }

    /// A chain's terms in the order in which they are written.
    private static func ordered(_ chain: PredicateChain, _ scope: SQLScope) -> [PredicateNode] {
        var terms = Array(chain.terms)
        guard scope.nestsOnTheLeft else { return terms }
        let depths = terms.map(\.depth)
        if let most = depths.max(), most > 0, let index = depths.firstIndex(of: most) {
            terms.insert(terms.remove(at: index), at: 0)
        }
        return terms
    }

    private func value(_ scope: SQLScope) -> SQLFragment {
        switch self {
        case .constant(let value): scope.argument(value)
        case .property(let path): path.sql(scope)
        case .arithmetic: "(\(arithmetic(scope)))"
        case .coalesce(let a, let b): "COALESCE(\(a.value(scope)), \(b.value(scope)))"
        case .conditional(let test, let a, let b):
            """
            CASE WHEN \(test.condition(scope, orNull: true)) \
            THEN \(a.value(scope)) ELSE \(b.value(scope)) END
            """
        case .count(let path, let test):
            if let (rows, target) = path.rows(scope) {
                if let test {
                    "(SELECT COUNT(*) \(rows) AND \(test.condition(scope + target, orNull: true)))"
                } else {
                    "(SELECT COUNT(*) \(rows))"
                }
            } else {
                "0"
            }
        case .aggregate(let aggregate): aggregate.sql(scope)
        case .compare, .and, .or, .not, .isAmong, .text, .any: condition(scope, orNull: false)
        }
    }

    /// Arithmetic as it is written, from the left: what is worked out first stands in parentheses only where
    /// it would not be without, since SQLite's parser takes a hundred tokens that wait for others.
    private func arithmetic(_ scope: SQLScope) -> SQLFragment {
        guard case .arithmetic(let a, let operation, let b) = self else { return value(scope) }
        // Only one of the two translations is made: with both, every further term would double the work.
        let isSameRank =
            if case .arithmetic(_, let first, _) = a {
                (first == .multiply) == (operation == .multiply)
            } else {
                false
            }
        let left = isSameRank ? a.arithmetic(scope) : a.value(scope)
        return "\(left) \(operation) \(b.value(scope))"
    }

    /// The value as the other side of a comparison sees it.
    private func value(_ scope: SQLScope, beside other: PredicateNode) -> SQLFragment {
        guard case .constant(let constant) = self, constant.target != nil else { return value(scope) }
        return scope.argument(constant, of: other.target(scope))
    }

    /// The entity whose objects the property leads to; nil for other values.
    private func target(_ scope: SQLScope) -> EntityDescription? {
        if case .property(let path) = self { path.column(scope).target } else { nil }
    }

    /// A truth value. `orNull` says that a null will count as false anyway, as it does in `WHERE` but not
    /// under `NOT`; then `COALESCE` is left out, since it keeps SQLite from using an index.
    private func condition(_ scope: SQLScope, orNull: Bool) -> SQLFragment {
        func truth(_ test: SQLFragment) -> SQLFragment { orNull ? "(\(test))" : "COALESCE(\(test), 0)" }

        switch self {
        case .compare(let a, let comparison, let b):
            let test: SQLFragment = "\(a.value(scope, beside: b)) \(comparison) \(b.value(scope, beside: a))"
            // IS and IS NOT are never null, and IS uses an index.
            return comparison == .equal || comparison == .notEqual ? "(\(test))" : truth(test)
        case .and(let chain):
            return Self.ordered(chain, scope).map { $0.condition(scope, orNull: orNull) }.chained(by: " AND ")
        case .or(let chain):
            return Self.ordered(chain, scope).map { $0.condition(scope, orNull: orNull) }.chained(by: " OR ")
        case .not(let a): return "(NOT \(a.condition(scope, orNull: false)))"
        case .isAmong(let a, let list):
            let target = a.target(scope)
            let values = list.values.filter { $0 != .null }.map { scope.key($0, of: target) }
            let test = truth("\(a.value(scope)) IN \(.members(values))")
            return values.count == list.values.count ? test : "(\(test) OR \(a.value(scope)) IS NULL)"
        case .text(let a, .contains, let b): return truth("instr(\(a.value(scope)), \(b.value(scope))) > 0")
        case .text(let a, .beginsWith, let b):
            return truth("instr(\(a.value(scope)), \(b.value(scope))) = 1")
        case .text(let a, .localizedContains, let b):
            return "MOODY_LOCALIZED_CONTAINS(\(a.value(scope)), \(b.value(scope)))"
        case .text(let a, .folded(let test), let b):
            let kind: SQLFragment = .argument(.text(test.kind.rawValue)),
                options: SQLFragment = .argument(.text(test.options))
            return "MOODY_TEXT(\(kind), \(options), \(a.value(scope)), \(b.value(scope)))"
        case .any(let path, let test):
            guard let (rows, target) = path.rows(scope) else { return "0" }
            return "EXISTS(SELECT 1 \(rows) AND \(test.condition(scope + target, orNull: true)))"
        case .constant, .property, .arithmetic, .coalesce, .conditional, .count, .aggregate:
            return truth(value(scope))
        }
    }
}

extension PredicateAggregate {
    fileprivate func sql(_ scope: SQLScope) -> SQLFragment {
        guard let (rows, target) = path.rows(scope) else { return function == .sum ? "0" : "NULL" }
        let value = value.sql(scope + target)
        let result: SQLFragment =
            switch function {
            case .maximum: "MAX(\(value))"
            case .minimum: "MIN(\(value))"
            case .average: "AVG(\(value))"
            case .sum where isFloating: "COALESCE(SUM(\(value)), 0)"
            // A sum of 64 bits that overflows would be an error; a product or a sum of two is a fraction
            // then.
            case .sum:
                "COALESCE(SUM(\(value) >> 32) * 4294967296 + SUM(\(value) & 4294967295), 0)"
            }
        if !isFloating || !function.isArithmetic { return "(SELECT \(result) \(rows))" }
        // A NaN is a text, of which SQLite makes 0; and what it gives for both infinities is null.
        return """
            (SELECT CASE WHEN TOTAL(\(value) = 'NaN') > 0 OR COUNT(\(value)) > 0 AND SUM(\(value)) IS NULL \
            THEN 'NaN' ELSE \(result) END \(rows))
            """
    }
}

extension [SQLFragment] {
    /// Terms between `AND` or `OR`, in parentheses: as a tree of groups, since SQLite's expressions may be a
    /// thousand deep and every further term of a group goes one deeper.
    fileprivate func chained(by word: SQLFragment) -> SQLFragment {
        let size = 100
        var level = self
        while level.count > size {
            level = stride(from: 0, to: level.count, by: size).map {
                "(\(Array(level[$0..<Swift.min($0 + size, level.count)]).joined(separator: word)))"
            }
        }
        return "(\(level.joined(separator: word)))"
    }
}

/// Where names in SQL come from: `tables` are the entities of `t0`, `t1` and so on.
struct SQLScope {
    let schema: SQLSchema
    let storeIdentifier: String
    var tables: [EntityDescription]
    /// Whether arguments stand in subqueries. SQLite looks for each constant of a statement among all others,
    /// so that a hundred thousand would take it minutes; a subquery is none.
    var hidesArguments = false

    /// Whether the deepest term of a chain is written first. SQLite's parser keeps at most a hundred tokens
    /// that wait for others: a group on the left leaves its parenthesis waiting, one on the right the terms
    /// too.
    var nestsOnTheLeft = false

    func argument(_ value: StoredValue, of target: EntityDescription? = nil) -> SQLFragment {
        let argument = SQLFragment.argument(key(value, of: target))
        return hidesArguments ? "(SELECT \(argument))" : argument
    }

    static func + (scope: SQLScope, entity: EntityDescription) -> SQLScope {
        var inner = scope
        inner.tables.append(entity)
        return inner
    }

    /// Returns the column's value for a value: the key of a row; for a row of another store or another family
    /// than the target's, or one that was never saved, a key that no row has.
    func key(_ value: StoredValue, of target: EntityDescription? = nil) -> StoredValue {
        guard let id = value.target else { return value }
        let root = target == nil ? nil : schema.model.entity(named: id.entity)?.rootIndex
        return .int(id.storeIdentifier == storeIdentifier && root == target?.rootIndex ? id.key : -1)
    }
}

extension EntityDescription {
    /// Whether a row of the hierarchy's table is of this entity or one that inherits from it; nil when all
    /// are.
    func membership(alias: SQLName, in schema: SQLSchema) -> SQLFragment? {
        if superentityName == nil { return nil }
        let numbers = schema.numbers(ofFamily: self).map { StoredValue.int(Int64($0)) }
        if numbers.count == 1 { return "\(alias).Z_ENT = \(.argument(numbers[0]))" }
        return "\(alias).Z_ENT IN \(.list(numbers))"
    }
}

extension PropertyPath {
    /// A column, reached through scalar subqueries: unlike a join, one can stand wherever an expression
    /// can, and it is null when a relationship on the way leads nowhere.
    func sql(_ scope: SQLScope) -> SQLFragment { column(scope).sql }

    /// The path's column, and for a relationship what it leads to and the column with that row's `Z_ENT`.
    func column(_ scope: SQLScope) -> (
        sql: SQLFragment, entitySQL: SQLFragment?, target: EntityDescription?
    ) {
        var entity = scope.tables[variable]
        let alias = SQLName.alias(variable)
        var value: SQLFragment = "\(alias).Z_PK"
        var result: (SQLFragment, SQLFragment?, EntityDescription?) = (
            value, "\(alias).Z_ENT", entity
        )
        for (depth, property) in names.enumerated() {
            // No relationship leads out of a store.
            guard scope.schema.holds(entity) else { return ("NULL", nil, nil) }
            let table = scope.schema.table(of: entity)
            guard let slot = entity.slot(of: property), entity.slots[slot].hasColumn else {
                misuse("\(entity.name) has no column \(property)")
            }
            // A store of another program may do without the column.
            guard let column = table.column(of: slot, in: entity) else { return ("NULL", nil, nil) }
            let owner = value
            func select(_ name: SQLName) -> SQLFragment {
                depth == 0
                    ? "\(alias).\(name)"
                    : "(SELECT \(name) FROM \(table.name) WHERE Z_PK = \(owner))"
            }
            value = select(column.name)
            guard let relationship = entity.relationship(at: slot) else {
                return (column.type == "DECIMAL" ? "MOODY_DECIMAL(\(value))" : value, nil, nil)
            }
            entity = scope.schema.model.destination(of: relationship)
            result = (value, column.entityColumnName.map(select), entity)
        }
        return result
    }

    /// The rows of the to-many relationship the path ends in, as the next table; nil when it leads out of the
    /// store.
    fileprivate func rows(_ scope: SQLScope) -> (sql: SQLFragment, EntityDescription)? {
        let owner = PropertyPath(variable: variable, names: names.dropLast())
        let model = scope.schema.model
        let entity = owner.names.reduce(scope.tables[variable]) { entity, name in
            entity.relationship(name).map(model.destination) ?? entity
        }
        guard let last = names.last, let slot = entity.slot(of: last),
            let relationship = entity.relationship(at: slot), relationship.isToMany
        else { misuse("\(entity.name) has no relationship to many at the end of \(names)") }
        let target = model.destination(of: relationship)
        guard scope.schema.holds(target) else { return nil }
        let table = scope.schema.table(of: target)
        let alias = SQLName.alias(scope.tables.count), pairs = SQLName("j\(alias.text)")
        if case .join(let number) = relationship.storage, let join = scope.schema.join(number) {
            let view = join.view(entity, slot: slot, in: model)
            let rows: SQLFragment = """
                FROM \(join.name) AS \(pairs) JOIN \(table.name) AS \(alias) \
                ON \(alias).Z_PK = \(pairs).\(view.member) \
                WHERE \(pairs).\(view.owner) = \(owner.sql(scope))
                """
            return (rows, target)
        }
        guard let column = table.column(of: relationship.inverseSlot, in: target) else {
            misuse("\(target.name) has no column for \(entity.name).\(last)")
        }
        let rows: SQLFragment = """
            FROM \(table.name) AS \(alias) \
            WHERE \(alias).\(column.name) = \(owner.sql(scope))
            """
        return (rows, target)
    }
}
