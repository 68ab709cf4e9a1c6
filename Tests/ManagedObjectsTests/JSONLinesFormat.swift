import Foundation

@testable import ManagedObjects

/// A store type of one's own: one JSON object a line, the store's facts first.
struct JSONLinesFormat: StoreFormat {
    var name: String { "JSONLines" }

    private struct Head: Codable {
        let store: String, hashes: [String: Data], metadata: [String: String], lastKey: Int64
    }

    private struct Line: Codable {
        let entity: String, key: Int64
        var attributes: [String: Value] = [:]
        var relationships: [String: [Target]] = [:]
    }

    private struct Target: Codable { let entity: String, key: Int64 }

    /// A number, a text, bytes; JSON's numbers would lose what is no number and zero's sign.
    private enum Value: Codable {
        case int(Int64), bits(UInt64), text(String), data(Data)
    }

    struct Broken: Error, CustomStringConvertible { let description: String }

    func document(from data: Data, model: ManagedObjectModel) throws -> StoreDocument {
        let lines = data.split(separator: UInt8(ascii: "\n"))
        let decoder = JSONDecoder()
        guard let first = lines.first, let head = try? decoder.decode(Head.self, from: first) else {
            throw StoreError.notAStore
        }
        var document = StoreDocument(identifier: head.store, versionHashes: head.hashes)
        (document.metadata, document.lastKey) = (head.metadata, head.lastKey)
        for (number, text) in lines.enumerated().dropFirst() {
            guard let line = try? decoder.decode(Line.self, from: text) else {
                throw Broken(description: "line \(number + 1) is broken")
            }
            var object = StoreDocument.Object(.init(entity: line.entity, key: line.key))
            object.attributes = line.attributes.mapValues { value in
                switch value {
                case .int(let value): .int(value)
                case .bits(let bits): .double(Double(bitPattern: bits))
                case .text(let text): .text(text)
                case .data(let data): .blob(data)
                }
            }
            object.relationships = line.relationships.mapValues { targets in
                targets.map { .init(entity: $0.entity, key: $0.key) }
            }
            document.objects.append(object)
        }
        return document
    }

    func data(of document: StoreDocument, model: ManagedObjectModel) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = try encoder.encode(
            Head(
                store: document.identifier, hashes: document.versionHashes, metadata: document.metadata,
                lastKey: document.lastKey))
        for object in document.objects {
            var line = Line(entity: object.reference.entity, key: object.reference.key)
            line.attributes = object.attributes.compactMapValues { value in
                switch value {
                case .int(let value): .int(value)
                case .double(let value): .bits(value.bitPattern)
                case .text(let text): .text(text)
                case .blob(let data): .data(data)
                case .null, .id, .external: nil
                }
            }
            line.relationships = object.relationships.mapValues { references in
                references.map { Target(entity: $0.entity, key: $0.key) }
            }
            data.append(UInt8(ascii: "\n"))
            data.append(try encoder.encode(line))
        }
        return data
    }
}
