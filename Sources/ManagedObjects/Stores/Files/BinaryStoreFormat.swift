public import Foundation

/// A store as one binary property list. A layout of our own: Core Data's binary stores are keyed archives of
/// private classes.
public struct BinaryStoreFormat: StoreFormat {
    /// `Binary`.
    public var name: String { "Binary" }

    /// Creates the format.
    public init() {}

    private struct Document: Codable {
        var NSStoreType = "Binary"
        let NSStoreUUID: String
        let NSStoreModelVersionHashes: [String: Data]
        var NSStoreModelVersionChecksumKey: String?
        let metadata: [String: String]
        var otherMetadata: [String: PropertyListValue]?
        let lastKey: Int64
        let objects: [Object]
    }

    private struct Object: Codable {
        let entity: String, key: Int64
        let attributes: [String: Value]
        let relationships: [String: [Target]]
    }

    private struct Target: Codable { let entity: String, key: Int64 }

    /// A value, with its kind: 1 and 1.0 would be the same number, so floating-point numbers are their
    /// bits; of two texts that look alike the encoder keeps one, and so texts are their bytes.
    private struct Value: Codable {
        var int: Int64?, bits: String?, text: Data?, data: Data?
    }

    /// Reads a whole store.
    ///
    /// - Throws: ``StoreError``.
    public func document(from data: Data, model: ManagedObjectModel) throws -> StoreDocument {
        guard let read = try? BinaryPropertyListDecoder.decode(Document.self, from: data),
            read.NSStoreType == name
        else { throw StoreError.notAStore }
        var document = StoreDocument(
            identifier: read.NSStoreUUID, versionHashes: read.NSStoreModelVersionHashes)
        document.hasCompleteHashes = read.NSStoreModelVersionChecksumKey != nil
        (document.lastKey, document.metadata) = (read.lastKey, read.metadata)
        document.otherMetadata = read.otherMetadata ?? [:]
        document.objects = try read.objects.map { object in
            var result = StoreDocument.Object(.init(entity: object.entity, key: object.key))
            result.attributes = try object.attributes.mapValues(Self.stored)
            result.relationships = object.relationships.mapValues { targets in
                targets.map { .init(entity: $0.entity, key: $0.key) }
            }
            return result
        }
        return document
    }

    /// Writes a whole store.
    ///
    /// - Throws: ``StoreError``.
    public func data(of document: StoreDocument, model: ManagedObjectModel) throws -> Data {
        let objects = document.objects.map { object in
            Object(
                entity: object.reference.entity, key: object.reference.key,
                attributes: object.attributes.compactMapValues(Self.value),
                relationships: object.relationships.mapValues { references in
                    references.map { Target(entity: $0.entity, key: $0.key) }
                })
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(
            Document(
                NSStoreUUID: document.identifier, NSStoreModelVersionHashes: document.versionHashes,
                NSStoreModelVersionChecksumKey: VersionHash.checksum(document.versionHashes),
                metadata: document.metadata, otherMetadata: document.otherMetadata,
                lastKey: document.lastKey, objects: objects))
    }

    private static func value(_ value: StoredValue) -> Value? {
        switch value {
        // A memory store holds large values themselves.
        case .null, .id, .external: nil
        case .int(let value): Value(int: value)
        case .double(let value): Value(bits: String(value.bitPattern, radix: 16))
        case .text(let value): Value(text: Data(value.utf8))
        case .blob(let value): Value(data: value)
        }
    }

    private static func stored(_ value: Value) throws -> StoredValue {
        if let int = value.int { return .int(int) }
        if let bits = value.bits.flatMap({ UInt64($0, radix: 16) }) {
            return .double(Double(bitPattern: bits))
        }
        if let text = value.text.flatMap({ String(validating: $0, as: UTF8.self) }) { return .text(text) }
        if let data = value.data { return .blob(data) }
        throw StoreError.unreadable("a value is none")
    }
}

/// Inside a store of this format, which is decoded as a whole.
extension PropertyListValue: Decodable {
    init(from decoder: any Decoder) throws {
        if decoder.codingPath.count > 64 {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "metadata of more than 64 levels"))
        }
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(Data.self) {
            self = .data(value)
        } else if let value = try? container.decode(Date.self) {
            self = .date(value)
        } else if let value = try? container.decode([PropertyListValue].self) {
            self = .list(value)
        } else {
            self = .dictionary(try container.decode([String: PropertyListValue].self))
        }
    }
}
