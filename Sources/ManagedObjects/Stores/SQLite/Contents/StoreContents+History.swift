import Foundation
import GRDB

/// A change as a store's history tells it.
package struct ShownChange: Sendable {
    package enum Kind: String, Sendable { case insert, update, delete }
    package let kind: Kind
    /// The entity's name, or its number where the model has none of it.
    package let entity: String
    package let key: Int64
    /// The properties that an update set; empty where the history does not say.
    package let properties: [String]
    /// The remains of a deleted object: attributes that are preserved after deletion.
    package let tombstone: [(name: String, value: ShownValue)]
}

/// A transaction of a store's history.
package struct ShownTransaction: Sendable {
    package let number: Int64
    /// Seconds since 2001-01-01 00:00 UTC.
    package let seconds: Double
    package let author: String?
    package let contextName: String?
    package let bundle: String?
    package let process: String?
    package let changes: [ShownChange]
}

extension StoreContents {
    /// The transactions of the store's history, the oldest first.
    ///
    /// - Parameter since: seconds since 2001-01-01 00:00 UTC; nil for all.
    /// - Returns: nil for a store without a history.
    /// - Throws: ``StoreError``.
    package func history(since: Double?) throws -> [ShownTransaction]? {
        try store.connection.read { database in
            guard try SQLiteHistory.exists(in: database) else { return nil }
            let changes = try changes(since: since, in: database)
            return try transactions(since: since, changes, in: database)
        }
    }

    /// Which columns a history table has depends on the release that made it.
    private func columns(_ table: String, in database: Database) throws -> Set<String> {
        Set(try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table]))
    }

    private func transactions(
        since: Double?, _ changes: [Int64: [ShownChange]], in database: Database
    ) throws -> [ShownTransaction] {
        let known = try columns("ATRANSACTION", in: database)
        let hasTexts = try database.tableExists("ATRANSACTIONSTRING")
        func text(_ name: String) -> String {
            let plain = known.contains(name) ? "t.\(name)" : "NULL"
            guard hasTexts, known.contains("\(name)TS") else { return plain }
            return "COALESCE((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = t.\(name)TS), \(plain))"
        }
        let names = ["ZAUTHOR", "ZCONTEXTNAME", "ZBUNDLEID", "ZPROCESSID"].map(text).joined(separator: ", ")
        let rows = try RawStatement(
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(names) FROM ATRANSACTION AS t "
                + "WHERE t.ZTIMESTAMP >= ? OR ? IS NULL "
                + "ORDER BY t.Z_PK", in: database)
        let bound = since.map { StoredValue.double($0) } ?? .null
        rows.bind([bound, bound])
        var found: [ShownTransaction] = []
        while try rows.next() {
            func text(_ column: Int) -> String? {
                if case .text(let text) = rows.value(column) { text } else { nil }
            }
            found.append(
                ShownTransaction(
                    number: rows.int(0), seconds: Double(storedValue: rows.value(1)), author: text(2),
                    contextName: text(3), bundle: text(4), process: text(5),
                    changes: changes[rows.int(0)] ?? []))
        }
        return found
    }

    private func changes(since: Double?, in database: Database) throws -> [Int64: [ShownChange]] {
        let known = try columns("ACHANGE", in: database)
        let tombstones = (0..<64).map { "ZTOMBSTONE\($0)" }.prefix { known.contains($0) }
        let fields = [known.contains("ZCOLUMNS") ? "c.ZCOLUMNS" : "NULL"] + tombstones.map { "c.\($0)" }
        let rows = try RawStatement(
            """
            SELECT c.ZTRANSACTIONID, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, \
            \(fields.joined(separator: ", ")) \
            FROM ACHANGE AS c JOIN ATRANSACTION AS t ON t.Z_PK = c.ZTRANSACTIONID \
            WHERE t.ZTIMESTAMP >= ? OR ? IS NULL ORDER BY c.Z_PK
            """, in: database)
        let bound = since.map { StoredValue.double($0) } ?? .null
        rows.bind([bound, bound])
        let byNumber = Dictionary(
            entities.map { (Int64(number(of: $0)), $0) }, uniquingKeysWith: { first, _ in first })
        var columns: [Int64: HistoryColumns] = [:], found: [Int64: [ShownChange]] = [:]
        while try rows.next() {
            let kinds: [Int64: ShownChange.Kind] = [0: .insert, 1: .update, 2: .delete]
            guard let kind = kinds[rows.int(1)] else { continue }
            let number = rows.int(2), entity = byNumber[number]
            if let entity, columns[number] == nil { columns[number] = HistoryColumns(entity, in: model) }
            var properties: [String] = [], tombstone: [(String, ShownValue)] = []
            if let own = columns[number] {
                if kind == .update, case .blob(let bits) = rows.value(4) { properties = own.names(in: bits) }
                for (index, (attribute, _)) in own.preserved.prefix(tombstones.count).enumerated()
                where kind == .delete {
                    guard let bytes = rows.value(5 + index).bytes else { continue }
                    let value = HistoryColumns.value(bytes, attribute.type)
                    let shown = ShownValue(ofObject: value, attribute.type)
                    if case .error = shown {
                        tombstone.append((attribute.name, ShownValue(value, .undefined)))
                    } else {
                        tombstone.append((attribute.name, shown))
                    }
                }
            }
            found[rows.int(0), default: []].append(
                ShownChange(
                    kind: kind, entity: entity?.name ?? "\(number)", key: rows.int(3), properties: properties,
                    tombstone: tombstone))
        }
        return found
    }
}

extension StoredValue {
    /// The bytes of a blob or a text.
    fileprivate var bytes: Data? {
        switch self {
        case .blob(let data): data
        case .text(let text): Data(text.utf8)
        case .int(let number): Data("\(number)".utf8)
        case .double(let number): Data("\(number)".utf8)
        case .null, .id, .external: nil
        }
    }
}
