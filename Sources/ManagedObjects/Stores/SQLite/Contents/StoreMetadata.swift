import Foundation

/// The property list in a store's `Z_METADATA`.
struct StoreMetadata: Sendable {
    private var plist: [String: PropertyListValue]

    /// That of a new store.
    ///
    /// - Source: the keys of an Apple-written store of 2023 (`NSPersistenceFrameworkVersion` 1344).
    init(_ schema: SQLSchema) {
        let hashes = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, $0.versionHash) })
        plist = [
            "NSStoreType": .text("SQLite"),
            "NSStoreModelVersionHashes": .dictionary(hashes.mapValues { .data($0) }),
            "NSStoreModelVersionHashesVersion": .number(3),
            "NSStoreModelVersionIdentifiers": .list(schema.model.versionIdentifiers.map { .text($0) }),
            "NSPersistenceFrameworkVersion": .number(1344),
            "_NSAutoVacuumLevel": .text("2"),
            "NSStoreModelVersionHashesDigest": .text(VersionHash.digest(hashes)),
            "NSStoreModelVersionChecksumKey": .text(VersionHash.checksum(hashes)),
        ]
    }

    /// - Throws: ``StoreError/unreadable(_:)`` when the bytes are no property list,
    ///   ``StoreError/notAStore`` for one without version hashes.
    init(decoding data: Data) throws {
        let plist: PropertyListValue
        do { plist = try PropertyListValue(decoding: data) } catch {
            throw StoreError.unreadable("its metadata: \(error)")
        }
        try self.init(plist)
    }

    /// - Throws: ``StoreError/notAStore`` for a property list without version hashes.
    init(_ plist: PropertyListValue) throws {
        guard let plist = plist.dictionary, plist["NSStoreModelVersionHashes"]?.dictionary != nil else {
            throw StoreError.notAStore
        }
        self.plist = plist
    }

    func encoded() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(plist)
    }

    /// By entity, 32 bytes each.
    var versionHashes: [String: Data] {
        plist["NSStoreModelVersionHashes"]?.dictionary?.compactMapValues(\.data) ?? [:]
    }

    func number(_ key: String) -> Int64? {
        switch plist[key] {
        case .number(let value): value
        case .real(let value): Int64(exactly: value)
        default: nil
        }
    }

    func text(_ key: String) -> String? { plist[key]?.text }

    var versionIdentifiers: [String] {
        switch plist["NSStoreModelVersionIdentifiers"] {
        case .list(let list): list.compactMap(\.text).filter { !$0.isEmpty }
        case .text(let text): text.isEmpty ? [] : [text]
        default: []
        }
    }

    /// Whether the checksum over all hashes is there.
    var hasChecksum: Bool { plist["NSStoreModelVersionChecksumKey"]?.text != nil }

    /// All that programs keep in the store beside the rows.
    var programValues: [String: PropertyListValue] {
        get { plist.filter { !Self.isReserved($0.key) } }
        set { plist = plist.filter { Self.isReserved($0.key) }.merging(newValue) { $1 } }
    }

    /// The texts among ``programValues``.
    var texts: [String: String] { programValues.compactMapValues(\.text) }

    /// Whether a key is Core Data's.
    static func isReserved(_ key: String) -> Bool { key.hasPrefix("NS") || key.hasPrefix("_NS") }

    subscript(key: String) -> PropertyListValue? {
        get { plist[key] }
        set { plist[key] = newValue }
    }
}
