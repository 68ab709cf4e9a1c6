import GRDB

/// An index of places: an R*Tree beside an entity's table, kept by triggers, whoever writes the rows.
///
/// A row's box is a point, its numbers rounded outwards to 32 bits, so that a search finds what it should and
/// a little more; the exact conditions stay beside it. A row that lacks a number is in no box, as it is in no
/// range.
///
/// - Source: SQLite, "The SQLite R*Tree Module"; the table's name and columns as a schema that Core Data made
///   has them (stackoverflow.com/questions/61627719); the triggers are ours.
struct RTreeIndex: Sendable, Equatable {
    let name: SQLName
    let table: SQLName
    /// The entity's numbers in its model, its sub-entities' among them.
    let family: ClosedRange<Int>
    /// Theirs in the table, the lower first; nil when all rows are meant.
    let rows: [Int]?
    let dimensions: [Dimension]

    struct Dimension: Sendable, Equatable {
        let property: String, column: SQLName
    }

    /// Nil for an index that is none of boxes.
    init?(_ index: FetchIndexDescription, of entity: EntityDescription, in schema: SQLSchema) {
        guard index.isRTree else { return nil }
        let table = schema.table(of: entity)
        dimensions = index.elements.compactMap { element in
            entity.slot(of: element.property).flatMap { table.column(of: $0, in: entity) }
                .map { Dimension(property: element.property, column: $0.name) }
        }
        name = SQLName("Z_\(entity.name)_\(index.name)")
        self.table = table.name
        family = entity.family
        rows = entity.superentityName == nil ? nil : schema.numbers(ofFamily: entity)
    }

    /// The index's entries in `sqlite_master`, by name; the table comes first.
    var definitions: [(name: SQLName, sql: String)] {
        let bounds = dimensions.flatMap { ["\($0.column + "_MIN")", "\($0.column + "_MAX")"] }
        let columns = dimensions.map(\.column.description).joined(separator: ", ")
        let put = "INSERT OR REPLACE INTO \(name) SELECT \(box(of: "NEW.")) WHERE \(isIn("NEW."))"
        let remove = "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK"
        return [
            (
                name,
                "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, "
                    + "\(bounds.joined(separator: ", ")))"
            ),
            (
                name + "_INSERT",
                "CREATE TRIGGER \(name + "_INSERT") AFTER INSERT ON \(table) BEGIN \(put); END"
            ),
            (
                name + "_UPDATE",
                "CREATE TRIGGER \(name + "_UPDATE") AFTER UPDATE OF Z_PK, Z_ENT, \(columns) ON \(table) "
                    + "BEGIN \(remove); \(put); END"
            ),
            (
                name + "_DELETE",
                "CREATE TRIGGER \(name + "_DELETE") AFTER DELETE ON \(table) BEGIN \(remove); END"
            ),
        ]
    }

    /// Puts the rows that are there into it.
    var filling: String { "INSERT INTO \(name) SELECT \(box(of: "")) FROM \(table) WHERE \(isIn(""))" }

    /// Clamps to a Float's largest number, or the lower bound would be infinite.
    private func box(of row: String) -> String {
        let bounds = dimensions.map {
            "MIN(\(row)\($0.column), 3.4e38), MAX(\(row)\($0.column), -3.4e38)"
        }
        return "\(row)Z_PK, \(bounds.joined(separator: ", "))"
    }

    private func isIn(_ row: String) -> String {
        var isOfEntity: [String] = []
        if let rows, let first = rows.first, let last = rows.last {
            let list = rows.map { "\($0)" }.joined(separator: ", ")
            isOfEntity = [
                last - first == rows.count - 1
                    ? "\(row)Z_ENT BETWEEN \(first) AND \(last)" : "\(row)Z_ENT IN (\(list))"
            ]
        }
        let isThere = dimensions.map { "typeof(\(row)\($0.column)) IN ('integer', 'real')" }
        return (isOfEntity + isThere).joined(separator: " AND ")
    }
}

extension RTreeIndex {
    /// A condition that the rows of table `t0` fulfil for which `predicate` holds. Nil when it leaves a
    /// number open, for rows that lack it are in no box, or bounds none on both sides: half of all rows are
    /// found sooner without the index.
    func condition(_ predicate: PredicateNode) -> SQLFragment? {
        var bounds: [String: (low: StoredValue?, high: StoredValue?)] = [:]
        for test in predicate.conjuncts {
            guard let (property, comparison, value) = test.numberComparison else { continue }
            var bound = bounds[property] ?? (nil, nil)
            if comparison != .less, comparison != .lessOrEqual, bound.low == nil { bound.low = value }
            if comparison != .greater, comparison != .greaterOrEqual, bound.high == nil { bound.high = value }
            bounds[property] = bound
        }
        let found = dimensions.compactMap { dimension in
            bounds[dimension.property].map { (dimension.column, $0.low, $0.high) }
        }
        guard found.count == dimensions.count, found.contains(where: { $0.1 != nil && $0.2 != nil }) else {
            return nil
        }
        var tests: [SQLFragment] = []
        for (column, low, high) in found {
            if let low { tests.append("\(column + "_MAX") >= \(.argument(low))") }
            if let high { tests.append("\(column + "_MIN") <= \(.argument(high))") }
        }
        let all = tests.dropFirst().reduce(tests[0]) { "\($0) AND \($1)" }
        return "t0.Z_PK IN (SELECT Z_PK FROM \(name) WHERE \(all))"
    }
}

extension PredicateNode {
    /// A property of the object itself that is compared with a number, but for !=.
    fileprivate var numberComparison: (property: String, Comparison, StoredValue)? {
        func number(_ value: StoredValue) -> Bool {
            switch value {
            case .int, .double: true
            default: false
            }
        }
        guard case .compare(let a, let comparison, let b) = self, comparison != .notEqual else { return nil }
        if case .property(let path) = a, case .constant(let value) = b, number(value), path.variable == 0,
            path.names.count == 1
        {
            return (path.names[0], comparison, value)
        }
        if case .constant(let value) = a, case .property(let path) = b, number(value), path.variable == 0,
            path.names.count == 1
        {
            return (path.names[0], comparison.reversed, value)
        }
        return nil
    }
}

extension PredicateNode.Comparison {
    /// Returns the comparison with its sides exchanged.
    fileprivate var reversed: PredicateNode.Comparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

extension SQLiteStore {
    /// Makes the indexes of boxes that the model wants and the database has not. Those that it wants no more
    /// stay: another process may be searching by them, and their triggers keep them true.
    static func reconcileBoxes(_ schema: SQLSchema, in database: Database) throws {
        for index in schema.rTreeIndexes where try !isThere(index, in: database) {
            for (name, _) in index.definitions.dropFirst() {
                try database.execute(sql: "DROP TRIGGER IF EXISTS \(name)")
            }
            try database.execute(sql: "DROP TABLE IF EXISTS \(index.name)")
            for (_, sql) in index.definitions { try database.execute(sql: sql) }
            try database.execute(sql: index.filling)
        }
    }

    static func isThere(_ index: RTreeIndex, in database: Database) throws -> Bool {
        try index.definitions.allSatisfy { name, sql in
            try String.fetchOne(
                database, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [name.text]) == sql
        }
    }
}
