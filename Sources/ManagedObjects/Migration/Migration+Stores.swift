import Foundation
import GRDB
import Glibc

extension Migration {
    /// The entities of a model that a store was written with other versions of, or that only one of them has;
    /// nil when a store's format cannot be read through this model.
    static func difference(
        ofStoreAt url: URL, _ type: PersistentStoreCoordinator.StoreType, _ model: ManagedObjectModel,
        _ configuration: String?
    ) throws -> [String]? {
        guard let entities = model.entities(in: configuration) else { return nil }
        let stored: [String: Data]
        switch type {
        case .inMemory: return []
        case .sqlite: stored = try SQLiteStore.hashes(ofStoreAt: url)
        default:
            guard let format = type.format else { return nil }
            let file = StoreFile(url, format)
            do {
                guard let document = try file.read(model) else {
                    throw StoreError.file(url.lastPathComponent, errno: ENOENT)
                }
                stored = document.versionHashes
            } catch StoreError.unreadable { return nil }
        }
        let ours = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
        return Set(stored.keys).union(ours.keys).filter { stored[$0] != ours[$0] }.sorted()
    }

    /// Whether there is anything to migrate: not where a store is to be made, or was begun and never made.
    static func isThere(_ url: URL) throws -> Bool {
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        return (size ?? 0) > 0
    }

    /// What programs keep in a store beside its rows.
    static func bringMetadata(
        from source: PersistentStoreCoordinator, to target: PersistentStoreCoordinator
    ) throws {
        try target.setMetadata(try source.stores[0].allMetadata())
    }

    static func identifier(_ url: URL, _ format: any StoreFormat, _ model: ManagedObjectModel) throws
        -> String?
    {
        try StoreFile(url, format).read(model)?.identifier
    }

    /// The first name that is free: `Moody.moody.~1~`.
    static func copyName(of url: URL) -> URL {
        var number = 1
        while true {
            let copy = URL(filePath: "\(url.path).~\(number)~")
            if !FileManager.default.fileExists(atPath: copy.path) { return copy }
            number += 1
        }
    }

    /// Gives the file a second name: what is put in its place takes the first.
    static func keep(_ url: URL) throws -> URL {
        let copy = copyName(of: url)
        if unsafe link(url.path, copy.path) != 0 {
            // Without links, as on FAT.
            do { try FileManager.default.copyItem(at: url, to: copy) } catch {
                throw StoreError.file(copy.lastPathComponent, errno: errno)
            }
        }
        return copy
    }
}

extension SQLiteStore {
    /// The folders of migrations in the support folder begin so.
    static let migrationPrefix = "migration-"

    /// - Throws: ``StoreError``: no file, not a store, an empty one.
    static func hashes(ofStoreAt url: URL) throws -> [String: Data] {
        if !FileManager.default.fileExists(atPath: url.path) {
            throw StoreError.file(url.lastPathComponent, errno: ENOENT)
        }
        guard isSQLite(url) else { throw StoreError.notAStore }
        return try sqlite {
            let reader = try ReadOnlyDatabase(url)
            defer { try? reader.close() }
            guard let hashes = try reader.read({ try storedHashes(in: $0) }) else {
                throw StoreError.notAStore
            }
            return hashes
        }
    }

    /// Puts what `other` has in the store's place, in one transaction of the store's own file: a reader that
    /// is at it sees the old rows to the end of its transaction. Another file under the store's name would
    /// have an old `-wal` played into it.
    ///
    /// - Returns: where a copy of the old store is kept, with links to its external files.
    static func replace(_ url: URL, by other: URL) throws -> URL {
        try sqlite {
            let old = try DatabaseQueue(path: url.path, configuration: configuration(readOnly: false))
            defer { try? old.close() }
            let (identifier, hasHistory) = try old.read {
                (
                    try String.fetchOne($0, sql: "SELECT Z_UUID FROM Z_METADATA") ?? UUID().uuidString,
                    try $0.tableExists("ATRANSACTION")
                )
            }
            let new = try DatabaseQueue(path: other.path, configuration: configuration(readOnly: false))
            defer { try? new.close() }
            try new.write { database in
                try database.execute(sql: "UPDATE Z_METADATA SET Z_UUID = ?", arguments: [identifier])
                if hasHistory { try SQLiteHistory.create(in: database) }
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
        let copy = Migration.copyName(of: url)
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
        let (from, to) = (ExternalFiles(storeAt: url), ExternalFiles(storeAt: copy))
        let names = from.names()
        if !names.isEmpty {
            try FileManager.default.createDirectory(at: to.folder, withIntermediateDirectories: true)
        }
        for name in names {
            let (file, second) = (from.folder.appending(path: name), to.folder.appending(path: name))
            if unsafe link(file.path, second.path) == 0 || errno == EEXIST { continue }
            try FileManager.default.copyItem(at: file, to: second)
        }
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
}
