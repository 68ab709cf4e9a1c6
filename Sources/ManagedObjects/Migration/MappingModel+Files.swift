public import Foundation

extension MappingModel {
    /// Reads a mapping model of Xcode's editor: `NAME.xcmappingmodel`, or the `xcmapping.xml` inside.
    ///
    ///     let mapping = try MappingModel(contentsOf: url, from: first, to: second)
    ///     let migration = try Migration(versions: [first, second], mappings: [mapping])
    ///
    /// An attribute comes from where its expression says: a constant, a key path of the source, the functions
    /// for plus, minus, times, divided by, lowercase and uppercase. Without an expression it comes from the
    /// attribute of its name, or is the default. Relationships lead to what became of those before. An entity
    /// that the mapping does not name is inferred, so that none of its objects is lost.
    ///
    /// - Parameter source: the old object, or the source of the import.
    /// - Parameter destination: the new model, or the entity of the targets.
    /// - Parameter url: the file.
    /// - Parameter policies: by class name, with or without the module: a mapping's migration policies are
    ///   classes of Objective-C, for which others have to stand in.
    /// - Throws: ``MigrationError/mapping(_:)`` with everything that cannot be mapped, a policy that was not
    ///   given among it; ``StoreError`` for a file that is no mapping model.
    /// - Source: the mapping models of CoreStore and CoreDataPlus.
    public init(
        contentsOf url: URL, from source: ManagedObjectModel, to destination: ManagedObjectModel,
        policies: [String: any EntityMigrationPolicy] = [:]
    ) throws {
        var reader = MappingModelReader(
            try MappingModelFile(url), from: source, to: destination, policies: policies)
        let mappings = reader.mappings()
        if !reader.problems.isEmpty { throw MigrationError.mapping(reader.problems) }
        try self.init(from: source, to: destination, entities: mappings)
    }
}

/// The objects of a mapping model: an XML store of `XDDevMappingModel` and what belongs to it.
private struct MappingModelFile {
    private let objects: [Int64: XMLStoreContents.Object]
    private let root: XMLStoreContents.Object

    init(_ url: URL) throws {
        var url = url.storeLocation
        var isFolder: ObjCBool = false
        if unsafe FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue
        {
            url.append(path: "xcmapping.xml")
        }
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw StoreError.file(url.lastPathComponent, errno: ENOENT)
        }
        let contents = try XMLStoreContents(StoreFile(url, XMLStoreFormat()).data())
        guard let root = contents.objects.first(where: { $0.type.uppercased() == "XDDEVMAPPINGMODEL" }) else {
            throw StoreError.unreadable("\(url.lastPathComponent): an XML store, and no mapping model")
        }
        objects = Dictionary(contents.objects.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        self.root = root
    }

    var entityMappings: [XMLStoreContents.Object] { members("entitymappings", of: root) }

    func members(_ name: String, of object: XMLStoreContents.Object) -> [XMLStoreContents.Object] {
        let keys = object.relationships.first { $0.name == name }?.keys ?? []
        return keys.compactMap { objects[$0] }
    }
}

extension XMLStoreContents.Object {
    fileprivate func text(_ name: String) -> String? {
        attributes.first { $0.name == name }.flatMap { $0.text.isEmpty ? nil : $0.text }
    }

    fileprivate func bytes(_ name: String) -> Data? {
        text(name).flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
    }
}

/// Makes mappings of the file's objects, and collects what cannot be mapped.
private struct MappingModelReader {
    private let file: MappingModelFile
    private let source: ManagedObjectModel
    private let destination: ManagedObjectModel
    private let policies: [String: any EntityMigrationPolicy]
    private(set) var problems: [MigrationError.Problem] = []

    init(
        _ file: MappingModelFile, from source: ManagedObjectModel, to destination: ManagedObjectModel,
        policies: [String: any EntityMigrationPolicy]
    ) {
        (self.file, self.source, self.destination, self.policies) = (file, source, destination, policies)
    }

    /// The attributes of entity mappings in the samples. Another attribute would be a rule that is ignored.
    private static let known: Set<String> = [
        "migrationpolicyclassname", "sourcename", "destinationname", "mappingtypename", "mappingnumber",
        "autogenerateexpression", "name",
    ]

    private mutating func note(_ entity: String, _ property: String?, _ reason: String) {
        problems.append(.init(entity: entity, property: property, reason: reason))
    }

    mutating func mappings() -> [EntityMapping] {
        let found = file.entityMappings.sorted { number($0) < number($1) }
        return found.compactMap { mapping($0) }
    }

    private func number(_ mapping: XMLStoreContents.Object) -> Int {
        mapping.text("mappingnumber").flatMap { Int($0) } ?? 0
    }

    private mutating func mapping(_ object: XMLStoreContents.Object) -> EntityMapping? {
        let before = object.text("sourcename"), after = object.text("destinationname")
        guard let name = after ?? before else { return nil }
        for attribute in object.attributes
        where !Self.known.contains(attribute.name) && !attribute.text.isEmpty {
            note(name, nil, "has \(attribute.name), which is not supported")
        }
        // An entity that is new has no objects to come from; one that is gone keeps none.
        guard let before else { return nil }
        guard let after, let entity = destination.entity(named: after) else {
            if let after { note(after, nil, "is not in the version after") }
            return EntityMapping(from: before, to: nil)
        }
        guard let origin = source.entity(named: before) else {
            note(before, nil, "is not in the version before")
            return nil
        }
        var properties: [String: PropertyMapping] = [:]
        // Attributes that the mapping does not name get their default.
        for case .attribute(let attribute) in entity.slots where !attribute.isTransient {
            properties[attribute.name] = .defaultValue
        }
        let isGenerated = object.text("autogenerateexpression") == "1"
        for list in ["attributemappings", "relationshipmappings"] {
            for member in file.members(list, of: object) {
                guard let property = member.text("name") else { continue }
                if entity.slot(of: property) == nil {
                    note(after, property, "is not in the version after")
                    continue
                }
                let generates = isGenerated || member.text("autogenerateexpression") == "1"
                if let found = value(of: property, member, entity, from: origin, isGenerated: generates) {
                    properties[property] = found
                }
            }
        }
        var policy: (any EntityMigrationPolicy)?
        if let className = object.text("migrationpolicyclassname") {
            policy = policies[className] ?? policies[String(className.split(separator: ".").last ?? "")]
            if policy == nil {
                note(
                    after, nil, "wants the policy \(className), a class of Objective-C: give one of its name")
            }
        }
        return EntityMapping(from: before, to: after, properties: properties, policy: policy)
    }

    private mutating func value(
        of property: String, _ member: XMLStoreContents.Object, _ entity: EntityDescription,
        from origin: EntityDescription, isGenerated: Bool
    ) -> PropertyMapping? {
        let isRelationship = entity.slot(of: property).flatMap { entity.relationship(at: $0) } != nil
        guard let data = member.bytes("valueexpressiondata") else {
            let hasTwin =
                origin.slot(of: property).map { (origin.relationship(at: $0) != nil) == isRelationship }
                ?? false
            return isGenerated && hasTwin ? .property(property) : isRelationship ? nil : .defaultValue
        }
        do {
            let expression = try MappingExpression([UInt8](data))
            if isRelationship {
                guard let name = expression.relationship else {
                    note(entity.name, property, "has an expression that is not supported for a relationship")
                    return nil
                }
                return .property(name)
            }
            if case .path(let names) = expression, names.count == 1 { return .property(names[0]) }
            try expression.check(origin, source)
            let name = entity.name, type = entity.attribute(property)?.type ?? .undefined
            return .value { source in
                let value = try expression.value(of: source)
                if let fitting = value.fitting(type) { return Computed(storedValue: fitting) }
                throw MigrationError.mapping([
                    .init(entity: name, property: property, reason: "gets \(value), which is no \(type)")
                ])
            }
        } catch {
            note(entity.name, property, "\(error)")
            return nil
        }
    }

    private struct Computed: PredicateValue {
        let storedValue: StoredValue
    }
}

extension EntityDescription {
    fileprivate func attribute(_ name: String) -> AttributeDescription? {
        if let slot = slot(of: name), case .attribute(let attribute) = slots[slot] { attribute } else { nil }
    }
}

extension StoredValue {
    /// The value as an attribute of a type takes it: numbers become the attribute's kind of number, a
    /// fraction loses its places. Nil for another kind of value.
    fileprivate func fitting(_ type: AttributeType) -> StoredValue? {
        switch (type, self) {
        case (_, .null): return .null
        case (.integer16, .int(let value)): return Int16(exactly: value) == nil ? nil : self
        case (.integer32, .int(let value)): return Int32(exactly: value) == nil ? nil : self
        case (.integer16, .double(let value)), (.integer32, .double(let value)),
            (.integer64, .double(let value)):
            return Int64(exactly: value.rounded(.towardZero)).flatMap { StoredValue.int($0).fitting(type) }
        case (.boolean, .int(let value)): return .int(value == 0 ? 0 : 1)
        case (.double, .int(let value)), (.float, .int(let value)): return Double(value).storedValue
        case (.decimal, .int(let value)): return Decimal(value).storedValue
        case (.decimal, .double(let value)): return Decimal(nearest: value)?.storedValue
        case (.decimal, .blob(let key)): return DecimalKey.decimal(key)?.storedValue
        case (.decimal, .text(let text)): return Decimal(string: text, locale: nil)?.storedValue
        case (.double, .blob(let key)), (.float, .blob(let key)):
            return DecimalKey.decimal(key).flatMap { Double("\($0)")?.storedValue }
        case (.integer64, .int), (.double, .double), (.float, .double), (.date, .double), (.string, .text),
            (.uri, .text), (.uuid, .blob), (.binaryData, .blob), (.transformable, .blob),
            (.undefined, _), (.composite, _):
            return self
        default: return nil
        }
    }
}
