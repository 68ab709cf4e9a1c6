package import Foundation
import GRDB

/// A value of a row as tools show it.
package indirect enum ShownValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case decimal(Decimal)
    case text(String)
    case uuid(UUID)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case data(Data)
    /// The row that a relationship to one leads to.
    case key(Int64)
    /// The rows that a relationship to many leads to: in its order, else sorted.
    case keys([Int64])
    /// The elements of a composite.
    case group([(name: String, value: ShownValue)])
    /// Why the value cannot be read.
    case error(String)

    package static func == (a: ShownValue, b: ShownValue) -> Bool { "\(a)" == "\(b)" }
}

/// A row of a store, value by value: one that cannot be read does not hide the others.
package struct ShownRow: Sendable {
    package let entity: EntityDescription
    /// `Z_PK`
    package let key: Int64
    /// `Z_OPT`, the number of its saves.
    package let version: Int64
    /// By property, in the order of ``EntityDescription/properties``; transient ones are left out.
    package let values: [(name: String, value: ShownValue)]
}

/// Everything in a SQLite store, for tools that show it: opened by its own model, and only read.
package final class StoreContents: Sendable {
    package let url: URL
    package let model: ManagedObjectModel
    let store: SQLiteStore

    /// - Throws: ``StoreError``.
    package convenience init(_ url: URL) throws {
        let url = url.storeLocation
        try self.init(url, try ManagedObjectModel(ofStoreAt: url))
    }

    /// - Parameter model: of a store that holds none; its hashes are compared.
    package init(_ url: URL, _ model: ManagedObjectModel) throws {
        self.url = url.storeLocation
        self.model = model
        store = try SQLiteStore(
            model, entities: model.entities, at: self.url, readOnly: true, isOfStore: model.isRecovered)
    }

    package var identifier: String { store.identifier }
    /// The entities that the store has rows of, by their numbers.
    package var entities: [EntityDescription] {
        store.schema.entities.sorted { store.schema.number(of: $0) < store.schema.number(of: $1) }
    }

    /// `Z_ENT`
    package func number(of entity: EntityDescription) -> Int { store.schema.number(of: entity) }
    package func tableName(of entity: EntityDescription) -> String {
        store.schema.table(of: entity).name.text
    }

    /// The column of an attribute, or of a relationship to one; nil where the store has none.
    package func columnName(of property: String, in entity: EntityDescription) -> String? {
        entity.slot(of: property).flatMap {
            store.schema.table(of: entity).column(of: $0, in: entity)?.name.text
        }
    }

    /// The entity a relationship leads to.
    package func destination(of relationship: RelationshipDescription) -> EntityDescription {
        model.destination(of: relationship)
    }

    /// Rows of the entity itself, without those of its sub-entities.
    package func count(of entity: EntityDescription) throws -> Int {
        try store.read { database in
            try Int.fetchOne(
                database,
                sql: "SELECT COUNT(*) FROM \(store.schema.table(of: entity).name) WHERE Z_ENT = ?",
                arguments: [store.schema.number(of: entity)]) ?? 0
        }
    }

    /// All damage that can be seen: see ``StoreReport``.
    package func report() throws -> StoreReport { try store.report() }

    /// Calls `body` with each row of the entity itself, by key.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    package func forEachRow(of entity: EntityDescription, _ body: (ShownRow) throws -> Void) throws {
        try store.read(isRepeatable: false) { database in
            let reader = try ShownRowReader(entity, store, database)
            try reader.forEach(body)
        }
    }
}

/// Reads the rows of one entity.
private struct ShownRowReader {
    let entity: EntityDescription
    let store: SQLiteStore
    let database: Database
    private var columns: [SQLName] = []
    private var parts: [Part] = []

    /// A property and where its value is.
    private indirect enum Part {
        case attribute(AttributeDescription, column: Int)
        case key(String, column: Int)
        case members(String, Members, isOrdered: Bool)
        case group(String, [Part])
        case missing(String, String)

        var name: String {
            switch self {
            case .attribute(let attribute, _): attribute.name
            case .key(let name, _), .members(let name, _, _), .group(let name, _), .missing(let name, _): name
            }
        }
    }

    /// A statement for the keys of a relationship to many.
    private final class Members {
        let sql: String
        init(_ sql: String) { self.sql = sql }
    }

    init(_ entity: EntityDescription, _ store: SQLiteStore, _ database: Database) throws {
        (self.entity, self.store, self.database) = (entity, store, database)
        for property in entity.properties {
            switch property {
            case .attribute(let attribute):
                if attribute.isTransient { continue }
                parts.append(part(attribute, path: attribute.name))
            case .relationship(let relationship):
                if relationship.isTransient { continue }
                parts.append(part(relationship))
            }
        }
    }

    private mutating func column(_ slot: Int) -> Int? {
        guard let column = store.schema.table(of: entity).column(of: slot, in: entity) else { return nil }
        columns.append(column.name)
        return columns.count + 1
    }

    private mutating func part(_ attribute: AttributeDescription, path: String) -> Part {
        if attribute.type == .composite {
            if attribute.elements.count == 1, attribute.elements[0].name == attribute.name {
                var part = part(attribute.elements[0], path: path)
                if case .attribute(var element, let column) = part {
                    element.name = attribute.name
                    part = .attribute(element, column: column)
                }
                return part
            }
            var inner: [Part] = []
            for element in attribute.elements {
                inner.append(part(element, path: "\(path).\(element.name)"))
            }
            return .group(attribute.name, inner)
        }
        guard let slot = entity.slot(of: path), let column = column(slot) else {
            return .missing(attribute.name, "the store has no column for it")
        }
        return .attribute(attribute, column: column)
    }

    private mutating func part(_ relationship: RelationshipDescription) -> Part {
        guard let slot = entity.slot(of: relationship.name), let tied = entity.relationship(at: slot) else {
            return .missing(relationship.name, "the model does not say where it leads")
        }
        if !tied.isToMany {
            return column(slot).map { .key(tied.name, column: $0) }
                ?? .missing(tied.name, "the store has no column for it")
        }
        let target = store.schema.model.destination(of: tied)
        guard store.schema.holds(target), let rows = store.membership(tied, entity, slot: slot) else {
            return .missing(tied.name, "the store has no table or column for it")
        }
        let order = tied.isOrdered ? rows.order : ""
        return .members(
            tied.name,
            Members("SELECT t0.Z_PK \(rows.source) WHERE \(rows.owner) = ? ORDER BY \(order)t0.Z_PK"),
            isOrdered: tied.isOrdered)
    }

    func forEach(_ body: (ShownRow) throws -> Void) throws {
        let names = (["Z_PK", "Z_OPT"] + columns).map { "t0.\($0)" }.joined(separator: ", ")
        let rows = try RawStatement(
            "SELECT \(names) FROM \(store.schema.table(of: entity).name) AS t0 WHERE t0.Z_ENT = ? "
                + "ORDER BY t0.Z_PK", in: database)
        rows.bind(.int(Int64(store.schema.number(of: entity))), at: 1)
        while try rows.next() {
            let key = rows.int(0)
            var values: [(String, ShownValue)] = []
            for part in parts { values.append((part.name, try value(part, key, rows))) }
            try body(ShownRow(entity: entity, key: key, version: rows.int(1), values: values))
        }
    }

    private func value(_ part: Part, _ key: Int64, _ row: borrowing RawStatement) throws -> ShownValue {
        switch part {
        case .missing(_, let reason): return .error(reason)
        case .attribute(let attribute, let column):
            return shown(row.value(column), attribute)
        case .key(_, let column):
            switch row.value(column) {
            case .null: return .null
            case .int(let key): return .key(key)
            default: return .error("no key")
            }
        case .group(_, let parts):
            var values: [(String, ShownValue)] = []
            for part in parts { values.append((part.name, try value(part, key, row))) }
            // An optional struct that is nil has no element.
            return values.allSatisfy { $0.1 == .null } ? .null : .group(values)
        case .members(_, let members, _):
            let statement = try RawStatement(members.sql, in: database)
            statement.bind(.int(key), at: 1)
            var keys: [Int64] = []
            while try statement.next() { keys.append(statement.int(0)) }
            return .keys(keys)
        }
    }

    private func shown(_ value: StoredValue, _ attribute: AttributeDescription) -> ShownValue {
        guard attribute.options.contains(.externalStorage), case .blob(let data) = value else {
            return ShownValue(value, attribute.type)
        }
        switch data.first {
        case nil: return .data(Data())
        case 1: return ShownValue(.blob(Data(data.dropFirst())), attribute.type)
        case 2:
            guard let name = ExternalFiles.name(in: data) else {
                return .error("the name of a file is broken")
            }
            do { return ShownValue(.blob(try store.files.read(name)), attribute.type) } catch {
                return .error("\(error)")
            }
        default: return .error("neither a value nor the name of a file")
        }
    }
}

extension ShownValue {
    /// The default of an attribute.
    package init(defaultValue attribute: AttributeDescription) {
        self.init(ofObject: attribute.defaultValue, attribute.type)
    }

    /// Creates a value of a type from an object's value, which for a decimal is a key of bytes.
    init(ofObject value: StoredValue, _ type: AttributeType) {
        if type == .decimal, case .blob = value {
            self = .decimal(Decimal(storedValue: value))
        } else {
            self.init(value, type)
        }
    }

    /// Creates a value of a type from a column's value.
    init(_ value: StoredValue, _ type: AttributeType) {
        switch (type, value) {
        case (_, .null): self = .null
        case (.boolean, .int(let number)) where number == 0 || number == 1: self = .bool(number == 1)
        case (.integer16, .int(let number)), (.integer32, .int(let number)), (.integer64, .int(let number)),
            (.boolean, .int(let number)):
            self = .int(number)
        case (.double, .double(let number)), (.float, .double(let number)): self = .double(number)
        case (.double, .int(let number)), (.float, .int(let number)): self = .double(Double(number))
        case (.double, .text("NaN")), (.float, .text("NaN")): self = .double(.nan)
        case (.date, .double(let seconds)) where seconds.isFinite: self = .date(seconds)
        case (.date, .int(let seconds)): self = .date(Double(seconds))
        case (.decimal, .int(let number)): self = .decimal(Decimal(number))
        case (.decimal, .double(let number)):
            self = Decimal(nearest: number).map { .decimal($0) } ?? .double(number)
        case (.decimal, .text(let text)):
            self = Decimal(string: text, locale: nil).map { .decimal($0) } ?? .error("no decimal: \(text)")
        case (.string, .text(let text)), (.uri, .text(let text)): self = .text(text)
        case (.uuid, .blob(let data)) where data.count == 16: self = .uuid(UUID(storedValue: value))
        case (.binaryData, .blob(let data)), (.transformable, .blob(let data)), (.undefined, .blob(let data)):
            self = .data(data)
        case (.undefined, .int(let number)): self = .int(number)
        case (.undefined, .double(let number)): self = .double(number)
        case (.undefined, .text(let text)): self = .text(text)
        default: self = .error("\(value.kind) where there should be \(type.article)")
        }
    }
}

extension StoredValue {
    fileprivate var kind: String {
        switch self {
        case .null: "nothing"
        case .int(let value): "the number \(value)"
        case .double(let value): "the number \(value)"
        case .text(let text): "the text \(text.prefix(20).debugDescription)"
        case .blob(let data): "\(data.count) bytes"
        case .id: "a key"
        case .external: "a file"
        }
    }
}

extension AttributeType {
    fileprivate var article: String {
        switch self {
        case .integer16, .integer32, .integer64: "a whole number"
        case .boolean: "a truth value"
        case .decimal, .double, .float: "a number"
        case .date: "a date"
        case .string: "a text"
        case .uri: "a URI"
        case .uuid: "a UUID of 16 bytes"
        case .binaryData, .transformable: "bytes"
        case .undefined, .composite: "a value"
        }
    }
}
