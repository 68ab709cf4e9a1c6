import Foundation
import Glibc

/// An XML store as it stands, read without a model: what Core Data wrote, and the mapping models of Xcode's
/// editor, which are XML stores themselves.
///
/// Names of entities are in capitals there and those of properties in small letters; the version hashes
/// beside them have the entities' own names.
struct XMLStoreContents: Sendable {
    struct Object {
        let type: String
        let key: Int64
        let line: Int
        /// In the order of the file.
        var attributes: [AttributeElement] = []
        var relationships: [RelationshipElement] = []
    }

    struct AttributeElement {
        let name: String
        let type: String
        let isCoded: Bool
        let line: Int
        var text = ""
    }

    struct RelationshipElement {
        let name: String
        let destination: String
        let isToMany: Bool
        let keys: [Int64]
        let line: Int
    }

    let objects: [Object]
    let metadata: StoreMetadata
    let identifier: String
    private let nextKey: String?

    /// - Throws: ``StoreError/notAStore`` for XML that is no store, ``StoreError/unreadable(_:)``.
    init(_ data: Data) throws {
        let reader = XMLContentsReader()
        do { try XMLReader.read(data, to: reader) } catch let error as XMLError {
            if !reader.isDatabase { throw StoreError.notAStore }
            throw StoreError.unreadable("\(error)")
        } catch let error as PropertyListError {
            throw StoreError.unreadable("its metadata: \(error)")
        }
        guard reader.isDatabase, let identifier = reader.identifier else { throw StoreError.notAStore }
        (objects, self.identifier, nextKey) = (reader.objects, identifier, reader.nextKey)
        guard let plist = reader.plist.value else { throw StoreError.notAStore }
        metadata = try StoreMetadata(plist)
    }

    /// Metadata that programs keep in the store.
    var programMetadata: [String: PropertyListValue] { metadata.programValues.mapValues(XMLStoreFormat.read) }

    /// The objects as those of a model.
    ///
    /// - Throws: ``StoreError/unreadable(_:)`` with the line, for what the model does not have.
    func document(_ model: ManagedObjectModel) throws -> StoreDocument {
        guard let next = nextKey.flatMap({ Int64($0) }) else { throw StoreError.notAStore }
        _ = try StoredNumber.checked(next, from: 0, "nextObjectID")
        var document = StoreDocument(identifier: identifier, versionHashes: metadata.versionHashes)
        document.hasCompleteHashes = metadata.hasChecksum
        document.allMetadata = programMetadata
        // The last one given, in all files that Apple's tools wrote.
        document.lastKey = next
        let entities = Dictionary(
            model.entities.map { ($0.name.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
        // By the entity's index, and by the name in small letters.
        var properties: [Int: [String: PropertyDescription]] = [:]
        var entityOfKey: [Int64: EntityDescription] = [:]
        for object in objects {
            guard let entity = entities[object.type.uppercased()] else {
                throw unreadable(object.line, "an object of the entity \(object.type), which there is not")
            }
            entityOfKey[object.key] = entity
        }
        document.objects = try objects.map { object in
            guard let entity = entityOfKey[object.key] else { throw StoreError.notAStore }
            let known =
                properties[entity.index]
                ?? Dictionary(
                    entity.slots.map { ($0.name.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
            properties[entity.index] = known
            return try self.object(object, entity, entityOfKey, known)
        }
        return document
    }

    private func object(
        _ found: Object, _ entity: EntityDescription, _ entities: [Int64: EntityDescription],
        _ properties: [String: PropertyDescription]
    ) throws -> StoreDocument.Object {
        var object = StoreDocument.Object(.init(entity: entity.name, key: found.key))
        func property(_ name: String, _ line: Int) throws -> PropertyDescription {
            guard let property = properties[name.lowercased()] else {
                throw unreadable(line, "\(entity.name) has no \(name)")
            }
            return property
        }
        for value in found.attributes {
            guard case .attribute(let attribute) = try property(value.name, value.line) else {
                throw unreadable(value.line, "\(entity.name) has no attribute \(value.name)")
            }
            guard let stored = StoredValue(xml: value, attribute.type) else {
                throw unreadable(
                    value.line, "\(attribute.name) is \(value.text.prefix(40).debugDescription)")
            }
            object.attributes[attribute.name] = stored
        }
        for value in found.relationships {
            guard case .relationship(let relationship) = try property(value.name, value.line) else {
                throw unreadable(value.line, "\(entity.name) has no relationship \(value.name)")
            }
            object.relationships[relationship.name] = try value.keys.map { key in
                guard let target = entities[key] else {
                    throw StoreError.unreadable("z\(key) is led to and is not there")
                }
                return .init(entity: target.name, key: key)
            }
        }
        return object
    }

    private func unreadable(_ line: Int, _ reason: String) -> StoreError {
        .unreadable("\(XMLError(line: line, reason: reason))")
    }

    /// Whether a file begins as XML does: a SQLite or binary store does not.
    ///
    /// A SQLite store is never opened here: closing it would give up the locks that this process has on it.
    static func isXML(_ url: URL) -> Bool {
        var status = stat()
        guard unsafe stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            !isSQLite(url)
        else { return false }
        guard let file = try? FileHandle(forReadingFrom: url) else { return false }
        defer { try? file.close() }
        let head = (try? file.read(upToCount: 256)) ?? Data()
        let text = String(decoding: head, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        return text.hasPrefix("<?xml") || text.hasPrefix("<!DOCTYPE database") || text.hasPrefix("<database")
    }

    /// The entities that the objects tell of. All attributes are optional. An entity inherits from the one
    /// that a relationship leads to where its objects are among those that it leads to.
    func entities() throws -> [EntityDeclaration] {
        var names: [String: String] = [:]
        for name in metadata.versionHashes.keys.sorted() { names[name.uppercased()] = name }
        var outlines: [String: Outline] = [:]
        for name in names.values { outlines[name] = Outline() }
        var typeOfKey: [Int64: String] = [:]
        func name(_ type: String) -> String { names[type.uppercased()] ?? type }
        for object in objects {
            let entity = name(object.type)
            typeOfKey[object.key] = entity
            var outline = outlines.removeValue(forKey: entity) ?? Outline()
            outline.add(object, destination: name)
            outlines[entity] = outline
        }
        var parents: [String: String] = [:]
        for (entity, outline) in outlines.sorted(by: { $0.key < $1.key }) {
            for (property, relationship) in outline.relationships.sorted(by: { $0.key < $1.key }) {
                if outlines[relationship.destination] == nil {
                    outlines[relationship.destination] = Outline()
                }
                for key in Set(relationship.pairs.map(\.member)) {
                    guard let type = typeOfKey[key] else {
                        throw StoreError.unreadable(
                            "\(entity).\(property) leads to z\(key), which is not there")
                    }
                    if type != relationship.destination, parents[type] == nil,
                        try !Self.inherits(relationship.destination, type, parents)
                    {
                        parents[type] = relationship.destination
                    }
                }
            }
        }
        let ways = Self.ways(outlines)
        return outlines.keys.sorted().map { declaration($0, outlines, parents, ways) }
    }

    /// - Throws: ``StoreError/unreadable(_:)`` for a line of entities that is longer than any model's.
    private static func inherits(_ entity: String, _ ancestor: String, _ parents: [String: String]) throws
        -> Bool
    {
        var current: String? = entity
        for _ in 0..<64 {
            guard let name = current else { return false }
            if name == ancestor { return true }
            current = parents[name]
        }
        throw StoreError.unreadable("\(entity) would inherit from more than 64 entities")
    }

    private func declaration(
        _ entity: String, _ outlines: [String: Outline], _ parents: [String: String], _ ways: [Way: [String]]
    ) -> EntityDeclaration {
        guard let outline = outlines[entity] else { return EntityDeclaration(entity, properties: []) }
        var inherited: Set<String> = [], ancestor = parents[entity]
        while let name = ancestor {
            inherited.formUnion(outlines[name]?.names ?? [])
            ancestor = parents[name]
        }
        var properties: [PropertyDescription] = []
        for (name, type) in outline.attributes.sorted(by: { $0.key < $1.key }) where !inherited.contains(name)
        {
            properties.append(.attribute(AttributeDescription(name, type, isOptional: true)))
        }
        for (name, found) in outline.relationships.sorted(by: { $0.key < $1.key })
        where !inherited.contains(name) {
            properties.append(
                .relationship(
                    RelationshipDescription(
                        name, to: found.destination, isToMany: found.isToMany, isOptional: true,
                        inverse: inverse(of: name, found, entity, ways), maxCount: 0)))
        }
        return EntityDeclaration(entity, properties: properties, inheritingFrom: parents[entity])
    }

    /// The one relationship that leads back along the same pairs; nil where none or several do.
    private func inverse(
        of name: String, _ found: Outline.RelationshipElement, _ entity: String, _ ways: [Way: [String]]
    ) -> String? {
        if found.pairs.isEmpty { return nil }
        let back = Set(found.pairs.map { Outline.Pair(owner: $0.member, member: $0.owner) })
        let names = ways[Way(from: found.destination, to: entity, pairs: back)] ?? []
        let own = ways[Way(from: entity, to: found.destination, pairs: found.pairs)]
        return names.count == 1 && own == [name] ? names[0] : nil
    }

    /// What a relationship joins.
    private struct Way: Hashable {
        let from: String, to: String
        let pairs: Set<Outline.Pair>
    }

    private static func ways(_ outlines: [String: Outline]) -> [Way: [String]] {
        var ways: [Way: [String]] = [:]
        for (entity, outline) in outlines {
            for (name, relationship) in outline.relationships {
                let way = Way(from: entity, to: relationship.destination, pairs: relationship.pairs)
                ways[way, default: []].append(name)
            }
        }
        return ways
    }
}

/// The properties that the objects of an entity have.
private struct Outline {
    struct Pair: Hashable { let owner: Int64, member: Int64 }

    struct RelationshipElement {
        let destination: String
        var isToMany: Bool
        var pairs: Set<Pair> = []
    }

    private(set) var attributes: [String: AttributeType] = [:]
    private(set) var relationships: [String: RelationshipElement] = [:]

    var names: Set<String> { Set(attributes.keys).union(relationships.keys) }

    mutating func add(_ object: XMLStoreContents.Object, destination: (String) -> String) {
        for value in object.attributes {
            let type = AttributeType(xmlName: value.type)
            if let known = attributes[value.name], known != type {
                attributes[value.name] = known.isNumber && type.isNumber ? .double : .string
            } else {
                attributes[value.name] = type
            }
        }
        for value in object.relationships {
            var relationship =
                relationships.removeValue(forKey: value.name)
                ?? RelationshipElement(destination: destination(value.destination), isToMany: value.isToMany)
            relationship.isToMany = relationship.isToMany || value.isToMany || value.keys.count > 1
            for key in value.keys { relationship.pairs.insert(Pair(owner: object.key, member: key)) }
            relationships[value.name] = relationship
        }
    }
}

extension AttributeType {
    /// The type that an XML store calls by a name; text for one that is not known.
    fileprivate init(xmlName: String) {
        self =
            switch xmlName {
            case "int16": .integer16
            case "int32": .integer32
            case "int64": .integer64
            case "decimal": .decimal
            case "double": .double
            case "float": .float
            case "bool": .boolean
            case "date": .date
            case "UUID": .uuid
            case "URI": .uri
            case "binary": .binaryData
            default: .string
            }
    }

    fileprivate var isNumber: Bool {
        [.integer16, .integer32, .integer64, .double, .float].contains(self)
    }
}

/// Gathers the elements of an XML store.
private final class XMLContentsReader: XMLHandler {
    private(set) var isDatabase = false
    private(set) var objects: [XMLStoreContents.Object] = []
    private(set) var identifier: String?
    let plist = XMLPropertyListReader()
    private var path: [String] = []
    private var text = ""
    private var object: XMLStoreContents.Object?
    private var attribute: XMLStoreContents.AttributeElement?
    private(set) var nextKey: String?
    private var keys: Set<Int64> = []

    func start(_ name: String, _ attributes: [String: String], line: Int) throws {
        if path.isEmpty { isDatabase = name == "database" }
        path.append(name)
        if path.contains("plist") {
            return try plist.start(name, attributes, line: line)
        }
        text = ""
        switch name {
        case "object":
            guard let type = attributes["type"], let key = Self.key(attributes["id"] ?? "") else {
                throw XMLError(line: line, reason: "an object without a type or an id")
            }
            if !keys.insert(key).inserted { throw XMLError(line: line, reason: "z\(key) is there twice") }
            object = XMLStoreContents.Object(type: type, key: key, line: line)
        case "attribute":
            attribute = XMLStoreContents.AttributeElement(
                name: attributes["name"] ?? "", type: attributes["type"] ?? "",
                isCoded: attributes["encoding"] == "base64", line: line)
        case "relationship":
            let name = attributes["name"] ?? ""
            let words = (attributes["idrefs"] ?? "").split(separator: " "), keys = words.compactMap(Self.key)
            if keys.count != words.count {
                throw XMLError(line: line, reason: "\(name) leads to what is no id")
            }
            object?.relationships.append(
                XMLStoreContents.RelationshipElement(
                    name: name, destination: attributes["destination"] ?? "",
                    isToMany: !(attributes["type"] ?? "").hasSuffix("/1"), keys: keys, line: line))
        default: break
        }
    }

    private static func key(_ text: some StringProtocol) -> Int64? {
        text.first == "z" ? Int64(text.dropFirst()) : nil
    }

    func text(_ string: String) {
        if path.contains("plist") {
            plist.text(string)
        } else {
            text += string
        }
    }

    func end(_ name: String) throws {
        defer { path.removeLast() }
        if path.contains("plist") {
            return try plist.end(name)
        }
        switch name {
        case "UUID": identifier = text
        case "nextObjectID": nextKey = text
        case "attribute":
            if var attribute {
                attribute.text = text
                object?.attributes.append(attribute)
            }
            attribute = nil
        case "object":
            if let object { objects.append(object) }
            object = nil
        default: break
        }
    }
}

extension StoredValue {
    /// The value of an attribute in an XML store; nil for a text that is none of this type.
    fileprivate init?(xml attribute: XMLStoreContents.AttributeElement, _ type: AttributeType) {
        let text = attribute.text, found: StoredValue?
        switch type {
        case .integer16, .integer32, .integer64, .boolean: found = Int64(text).map { .int($0) }
        case .double, .float, .date: found = Double(text)?.storedValue
        case .string, .uri:
            // Not by Foundation, which takes U+FEFF away in front.
            found =
                attribute.isCoded
                ? Data(base64Encoded: text).flatMap { String(validating: $0, as: UTF8.self) }.map {
                    .text($0)
                }
                : .text(text)
        case .decimal: found = .text(text)
        case .uuid: found = UUID(uuidString: text)?.storedValue
        case .binaryData, .transformable, .undefined, .composite:
            found = Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { .blob($0) }
        }
        guard let found else { return nil }
        self = found
    }
}
