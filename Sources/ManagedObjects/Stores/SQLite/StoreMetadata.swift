import Foundation

/// The property list in a store's `Z_METADATA`.
struct StoreMetadata {
    private var plist: [String: Any]

    /// That of a new store.
    ///
    /// - Source: the keys of an Apple-written store of 2023 (`NSPersistenceFrameworkVersion` 1344).
    init(_ schema: SQLSchema) {
        let hashes = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, $0.versionHash) })
        plist = [
            "NSStoreType": "SQLite",
            "NSStoreModelVersionHashes": hashes,
            "NSStoreModelVersionHashesVersion": 3,
            "NSStoreModelVersionIdentifiers": schema.model.versionIdentifiers,
            "NSPersistenceFrameworkVersion": 1344,
            "_NSAutoVacuumLevel": "2",
            "NSStoreModelVersionHashesDigest": VersionHash.digest(hashes),
            "NSStoreModelVersionChecksumKey": VersionHash.checksum(hashes),
        ]
    }

    /// - Throws: ``StoreError/notAStore`` when the bytes are no property list with version hashes.
    init(decoding data: Data) throws {
        _ = linkFoundationBridges()
        guard
            let plist = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil)
                as? [String: Any],
            plist["NSStoreModelVersionHashes"] is [String: Data]
        else { throw StoreError.notAStore }
        self.plist = plist
    }

    func encoded() throws -> Data {
        _ = linkFoundationBridges()
        return try PropertyListSerialization.data(fromPropertyList: plist, format: .binary, options: 0)
    }

    /// By entity, 32 bytes each.
    var versionHashes: [String: Data] { plist["NSStoreModelVersionHashes"] as? [String: Data] ?? [:] }

    /// What a program keeps in the store beside the rows.
    subscript(key: String) -> String? {
        get { plist[key] as? String }
        set { plist[key] = newValue }
    }
}

/// Refers to the bridges of the collections, which pulls them into a statically linked binary. Without them
/// `PropertyListSerialization` refuses arrays there and `NSKeyedArchiver` stops the program.
private func linkFoundationBridges() -> Int {
    [""]._bridgeToObjectiveC().count + ["": ""]._bridgeToObjectiveC().count
        + Set([""])._bridgeToObjectiveC().count
}
