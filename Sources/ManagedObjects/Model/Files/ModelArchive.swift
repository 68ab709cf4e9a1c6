import Foundation

/// Archives a model as Core Data keeps it: compiled, and in the `Z_MODELCACHE` of stores.
///
/// - Source: the classes and keys of 370 caches. A property that is inherited is a proxy of its first
///   entity's.
struct ModelArchive {
    private var writer = KeyedArchiveWriter()
    private let model: ManagedObjectModel
    private let entities: [EntityDescription]
    private var root = 0
    /// By entity name.
    private var numbers: [String: Int] = [:]
    /// By entity and property name.
    private var properties: [String: [String: Int]] = [:]
    private var emptyDictionary = KeyedArchiveWriter.Value.reference(0)

    /// The bytes of a keyed archive.
    static func bytes(_ model: ManagedObjectModel) -> [UInt8] {
        var archive = ModelArchive(model)
        return archive.written()
    }

    private init(_ model: ManagedObjectModel) {
        self.model = model
        entities = model.entities.sorted { $0.name < $1.name }
    }

    private mutating func written() -> [UInt8] {
        root = writer.reserve()
        emptyDictionary = writer.add(dictionary: [])
        for entity in entities {
            numbers[entity.name] = writer.reserve()
            for property in entity.declaration.properties {
                properties[entity.name, default: [:]][property.name] = writer.reserve()
            }
        }
        for entity in entities { write(entity) }
        let identifiers = model.versionIdentifiers.map { writer.add($0) }
        var values: [(String, KeyedArchiveWriter.Value)] = [
            ("NSEntities", writer.add(dictionary: entities.map { ($0.name, reference($0.name)) })),
            ("NSFetchRequestTemplates", .reference(0)),
            ("NSVersionIdentifiers", writer.add(list: identifiers, "NSSet")),
        ]
        let configurations = model.configurations.sorted { $0.key < $1.key }
        if !configurations.isEmpty {
            let lists = configurations.map { name, members in
                (key: name, value: writer.add(list: members.map { reference($0) }))
            }
            values.append(("NSConfigurations", writer.add(dictionary: lists)))
        }
        writer.put(values, ["NSManagedObjectModel", "NSObject"], at: root)
        return writer.encoded(root: root)
    }

    private func reference(_ entity: String?) -> KeyedArchiveWriter.Value {
        .reference(entity.flatMap { numbers[$0] } ?? 0)
    }

    private mutating func write(_ entity: EntityDescription) {
        let declaration = entity.declaration
        var list: [(key: String, value: KeyedArchiveWriter.Value)] = [],
            ancestor = model.superentity(of: entity)
        while let current = ancestor {
            for property in current.declaration.properties where !isFetched(property) {
                guard let number = properties[current.name]?[property.name] else { continue }
                list.append(
                    (
                        property.name,
                        writer.add(
                            [
                                ("NSReferenceID", .int(0)), ("NSUnderlyingProperty", .reference(number)),
                                ("NSEntityDescription", reference(entity.name)),
                            ], ["_NSPropertyDescriptionProxy", "NSObject"])
                    ))
            }
            ancestor = model.superentity(of: current)
        }
        for property in declaration.properties where !isFetched(property) {
            guard let number = properties[entity.name]?[property.name] else { continue }
            write(property, of: entity, at: number)
            list.append((property.name, .reference(number)))
        }
        let children = entities.filter { $0.superentityName == entity.name }
        var values: [(String, KeyedArchiveWriter.Value)] = [
            ("NSEntityName", writer.add(entity.name)),
            ("NSClassNameForEntity", writer.add(declaration.className ?? "NSManagedObject")),
            ("NSManagedObjectModel", .reference(root)),
            ("NSSuperentity", reference(entity.superentityName)),
            ("NSSubentities", writer.add(dictionary: children.map { ($0.name, reference($0.name)) })),
            ("NSProperties", writer.add(dictionary: list.sorted { $0.key < $1.key })),
            ("NSRenamingIdentifier", writer.add(declaration.renamingIdentifier ?? entity.name)),
            ("NSVersionHashModifier", writer.add(declaration.versionHashModifier)),
            ("NSUserInfo", userInfo(declaration.userInfo)),
        ]
        if entity.isAbstract { values.append(("NSIsAbstract", .bool(true))) }
        if !entity.uniquenessConstraints.isEmpty {
            let tuples = entity.uniquenessConstraints.map { names in
                writer.add(list: names.map { writer.add($0) })
            }
            values.append(("NSUniqueTuples", writer.add(list: tuples)))
        }
        let indexes = declaration.fetchIndexes.map { index(of: entity, $0) }
        if !indexes.isEmpty { values.append(("NSFetchIndexDescriptions", writer.add(list: indexes))) }
        writer.put(values, ["NSEntityDescription", "NSObject"], at: numbers[entity.name] ?? 0)
    }

    private mutating func index(of entity: EntityDescription, _ index: FetchIndexDescription)
        -> KeyedArchiveWriter.Value
    {
        let elements = index.elements.map { element in
            writer.add(
                [
                    ("NSPropertyName", writer.add(element.property)),
                    ("NSFetchIndexElementType", .int(element.isRTree ? 1 : 0)),
                    ("NSAscending", .bool(!element.isDescending)),
                ], ["NSFetchIndexElementDescription", "NSObject"])
        }
        return writer.add(
            [
                ("NSIndexName", writer.add(index.name)), ("NSPartialIndexPredicate", .reference(0)),
                ("NSIndexElements", writer.add(list: elements)), ("NSEntity", reference(entity.name)),
            ], ["NSFetchIndexDescription", "NSObject"])
    }

    private func isFetched(_ property: PropertyDescription) -> Bool {
        if case .attribute(let attribute) = property { attribute.isFetched } else { false }
    }

    private mutating func userInfo(_ info: [String: String]) -> KeyedArchiveWriter.Value {
        if info.isEmpty { return emptyDictionary }
        return writer.add(
            dictionary: info.sorted { $0.key < $1.key }.map { ($0.key, writer.add($0.value)) })
    }

    private mutating func write(_ property: PropertyDescription, of entity: EntityDescription, at number: Int)
    {
        switch property {
        case .attribute(let attribute): write(attribute, of: entity, at: number)
        case .relationship(let relationship):
            let inverse = relationship.inverseName.flatMap { name in
                home(of: name, in: relationship.destinationName).flatMap { properties[$0]?[name] }
            }
            var values = common(
                relationship.name, renamed: relationship.renamingIdentifier,
                modifier: relationship.versionHashModifier,
                info: relationship.userInfo, entity: entity)
            values += [
                ("_NSDestinationEntityName", writer.add(relationship.destinationName)),
                ("_NSInverseRelationshipName", writer.add(relationship.inverseName)),
                ("NSDestinationEntity", reference(relationship.destinationName)),
                ("NSInverseRelationship", .reference(inverse ?? 0)),
                ("NSDeleteRule", .int(Int64(relationship.deleteRule.rawValue))),
                ("NSMinCount", .int(Int64(relationship.minCount))),
                ("NSMaxCount", .int(Int64(relationship.maxCount))),
                (
                    "_P",
                    .int(flags(isOptional: relationship.isOptional, isTransient: relationship.isTransient))
                ),
            ]
            if relationship.isOptional { values.append(("NSIsOptional", .bool(true))) }
            if relationship.isTransient { values.append(("NSIsTransient", .bool(true))) }
            if relationship.saysOrdered { values.append(("NSIsOrdered", .bool(true))) }
            writer.put(
                values, ["NSRelationshipDescription", "NSPropertyDescription", "NSObject"], at: number)
        }
    }

    /// The entity that declares a property which another one has.
    private func home(of property: String, in entity: String) -> String? {
        var current = model.entity(named: entity)
        while let found = current {
            if properties[found.name]?[property] != nil { return found.name }
            current = model.superentity(of: found)
        }
        return nil
    }

    private mutating func common(
        _ name: String, renamed: String?, modifier: String?, info: [String: String],
        entity: EntityDescription?
    ) -> [(String, KeyedArchiveWriter.Value)] {
        var values: [(String, KeyedArchiveWriter.Value)] = [
            ("NSPropertyName", writer.add(name)), ("NSRenamingIdentifier", writer.add(renamed ?? name)),
            ("NSEntity", reference(entity?.name)),
        ]
        if let modifier { values.append(("NSVersionHashModifier", writer.add(modifier))) }
        if !info.isEmpty { values.append(("NSUserInfo", userInfo(info))) }
        return values
    }

    /// - Source: the values of `_P` in published caches, beside the keys that say the same.
    private func flags(isOptional: Bool, isTransient: Bool, isReadOnly: Bool = false) -> Int64 {
        241 + (isOptional ? 2 : 0) + (isReadOnly ? 4 : 0) + (isTransient ? 8 : 0)
    }

    private mutating func write(
        _ attribute: AttributeDescription, of entity: EntityDescription?, at number: Int
    ) {
        let isDerived = attribute.derivationExpression != nil, options = attribute.options
        var values = common(
            attribute.name, renamed: attribute.renamingIdentifier, modifier: attribute.versionHashModifier,
            info: attribute.userInfo,
            entity: entity)
        let marks =
            (options.contains(.externalStorage) ? 4 : 0)
            + (options.contains(.preservedAfterDeletion) ? 16 : 0)
        values += [
            ("NSAttributeType", .int(Int64(attribute.type.rawValue))), ("NSFlagsKey", .int(Int64(marks))),
            ("NSDefaultValue", defaultValue(attribute)),
            ("NSValueTransformerName", writer.add(attribute.valueTransformerName)),
            (
                "NSAttributeValueClassName",
                writer.add(attribute.valueClassName ?? attribute.type.valueClassName)
            ),
            (
                "_P",
                .int(
                    flags(
                        isOptional: attribute.isOptional, isTransient: attribute.isTransient,
                        isReadOnly: isDerived))
            ),
        ]
        if attribute.isOptional { values.append(("NSIsOptional", .bool(true))) }
        if attribute.isTransient { values.append(("NSIsTransient", .bool(true))) }
        if options.contains(.indexed) { values.append(("NSIsIndexed", .bool(true))) }
        if isDerived { values.append(("NSIsReadOnly", .bool(true))) }
        var name = "NSAttributeDescription"
        if let expression = attribute.derivationExpression {
            name = "NSDerivedAttributeDescription"
            values.append(("NSDerivationExpression", self.expression(expression)))
            values.append(("NSFilteringPredicate", .reference(0)))
        }
        if attribute.type == .composite {
            name = "NSCompositeAttributeDescription"
            let elements = attribute.elements.map { element in
                let number = writer.reserve()
                write(element, of: nil, at: number)
                return KeyedArchiveWriter.Value.reference(number)
            }
            values.append(("NSCompositeElements", writer.add(list: elements)))
        }
        let parents = ["NSAttributeDescription", "NSPropertyDescription", "NSObject"]
        writer.put(values, name == parents[0] ? parents : [name] + parents, at: number)
    }

    private mutating func defaultValue(_ attribute: AttributeDescription) -> KeyedArchiveWriter.Value {
        switch (attribute.type, attribute.defaultValue) {
        case (.boolean, .int(let value)): .bool(value != 0)
        case (.date, .double(let seconds)): writer.add([("NS.time", .real(seconds))], ["NSDate", "NSObject"])
        case (.date, .int(let seconds)):
            writer.add([("NS.time", .real(Double(seconds)))], ["NSDate", "NSObject"])
        case (.uuid, .blob(let data)): writer.add([("NS.uuidbytes", .data(data))], ["NSUUID", "NSObject"])
        case (.uri, .text(let text)):
            writer.add(
                [("NS.base", .reference(0)), ("NS.relative", writer.add(text))], ["NSURL", "NSObject"])
        case (.decimal, .blob): .real(Double(attribute.defaultValue.decimalText ?? "") ?? 0)
        case (_, .int(let value)): .int(value)
        case (_, .double(let value)): .real(value)
        case (.string, .text(let text)): writer.add(text)
        case (.binaryData, .blob(let data)): .data(data)
        default: .reference(0)
        }
    }

    // MARK: Expressions

    /// A derivation expression as an `NSExpression`.
    private mutating func expression(_ text: String) -> KeyedArchiveWriter.Value {
        switch Derivation(text)?.source {
        case .count(let name)?: function("count:", [path([name])])
        case .sum(let name, let attribute)?: function("sum:", [path([name, attribute])])
        case .now?: function("now", [])
        case .path(let names, let function?)?: self.function("\(function.rawValue):", [path(names)])
        case .path(let names, nil)?: path(names)
        case nil: path([text])
        }
    }

    private mutating func path(_ names: [String]) -> KeyedArchiveWriter.Value {
        let specifier = writer.add(
            [("NSExpressionType", .int(10)), ("NSKeyPath", writer.add(names.joined(separator: ".")))],
            ["NSKeyPathSpecifierExpression", "NSExpression", "NSObject"])
        let object = writer.add(
            [("NSExpressionType", .int(1))], ["NSSelfExpression", "NSExpression", "NSObject"])
        return writer.add(
            [
                ("NSExpressionType", .int(3)), ("NSOperand", object),
                ("NSSelectorName", writer.add(names.count > 1 ? "valueForKeyPath:" : "valueForKey:")),
                ("NSArguments", writer.add(list: [specifier])),
            ], ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"])
    }

    private mutating func function(_ name: String, _ arguments: [KeyedArchiveWriter.Value])
        -> KeyedArchiveWriter.Value
    {
        let utilities = writer.add(
            [
                ("NSExpressionType", .int(0)),
                ("NSConstantValueClassName", writer.add("_NSPredicateUtilities")),
            ], ["NSConstantValueExpression", "NSExpression", "NSObject"])
        return writer.add(
            [
                ("NSExpressionType", .int(4)), ("NSOperand", utilities), ("NSSelectorName", writer.add(name)),
                ("NSArguments", writer.add(list: arguments)),
            ], ["NSFunctionExpression", "NSExpression", "NSObject"])
    }
}

extension AttributeType {
    /// The class of an attribute's values, as Core Data says it of one that says nothing.
    fileprivate var valueClassName: String? {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binaryData: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .composite: "NSDictionary"
        case .transformable, .undefined: nil
        }
    }
}
