package import Foundation
import GRDB
import Glibc

extension StoreContents {
    /// Writes a copy of the store that is whole in itself: rows and keys as they are, what is in the log
    /// moved into it, and the files of large values beside it. Another program may have the store open.
    ///
    /// - Throws: ``StoreError``; a file of that name is not replaced. What was written is removed then.
    package func copy(to url: URL) throws {
        let url = url.storeLocation
        let lock = StoreLock(joining: store.files)
        defer { withExtendedLifetime(lock) {} }
        // Without the lock a program that writes may remove a file after its row was looked at.
        for _ in 0..<10 {
            do { return try copyOnce(to: url) } catch is FileHasGone {}
        }
        throw StoreError.inUse
    }

    private struct FileHasGone: Error {}

    private func copyOnce(to url: URL) throws {
        try SQLiteStore.makeCopy(at: url, of: store.url, owner: store.identifier) { draft, target, written in
            try sqlite {
                try store.connection.read { database in
                    // Read again where the store was changed meanwhile: by then a part of it is written.
                    SQLiteStore.remove(draft)
                    try SQLiteStore.beginDraft(draft, target)
                    try database.execute(sql: "VACUUM INTO ?", arguments: [draft.path])
                }
                let queue = try DatabaseQueue(
                    path: draft.path, configuration: SQLiteStore.configuration(readOnly: false))
                defer { try? queue.close() }
                try queue.write { try copyFiles(to: target, $0, &written) }
                try queue.close()
            }
        }
    }

    /// Copies the files that rows name. Where the copy shares its folder with another store, as `a.sqlite`
    /// with `a.moody`, a name that is taken is another store's: the file gets a name of its own, and the rows
    /// of the copy name that.
    private func copyFiles(to target: ExternalFiles, _ database: Database, _ written: inout [String]) throws {
        var renamed: [String: String] = [:]
        // By their shape, as not every store has a model that tells which columns name files.
        let columns = try Self.columns(in: database)
        for (table, column) in columns {
            for value in try Data.fetchAll(
                database, sql: "SELECT DISTINCT \(column) FROM \(table) WHERE \(Self.isName(column))")
            {
                guard let name = ExternalFiles.name(in: value), renamed[name] == nil else { continue }
                if try store.files.size(name) == nil {
                    // A file that was lost before is lost in the copy, too.
                    if try isNamed(name) { continue }
                    throw FileHasGone()
                }
                let new = try target.size(name) == nil ? name : UUID().uuidString
                try copy(name, to: target, as: new)
                written.append(new)
                renamed[name] = new
            }
        }
        if written.isEmpty { return }
        try target.sync()
        if renamed.allSatisfy({ $0 == $1 }) { return }
        let names = renamed
        database.add(
            function: DatabaseFunction("MOODY_RENAMED", argumentCount: 1, pure: true) { values in
                let value = Data.fromDatabaseValue(values[0])
                guard let new = value.flatMap(ExternalFiles.name).flatMap({ names[$0] }) else { return value }
                return Data([2]) + Data(new.utf8) + [0]
            })
        for (table, column) in columns {
            try database.execute(
                sql: "UPDATE \(table) SET \(column) = MOODY_RENAMED(\(column)) WHERE \(Self.isName(column))")
        }
    }

    private func copy(_ name: String, to target: ExternalFiles, as new: String) throws {
        do { try store.files.copy(name, to: target, as: new) } catch {
            if try store.files.size(name) == nil { throw FileHasGone() }
            throw error
        }
    }

    /// Whether a row of the store still names a file.
    private func isNamed(_ name: String) throws -> Bool {
        try store.connection.read { database in
            try Self.columns(in: database).contains { table, column in
                try Bool.fetchOne(
                    database,
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM \(table) \
                        WHERE \(Self.isName(column)) AND SUBSTR(\(column), 2, 36) = ?)
                        """, arguments: [Data(name.utf8)]) ?? false
            }
        }
    }

    /// The columns of all tables of entities, quoted.
    private static func columns(in database: Database) throws -> [(table: String, column: String)] {
        let tables = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'")
        return try tables.flatMap { table in
            try database.columns(in: table).map {
                (table.quotedDatabaseIdentifier, $0.name.quotedDatabaseIdentifier)
            }
        }
    }

    /// Whether a column has the shape of a file's name.
    private static func isName(_ column: String) -> String {
        "TYPEOF(\(column)) = 'blob' AND LENGTH(\(column)) IN (37, 38) AND SUBSTR(\(column), 1, 1) = x'02'"
    }
}
