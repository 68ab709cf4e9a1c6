import Foundation
import GRDB

/// Pages of what a program derives from rows: bytes for all rows up to a key, in a table that is no entity's.
///
/// A page is never changed, and the last key of one is that before the first of the next: so what is newer
/// than the last page is what has a greater key. Copies that are made object by object have none.
extension SQLiteStore {
    private static let table = "MOODY_PAGES"

    func scanPages(_ body: (ScannedRow) throws -> Void) throws {
        try read(isRepeatable: false) { database in
            guard try Self.hasPages(database) else { return }
            let statement = try RawStatement(
                "SELECT LAST, BYTES FROM \(Self.table) ORDER BY LAST", in: database)
            let row = ScannedRow(statement.columns(from: 0), [])
            while try statement.next() { try body(row) }
        }
    }

    func lastPage() throws -> Int64 { try read { try Self.lastPage(in: $0) } }

    func addPage(_ bytes: Data, upTo last: Int64, after before: Int64) throws -> Bool {
        let writer = try writer
        return try sqlite {
            try writer.write { database in
                try checkSchema(in: database)
                try database.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS \(Self.table) \
                        (LAST INTEGER PRIMARY KEY, BYTES BLOB NOT NULL)
                        """)
                guard try Self.lastPage(in: database) == before else { return false }
                try RawStatement.run(
                    "INSERT INTO \(Self.table) VALUES (?, ?)", [.int(last), .blob(bytes)], in: database)
                return true
            }
        }
    }

    func removePages() throws {
        let writer = try writer
        try sqlite {
            try writer.write { database in
                try checkSchema(in: database)
                if try Self.hasPages(database) { try database.execute(sql: "DELETE FROM \(Self.table)") }
            }
        }
    }

    private static func hasPages(_ database: Database) throws -> Bool {
        try RawStatement.number(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(table)], in: database)
            != nil
    }

    private static func lastPage(in database: Database) throws -> Int64 {
        guard try hasPages(database) else { return 0 }
        return try RawStatement.number("SELECT MAX(LAST) FROM \(table)", in: database) ?? 0
    }
}
