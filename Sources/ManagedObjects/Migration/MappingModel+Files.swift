public import Foundation

extension MappingModel {
    /// Reads a mapping model of Xcode's editor: `NAME.xcmappingmodel`, or the `xcmapping.xml` inside.
    ///
    ///     let mapping = try MappingModel(contentsOf: url, from: first, to: second)
    ///     let migration = try Migration(versions: [first, second], mappings: [mapping])
    ///
    /// An attribute comes from where its expression says: a constant, a key path of the source, the functions
    /// for plus, minus, times, divided by, lowercase and uppercase. Without an expression it comes from the
    /// attribute of its name, or is the default. Relationships lead to what became of those before, or of
    /// those at the key path that the mapping names. An entity that the mapping does not name is inferred, so
    /// that none of its objects is lost.
    ///
    /// - Parameters:
    ///   - url: A mapping model of Xcode, as source or compiled.
    ///   - source: The model of the existing store.
    ///   - destination: The model that it is brought to.
    ///   - policies: by class name, with or without the module: a mapping's migration policies are classes of
    ///     Objective-C, for which others have to stand in.
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
    let root: XMLStoreContents.Object

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

    /// The attributes and relationships of each kind of object in the samples. Another one would be a rule
    /// that is ignored.
    private static let known: [String: Set<String>] = [
        "XDDEVMAPPINGMODEL": [
            "destinationmodeldata", "destinationmodelpath", "sourcemodeldata", "sourcemodelpath",
            "entitymappings",
        ],
        "XDDEVENTITYMAPPING": [
            "migrationpolicyclassname", "sourcename", "destinationname", "mappingtypename", "mappingnumber",
            "autogenerateexpression", "name", "mappingmodel", "attributemappings", "relationshipmappings",
        ],
        "XDDEVATTRIBUTEMAPPING": [
            "name", "valueexpressiondata", "autogenerateexpression", "entitymapping",
        ],
        "XDDEVRELATIONSHIPMAPPING": [
            "name", "valueexpressiondata", "autogenerateexpression", "sourcekeypath", "sourcemappingname",
            "entitymapping",
        ],
    ]

    /// Notes what is not known of an object of the file.
    private mutating func check(_ object: XMLStoreContents.Object, _ entity: String, _ property: String?) {
        let known = Self.known[object.type.uppercased()] ?? []
        let attributes = object.attributes.filter { !$0.text.isEmpty }.map(\.name)
        let relationships = object.relationships.filter { !$0.keys.isEmpty }.map(\.name)
        for name in attributes + relationships where !known.contains(name.lowercased()) {
            note(entity, property, "has \(name), which is not supported")
        }
        if let text = object.text("autogenerateexpression"), text != "1", text != "0" {
            note(entity, property, "has autogenerateexpression \(text), which is neither 1 nor 0")
        }
    }

    private mutating func note(_ entity: String, _ property: String?, _ reason: String) {
        problems.append(.init(entity: entity, property: property, reason: reason))
    }

    mutating func mappings() -> [EntityMapping] {
        let found = file.entityMappings.sorted { number($0) < number($1) }
        check(file.root, "the mapping model", nil)
        return found.compactMap { mapping($0) }
    }

    private func number(_ mapping: XMLStoreContents.Object) -> Int {
        mapping.text("mappingnumber").flatMap { Int($0) } ?? 0
    }

    private mutating func mapping(_ object: XMLStoreContents.Object) -> EntityMapping? {
        let before = object.text("sourcename"), after = object.text("destinationname")
        guard let name = after ?? before else { return nil }
        check(object, name, nil)
        switch (object.text("mappingtypename")?.lowercased(), before, after) {
        case (nil, _, _), ("undefined", _, _), ("custom", _, _), ("copy", _?, _?), ("transform", _?, _?),
            ("add", nil, _?), ("remove", _?, nil):
            break
        case (let type?, _, _): note(name, nil, "has the mapping type \(type), which contradicts its names")
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
                guard let property = member.text("name") else {
                    note(after, nil, "has a mapping of a property without a name")
                    continue
                }
                check(member, after, property)
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
        do {
            let data = member.bytes("valueexpressiondata")
            let expression = try data.map { try MappingExpression([UInt8]($0)) }
            guard let slot = entity.slot(of: property), case .attribute(let attribute) = entity.slots[slot]
            else {
                return try relationship(property, member, expression, from: origin, isGenerated: isGenerated)
            }
            guard let expression else {
                let twin = origin.slot(of: property)
                let hasTwin = twin.map { origin.relationship(at: $0) == nil } ?? false
                return isGenerated && hasTwin ? .property(property) : .defaultValue
            }
            if case .path(let names) = expression, names.count == 1 { return .property(names[0]) }
            try expression.check(origin, source)
            return .value(expression.computation(of: attribute, entity))
        } catch {
            note(entity.name, property, "\(error)")
            return nil
        }
    }

    /// A relationship leads where its expression says, or the key path and mapping name that the editor makes
    /// an expression of.
    private func relationship(
        _ property: String, _ member: XMLStoreContents.Object, _ expression: MappingExpression?,
        from origin: EntityDescription, isGenerated: Bool
    ) throws -> PropertyMapping? {
        let path = try member.text("sourcekeypath").map { text throws(ArchiveError) in
            try MappingExpression.names(of: text.hasPrefix("$source.") ? String(text.dropFirst(8)) : text)
        }
        var name = member.text("sourcemappingname")
        var names = path
        if let expression {
            guard let targets = expression.targets else {
                throw ArchiveError("has an expression that is not supported for a relationship")
            }
            if let path, path != targets.path {
                throw ArchiveError("has a key path and an expression, which differ")
            }
            if let known = name, let other = targets.mapping, known != other {
                throw ArchiveError("has a mapping name and an expression, which differ")
            }
            names = targets.path
            name = targets.mapping ?? name
        } else if path != nil, !isGenerated {
            throw ArchiveError("has a key path that the editor made no expression of")
        }
        if names == nil {
            let twin = origin.slot(of: property)
            let hasTwin = twin.map { origin.relationship(at: $0) != nil } ?? false
            if isGenerated && hasTwin { names = [property] }
        }
        guard let names else {
            if let name { throw ArchiveError("has the mapping name \(name), and no key path") }
            return nil
        }
        guard let name else { return .property(names.joined(separator: ".")) }
        let found = file.entityMappings.filter { ($0.text("name") ?? automaticName($0)) == name }
        guard found.count == 1, let before = found[0].text("sourcename"),
            let after = found[0].text("destinationname")
        else { throw ArchiveError("has the mapping name \(name), of which there are \(found.count)") }
        return .targets(names.joined(separator: "."), from: before, to: after)
    }

    /// The name that the editor gives to an entity mapping.
    private func automaticName(_ mapping: XMLStoreContents.Object) -> String {
        "\(mapping.text("sourcename") ?? "")To\(mapping.text("destinationname") ?? "")"
    }
}
