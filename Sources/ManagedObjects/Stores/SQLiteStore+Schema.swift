import Foundation
import GRDB

extension TableLayout {
    /// `CREATE TABLE` as Core Data writes it.
    var definition: String {
        let all =
            ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            + columns.flatMap { column in
                ["\(column.name) \(column.type)"]
                    + (column.entityColumnName.map { ["\($0) INTEGER"] } ?? [])
            }
        return "CREATE TABLE \(name) ( \(all.joined(separator: ", ")) )"
    }
}

extension ManagedObjectModel {
    /// The indexes of the tables, by name.
    ///
    /// - Source: the names and definitions in Apple-written stores.
    var indexDefinitions: [String: String] {
        var definitions: [String: String] = [:]
        for entity in entities {
            let table = table(of: entity)
            let parent = entity.superentityName.flatMap { self.entity(named: $0) }
            if entity.hasSubentities && parent == nil {
                definitions["\(table.name)_Z_ENT_INDEX"] =
                    "CREATE INDEX \(table.name)_Z_ENT_INDEX ON \(table.name) (Z_ENT)"
            }
            func column(_ property: String) -> String {
                guard let slot = entity.slot(of: property), let place = table.column(of: slot, in: entity)
                else {
                    misuse("\(entity.name) has no column \(property)")
                }
                return table.columns[place].name
            }
            for property in entity.properties where parent?.slot(of: property.name) == nil {
                switch property {
                case .relationship(let relationship) where !relationship.isToMany:
                    let name = "\(table.name)_\(column(relationship.name))_INDEX"
                    definitions[name] =
                        "CREATE INDEX \(name) ON \(table.name) (\(column(relationship.name)))"
                case .attribute(let attribute) where attribute.options.contains(.indexed):
                    let capitalized = attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
                    let name = "Z_\(entity.name)_by\(capitalized)"
                    definitions[name] =
                        "CREATE INDEX \(name) ON \(table.name) (\(column(attribute.name)) COLLATE BINARY ASC)"
                default: break
                }
            }
            for constraint in entity.uniquenessConstraints
            where !(parent?.uniquenessConstraints.contains(constraint) ?? false) {
                let name = "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))"
                let columns = constraint.map { "\(column($0)) COLLATE BINARY ASC" }.joined(separator: ", ")
                definitions[name] = "CREATE UNIQUE INDEX \(name) ON \(table.name) (\(columns))"
            }
        }
        return definitions
    }
}

extension SQLiteStore {
    /// Makes the tables of an empty database.
    static func create(_ model: ManagedObjectModel, in database: Database) throws {
        for entity in model.entities.sorted(by: { $0.number < $1.number })
        where entity.rootIndex == entity.index {
            try database.execute(sql: model.table(of: entity).definition)
        }
        try reconcileIndexes(model, in: database)
        try database.execute(
            sql: """
                CREATE TABLE Z_PRIMARYKEY \
                (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
                CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)
                """)
        for entity in model.entities.sorted(by: { $0.number < $1.number }) {
            let parent = entity.superentityName.flatMap { model.entity(named: $0) }
            try database.execute(
                sql: "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)",
                arguments: [entity.number, entity.name, parent?.number ?? 0])
        }
        try database.execute(
            sql: "INSERT INTO Z_METADATA VALUES (1, ?, ?)",
            arguments: [UUID().uuidString, try StoreMetadata(model: model).encoded()])
    }

    /// Makes the indexes the model wants and the database has not, and drops those of ours it wants no more.
    /// Indexes are not part of a version hash, so two versions of a program may differ in them alone.
    static func reconcileIndexes(_ model: ManagedObjectModel, in database: Database) throws {
        let wanted = model.indexDefinitions
        let rows = try GRDB.Row.fetchAll(
            database, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        let present = Dictionary(
            uniqueKeysWithValues: rows.map { ($0["name"] as String, $0["sql"] as String) })
        let tables = Set(model.entities.map { model.table(of: $0).name })
        for (name, sql) in present.sorted(by: { $0.key < $1.key }) where wanted[name] != sql {
            guard name.hasPrefix("Z"), tables.contains(where: { sql.contains(" ON \($0) ") }) else {
                continue
            }
            try database.execute(sql: "DROP INDEX \"\(name)\"")
        }
        for (name, sql) in wanted.sorted(by: { $0.key < $1.key }) where present[name] != sql {
            try database.execute(sql: sql)
        }
    }
}
