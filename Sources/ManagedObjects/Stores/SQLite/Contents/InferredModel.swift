import GRDB

/// A model inferred from the tables of a store that holds none.
///
/// Entities are those of `Z_PRIMARYKEY`. The properties of a hierarchy are all given to its root, since a
/// column does not say whose it is. A column that keys are in is told by its index, which Core Data gives
/// each, and by what its rows lead to.
struct InferredModel {
    private(set) var entities: [EntityDeclaration] = []
    private let tables: FileTables
    private var numbers: [Int64: String] = [:]

    /// - Throws: ``StoreError``.
    init(in database: Database) throws {
        tables = try FileTables(in: database)
        var parents: [String: Int64] = [:]
        let rows = try RawStatement("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY", in: database)
        while try rows.next() {
            guard case .text(let name) = rows.value(1), !name.isEmpty,
                (1...Int64(StoredNumber.greatestEntity)).contains(rows.int(0))
            else { continue }
            numbers[rows.int(0)] = name
            parents[name] = rows.int(2)
        }
        let indexes = Set(
            try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'index'"))
        let joins = relationships()
        for (name, parent) in parents.sorted(by: { $0.key < $1.key }) {
            let superentity = numbers[parent]
            var properties: [PropertyDescription] = []
            if superentity == nil, let table = tables[columnName(name).text] {
                properties = try columns(of: table, indexes, in: database)
            }
            for relationship in joins[name] ?? [] {
                if properties.contains(where: { $0.name == relationship.name }) { continue }
                properties.append(.relationship(relationship))
            }
            entities.append(EntityDeclaration(name, properties: properties, inheritingFrom: superentity))
        }
    }

    private func columns(of table: FileTables.Table, _ indexes: Set<String>, in database: Database) throws
        -> [PropertyDescription]
    {
        var properties: [PropertyDescription] = [], names: Set<String> = []
        for column in table.columns where column.name.hasPrefix("Z") && !column.name.hasPrefix("Z_") {
            let name = column.name.dropFirst().lowercased()
            // `Z4_BOOK` says of which entity the key in ZBOOK is.
            if name.first?.isNumber ?? true || !names.insert(name).inserted { continue }
            if column.type == "INTEGER", indexes.contains("\(table.name)_\(column.name)_INDEX"),
                let target = try destination(column.name, table, in: database)
            {
                properties.append(.relationship(RelationshipDescription(name, to: target, inverse: nil)))
                continue
            }
            let type: AttributeType =
                switch column.type {
                case "INTEGER": .integer64
                case "TIMESTAMP": .date
                case "FLOAT": .double
                case "DECIMAL": .decimal
                case "VARCHAR": .string
                default: .binaryData
                }
            properties.append(.attribute(AttributeDescription(name, type, isOptional: true)))
        }
        return properties
    }

    /// The entity that a column's keys lead to: the one it is called after, if all of them are there.
    private func destination(_ column: String, _ table: FileTables.Table, in database: Database) throws
        -> String?
    {
        let name = column.dropFirst()
        let numbered = table.columns.compactMap { other -> String? in
            let parts = other.name.dropFirst().split(separator: "_", maxSplits: 1)
            guard parts.count == 2, parts[1] == name, let number = Int64(parts[0]) else { return nil }
            return numbers[number]
        }.first
        guard let target = numbered ?? numbers.values.sorted().first(where: { $0.uppercased() == name }),
            let other = tables[columnName(target).text]
        else { return numbered }
        let lost = try Int.fetchOne(
            database,
            sql: """
                SELECT 1 FROM \(SQLName(table.name)) WHERE \(SQLName(column)) IS NOT NULL \
                AND \(SQLName(column)) NOT IN (SELECT Z_PK FROM \(SQLName(other.name))) LIMIT 1
                """)
        return lost == nil ? target : nil
    }

    /// Relationships from many to many, by entity: `Z_12CATEGORIES (Z_12RECIPES, Z_13CATEGORIES)`.
    private func relationships() -> [String: [RelationshipDescription]] {
        var found: [String: [RelationshipDescription]] = [:]
        func side(_ column: String) -> (entity: String, name: String)? {
            guard column.hasPrefix("Z_") else { return nil }
            let number = column.dropFirst(2).prefix { $0.isNumber }
            let name = column.dropFirst(2 + number.count).lowercased()
            guard let entity = Int64(number).flatMap({ numbers[$0] }), !name.isEmpty else { return nil }
            return (entity, name)
        }
        for table in tables.joins {
            let sides = table.columns.filter { !$0.name.hasPrefix("Z_FOK") }.compactMap { side($0.name) }
            guard sides.count == 2 else { continue }
            // A column is called after the way that leads to what it holds.
            for (one, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
                found[one.entity, default: []].append(
                    RelationshipDescription(
                        other.name, to: other.entity, isToMany: true, inverse: one.name, maxCount: 0))
            }
        }
        return found
    }
}
