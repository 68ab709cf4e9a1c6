import Foundation
import GRDB
import Glibc
import Synchronization

/// Rows of a model in SQLite, in Core Data's tables.
///
/// Owns the connection, the lock beside the file and the folder of external files. Any thread may call;
/// writes wait for each other, reads do not wait for writes.
final class SQLiteStore: PersistentStore {
    let url: URL
    let schema: SQLSchema
    let identifier: String
    let files: ExternalFiles
    /// Which of them are in use.
    let external: ExternalFileTable
    let isReadOnly: Bool
    /// Whether this opening made the store.
    let isNew: Bool
    let connection: Connection
    /// By the model's index, and by `Z_ENT`.
    let homes: [StoreEntity]
    let homesByNumber: [StoreEntity?]
    let numbersByName: [String: Int]
    /// By root entity's index.
    let readers: [Int: RowReader]
    let lock: StoreLock?
    /// `PRAGMA schema_version` as it was when the store was seen to fit the model.
    private let schemaVersion = Mutex<Int64>(-1)
    /// The opening of a store that is only read in which its identifier was looked at.
    private let identifiedOpening = Mutex<Int64>(-1)
    /// How far it has heard what others wrote.
    let position = Mutex(HistoryPosition(dataVersion: 0))

    /// Opens the store at `url`, or makes one there.
    ///
    /// A file that is no store keeps its bytes and its time.
    ///
    /// - Parameters:
    ///   - entities: what the store is to hold.
    ///   - keepsHistory: whether the store is to have a log of its changes from now on.
    ///   - files: what its rows name, where that is not what lies beside it.
    ///   - isOfStore: whether the model was read from this store, which is only read then.
    /// - Throws: ``StoreError``.
    init(
        _ model: ManagedObjectModel, entities: [EntityDescription], at url: URL, readOnly: Bool,
        keepsHistory: Bool = false, files: ExternalFiles? = nil, isOfStore: Bool = false
    ) throws {
        let files = files ?? ExternalFiles(storeAt: url)
        let computed = SQLSchema(model, entities: entities)
        self.url = url
        isReadOnly = readOnly
        self.files = files
        var isNew = false
        let schema: SQLSchema
        if readOnly {
            lock = nil
            let reader: ReadOnlyDatabase
            (reader, schema) = try Self.reading(url, computed, isOfStore: isOfStore)
            connection = .reading(reader)
        } else {
            var found = try Self.check(url, computed)
            let lock = try StoreLock(files)
            if found == nil {
                // Another process may have made it since it was looked for.
                if FileManager.default.fileExists(atPath: url.path) {
                    try Self.putLogsAside(besideStoreAt: url, lock)
                    found = try Self.check(url, computed)
                    isNew = found == nil
                } else {
                    try Self.putLogsAside(besideStoreAt: url, lock)
                    isNew = try sqlite { try Self.make(computed, at: url, files) }
                    if !isNew { found = try Self.check(url, computed) }
                }
            }
            try Self.checkNames(of: url, files, lock)
            if found?.recorded != nil { found = try Self.addColumns(toStoreAt: url, computed, lock) }
            schema = found ?? computed
            var pool: DatabasePool?
            let identifier = {
                try? pool?.read { try String.fetchOne($0, sql: "SELECT Z_UUID FROM Z_METADATA") }
            }
            try Self.keepingLists(url, files: files, lock: lock, identifier: identifier) {
                // GRDB makes a table and drops it again, so that there is a log.
                let beginsLog = !WriteAheadLog.isBegun(besideStoreAt: url)
                pool = try Self.writing(url, schema, keepsHistory: keepsHistory)
                if beginsLog, let log = WriteAheadLog(besideStoreAt: url), log.transactions == 1 {
                    lock.note(begunLog: log)
                }
            }
            guard let pool else { throw StoreError.notAStore }
            // Those of a million rows take a minute, in which others may open the store.
            try sqlite { try pool.write { try Self.reconcileIndexes(schema, in: $0) } }
            (connection, self.lock) = (.writing(pool), lock)
        }
        external = ExternalFileTable(files, lock: lock)
        let external = external
        self.isNew = isNew
        self.schema = schema
        let identifier = try connection.read {
            try String.fetchOne($0, sql: "SELECT Z_UUID FROM Z_METADATA") ?? ""
        }
        self.identifier = identifier
        let homes = model.entities.map { StoreEntity.of($0.entityName, in: identifier) }
        var byNumber = [StoreEntity?](repeating: nil, count: (schema.numbers.max() ?? 0) + 1)
        let entities = schema.entities
        for entity in entities { byNumber[schema.number(of: entity)] = homes[entity.index] }
        (self.homes, homesByNumber) = (homes, byNumber)
        numbersByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, schema.number(of: $0)) })
        readers = Dictionary(
            uniqueKeysWithValues: entities.filter { $0.rootIndex == $0.index }.map {
                let family = model.family(of: $0)
                return (
                    $0.index,
                    RowReader(
                        family: family, schema: schema, homes: homes, homesByNumber: byNumber, external)
                )
            })
        // Another process may have made the store since `check` looked.
        try connection.read { try self.checkSchema(in: $0) }
        let position = try readPosition()
        self.position.withLock { $0 = position }
        if let lock {
            _ = try lock.alone {
                try Self.removeDrafts(of: files)
                try setFilesAside(lock)
            }
        }
    }

    var entityIndexes: Set<Int> { Set(schema.entities.map(\.index)) }

    /// Ends the connection, so that what lies in `-wal` is moved into the store.
    func close() throws {
        external.close()
        try Self.keepingLists(url, files: files, lock: lock, identifier: { identifier }) {
            try sqlite {
                switch connection {
                case .reading(let reader): try reader.close()
                case .writing(let pool):
                    // A pool closes its readers last, and those may not take `-wal` away: the last one must
                    // be the writer.
                    pool.invalidateReadOnlyConnections()
                    try pool.close()
                }
            }
        }
    }

    func stage(_ data: Data) throws -> StoredValue { try external.stage(data) }

    func owns(_ file: ExternalFile) -> Bool { file.folderPath == external.folderPath }

    func unstage(_ file: ExternalFile) { files.remove([file.name]) }

    /// Reads, and looks afterwards whether the store is still the one that was opened: once it was migrated,
    /// the numbers of entities and the columns mean something else, and an answer may be wrong or empty.
    ///
    /// - Parameter isRepeatable: whether the body may run again when the store is changed while it runs.
    /// - Throws: ``StoreError/modelChanged``.
    func read<Value>(isRepeatable: Bool = true, _ body: (Database) throws -> Value) throws -> Value {
        try external.reading {
            try connection.read(isRepeatable: isRepeatable) { database in
                do {
                    let value = try body(database)
                    try checkSchema(in: database)
                    return value
                } catch {
                    // Rows read by another version's numbers make no sense.
                    try checkSchema(in: database)
                    throw error
                }
            }
        }
    }

    func snapshot(in folder: URL) throws -> any PersistentStore {
        let copy = folder.appending(path: UUID().uuidString)
        try connection.read { database in
            // A file of an attempt that met changes.
            _ = unsafe unlink(copy.path)
            do {
                try database.execute(sql: "VACUUM INTO ?", arguments: [copy.path])
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                throw StoreError.file(folder.path, errno: ENOSPC)
            }
        }
        return try SQLiteStore(
            schema.model, entities: schema.entities, at: copy, readOnly: true, files: files,
            isOfStore: schema.model.isRecovered)
    }

    /// The connections of a store.
    enum Connection {
        case writing(DatabasePool)
        case reading(ReadOnlyDatabase)

        func read<Value>(isRepeatable: Bool = true, _ body: (Database) throws -> Value) throws -> Value {
            func limited(_ database: Database) throws -> Value {
                guard let limit = ReadLimit.current else { return try body(database) }
                return try limit.watch(database, body)
            }
            return try sqlite {
                switch self {
                case .writing(let pool): try pool.unsafeRead(limited)
                case .reading(let reader): try reader.read(isRepeatable: isRepeatable, limited)
                }
            }
        }
    }

    /// The connection that writes.
    ///
    /// - Throws: ``StoreError/readOnly``.
    var writer: DatabasePool {
        get throws(StoreError) {
            guard case .writing(let pool) = connection else { throw .readOnly }
            return pool
        }
    }

    /// Before every write: another process may have migrated the store since it was opened. After every read,
    /// too: another store may lie in its place.
    ///
    /// - Throws: ``StoreError/modelChanged``, ``StoreError/replaced``.
    func checkSchema(in database: Database) throws {
        if case .reading(let reader) = connection, identifiedOpening.withLock({ $0 }) != reader.number {
            let found = try String.fetchOne(database, sql: "SELECT Z_UUID FROM Z_METADATA") ?? ""
            if found != identifier { throw StoreError.replaced }
            identifiedOpening.withLock { $0 = reader.number }
        }
        let version = try RawStatement.number("PRAGMA schema_version", in: database) ?? 0
        if schemaVersion.withLock({ $0 }) == version { return }
        do {
            let version = try Self.version(in: database)
            if let recorded = schema.recorded {
                if recorded != version { throw StoreError.modelChanged }
            } else {
                try Self.check(version, against: schema)
            }
            if try schema.storedNumbers(in: database) != schema.numbers { throw StoreError.modelChanged }
        } catch {
            if schemaVersion.withLock({ $0 }) >= 0 { throw StoreError.modelChanged }
            throw error
        }
        schemaVersion.withLock { $0 = version }
    }
}

extension SQLiteStore {
    /// No hashes where a store was begun and never made.
    private static func version(in database: Database) throws -> RecordedVersion {
        try recordedVersion(in: database) ?? RecordedVersion(hashes: [:], mayBeEarlier: false)
    }

    static func metadata(in database: Database) throws -> StoreMetadata {
        guard let data = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA") else {
            throw StoreError.notAStore
        }
        return try StoreMetadata(decoding: data)
    }

    func metadata(_ key: String) throws -> String? {
        try connection.read { try Self.metadata(in: $0)[key]?.text }
    }

    func allMetadata() throws -> [String: PropertyListValue] {
        try connection.read { try Self.metadata(in: $0).programValues }
    }

    func changeMetadata(_ change: (inout [String: PropertyListValue]) -> Void) throws {
        let writer = try writer
        try sqlite {
            try writer.write { database in
                var metadata = try Self.metadata(in: database)
                change(&metadata.programValues)
                try database.execute(
                    sql: "UPDATE Z_METADATA SET Z_PLIST = ?", arguments: [try metadata.encoded()])
            }
        }
    }

    /// "3.40.1"
    static var libraryVersion: String {
        let queue = try? DatabaseQueue()
        return (try? queue?.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }) ?? "?"
    }
}
