import Foundation
import GRDB
import Glibc

extension SQLiteStore {
    /// - Parameters:
    ///   - isToWrite: false for a connection that could write and is not to.
    ///   - isDraft: true while nothing is lost when the machine fails.
    static func configuration(readOnly: Bool, isToWrite: Bool = true, isDraft: Bool = false) -> Configuration
    {
        var configuration = Configuration()
        configuration.readonly = readOnly
        // Whoever is kept waiting for longer is told so, and decides.
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { database in
            try addTextFunctions(to: database)
            database.add(function: decimalKey)
            database.add(function: decimalColumn)
            database.add(function: listMember)
            for order in Collation.allCases {
                database.add(collation: DatabaseCollation(order.collationName) { order.compare($0, $1) })
            }
            if database.configuration.readonly || !isToWrite {
                // Nothing that a stranger's schema names may run.
                try database.execute(sql: "PRAGMA trusted_schema = OFF")
                return
            }
            for name in triggerFunctions { database.add(function: ignored(name)) }
            if isDraft { try database.execute(sql: "PRAGMA synchronous = OFF") }
            // Takes effect only before the first table, as Core Data has it; but always writes the first
            // page.
            if try Int.fetchOne(database, sql: "PRAGMA page_count") == 0 {
                try database.execute(sql: "PRAGMA auto_vacuum = 2")
            }
        }
        return configuration
    }

    /// Two processes that make a store at once: turning to WAL does not wait, so the one that comes second
    /// asks again, for two seconds at most.
    static func patiently<Value>(_ open: () throws -> Value) throws -> Value {
        let end = ContinuousClock.now + .seconds(2)
        while true {
            do { return try open() } catch let error as DatabaseError
                where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end
            { usleep(50_000) }
        }
    }

    /// Connections that write; a store that was begun and never made is made.
    static func writing(_ url: URL, _ schema: SQLSchema, keepsHistory: Bool) throws -> DatabasePool {
        let pool = try sqlite {
            try patiently { try DatabasePool(path: url.path, configuration: configuration(readOnly: false)) }
        }
        try sqlite {
            // A commit is on the disk before anything that depends on it, such as removing a file.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try pool.write { database in
                if try database.tableExists("Z_METADATA") {
                    try checkTriggers(in: database)
                } else {
                    try create(schema, in: database)
                }
                if keepsHistory { try SQLiteHistory.create(schema.model, in: database) }
                try SQLiteHistory.prune(in: database)
            }
        }
        return pool
    }

    /// Refuses a store whose triggers call functions that this library does not have: a write would fail
    /// halfway, or leave out what the trigger is to do.
    ///
    /// - Throws: ``StoreError/unwritable(_:)``.
    static func checkTriggers(in database: Database) throws {
        let rows = try GRDB.Row.fetchAll(
            database, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%NS%'")
        for row in rows {
            let (name, sql) = (row["name"] as String, row["sql"] as String)
            for call in sql.matches(of: /\b(NS\w+)\s*\(/) where !triggerFunctions.contains(String(call.1)) {
                throw StoreError.unwritable("its trigger \(name) calls \(call.1), which is Core Data's own")
            }
        }
    }

    /// A connection that writes nothing, and the schema as the store has it.
    ///
    /// - Throws: ``StoreError``.
    static func reading(_ url: URL, _ schema: SQLSchema, isOfStore: Bool = false) throws -> (
        ReadOnlyDatabase, SQLSchema
    ) {
        _ = try checkFile(url, readOnly: true)
        guard isSQLite(url) else { throw StoreError.notAStore }
        let reader = try ReadOnlyDatabase(url)
        let found = try sqlite {
            try reader.read { database in
                // Nobody made the indexes of a store that is only read.
                try checkedSchema(schema, isOfStore: isOfStore, in: database)?.keepingBoxIndexes {
                    try isThere($0, in: database)
                }
            }
        }
        guard let found else { throw StoreError.notAStore }
        return (reader, found)
    }

    /// Looks at a file that is to be written before SQLite does.
    ///
    /// - Returns: the schema as the store has it; nil when there is no store yet.
    static func check(_ url: URL, _ schema: SQLSchema) throws -> SQLSchema? {
        let size = try checkFile(url, readOnly: false)
        // An empty file is a store that was killed before its first page was written.
        if size == 0 { return nil }
        guard isSQLite(url) else { throw StoreError.notAStore }
        let peek = try sqlite {
            try DatabaseQueue(path: url.path, configuration: configuration(readOnly: true))
        }
        defer { try? peek.close() }
        return try sqlite { try peek.read { try checkedSchema(schema, in: $0) } }
    }

    /// Looks at the file itself, and whether it may be opened.
    ///
    /// - Returns: its size; 0 when there is none yet.
    static func checkFile(_ url: URL, readOnly: Bool) throws -> Int {
        let name = url.lastPathComponent, manager = FileManager.default
        try checkLogs(besideStoreAt: url)
        var isFolder: ObjCBool = false
        let exists = unsafe manager.fileExists(atPath: url.path, isDirectory: &isFolder)
        if isFolder.boolValue { throw StoreError.file(name, errno: EISDIR) }
        if !exists {
            if readOnly { throw StoreError.file(name, errno: ENOENT) }
            let folder = url.deletingLastPathComponent().path
            if !manager.fileExists(atPath: folder) { throw StoreError.file(name, errno: ENOENT) }
            if !manager.isWritableFile(atPath: folder) { throw StoreError.file(name, errno: EACCES) }
            return 0
        }
        if !manager.isReadableFile(atPath: url.path) { throw StoreError.file(name, errno: EACCES) }
        if !readOnly && !manager.isWritableFile(atPath: url.path) {
            throw StoreError.file(name, errno: EACCES)
        }
        return (try? manager.attributesOfItem(atPath: url.path)[.size] as? Int) ?? 0
    }

    /// SQLite would wait for a pipe, and a link leads to what is another's.
    ///
    /// - Throws: ``StoreError/unreadable(_:)``.
    static func checkLogs(besideStoreAt url: URL) throws(StoreError) {
        for suffix in ["-wal", "-shm", "-journal"] {
            var status = stat()
            if unsafe lstat(url.path + suffix, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
                throw .unreadable("\(url.lastPathComponent)\(suffix) is not a regular file")
            }
        }
    }

    /// The schema with the numbers that a database has, if it is of this model; nil when a store was begun
    /// and never made.
    ///
    /// - Throws: ``StoreError``.
    static func checkedSchema(_ schema: SQLSchema, isOfStore: Bool = false, in database: Database) throws
        -> SQLSchema?
    {
        guard let version = try recordedVersion(in: database) else { return nil }
        if isOfStore { return try SQLSchema.recovered(schema.model, version, in: database) }
        if schema.model.isEarlier(version, schema.entities) {
            return try schema.lackingColumns(version).numbered(in: database)
        }
        try check(version, against: schema)
        return try schema.numbered(in: database)
    }

    /// Nil when a store was begun and its first transaction never ended; nothing is in it then.
    static func recordedVersion(in database: Database) throws -> RecordedVersion? {
        guard try database.tableExists("Z_METADATA") else {
            let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master")
            if count == 0 { return nil }
            throw StoreError.notAStore
        }
        // A view in its place might have no end.
        guard try database.tableExists("Z_PRIMARYKEY") else { throw StoreError.notAStore }
        let hashes = try metadata(in: database).versionHashes
        // Stores of releases up to 0.1.0 have no model, and Apple's have hashes by all rules.
        guard try database.tableExists("Z_MODELCACHE") else {
            return RecordedVersion(hashes: hashes, mayBeEarlier: false)
        }
        let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM Z_MODELCACHE")
        return RecordedVersion(hashes: hashes, mayBeEarlier: count == 0)
    }

    static func check(_ stored: RecordedVersion, against schema: SQLSchema) throws {
        let differing = schema.model.difference(stored, schema.entities)
        if !differing.isEmpty { throw StoreError.incompatible(entities: differing) }
    }
}

/// A function that triggers of derived attributes call in stores of Core Data, so that its contexts hear of
/// new values; ours hear of them from the save.
///
/// - Source: the triggers of 29 published stores.
let triggerFunctions = [
    "NSCoreDataDATriggerUpdatedAffectedObjectValue",
    "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    "NSCoreDataTriggerUpdateAffectedObjectValue",
]

private func ignored(_ name: String) -> DatabaseFunction { DatabaseFunction(name) { _ in nil } }

/// Returns the key that decimals are compared by, from a column's value.
private let decimalKey = DatabaseFunction("MOODY_DECIMAL", argumentCount: 1, pure: true) { values in
    DecimalKey.key(column: StoredValue(values[0])).databaseValue
}

/// A value of an `IN` list: see ``SQLFragment/members(_:)``.
private let listMember = DatabaseFunction("MOODY_MEMBER", argumentCount: 1, pure: true) { values in
    guard let text = String.fromDatabaseValue(values[0]), case .string = values[0].storage else {
        return values[0]
    }
    return SQLFragment.member(text).databaseValue
}

/// Returns a column's value from the key that decimals are compared by.
private let decimalColumn = DatabaseFunction("MOODY_DECIMAL_COLUMN", argumentCount: 1, pure: true) { values in
    guard case .blob(let key) = StoredValue(values[0]) else { return values[0] }
    return DecimalKey.column(key).databaseValue
}

extension StoredValue {
    fileprivate init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let value): .int(value)
            case .double(let value): .double(value)
            case .string(let text): .text(text)
            case .blob(let data): .blob(data)
            }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .int(let value): value.databaseValue
        case .double(let value): value.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let data): data.databaseValue
        case .id(let id): id.key.databaseValue
        case .external: ExternalFiles.column(self).databaseValue
        }
    }
}

/// Whether a file begins as SQLite databases do. What is no regular file does not, and is not opened: a pipe
/// would wait.
///
/// SQLite itself looks. To open and close a database behind its back lets go of all POSIX locks that this
/// process has on the file, and the next process to open it would take it for unused and cut it under our
/// feet; SQLite keeps count of its own descriptors. Told that the file never changes, it takes no lock and
/// leaves no `-shm`.
///
/// - Source: <https://www.sqlite.org/howtocorrupt.html>, 2.2; <https://www.sqlite.org/uri.html>, immutable.
func isSQLite(_ url: URL) -> Bool {
    var status = stat()
    guard unsafe stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size >= 512
    else {
        return false
    }
    var configuration = Configuration()
    configuration.readonly = true
    do {
        let queue = try DatabaseQueue(
            path: url.absoluteString + "?immutable=1", configuration: configuration)
        defer { try? queue.close() }
        _ = try queue.unsafeRead { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") }
        return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB { return false } catch {
        return true
    }
}
