import Foundation
import GRDB
import Synchronization

/// Rows of a model in SQLite, in Core Data's tables.
///
/// Any thread may call; writes wait for each other, reads do not wait for writes.
final class SQLiteStore: Sendable {
    let model: ManagedObjectModel
    /// Nil in memory.
    let files: ExternalFiles?
    let isReadOnly: Bool
    /// Whether this opening made the store.
    let isNew: Bool
    let database: any DatabaseWriter
    /// Nil in memory.
    private let url: URL?
    private let lock: StoreLock?
    /// `PRAGMA schema_version` as it was when the store was seen to fit the model.
    private let schemaVersion = Mutex<Int64>(-1)

    /// A store in memory: it ends with its value.
    init(model: ManagedObjectModel) throws {
        self.model = model
        (files, lock, isReadOnly, isNew, url) = (nil, nil, false, true, nil)
        database = try sqlite { try DatabaseQueue(configuration: Self.configuration(readOnly: false)) }
        try sqlite { try database.write { try Self.create(model, in: $0) } }
    }

    /// Opens the store at `url`, or makes one there.
    ///
    /// A file that is no store keeps its bytes and its time.
    ///
    /// - Throws: ``StoreError``.
    init(model: ManagedObjectModel, at url: URL, readOnly: Bool) throws {
        self.model = model
        isReadOnly = readOnly
        self.url = url
        isNew = try Self.check(url, model, readOnly: readOnly)
        let files = ExternalFiles(storeAt: url)
        self.files = files
        if readOnly {
            lock = nil
            database = try sqlite { try Self.reading(url) }
        } else {
            let lock = try StoreLock(in: files.supportFolder)
            if isNew && !FileManager.default.fileExists(atPath: url.path) {
                try sqlite { try Self.make(model, at: url, in: files.supportFolder) }
            }
            let pool = try sqlite {
                try Self.patiently {
                    try DatabasePool(path: url.path, configuration: Self.configuration(readOnly: false))
                }
            }
            (database, self.lock) = (pool, lock)
            try sqlite {
                // A commit is on the disk before anything that depends on it, such as removing a file.
                try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
                try pool.write { database in
                    if try database.tableExists("Z_METADATA") {
                        try Self.reconcileIndexes(model, in: database)
                    } else {
                        try Self.create(model, in: database)
                    }
                }
            }
        }
        // Another process may have made the store since `check` looked.
        try sqlite { try database.read { try self.checkSchema(in: $0) } }
        if let lock {
            _ = try lock.alone {
                Self.removeDrafts(in: files.supportFolder)
                if !files.isShared(with: url) { try sweep() }
            }
        }
    }

    /// Ends the connection, so that what lies in `-wal` is moved into the store.
    func close() throws {
        try sqlite {
            // A pool closes its readers last, and those may not take `-wal` away: the last one must be the writer.
            (database as? DatabasePool)?.invalidateReadOnlyConnections()
            try database.close()
        }
    }

    /// - Parameters:
    ///   - isToWrite: false for a connection that could write and is not to.
    ///   - isDraft: true while nothing is lost when the machine fails.
    static func configuration(readOnly: Bool, isToWrite: Bool = true, isDraft: Bool = false) -> Configuration
    {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { database in
            database.add(function: localizedContains)
            if database.configuration.readonly || !isToWrite { return }
            if isDraft { try database.execute(sql: "PRAGMA synchronous = OFF") }
            // Takes effect only before the first table, as Core Data has it; but always writes the first page.
            if try Int.fetchOne(database, sql: "PRAGMA page_count") == 0 {
                try database.execute(sql: "PRAGMA auto_vacuum = 2")
            }
        }
        return configuration
    }

    /// Two processes that make a store at once: turning to WAL does not wait, so the one that comes second asks
    /// again, for two seconds at most.
    private static func patiently<Value>(_ open: () throws -> Value) throws -> Value {
        for _ in 0..<40 {
            do { return try open() } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                usleep(50_000)
            }
        }
        return try open()
    }

    /// A connection that writes nothing.
    ///
    /// Where one may write, it is opened as if to write; ``save(_:)`` refuses. The last one to close a WAL database
    /// takes `-wal` and `-shm` away only if it could write them.
    private static func reading(_ url: URL) throws -> DatabaseQueue {
        let manager = FileManager.default
        guard manager.isWritableFile(atPath: url.deletingLastPathComponent().path),
            manager.isWritableFile(atPath: url.path)
        else {
            return try DatabaseQueue(path: readablePath(url), configuration: configuration(readOnly: true))
        }
        return try DatabaseQueue(
            path: url.path, configuration: configuration(readOnly: false, isToWrite: false))
    }

    /// SQLite cannot open a WAL database in a folder it may not write to, unless `-wal` lies there, or it is
    /// promised that nobody writes.
    private static func readablePath(_ url: URL) -> String {
        let folder = url.deletingLastPathComponent().path
        let isAtRest = !FileManager.default.fileExists(atPath: url.path + "-wal")
        if isAtRest && !FileManager.default.isWritableFile(atPath: folder) {
            return url.absoluteString + "?immutable=1"
        }
        return url.path
    }

    /// Looks at the file before SQLite does.
    ///
    /// - Returns: whether there is none yet.
    private static func check(_ url: URL, _ model: ManagedObjectModel, readOnly: Bool) throws -> Bool {
        let name = url.lastPathComponent, manager = FileManager.default
        var isFolder: ObjCBool = false
        let exists = unsafe manager.fileExists(atPath: url.path, isDirectory: &isFolder)
        if isFolder.boolValue { throw StoreError.file(name, errno: EISDIR) }
        if !exists {
            if readOnly { throw StoreError.file(name, errno: ENOENT) }
            let folder = url.deletingLastPathComponent().path
            if !manager.fileExists(atPath: folder) { throw StoreError.file(name, errno: ENOENT) }
            if !manager.isWritableFile(atPath: folder) { throw StoreError.file(name, errno: EACCES) }
            return true
        }
        if !manager.isReadableFile(atPath: url.path) { throw StoreError.file(name, errno: EACCES) }
        if !readOnly && !manager.isWritableFile(atPath: url.path) {
            throw StoreError.file(name, errno: EACCES)
        }
        // An empty file is a store that was killed before its first page was written.
        let size = (try? manager.attributesOfItem(atPath: url.path)[.size] as? Int) ?? 0
        if size == 0 && !readOnly { return true }
        guard isSQLite(url) else { throw StoreError.notAStore }
        let peek = try sqlite {
            try DatabaseQueue(path: readablePath(url), configuration: configuration(readOnly: true))
        }
        defer { try? peek.close() }
        let hashes = try sqlite { try peek.read { try storedHashes(in: $0) } }
        if let hashes { try check(hashes, against: model) } else if readOnly { throw StoreError.notAStore }
        return hashes == nil
    }

    /// Nil when a store was begun and its first transaction never ended; nothing is in it then.
    private static func storedHashes(in database: Database) throws -> [String: Data]? {
        guard try database.tableExists("Z_METADATA") else {
            let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master")
            if count == 0 { return nil }
            throw StoreError.notAStore
        }
        return try metadata(in: database).versionHashes
    }

    private static func check(_ stored: [String: Data], against model: ManagedObjectModel) throws {
        let ours = model.entityVersionHashes
        guard stored != ours else { return }
        throw StoreError.incompatible(
            entities: Set(stored.keys).union(ours.keys).filter { stored[$0] != ours[$0] }.sorted())
    }

    /// Before every write: another process may have migrated the store since it was opened.
    func checkSchema(in database: Database) throws {
        let version = try Int64.fetchOne(database, sql: "PRAGMA schema_version") ?? 0
        if schemaVersion.withLock({ $0 }) == version { return }
        try Self.check(Self.storedHashes(in: database) ?? [:], against: model)
        schemaVersion.withLock { $0 = version }
    }
}

extension SQLiteStore {
    static func metadata(in database: Database) throws -> StoreMetadata {
        guard let data = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA") else {
            throw StoreError.notAStore
        }
        return try StoreMetadata(decoding: data)
    }

    /// The value a program keeps under `key` in the store's metadata.
    func metadata(_ key: String) throws -> String? {
        try sqlite { try database.read { try Self.metadata(in: $0)[key] } }
    }

    func setMetadata(_ values: [String: String?]) throws {
        if isReadOnly { throw StoreError.readOnly }
        try sqlite {
            try database.write { database in
                var metadata = try Self.metadata(in: database)
                for (key, value) in values { metadata[key] = value }
                try database.execute(
                    sql: "UPDATE Z_METADATA SET Z_PLIST = ?", arguments: [try metadata.encoded()])
            }
        }
    }

    /// The store's `Z_UUID`.
    func identifier() throws -> String {
        try sqlite {
            try database.read { try String.fetchOne($0, sql: "SELECT Z_UUID FROM Z_METADATA") ?? "" }
        }
    }
}

/// The same function the in-memory test calls, so that the two cannot differ.
private let localizedContains = DatabaseFunction("MOODY_LOCALIZED_CONTAINS", argumentCount: 2, pure: true) {
    values in
    guard let text = String.fromDatabaseValue(values[0]), let part = String.fromDatabaseValue(values[1])
    else { return false }
    return PredicateNode.TextTest.localizedContains.holds(.text(text), .text(part))
}

extension SQLiteStore {
    /// "3.40.1"
    static var libraryVersion: String {
        let queue = try? DatabaseQueue()
        return (try? queue?.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }) ?? "?"
    }
}
