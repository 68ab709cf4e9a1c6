public import Foundation
import GRDB

extension ManagedObjectModel {
    /// The model that a SQLite store holds: Core Data keeps a copy of it in each store (`Z_MODELCACHE`).
    ///
    /// A store without a copy, of a system older than 2015, tells less: entities by their names, properties
    /// by those of their columns in small letters, and relationships where their keys and tables say what
    /// they lead to. So does an XML store, by what its objects have. See ``isInferred``.
    ///
    /// - Throws: ``StoreError``: no file, not a store, a copy that is broken.
    public convenience init(ofStoreAt url: URL) throws {
        let url = url.storeLocation
        _ = try SQLiteStore.checkFile(url, readOnly: true)
        if XMLStoreContents.isXML(url) {
            let contents = try XMLStoreContents(StoreFile(url, XMLStoreFormat()).data())
            try self.init(
                entities: contents.entities(), [:], contents.metadata.versionIdentifiers, [:],
                isRecovered: true, isInferred: true)
            return
        }
        guard isSQLite(url) else { throw StoreError.notAStore }
        let found = try sqlite {
            let reader = try ReadOnlyDatabase(url)
            defer { try? reader.close() }
            return try reader.read { try StoredModel(in: $0) }
        }
        try self.init(
            entities: found.entities, found.configurations, found.versionIdentifiers, [:], isRecovered: true,
            isInferred: found.isInferred)
    }
}

/// The model that a store holds, or what its tables tell of one.
struct StoredModel {
    var entities: [EntityDeclaration] = []
    var configurations: [String: [String]] = [:]
    var versionIdentifiers: [String] = []
    var isInferred = false

    /// - Throws: ``StoreError``.
    init(in database: Database) throws {
        guard try SQLiteStore.recordedVersion(in: database) != nil else { throw StoreError.notAStore }
        guard let archive = try Self.cache(in: database) else {
            (entities, isInferred) = (try InferredModel(in: database).entities, true)
            return
        }
        do {
            let model = try ArchivedModel(archive)
            (entities, configurations) = (model.entities, model.configurations)
            versionIdentifiers = model.versionIdentifiers
        } catch { throw StoreError.unreadable("the model in Z_MODELCACHE: \(error)") }
    }

    /// The archive in `Z_MODELCACHE`; nil where there is none.
    ///
    /// - Throws: ``StoreError/unreadable(_:)``.
    static func cache(in database: Database) throws -> [UInt8]? {
        guard try database.tableExists("Z_MODELCACHE") else { return nil }
        let statement = try RawStatement("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1", in: database)
        guard try statement.next() else { return nil }
        switch statement.value(0) {
        case .null: return nil
        case .blob(let data):
            if data.isEmpty { return nil }
            do {
                // An archive that was not compressed.
                if data.starts(with: Array("bplist00".utf8)) { return [UInt8](data) }
                return try Deflate.decompress([UInt8](data))
            } catch { throw StoreError.unreadable("the model in Z_MODELCACHE: \(error)") }
        default: throw StoreError.unreadable("the model in Z_MODELCACHE: no bytes")
        }
    }
}
