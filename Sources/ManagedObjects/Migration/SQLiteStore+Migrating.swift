import Foundation
import GRDB
import Glibc

extension SQLiteStore {
    /// The folders of migrations in the support folder begin so.
    static let migrationPrefix = "migration-"

    /// - Throws: ``StoreError``: no file, not a store, an empty one.
    static func version(ofStoreAt url: URL) throws -> RecordedVersion {
        if !FileManager.default.fileExists(atPath: url.path) {
            throw StoreError.file(url.lastPathComponent, errno: ENOENT)
        }
        guard isSQLite(url) else { throw StoreError.notAStore }
        return try sqlite {
            let reader = try ReadOnlyDatabase(url)
            defer { try? reader.close() }
            guard let version = try reader.read({ try recordedVersion(in: $0) }) else {
                throw StoreError.notAStore
            }
            return version
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
    static func replace(_ url: URL, by other: URL, _ model: ManagedObjectModel) throws -> URL {
        try sqlite {
            let old = try DatabaseQueue(path: url.path, configuration: configuration(readOnly: false))
            defer { try? old.close() }
            let (identifier, numbers) = try old.read {
                (
                    try String.fetchOne($0, sql: "SELECT Z_UUID FROM Z_METADATA") ?? UUID().uuidString,
                    try SQLiteHistory.numbers(in: $0)
                )
            }
            let new = try DatabaseQueue(path: other.path, configuration: configuration(readOnly: false))
            defer { try? new.close() }
            try new.write { database in
                try database.execute(sql: "UPDATE Z_METADATA SET Z_UUID = ?", arguments: [identifier])
                guard let numbers else { return }
                try SQLiteHistory.create(model, in: database)
                try SQLiteHistory.goOn(behind: numbers, in: database)
            }
            let damage = try new.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
            if damage != ["ok"] { throw StoreError.unreadable(damage.joined(separator: "; ")) }
            let copy = try keep(old, url)
            try old.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try new.backup(to: old)
            return copy
        }
    }

    /// Copies a store, and gives its external files second names.
    private static func keep(_ old: DatabaseQueue, _ url: URL) throws -> URL {
        let copy = url.freeCopy
        let draft = URL(filePath: "\(copy.path).part")
        _ = unsafe unlink(draft.path)
        let permissions = StorePermissions(ofStoreAt: url), empty = permissions.create(draft.path)
        if empty < 0 { throw StoreError.file(copy.lastPathComponent, errno: errno) }
        _ = Glibc.close(empty)
        let queue = try DatabaseQueue(path: draft.path)
        try old.backup(to: queue)
        // Alone in its file, without a `-wal` beside it.
        try queue.writeWithoutTransaction { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
        try queue.close()
        try ExternalFiles(storeAt: url).link(to: ExternalFiles(storeAt: copy))
        let file = unsafe open(draft.path, O_RDONLY | O_CLOEXEC)
        if file >= 0 {
            fsync(file)
            _ = Glibc.close(file)
        }
        if unsafe rename(draft.path, copy.path) != 0 {
            throw StoreError.file(copy.lastPathComponent, errno: errno)
        }
        return copy
    }
    /// Gives a store another name, with its external files: then another may be made in its place.
    ///
    /// - Returns: where it is.
    /// - Throws: ``StoreError/inUse`` while anybody has it open. It is where it was then.
    static func putAside(_ url: URL) throws -> URL {
        let files = ExternalFiles(storeAt: url)
        var kept: URL?
        let isAlone = try StoreLock(files).alone {
            // Under another name a log would be of no store, and under this one of the wrong store.
            if !logs(besideStoreAt: url, atLeast: 0).isEmpty {
                try sqlite {
                    let queue = try DatabaseQueue(
                        path: url.path, configuration: configuration(readOnly: false))
                    defer { try? queue.close() }
                    _ = try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") }
                    try queue.close()
                }
                // The last to close removes it.
                if !logs(besideStoreAt: url, atLeast: 0).isEmpty { throw StoreError.inUse }
            }
            let copy = url.freeCopy
            try files.link(to: ExternalFiles(storeAt: copy))
            if unsafe rename(url.path, copy.path) != 0 {
                throw StoreError.file(url.lastPathComponent, errno: errno)
            }
            _ = syncFolder(url.deletingLastPathComponent().path)
            if !files.isShared { files.remove(files.names()) }
            kept = copy
        }
        guard isAlone, let kept else { throw StoreError.inUse }
        return kept
    }
}
