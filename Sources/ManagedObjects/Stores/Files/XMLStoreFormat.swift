public import Foundation

/// A store in the layout of Core Data's XML stores: a `database` of one `databaseInfo` and an `object` each.
///
/// Entities are written in capitals and properties in small letters there, and so they are here; names that
/// differ in nothing else cannot be kept in one store. What XML cannot say, control characters in texts, is
/// written in Base64, which Core Data does not know: see docs/DEVIATIONS.md.
///
/// - Source: four XML documents that Apple's tools wrote (mapping models of CoreStore and CoreDataPlus).
public struct XMLStoreFormat: StoreFormat {
    public var name: String { "XML" }

    public init() {}

    public func document(from data: Data, model: ManagedObjectModel) throws -> StoreDocument {
        let reader = XMLStoreReader(model)
        do { try XMLReader.read(data, to: reader) } catch let error as XMLError {
            if !reader.isDatabase { throw StoreError.notAStore }
            throw StoreError.unreadable("\(error)")
        }
        if !reader.isDatabase { throw StoreError.notAStore }
        return try reader.document()
    }

    public func data(of document: StoreDocument, model: ManagedObjectModel) throws -> Data {
        var lines: [String] = []
        func element(_ indent: Int, _ name: String, _ text: String) {
            lines.append(String(repeating: " ", count: indent) + "<\(name)>\(text)</\(name)>")
        }
        lines.append("<?xml version=\"1.0\" standalone=\"yes\"?>")
        lines.append("<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n")
        lines.append("<database>\n    <databaseInfo>")
        element(8, "version", "134481920")
        element(8, "UUID", Self.escaped(document.identifier))
        element(8, "nextObjectID", "\(document.lastKey + 1)")
        lines.append("        <metadata>")
        var plist = document.metadata.mapValues { PropertyListValue.text($0) }
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
        lines.append(text[start.lowerBound...].trimmingCharacters(in: .newlines))
        lines.append("        </metadata>\n    </databaseInfo>")
        for object in document.objects { lines.append(Self.element(object, model)) }
        lines.append("</database>\n")
        return Data(lines.joined(separator: "\n").utf8)
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
            text.unicodeScalars.allSatisfy(XMLReader.isCharacter)
                ? (escaped(text), false) : (Data(text.utf8).base64EncodedString(), true)
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // A reader would make line feeds of them.
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
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

/// Gathers a document from an XML store's elements.
private final class XMLStoreReader: XMLHandler {
    private let entities: [String: EntityDescription]
    private(set) var isDatabase = false
    private var path: [String] = []
    private var line = 0
    private var text = ""
    private var fields: [String: String] = [:]
    private var plist = ""
    private var entity: EntityDescription?
    private var object: StoreDocument.Object?
    private var objects: [StoreDocument.Object] = []
    private var attribute: (name: String, type: AttributeType, isCoded: Bool)?
    /// By the number of an object: its entity, once all are read.
    private var entityOfKey: [Int64: String] = [:]

    init(_ model: ManagedObjectModel) {
        entities = Dictionary(
            model.entities.map { ($0.name.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
    }

    func document() throws -> StoreDocument {
        let metadata = try StoreMetadata(decoding: Data(plist.utf8))
        guard let identifier = fields["UUID"], let text = fields["nextObjectID"], let next = Int64(text)
        else {
            throw StoreError.notAStore
        }
        _ = try StoredNumber.checked(next, from: 1, "nextObjectID")
        var document = StoreDocument(identifier: identifier, versionHashes: metadata.versionHashes)
        document.hasCompleteHashes = metadata.hasChecksum
        document.metadata = metadata.texts
        document.lastKey = next - 1
        document.objects = try objects.map { object in
            var object = object
            for (name, references) in object.relationships {
                object.relationships[name] = try references.map { reference in
                    guard let entity = entityOfKey[reference.key] else {
                        throw StoreError.unreadable("z\(reference.key) is led to and is not there")
                    }
                    return .init(entity: entity, key: reference.key)
                }
            }
            return object
        }
        return document
    }

    private static func key(_ text: Substring) -> Int64? { text.first == "z" ? Int64(text.dropFirst()) : nil }

    func start(_ name: String, _ attributes: [String: String], line: Int) throws {
        self.line = line
        if path.isEmpty { isDatabase = name == "database" }
        path.append(name)
        if path.contains("plist") {
            plist += name == "plist" ? "<plist version=\"1.0\">" : "<\(name)>"
            return
        }
        text = ""
        switch name {
        case "object":
            let type = attributes["type"] ?? ""
            guard let entity = entities[type.uppercased()] else {
                throw XMLError(line: line, reason: "an object of the entity \(type), which there is not")
            }
            guard let key = attributes["id"].flatMap({ Self.key($0[...]) }) else {
                throw XMLError(line: line, reason: "an object without an id")
            }
            (self.entity, object) = (entity, StoreDocument.Object(.init(entity: entity.name, key: key)))
            if entityOfKey.updateValue(entity.name, forKey: key) != nil {
                throw XMLError(line: line, reason: "z\(key) is there twice")
            }
        case "attribute", "relationship":
            let name = attributes["name"] ?? ""
            let property = entity?.slots.first { $0.name.lowercased() == name.lowercased() }
            switch property {
            case .attribute(let found)? where path.last == "attribute":
                attribute = (found.name, found.type, attributes["encoding"] == "base64")
            case .relationship(let found)? where path.last == "relationship":
                let words = (attributes["idrefs"] ?? "").split(separator: " ")
                let keys = words.compactMap(Self.key)
                if keys.count != words.count {
                    throw XMLError(line: line, reason: "\(name) leads to what is no id")
                }
                object?.relationships[found.name] = keys.map { .init(entity: "", key: $0) }
            default: throw XMLError(line: line, reason: "\(entity?.name ?? "nothing") has no \(name)")
            }
        default: break
        }
    }

    func text(_ string: String) {
        if path.contains("plist") {
            for character in string {
                switch character {
                case "&": plist += "&amp;"
                case "<": plist += "&lt;"
                default: plist.append(character)
                }
            }
        } else {
            text += string
        }
    }

    func end(_ name: String) throws {
        defer { path.removeLast() }
        if path.contains("plist") {
            plist += "</\(name)>"
            return
        }
        switch name {
        case "UUID", "nextObjectID", "version": fields[name] = text
        case "attribute":
            guard let attribute else { return }
            guard let value = Self.value(text, attribute.type, attribute.isCoded) else {
                throw XMLError(line: line, reason: "\(attribute.name) is \(text.prefix(40).debugDescription)")
            }
            object?.attributes[attribute.name] = value
            self.attribute = nil
        case "object":
            if let object { objects.append(object) }
            (object, entity) = (nil, nil)
        default: break
        }
    }

    private static func value(_ text: String, _ type: AttributeType, _ isCoded: Bool) -> StoredValue? {
        switch type {
        case .integer16, .integer32, .integer64, .boolean: return Int64(text).map { .int($0) }
        case .double, .float, .date: return Double(text)?.storedValue
        case .string, .uri:
            if !isCoded { return .text(text) }
            // Not by Foundation, which takes U+FEFF away in front.
            return Data(base64Encoded: text).flatMap { String(validating: $0, as: UTF8.self) }.map {
                .text($0)
            }
        case .decimal: return .text(text)
        case .uuid: return UUID(uuidString: text)?.storedValue
        case .binaryData, .transformable, .undefined, .composite:
            return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { .blob($0) }
        }
    }
}
