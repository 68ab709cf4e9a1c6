import Foundation
import GRDB

extension TableLayout {
    /// `CREATE TABLE` as Core Data writes it.
    var definition: String {
        func text(_ columns: [Column]) -> [String] {
            columns.flatMap { column in
                ["\(column.name) \(column.type)"]
                    + (column.entityColumnName.map { ["\($0) INTEGER"] } ?? [])
            }
        }
        // Positions stand behind all that are integers.
        let orders = columns.compactMap(\.orderColumnName).map { "\($0) INTEGER" }.sorted()
        let all =
            ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            + text(columns.filter(\.isInteger)) + orders + text(columns.filter { !$0.isInteger })
        return "CREATE TABLE \(name) ( \(all.joined(separator: ", ")) )"
    }
}

extension SQLSchema {
    /// The indexes of the tables, by name.
    ///
    /// - Source: the names and definitions in Apple-written stores.
    var indexDefinitions: [String: String] {
        var definitions: [String: String] = [:]
        for entity in entities {
            for (name, definition) in indexDefinitions(of: entity) { definitions[name] = definition }
        }
        for join in allJoins { definitions[join.index.name.text] = join.index.definition }
        return definitions
    }

    private func indexDefinitions(of entity: EntityDescription) -> [String: String] {
        let table = table(of: entity), parent = model.superentity(of: entity)
        var definitions: [String: String] = [:]
        func define(_ kind: String, _ text: String, _ columns: [String]) {
            let name = SQLName(text)
            definitions[text] = "CREATE \(kind) \(name) ON \(table.name) (\(columns.joined(separator: ", ")))"
        }
        if entity.hasSubentities && parent == nil {
            define("INDEX", "\(table.name.text)_Z_ENT_INDEX", ["Z_ENT"])
        }
        for slot in (parent?.slots.count ?? 0)..<entity.slots.count {
            guard let column = table.column(of: slot, in: entity)?.name else { continue }
            switch entity.slots[slot] {
            case .relationship:
                define("INDEX", "\(table.name.text)_\(column.text)_INDEX", [column.description])
            case .attribute(let attribute) where attribute.options.contains(.indexed) && model.isRecovered:
                // As Core Data calls that of an attribute which an old model marks.
                define("INDEX", "\(table.name.text)_\(column.text)_INDEX", [column.description])
            case .attribute(let attribute) where attribute.options.contains(.indexed):
                let capitalized = attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
                define("INDEX", "Z_\(entity.name)_by\(capitalized)", ["\(column) COLLATE BINARY ASC"])
            case .attribute: break
            }
        }
        for index in entity.declaration.fetchIndexes where !index.isRTree {
            let columns = index.elements.compactMap { element in
                entity.slot(of: element.property).flatMap { table.column(of: $0, in: entity)?.name }
                    .map { "\($0) COLLATE BINARY \(element.isDescending ? "DESC" : "ASC")" }
            }
            if columns.count == index.elements.count {
                define("INDEX", "Z_\(entity.name)_\(index.name)", columns)
            }
        }
        for constraint in entity.uniquenessConstraints
        where !(parent?.uniquenessConstraints.contains(constraint) ?? false) {
            let columns = constraint.compactMap { name in
                entity.slot(of: name).flatMap { table.column(of: $0, in: entity)?.name }
            }
            define(
                "UNIQUE INDEX", "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))",
                columns.map { "\($0) COLLATE BINARY ASC" })
        }
        return definitions
    }

    /// The indexes that neither hold a constraint nor follow a relationship.
    fileprivate var fetchIndexNames: [String] {
        indexDefinitions.filter { name, definition in
            definition.hasPrefix("CREATE INDEX") && !name.hasSuffix("_INDEX")
        }.map(\.key)
    }

    /// Whether this library makes indexes of that name. What another program made is none of our business.
    fileprivate func isOurs(_ index: String) -> Bool {
        if tableNames.contains(where: { index.hasPrefix("\($0)_Z") && index.hasSuffix("_INDEX") }) {
            return true
        }
        return entities.contains { entity in
            if index.hasPrefix("Z_\(entity.name)_UNIQUE_") { return true }
            let start = "Z_\(entity.name)_by"
            guard index.hasPrefix(start) else { return false }
            // Ours are called after an attribute; Core Data's fetch indexes as their model calls them.
            let name = index.dropFirst(start.count)
            return entity.slots.contains { $0.name.prefix(1).uppercased() + $0.name.dropFirst() == name }
        }
    }
}

extension SQLiteStore {
    func dropFetchIndexes() throws {
        let writer = try writer
        try sqlite {
            try writer.write { database in
                try checkSchema(in: database)
                for name in schema.fetchIndexNames.sorted() {
                    try database.execute(sql: "DROP INDEX IF EXISTS \(SQLName(name))")
                }
            }
        }
    }

    func makeFetchIndexes() throws {
        let writer = try writer
        try sqlite {
            try writer.write { database in
                try checkSchema(in: database)
                try Self.reconcileIndexes(schema, in: database)
            }
        }
    }

    /// Makes the tables of an empty database.
    static func create(_ schema: SQLSchema, in database: Database) throws {
        let entities = schema.entities.sorted { schema.number(of: $0) < schema.number(of: $1) }
        for entity in entities where entity.rootIndex == entity.index {
            try database.execute(sql: schema.table(of: entity).definition)
        }
        for join in schema.allJoins { try database.execute(sql: join.definition) }
        try reconcileIndexes(schema, in: database)
        try database.execute(
            sql: """
                CREATE TABLE Z_PRIMARYKEY \
                (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
                CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)
                """)
        for entity in entities {
            let parent = schema.model.superentity(of: entity)
            try database.execute(
                sql: "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)",
                arguments: [schema.number(of: entity), entity.name, parent.map(schema.number) ?? 0])
        }
        try database.execute(
            sql: "INSERT INTO Z_METADATA VALUES (1, ?, ?)",
            arguments: [UUID().uuidString, try StoreMetadata(schema).encoded()])
        // By it any program opens the store without having the model.
        try database.execute(
            sql: "INSERT INTO Z_MODELCACHE VALUES (?)",
            arguments: [Data(Deflate.compress(ModelArchive.bytes(schema.model)))])
    }

    /// Makes the indexes the model wants and the database has not, and drops those of ours it wants no more.
    /// Indexes are not part of a version hash, so two versions of a program may differ in them alone.
    static func reconcileIndexes(_ schema: SQLSchema, in database: Database) throws {
        let wanted = schema.indexDefinitions
        let rows = try GRDB.Row.fetchAll(
            database, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        // To Swift names that are composed in two ways are one.
        let present = Dictionary(
            rows.map { ($0["name"] as String, $0["sql"] as String) }, uniquingKeysWith: { first, _ in first })
        for (name, sql) in present.sorted(by: { $0.key < $1.key })
        where wanted[name] != sql && (wanted[name] != nil || schema.isOurs(name)) {
            try database.execute(sql: "DROP INDEX \(SQLName(name))")
        }
        for (name, sql) in wanted.sorted(by: { $0.key < $1.key }) where present[name] != sql {
            try database.execute(sql: sql)
        }
        try reconcileBoxes(schema, in: database)
    }
}
