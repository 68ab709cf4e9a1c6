import Foundation
import GRDB
import Glibc

extension SQLiteStore {
    /// Brings a store of an earlier version of the model, which lacks optional attributes only, to this one:
    /// in its own file and in one transaction, whatever its size. Rows stay as they are.
    ///
    /// The log of changes begins anew, as after a migration: its bits count properties.
    ///
    /// - Parameter schema: that of a new store.
    /// - Returns: the schema as the store has it then.
    /// - Throws: ``StoreError/inUse`` while another program has the store open to write.
    static func addColumns(toStoreAt url: URL, _ schema: SQLSchema, _ lock: StoreLock) throws -> SQLSchema? {
        for _ in 0..<200 {
            let isAlone = try lock.alone {
                try sqlite {
                    let queue = try DatabaseQueue(
                        path: url.path, configuration: configuration(readOnly: false))
                    defer { try? queue.close() }
                    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
                    try queue.write { try addColumns(schema, in: $0) }
                }
            }
            // Another process may have been quicker.
            let found = try check(url, schema)
            if isAlone || found?.recorded == nil { return found }
            usleep(25_000)
        }
        throw StoreError.inUse
    }

    private static func addColumns(_ schema: SQLSchema, in database: Database) throws {
        guard let found = try checkedSchema(schema, in: database), found.recorded != nil else { return }
        for entity in found.entities where entity.rootIndex == entity.index {
            let table = schema.table(of: entity), fitted = found.table(of: entity)
            for column in table.columns where fitted.missing.contains(column.name) {
                try database.execute(
                    sql: "ALTER TABLE \(fitted.name) ADD COLUMN \(column.name) \(column.type)")
            }
        }
        var new = StoreMetadata(schema)
        new.programValues = try metadata(in: database).programValues
        try database.execute(sql: "UPDATE Z_METADATA SET Z_PLIST = ?", arguments: [try new.encoded()])
        let model = Data(Deflate.compress(ModelArchive.bytes(schema.model)))
        // Stores of the first releases have none.
        try database.execute(
            sql: "CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB); DELETE FROM Z_MODELCACHE")
        try database.execute(sql: "INSERT INTO Z_MODELCACHE VALUES (?)", arguments: [model])
        if let numbers = try SQLiteHistory.numbers(in: database) {
            try database.execute(sql: "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
            try SQLiteHistory.goOn(behind: numbers, in: database)
        }
    }
}
