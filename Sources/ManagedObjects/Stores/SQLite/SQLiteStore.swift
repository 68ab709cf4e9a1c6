import Foundation
import GRDB
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
    let isReadOnly: Bool
    /// Whether this opening made the store.
    let isNew: Bool
    let database: any DatabaseWriter
    /// By the model's index, and by `Z_ENT`.
    let homes: [ObjectHome]
    let homesByNumber: [ObjectHome?]
    let numbersByName: [String: Int]
    /// By root entity's index.
    let readers: [Int: RowReader]
    let lock: StoreLock?
    /// `PRAGMA schema_version` as it was when the store was seen to fit the model.
    private let schemaVersion = Mutex<Int64>(-1)
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
    /// - Throws: ``StoreError``.
    init(
        _ model: ManagedObjectModel, entities: [EntityDescription], at url: URL, readOnly: Bool,
        keepsHistory: Bool = false, files: ExternalFiles? = nil
    ) throws {
        let files = files ?? ExternalFiles(storeAt: url)
        let schema = SQLSchema(model, entities: entities)
        self.url = url
        isReadOnly = readOnly
        var isNew = try Self.check(url, schema, readOnly: readOnly)
        self.files = files
        if readOnly {
            lock = nil
            database = try sqlite { try Self.reading(url) }
        } else {
            let lock = try StoreLock(in: files.supportFolder)
            if isNew {
                // Another process may have made it since it was looked for.
                let folder = files.supportFolder
                isNew =
                    try FileManager.default.fileExists(atPath: url.path)
                    ? Self.check(url, schema, readOnly: false)
                    : sqlite { try Self.make(schema, at: url, in: folder) }
            }
            var pool: DatabasePool?
            let identifier = {
                try? pool?.read { try String.fetchOne($0, sql: "SELECT Z_UUID FROM Z_METADATA") }
            }
            try Self.keepingLists(url, files, lock, identifier) {
                pool = try Self.writing(url, schema, keepsHistory: keepsHistory)
            }
            guard let pool else { throw StoreError.notAStore }
            (database, self.lock) = (pool, lock)
        }
        self.isNew = isNew
        let reading = database
        // Nobody made the indexes of a store that is only read.
        self.schema = try sqlite {
            readOnly
                ? try reading.read { database in
                    try schema.keepingBoxIndexes { try Self.isThere($0, in: database) }
                } : schema
        }
        let identifier = try sqlite {
            try reading.read { try String.fetchOne($0, sql: "SELECT Z_UUID FROM Z_METADATA") ?? "" }
        }
        self.identifier = identifier
        let homes = model.entities.map { ObjectHome.of($0.entityName, in: identifier) }
        var byNumber = [ObjectHome?](repeating: nil, count: entities.count + 1)
        for entity in entities { byNumber[schema.number(of: entity)] = homes[entity.index] }
        (self.homes, homesByNumber) = (homes, byNumber)
        numbersByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, schema.number(of: $0)) })
        readers = Dictionary(
            uniqueKeysWithValues: entities.filter { $0.rootIndex == $0.index }.map {
                let family = model.family(of: $0)
                return (
                    $0.index,
                    RowReader(family: family, schema: schema, homes: homes, homesByNumber: byNumber)
                )
            })
        // Another process may have made the store since `check` looked.
        try sqlite { try database.read { try self.checkSchema(in: $0) } }
        let position = try sqlite { try database.writeWithoutTransaction { try Self.position(in: $0) } }
        self.position.withLock { $0 = position }
        if let lock {
            _ = try lock.alone {
                Self.removeDrafts(in: files.supportFolder)
                if !files.isShared(with: url) { try sweep() }
            }
        }
    }

    var entityIndexes: Set<Int> { Set(schema.entities.map(\.index)) }

    /// Ends the connection, so that what lies in `-wal` is moved into the store.
    func close() throws {
        try Self.keepingLists(url, files, lock, { identifier }) {
            try sqlite {
                // A pool closes its readers last, and those may not take `-wal` away: the last one must be
                // the writer.
                (database as? DatabasePool)?.invalidateReadOnlyConnections()
                try database.close()
            }
        }
    }

    func stage(_ data: Data) throws -> Data { try files.stage(data) }

    func stagedValue(_ column: Data) throws -> Data? {
        let (inline, name) = ExternalFiles.parse(column)
        if let inline { return inline }
        return try name.map(files.read)
    }

    /// Reads, and looks afterwards whether the store is still the one that was opened: once it was migrated,
    /// the numbers of entities and the columns mean something else, and an answer may be wrong or empty.
    ///
    /// - Throws: ``StoreError/modelChanged``.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try sqlite {
            try database.unsafeRead { database in
                do {
                    let value = try body(database)
                    try checkSchema(in: database)
                    return value
                } catch let error as DatabaseError {
                    try checkSchema(in: database)
                    throw error
                }
            }
        }
    }

    /// Before every write: another process may have migrated the store since it was opened.
    func checkSchema(in database: Database) throws {
        let version = try Int64.fetchOne(database, sql: "PRAGMA schema_version") ?? 0
        if schemaVersion.withLock({ $0 }) == version { return }
        do { try Self.check(Self.storedHashes(in: database) ?? [:], against: schema) } catch {
            if schemaVersion.withLock({ $0 }) >= 0 { throw StoreError.modelChanged }
            throw error
        }
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

    func metadata(_ key: String) throws -> String? {
        try sqlite { try database.read { try Self.metadata(in: $0)[key] } }
    }

    func allMetadata() throws -> [String: String] {
        try sqlite { try database.read { try Self.metadata(in: $0).texts } }
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

    /// "3.40.1"
    static var libraryVersion: String {
        let queue = try? DatabaseQueue()
        return (try? queue?.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }) ?? "?"
    }
}
