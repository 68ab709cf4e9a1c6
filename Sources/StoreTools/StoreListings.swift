import Foundation
package import ManagedObjects
import Texts

/// The contents of a store, as text and as JSON.
package enum StoreListings {
    // MARK: Rows

    /// `{"v":1,"entity":"Person","id":12,"values":{...}}`
    package static func json(_ row: ShownRow) -> String {
        JSONText.object([
            ("v", "1"), ("entity", JSONText.string(row.entity.name)), ("id", "\(row.key)"),
            ("values", JSONText.object(row.values.map { ($0.name, $0.value.json) })),
        ])
    }

    /// `Person 12  name="Ann" team=-> 3`
    package static func text(_ row: ShownRow) -> String {
        let values = row.values.filter { $0.value != .null && $0.value != .keys([]) }
            .map { "\($0.name)=\($0.value.shown)" }
        return ShownText.of("\(row.entity.name) \(row.key)  \(values.joined(separator: "  "))")
    }

    /// The first line of a table of an entity.
    package static func csvHead(_ entity: EntityDescription) -> String {
        csv((["id", "entity"] + names(of: entity)))
    }

    package static func csv(_ row: ShownRow, of entity: EntityDescription) -> String {
        let values = Dictionary(
            row.values.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        return csv(["\(row.key)", row.entity.name] + names(of: entity).map { values[$0]?.cell ?? "" })
    }

    private static func names(of entity: EntityDescription) -> [String] {
        entity.properties.filter { property in
            switch property {
            case .attribute(let attribute): !attribute.isTransient
            case .relationship(let relationship): !relationship.isTransient
            }
        }.map(\.name)
    }

    /// A line of CSV.
    ///
    /// - Source: RFC 4180.
    private static func csv(_ fields: [String]) -> String {
        fields.map(CSVText.cell).joined(separator: ",") + "\r"
    }

    // MARK: The store

    package static func info(_ contents: some ShownStore) throws -> String {
        let summary = try contents.summary()
        var lines = ["store       \(summary.identifier)"]
        if let version = summary.frameworkVersion { lines.append("written by  Core Data \(version)") }
        if !summary.versionIdentifiers.isEmpty {
            lines.append("version     \(summary.versionIdentifiers.joined(separator: ", "))")
        }
        let model = contents.model, isXML = contents is XMLShownStore
        lines.append(
            "model       "
                + (summary.hasModel
                    ? "in the store, \(count(model.entities.count, "entity", "entities"))"
                    : "none in the store; names are those of its \(isXML ? "elements" : "columns")"))
        lines.append("size        \(summary.pageSize * summary.pageCount) bytes")
        if let transactions = summary.transactionCount {
            lines.append(
                "history     \(count(transactions, "transaction", "transactions")), "
                    + count(summary.changeCount, "change", "changes"))
        } else {
            lines.append("history     none")
        }
        if summary.fileCount > 0 { lines.append("files       \(summary.fileCount) beside the store") }
        for (name, text) in summary.metadata.sorted(by: { $0.key < $1.key }) {
            lines.append("metadata    \(name) = \(text)")
        }
        lines.append("")
        let width = contents.entities.map(\.name.count).max() ?? 0
        for entity in contents.entities {
            let name = entity.name + String(repeating: " ", count: width - entity.name.count)
            let parent = entity.superentityName.map { "  is a \($0)" } ?? ""
            let rows = try contents.count(of: entity)
            lines.append("\(name)  \(entity.isAbstract ? "abstract" : count(rows, "row", "rows"))\(parent)")
        }
        return shown(lines)
    }

    package static func infoJSON(_ contents: some ShownStore) throws -> String {
        let summary = try contents.summary()
        let entities = try contents.entities.map { entity in
            JSONText.object([
                ("name", JSONText.string(entity.name)),
                ("number", contents.table(of: entity).map { "\($0.number)" } ?? "null"),
                ("table", contents.table(of: entity).map { JSONText.string($0.name) } ?? "null"),
                ("superentity", entity.superentityName.map(JSONText.string) ?? "null"),
                ("abstract", "\(entity.isAbstract)"), ("rows", "\(try contents.count(of: entity))"),
                (
                    "hash",
                    summary.hashes[entity.name].map { JSONText.string($0.base64EncodedString()) } ?? "null"
                ),
            ])
        }
        return JSONText.object([
            ("v", "1"), ("store", JSONText.string(summary.identifier)),
            ("frameworkVersion", summary.frameworkVersion.map { "\($0)" } ?? "null"),
            ("versionIdentifiers", JSONText.array(summary.versionIdentifiers.map(JSONText.string))),
            ("hasModel", "\(summary.hasModel)"), ("bytes", "\(summary.pageSize * summary.pageCount)"),
            ("transactions", summary.transactionCount.map { "\($0)" } ?? "null"),
            ("externalFiles", "\(summary.fileCount)"),
            (
                "metadata",
                JSONText.object(
                    summary.metadata.sorted { $0.key < $1.key }.map { ($0.key, JSONText.string($0.value)) })
            ), ("entities", JSONText.array(entities)),
        ])
    }

    package static func text(_ table: StoreTable) -> String {
        var lines = ["\(table.name)  \(count(table.rowCount, "row", "rows"))"]
        let name = table.columns.map(\.name.count).max() ?? 0,
            type = table.columns.map(\.type.count).max() ?? 0
        for column in table.columns {
            let line =
                "    " + padded(column.name, name) + "  " + padded(column.type, type) + "  "
                + column.properties.joined(separator: ", ")
            lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
        }
        return shown(lines)
    }

    package static func json(_ table: StoreTable) -> String {
        let columns = table.columns.map { column in
            JSONText.object([
                ("name", JSONText.string(column.name)), ("type", JSONText.string(column.type)),
                ("properties", JSONText.array(column.properties.map(JSONText.string))),
            ])
        }
        return JSONText.object([
            ("v", "1"), ("table", JSONText.string(table.name)), ("rows", "\(table.rowCount)"),
            ("columns", JSONText.array(columns)),
        ])
    }

    // MARK: History

    package static func text(_ transaction: ShownTransaction) -> String {
        var head = "\(transaction.number)  \(ISODate.text(transaction.seconds))"
        if let author = transaction.author { head += "  by \(author)" }
        if let process = transaction.process { head += "  in \(process)" }
        if let name = transaction.contextName { head += "  (\(name))" }
        let lines = transaction.changes.map { change in
            var line = "    \(change.kind.rawValue) \(change.entity) \(change.key)"
            if !change.properties.isEmpty { line += "  \(change.properties.joined(separator: ", "))" }
            if !change.tombstone.isEmpty {
                line +=
                    "  was " + change.tombstone.map { "\($0.name)=\($0.value.shown)" }.joined(separator: " ")
            }
            return line
        }
        return shown([head] + lines)
    }

    package static func json(_ transaction: ShownTransaction) -> String {
        func text(_ text: String?) -> String { text.map(JSONText.string) ?? "null" }
        let changes = transaction.changes.map { change in
            JSONText.object([
                ("change", JSONText.string(change.kind.rawValue)), ("entity", JSONText.string(change.entity)),
                ("id", "\(change.key)"),
                ("properties", JSONText.array(change.properties.map(JSONText.string))),
                ("tombstone", JSONText.object(change.tombstone.map { ($0.name, $0.value.json) })),
            ])
        }
        return JSONText.object([
            ("v", "1"), ("transaction", "\(transaction.number)"),
            ("date", JSONText.string(ISODate.text(transaction.seconds))),
            ("author", text(transaction.author)),
            ("context", text(transaction.contextName)), ("bundle", text(transaction.bundle)),
            ("process", text(transaction.process)), ("changes", JSONText.array(changes)),
        ])
    }

    // MARK: Words

    /// Lines in which no text of the store can steer a terminal.
    private static func shown(_ lines: [String]) -> String {
        lines.map { ShownText.of($0) }.joined(separator: "\n")
    }

    package static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
