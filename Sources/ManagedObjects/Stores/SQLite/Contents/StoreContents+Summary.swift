package import Foundation
import GRDB

/// A summary of a store.
package struct StoreSummary: Sendable {
    package var identifier = ""
    /// `NSPersistenceFrameworkVersion`: which release of Core Data wrote it.
    package var frameworkVersion: Int64?
    package var versionIdentifiers: [String] = []
    /// The recorded hash of each entity.
    package var hashes: [String: Data] = [:]
    /// Texts that the store's program keeps in it.
    package var metadata: [String: String] = [:]
    /// Transactions in the history; nil without one.
    package var transactionCount: Int?
    package var changeCount = 0
    package var pageSize = 0
    package var pageCount = 0
    /// Large values in files beside the store.
    package var fileCount = 0
    package var hasModel = false
}

/// A table of a store's file.
package struct StoreTable: Sendable {
    package let name: String
    package let rowCount: Int
    /// Each with its declared type, and the properties that are kept in it: `Person.name`.
    package let columns: [(name: String, type: String, properties: [String])]
}

/// The result of comparing a store with its model.
package struct StoreVerification: Sendable {
    package var compared = 0
    package var differences: [String] = []
}

extension StoreContents {
    package func summary() throws -> StoreSummary {
        try store.connection.read { database in
            let metadata = try SQLiteStore.metadata(in: database)
            var summary = StoreSummary(identifier: store.identifier)
            summary.frameworkVersion = metadata.number("NSPersistenceFrameworkVersion")
            summary.versionIdentifiers = metadata.versionIdentifiers
            (summary.hashes, summary.metadata) = (metadata.versionHashes, metadata.texts)
            if try SQLiteHistory.exists(in: database) {
                summary.transactionCount = try Int.fetchOne(
                    database, sql: "SELECT COUNT(*) FROM ATRANSACTION")
                summary.changeCount = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM ACHANGE") ?? 0
            }
            summary.pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
            summary.pageCount = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            summary.hasModel = !model.isInferred
            summary.fileCount = try store.files.names().count
            return summary
        }
    }

    /// All tables but SQLite's own, by name.
    package func tables() throws -> [StoreTable] {
        var properties: [String: [String]] = [:]
        for entity in entities {
            let parent = model.superentity(of: entity)
            for slot in (parent?.slots.count ?? 0)..<entity.slots.count {
                let property = entity.slots[slot]
                guard let column = store.schema.table(of: entity).column(of: slot, in: entity) else {
                    continue
                }
                let name = property.isHidden ? hiddenName(property) : "\(entity.name).\(property.name)"
                properties["\(tableName(of: entity)).\(column.name.text)", default: []].append(name)
            }
        }
        for join in store.schema.allJoins {
            for (column, side) in [(join.second, join.join.first), (join.first, join.join.second)] {
                let entity = model.entities[side.entity]
                properties["\(join.name.text).\(column.text)", default: []].append(
                    "\(entity.name).\(entity.slots[side.slot].name)")
            }
        }
        return try store.connection.read { database in
            let names = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
                    AND sql LIKE 'CREATE TABLE%' ORDER BY name
                    """)
            return try names.map { name in
                let table = SQLName(name)
                let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(table)") ?? 0
                let columns = try GRDB.Row.fetchAll(
                    database, sql: "SELECT name, type FROM pragma_table_info(?)", arguments: [name])
                return StoreTable(
                    name: name, rowCount: count,
                    columns: columns.map {
                        let column: String = $0["name"] ?? ""
                        return (column, $0["type"] ?? "", properties["\(name).\(column)"] ?? [])
                    })
            }
        }
    }

    private func hiddenName(_ property: PropertyDescription) -> String {
        if case .relationship(let back) = property {
            return "(back to \(back.destinationName).\(back.inverseName ?? ""))"
        }
        return property.name
    }

    /// Compares the model that the store holds with the hashes that it records, and its tables with the
    /// model.
    package func verification() throws -> StoreVerification {
        var found = StoreVerification()
        let metadata = try store.connection.read { try SQLiteStore.metadata(in: $0) }
        let stored = metadata.versionHashes
        if model.isInferred {
            found.differences.append("the store holds no model: its version hashes cannot be compared")
        } else {
            let ours = model.entityVersionHashes
            for (name, hash) in stored.sorted(by: { $0.key < $1.key }) {
                found.compared += 1
                if ours[name] != hash {
                    found.differences.append(
                        "the version hash of \(name) is \(hash.base64EncodedString()), by its model "
                            + (ours[name].map { $0.base64EncodedString() } ?? "there is no such entity"))
                }
            }
            if let digest = metadata.text("NSStoreModelVersionHashesDigest") {
                found.compared += 1
                if digest != VersionHash.digest(stored) {
                    found.differences.append("the digest of the version hashes is another one")
                }
            }
            if let checksum = metadata.text("NSStoreModelVersionChecksumKey") {
                found.compared += 1
                if checksum != VersionHash.checksum(stored) {
                    found.differences.append("the checksum of the version hashes is another one")
                }
            }
        }
        for entity in entities {
            let parent = model.superentity(of: entity), table = store.schema.table(of: entity)
            for slot in (parent?.slots.count ?? 0)..<entity.slots.count where entity.slots[slot].hasColumn {
                found.compared += 1
                if table.column(of: slot, in: entity) == nil {
                    found.differences.append(
                        "\(table.name.text) has no column for \(entity.name).\(entity.slots[slot].name)")
                }
            }
        }
        return found
    }

    /// Keys of relationships that lead to no row, rows of entities that there are not, and numbers that the
    /// store gave away twice.
    package func danglingKeys() throws -> [String] {
        try store.connection.read { database in
            var found: [String] = []
            func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
            for root in entities where root.rootIndex == root.index {
                let table = store.schema.table(of: root).name
                let numbers = store.schema.numbers(ofFamily: root).map { "\($0)" }.joined(separator: ", ")
                let strangers = try count(
                    "SELECT COUNT(*) FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))")
                if strangers > 0 {
                    found.append("\(table.text): \(strangers) rows of no entity of the model")
                }
                let last = try count(
                    "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(store.schema.number(of: root))")
                let greatest = try count("SELECT MAX(Z_PK) FROM \(table)")
                if greatest > last {
                    found.append("\(table.text): the key \(greatest) is beyond Z_MAX, which is \(last)")
                }
            }
            for entity in entities {
                for slot in entity.toOneSlots
                where slot >= (model.superentity(of: entity)?.slots.count ?? 0) {
                    guard let relationship = entity.relationship(at: slot),
                        let column = store.schema.table(of: entity).column(of: slot, in: entity)?.name
                    else { continue }
                    let target = model.destination(of: relationship)
                    guard store.schema.holds(target) else { continue }
                    let lost = try count(
                        """
                        SELECT COUNT(*) FROM \(store.schema.table(of: entity).name) \
                        WHERE \(column) IS NOT NULL \
                        AND \(column) NOT IN (SELECT Z_PK FROM \(store.schema.table(of: target).name))
                        """)
                    if lost > 0 {
                        let keys = lost == 1 ? "1 key leads" : "\(lost) keys lead"
                        found.append("\(entity.name).\(relationship.name): \(keys) to no row")
                    }
                }
            }
            return found
        }
    }
}
