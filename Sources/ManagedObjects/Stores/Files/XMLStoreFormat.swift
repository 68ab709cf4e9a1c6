public import Foundation
import Texts

/// A store in the layout of Core Data's XML stores: a `database` of one `databaseInfo` and an `object` each.
///
/// Entities are written in capitals and properties in small letters there, and so they are here; names that
/// differ in nothing else cannot be kept in one store. What XML cannot say, control characters in texts, is
/// written in Base64, which Core Data does not know: see docs/DEVIATIONS.md.
///
/// - Source: four XML documents that Apple's tools wrote (mapping models of CoreStore and CoreDataPlus).
public struct XMLStoreFormat: StoreFormat {
    /// `XML`.
    public var name: String { "XML" }

    /// Creates the format.
    public init() {}

    /// Reads a whole store.
    ///
    /// - Throws: ``StoreError``.
    public func document(from data: Data, model: ManagedObjectModel) throws -> StoreDocument {
        try XMLStoreContents(data).document(model)
    }

    /// Writes a whole store.
    ///
    /// - Throws: ``StoreError``.
    public func data(of document: StoreDocument, model: ManagedObjectModel) throws -> Data {
        try Self.checkNames(model)
        var lines: [String] = []
        func element(_ indent: Int, _ name: String, _ text: String) {
            lines.append(String(repeating: " ", count: indent) + "<\(name)>\(text)</\(name)>")
        }
        lines.append("<?xml version=\"1.0\" standalone=\"yes\"?>")
        lines.append("<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n")
        lines.append("<database>\n    <databaseInfo>")
        element(8, "version", "134481920")
        element(8, "UUID", Self.escaped(document.identifier))
        element(8, "nextObjectID", "\(document.lastKey)")
        lines.append("        <metadata>")
        var plist = document.allMetadata.mapValues(Self.writable)
        if let key = plist.keys.first(where: { !Self.isXML($0) }) {
            throw StoreError.unwritable(
                "a key of the metadata has a character that XML does not: \(key.debugDescription)")
        }
        plist["NSPersistenceFrameworkVersion"] = .number(1344)
        plist["NSStoreModelVersionHashes"] = .dictionary(document.versionHashes.mapValues { .data($0) })
        plist["NSStoreModelVersionHashesVersion"] = .number(3)
        plist["NSStoreModelVersionIdentifiers"] = .list(model.versionIdentifiers.map { .text($0) })
        plist["NSStoreModelVersionHashesDigest"] = .text(VersionHash.digest(document.versionHashes))
        plist["NSStoreModelVersionChecksumKey"] = .text(VersionHash.checksum(document.versionHashes))
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let metadata = try encoder.encode(plist)
        let text = String(decoding: metadata, as: UTF8.self)
        guard let start = text.range(of: "<plist") else { throw StoreError.unreadable("the metadata") }
        let list = text[start.lowerBound...].trimmingCharacters(in: .newlines)
        // A reader would make a line feed of it.
        lines.append(String(list.utf8.contains(13) ? Self.withoutReturns(list) : list))
        lines.append("        </metadata>\n    </databaseInfo>")
        // Object by object: texts of all of them, and these joined, would be the file three times in memory.
        var data = Data(lines.joined(separator: "\n").utf8)
        for object in document.objects { data.append(contentsOf: "\n\(Self.element(object, model))".utf8) }
        data.append(contentsOf: "\n</database>\n".utf8)
        return data
    }

    /// Returns a value that XML can hold: a text with characters that XML lacks becomes bytes, UTF-8 behind a
    /// byte order mark.
    private static func writable(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .text(let text) where !isXML(text): .data(Data(mark) + Data(text.utf8))
        case .list(let values): .list(values.map(writable))
        case .dictionary(let values): .dictionary(values.mapValues(writable))
        default: value
        }
    }

    /// Returns the value that ``writable(_:)`` was given.
    static func read(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .data(let data) where data.starts(with: mark):
            // Other bytes with that mark are a program's own.
            String(validating: data.dropFirst(mark.count), as: UTF8.self).flatMap {
                isXML($0) ? nil : .text($0)
            } ?? value
        case .list(let values): .list(values.map(read))
        case .dictionary(let values): .dictionary(values.mapValues(read))
        default: value
        }
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func isXML(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy(XMLReader.isCharacter)
    }

    private static func withoutReturns(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar == "\r" { result += "&#13;" } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// - Throws: ``StoreError/unwritable(_:)`` for names that the letters' case alone tells apart.
    private static func checkNames(_ model: ManagedObjectModel) throws(StoreError) {
        func check(_ names: [String], _ owner: String) throws(StoreError) {
            var known: [String: String] = [:]
            for name in names {
                if let other = known.updateValue(name, forKey: name.lowercased()) {
                    throw .unwritable("\(owner)\(other) and \(owner)\(name) have one name in XML")
                }
            }
        }
        try check(model.entities.map(\.name), "")
        for entity in model.entities {
            try check(entity.slots.filter { !$0.isHidden }.map(\.name), "\(entity.name).")
        }
    }

    private static func element(_ object: StoreDocument.Object, _ model: ManagedObjectModel) -> String {
        guard let entity = model.entity(named: object.reference.entity) else { return "" }
        var text =
            "    <object type=\"\(escaped(entity.name.uppercased()))\" id=\"z\(object.reference.key)\">"
        for property in entity.slots where !property.isHidden {
            let name = escaped(property.name.lowercased())
            switch property {
            case .attribute(let attribute):
                guard let value = object.attributes[attribute.name] else { continue }
                let (content, isCoded) = content(value, attribute.type)
                text += "\n        <attribute name=\"\(name)\" type=\"\(attribute.type.xmlName)\""
                text += "\(isCoded ? " encoding=\"base64\"" : "")>\(content)</attribute>"
            case .relationship(let relationship):
                let destination = escaped(model.destination(of: relationship).name.uppercased())
                let references = object.relationships[relationship.name] ?? []
                text += "\n        <relationship name=\"\(name)\" type=\"\(relationship.xmlType)\""
                text += " destination=\"\(destination)\""
                if !references.isEmpty {
                    let ids = references.map { "z\($0.key)" }.joined(separator: " ")
                    text += " idrefs=\"\(ids)\""
                }
                text += "></relationship>"
            }
        }
        return text + "\n    </object>"
    }

    private static func content(_ value: StoredValue, _ type: AttributeType) -> (text: String, isCoded: Bool)
    {
        switch value {
        // A memory store holds large values themselves.
        case .null, .id, .external: ("", false)
        case .int(let value): ("\(value)", false)
        case .double(let value): ("\(value)", false)
        case .blob(let data):
            type == .uuid
                ? (UUID(storedValue: value).uuidString, false) : (data.base64EncodedString(), false)
        case .text(let text):
            isXML(text)
                ? (escaped(text), false) : (Data(text.utf8).base64EncodedString(), true)
        }
    }

    /// A reader would make line feeds of carriage returns.
    private static func escaped(_ text: String) -> String {
        MarkupText.escaped(text) { $0 == "\r" ? "&#13;" : nil }
    }
}

extension AttributeType {
    fileprivate var xmlName: String {
        switch self {
        case .integer16: "int16"
        case .integer32: "int32"
        case .integer64: "int64"
        case .decimal: "decimal"
        case .double: "double"
        case .float: "float"
        case .string: "string"
        case .boolean: "bool"
        case .date: "date"
        case .uuid: "UUID"
        case .uri: "URI"
        case .binaryData, .transformable, .undefined, .composite: "binary"
        }
    }
}

extension RelationshipDescription {
    /// The least and the greatest number of objects, 0 for any.
    fileprivate var xmlType: String {
        isToMany ? "\(minCount)/\(maxCount)" : "\(isOptional ? 0 : 1)/1"
    }
}
