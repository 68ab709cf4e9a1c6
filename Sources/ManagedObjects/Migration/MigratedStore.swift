import Foundation
import GRDB
import Glibc

/// The SQLite store that a migration replaces.
///
/// Keeps every program from writing it from the first row that is read until its new content stands in its
/// place: programs other than this library do not know the lock beside the file.
final class MigratedStore {
    private let url: URL
    private let queue: DatabaseQueue
    /// Hears of commits of others between the end of the first transaction and the begin of the last.
    private let witness: DatabaseQueue
    private let version: Int64
    private let hasLog: Bool

    /// - Throws: ``StoreError/inUse`` while another program writes.
    init(_ url: URL) throws {
        self.url = url
        var status = stat()
        if unsafe stat(url.path, &status) == 0, status.st_nlink > 1 { throw SQLiteStore.hasOtherName }
        var configuration = SQLiteStore.configuration(readOnly: false)
        configuration.allowsUnsafeTransactions = true
        (queue, witness, version, hasLog) = try sqlite {
            let queue = try DatabaseQueue(path: url.path, configuration: configuration)
            let witness = try DatabaseQueue(
                path: url.path, configuration: SQLiteStore.configuration(readOnly: true))
            let hasLog = try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode")
                // With a rollback journal nobody could look at the file while its content is replaced.
                if mode != "wal" { try database.execute(sql: "PRAGMA journal_mode = WAL") }
                do { try database.execute(sql: "BEGIN IMMEDIATE") } catch {
                    if mode != "wal" { try? database.execute(sql: "PRAGMA journal_mode = DELETE") }
                    throw error
                }
                return mode == "wal"
            }
            return (queue, witness, try Self.version(witness), hasLog)
        }
    }

    deinit {
        try? queue.writeWithoutTransaction { database in
            if database.isInsideTransaction { try database.execute(sql: "ROLLBACK") }
        }
        try? witness.close()
        if !hasLog {
            try? queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        }
        try? queue.close()
    }

    /// Goes up with each commit of another connection.
    private static func version(_ queue: DatabaseQueue) throws -> Int64 {
        try queue.unsafeRead { database in
            _ = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master")
            return try Int64.fetchOne(database, sql: "PRAGMA data_version") ?? 0
        }
    }

    /// Puts what `other` has in the store's place, in one transaction of the store's own file: a reader that
    /// is at it sees the old rows to the end of its transaction. Another file under the store's name would
    /// have an old `-wal` played into it.
    ///
    /// The log of changes begins anew behind the last number of the old one, with one for the migration: who
    /// asks with a token of before hears that something is missing.
    ///
    /// - Returns: where a copy of the old store is kept, with links to its external files.
    func replace(by other: URL, _ model: ManagedObjectModel) throws -> URL {
        try sqlite {
            let (identifier, numbers, pageSize) = try queue.unsafeRead {
                (
                    try String.fetchOne($0, sql: "SELECT Z_UUID FROM Z_METADATA") ?? UUID().uuidString,
                    try SQLiteHistory.numbers(in: $0),
                    try Int.fetchOne($0, sql: "PRAGMA page_size") ?? 0
                )
            }
            let new = try DatabaseQueue(
                path: other.path, configuration: SQLiteStore.configuration(readOnly: false))
            defer { try? new.close() }
            try new.write { database in
                try database.execute(sql: "UPDATE Z_METADATA SET Z_UUID = ?", arguments: [identifier])
                guard let numbers else { return }
                try SQLiteHistory.create(model, in: database)
                try SQLiteHistory.goOn(behind: numbers, in: database)
            }
            try setPageSize(pageSize, of: new)
            let damage = try new.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
            if damage != ["ok"] { throw StoreError.unreadable(damage.joined(separator: "; ")) }
            let copy = try keep()
            do {
                try replace(by: new)
                return copy
            } catch {
                // Not its large values: earlier copies share their folder.
                _ = unsafe unlink(copy.path)
                throw error
            }
        }
    }

    /// A store with a log takes only pages of its own size.
    private func setPageSize(_ size: Int, of new: DatabaseQueue) throws {
        try new.writeWithoutTransaction { database in
            if try Int.fetchOne(database, sql: "PRAGMA page_size") == size { return }
            try database.execute(sql: "PRAGMA journal_mode = DELETE")
            try database.execute(sql: "PRAGMA page_size = \(size)")
            try database.execute(sql: "VACUUM")
        }
    }

    private func replace(by new: DatabaseQueue) throws {
        let (witness, version) = (witness, version)
        try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try new.writeWithoutTransaction { source in
            try queue.writeWithoutTransaction { target in
                var isFirst = true
                // The first page locks the store; a store has more than one.
                try source.backup(to: target, pagesPerStep: 1) { _ in
                    if isFirst, try Self.version(witness) != version { throw StoreError.inUse }
                    isFirst = false
                }
            }
        }
    }

    /// Copies the store, and gives its external files second names.
    private func keep() throws -> URL {
        let copy = url.freeCopy
        let draft = URL(filePath: "\(copy.path).part")
        _ = unsafe unlink(draft.path)
        let empty = StorePermissions(ofStoreAt: url).create(draft.path)
        if empty < 0 { throw StoreError.file(copy.lastPathComponent, errno: errno) }
        _ = Glibc.close(empty)
        do {
            let target = try DatabaseQueue(path: draft.path)
            // Not the connection that is in a transaction: SQLite copies nothing from that.
            try witness.unsafeRead { source in
                try target.writeWithoutTransaction { try source.backup(to: $0) }
            }
            // Alone in its file, without a `-wal` beside it.
            try target.writeWithoutTransaction {
                _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE")
            }
            try target.close()
            try ExternalFiles(storeAt: url).link(to: ExternalFiles(storeAt: copy))
            var code = syncFile(draft.path)
            if code == 0 { code = move(draft.path, toFree: copy.path) }
            if code != 0 { throw StoreError.file(copy.lastPathComponent, errno: code) }
        } catch {
            _ = unsafe unlink(draft.path)
            throw error
        }
        _ = syncFolder(copy.deletingLastPathComponent().path)
        return copy
    }
}
