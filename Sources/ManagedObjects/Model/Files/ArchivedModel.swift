import Foundation

/// Reads a model that Core Data archived: a compiled `.mom`, or the `Z_MODELCACHE` of a store.
///
/// - Source: 370 caches and 22 compiled models of public repositories.
struct ArchivedModel {
    private(set) var entities: [EntityDeclaration] = []
    private(set) var configurations: [String: [String]] = [:]
    private(set) var versionIdentifiers: [String] = []
    /// More than a store numbers.
    private static let mostEntities = StoredNumber.greatestEntity

    /// - Parameter bytes: of a keyed archive.
    /// - Throws: ``ArchiveError``.
    init(_ bytes: [UInt8]) throws(ArchiveError) {
        guard let root = try KeyedArchive(bytes).root, let list = root["NSEntities"],
            root.isKind(of: "NSManagedObjectModel")
        else { throw ArchiveError("an archive of something else than a model") }
        let found = list.named.filter { $0.value["NSProperties"] != nil || $0.value["NSEntityName"] != nil }
        if found.isEmpty && !list.named.isEmpty { throw ArchiveError("a model without entities") }
        if found.count > Self.mostEntities { throw ArchiveError("a model of \(found.count) entities") }
        var left = Self.mostParts
        for (_, entity) in found {
            for (_, property) in entity["NSProperties"]?.named ?? [] {
                try Self.countParts(of: property, depth: 0, &left)
            }
        }
        // By name: all properties, those that are inherited too.
        var properties: [String: Set<String>] = [:]
        for (name, entity) in found {
            properties[name] = Set((entity["NSProperties"]?.named ?? []).map(\.name))
        }
        for (name, entity) in found.sorted(by: { $0.name < $1.name }) {
            let parent = entity["NSSuperentity"]?["NSEntityName"]?.text
            let inherited = parent.flatMap { properties[$0] } ?? []
            entities.append(Self.entity(entity, name: name, parent: parent, inherited: inherited))
        }
        versionIdentifiers = (root["NSVersionIdentifiers"]?.elements ?? []).compactMap(\.text).sorted()
        for (name, members) in root["NSConfigurations"]?.named ?? [] {
            let names = (members.elements ?? []).compactMap { $0.text ?? $0["NSEntityName"]?.text }
            if !names.isEmpty && name != "PF_DEFAULT_CONFIGURATION_NAME" {
                configurations[name] = names.sorted()
            }
        }
    }

    /// Properties, elements of composites and arguments of expressions, each as often as it is referred to.
    private static let mostParts = 100_000

    /// A short archive may refer to one part many times over, on each of several levels.
    private static func countParts(of value: ArchivedValue, depth: Int, _ left: inout Int)
        throws(ArchiveError)
    {
        left -= 1
        if left < 0 { throw ArchiveError("a model of more than \(mostParts) properties and parts of them") }
        if depth > 16 { return }
        if let expression = value["NSDerivationExpression"] {
            try countParts(of: expression, depth: 0, &left)
        }
        for key in ["NSCompositeElements", "NSArguments"] {
            for part in value[key]?.elements ?? [] { try countParts(of: part, depth: depth + 1, &left) }
        }
    }

    private static func entity(
        _ entity: ArchivedValue, name: String, parent: String?, inherited: Set<String>
    ) -> EntityDeclaration {
        var properties: [PropertyDescription] = [], rest: [String] = []
        let isOlder = !hasFetchIndexes(entity)
        let named = (entity["NSProperties"]?.named ?? []).sorted { $0.name < $1.name }
        for (name, property) in named
        where !inherited.contains(name) && !property.isKind(of: "_NSPropertyDescriptionProxy") {
            if property.isKind(of: "NSRelationshipDescription") {
                properties.append(.relationship(relationship(property, name)))
            } else if property.isKind(of: "NSAttributeDescription") {
                properties.append(.attribute(attribute(property, name, isIndexed: isOlder, depth: 0)))
            } else {
                rest.append(name)
            }
        }
        let constraints = (entity["NSUniqueTuples"]?.elements ?? []).map { tuple in
            (tuple.elements ?? []).compactMap { $0.text ?? $0["NSPropertyName"]?.text }
        }
        var declaration = EntityDeclaration(
            name, properties: properties, inheritingFrom: parent,
            isAbstract: entity["NSIsAbstract"]?.int == 1,
            uniquenessConstraints: constraints.filter { !$0.isEmpty })
        declaration.className = entity["NSClassNameForEntity"]?.text
        declaration.renamingIdentifier = renamed(entity, name)
        declaration.userInfo = userInfo(entity)
        declaration.versionHashModifier = modifier(entity)
        declaration.unmodeledNames = rest
        declaration.fetchIndexes = indexes(entity)
        return declaration
    }

    private static func modifier(_ value: ArchivedValue) -> String? {
        value["NSVersionHashModifier"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Core Data says a property's own name where it was not renamed.
    private static func renamed(_ value: ArchivedValue, _ name: String) -> String? {
        value["NSRenamingIdentifier"]?.text.flatMap { $0 == name || $0.isEmpty ? nil : $0 }
    }

    private static func userInfo(_ value: ArchivedValue) -> [String: String] {
        let entries = (value["NSUserInfo"]?.named ?? []).compactMap { name, value -> (String, String)? in
            if let text = value.text { return (name, text) }
            if value.isBool { return (name, value.int == 1 ? "true" : "false") }
            return value.int.map { (name, "\($0)") } ?? value.double.map { (name, "\($0)") }
        }
        return Dictionary(entries, uniquingKeysWith: { _, last in last })
    }

    private static func indexes(_ entity: ArchivedValue) -> [FetchIndexDescription] {
        let named = (entity["NSFetchIndexDescriptions"]?.elements ?? []).compactMap {
            index -> FetchIndexDescription? in
            guard let name = index["NSIndexName"]?.text, let parts = index["NSIndexElements"]?.elements,
                index["NSPartialIndexPredicate"] == nil
            else { return nil }
            let elements = parts.compactMap { part -> FetchIndexDescription.Element? in
                let property = part["NSIndexedProperty"]
                if property?.isKind(of: "NSExpressionDescription") == true { return nil }
                let kind = part["NSFetchIndexElementType"]?.int ?? 0
                guard let name = part["NSPropertyName"]?.text ?? property?["NSPropertyName"]?.text,
                    kind == 0 || kind == 1
                else { return nil }
                return .init(name, isDescending: part["NSAscending"]?.int == 0, isRTree: kind == 1)
            }
            return elements.count == parts.count ? FetchIndexDescription(name, elements) : nil
        }
        // The older way to say the same is kept beside them.
        if hasFetchIndexes(entity) { return named }
        let compound = (entity["NSCompoundIndexes"]?.elements ?? []).compactMap {
            index -> FetchIndexDescription? in
            let names = (index.elements ?? []).compactMap { $0.text ?? $0["NSPropertyName"]?.text }
            return names.isEmpty
                ? nil : FetchIndexDescription(names.joined(separator: "_"), names.map { .init($0) })
        }
        return named + compound
    }

    private static func hasFetchIndexes(_ entity: ArchivedValue) -> Bool {
        entity["NSFetchIndexDescriptions"]?.elements?.isEmpty == false
    }

    private static func relationship(_ value: ArchivedValue, _ name: String) -> RelationshipDescription {
        let most = value["NSMaxCount"]?.int ?? 0
        let rule = value["NSDeleteRule"]?.int.flatMap { DeleteRule(rawValue: Int16(clamping: $0)) }
        let destination = value["_NSDestinationEntityName"] ?? value["NSDestinationEntity"]?["NSEntityName"]
        let inverse = value["_NSInverseRelationshipName"] ?? value["NSInverseRelationship"]?["NSPropertyName"]
        var relationship = RelationshipDescription(
            name, to: destination?.text ?? "", isToMany: most != 1,
            isOrdered: value["NSIsOrdered"]?.int == 1, isOptional: value["NSIsOptional"]?.int == 1,
            deleteRule: rule ?? .noAction, inverse: inverse?.text,
            minCount: Int(clamping: value["NSMinCount"]?.int ?? 0), maxCount: Int(clamping: most),
            renamingIdentifier: renamed(value, name), userInfo: userInfo(value))
        relationship.versionHashModifier = modifier(value)
        relationship.isTransient = value["NSIsTransient"]?.int == 1
        return relationship
    }

    /// - Parameter isIndexed: whether the mark of an index counts.
    private static func attribute(_ value: ArchivedValue, _ name: String, isIndexed: Bool = false, depth: Int)
        -> AttributeDescription
    {
        let number = Int32(clamping: value["NSAttributeType"]?.int ?? 0)
        let type = AttributeType(rawValue: number) ?? .undefined
        let isOptional = value["NSIsOptional"]?.int == 1
        var attribute: AttributeDescription
        if value.isKind(of: "NSCompositeAttributeDescription") || type == .composite {
            // Composites inside each other end somewhere, or the archive is broken.
            let elements = depth > 16 ? [] : value["NSCompositeElements"]?.elements ?? []
            attribute = AttributeDescription(
                composite: name,
                elements.compactMap { element in
                    element["NSPropertyName"]?.text.map { self.attribute(element, $0, depth: depth + 1) }
                }, isOptional: isOptional, renamingIdentifier: renamed(value, name), userInfo: userInfo(value)
            )
        } else {
            var options: AttributeOptions = []
            let flags = value["NSFlagsKey"]?.int ?? 0
            if flags & 0x04 != 0 { options.insert(.externalStorage) }
            if flags & 0x10 != 0 { options.insert(.preservedAfterDeletion) }
            if value["NSIsTransient"]?.int == 1 { options.insert(.transient) }
            if isIndexed, value["NSIsIndexed"]?.int == 1 { options.insert(.indexed) }
            let expression = value["NSDerivationExpression"].map { self.expression($0, depth: 0) }
            attribute = AttributeDescription(
                name, type, isOptional: isOptional, options: options,
                defaultValue: value["NSDefaultValue"].flatMap { type.storedValue(archived: $0) } ?? .null,
                renamingIdentifier: renamed(value, name), userInfo: userInfo(value), derivedBy: expression)
            attribute.valueTransformerName = value["NSValueTransformerName"]?.text
            attribute.valueClassName = type == .transformable ? value["NSAttributeValueClassName"]?.text : nil
        }
        attribute.versionHashModifier = modifier(value)
        return attribute
    }

    /// A derivation expression as ``Derivation`` reads it.
    private static func expression(_ value: ArchivedValue, depth: Int) -> String {
        if depth > 16 { return "" }
        let arguments = (value["NSArguments"]?.elements ?? []).map { expression($0, depth: depth + 1) }
        switch value.className {
        case "NSKeyPathExpression": return arguments.first ?? ""
        case "NSKeyPathSpecifierExpression": return value["NSKeyPath"]?.text ?? ""
        case "NSConstantValueExpression":
            let constant = value["NSConstantValue"]
            return constant?.text ?? constant?.double.map { "\($0)" } ?? ""
        case "NSFunctionExpression":
            let name = value["NSSelectorName"]?.text ?? ""
            switch (name, arguments.first) {
            case ("count:", let path?): return "\(path).@count"
            case ("sum:", let path?): return "\(path).@sum"
            default: return "\(name)(\(arguments.joined(separator: ", ")))"
            }
        default: return ""
        }
    }
}

extension AttributeType {
    /// A value of this type in an archive; nil for one of another.
    func storedValue(archived value: ArchivedValue) -> StoredValue? {
        switch self {
        case .integer16, .integer32, .integer64:
            return (value.int ?? value.double.map { Int64(clamping: $0) }).flatMap { storedValue($0) }
        case .boolean: return value.int.map { .int($0 == 0 ? 0 : 1) }
        case .double, .float: return value.double.flatMap { storedValue($0) }
        case .decimal: return value.decimal?.storedValue
        case .string: return value.text.map { .text($0) }
        case .date: return value.date.map { $0.storedValue }
        case .uuid:
            guard let bytes = value["NS.uuidbytes"]?.bytes, bytes.count == 16 else { return nil }
            return .blob(Data(bytes))
        case .uri: return value["NS.relative"]?.text.map { .text($0) }
        case .binaryData: return value.bytes.map { .blob(Data($0)) }
        case .transformable, .undefined, .composite: return nil
        }
    }
}

extension Int64 {
    /// The nearest whole number towards zero; 0 for NaN.
    fileprivate init(clamping value: Double) {
        self = Int64(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
    }
}

extension ArchivedValue {
    /// A number, also one of `NSDecimalNumber`.
    var decimal: Decimal? {
        guard let bytes = self["NS.mantissa"]?.bytes, bytes.count == 16 else {
            return int.map { Decimal($0) } ?? double.flatMap { Decimal(nearest: $0) }
        }
        if self["NS.length"]?.int == 0 && self["NS.negative"]?.int == 1 { return .nan }
        let exponent = Int(clamping: self["NS.exponent"]?.int ?? 0)
        guard (-128...127).contains(exponent) else { return nil }
        // Eight digits to the base of 65,536, the lowest first; each in the byte order of the writer.
        let isLittle = self["NS.mantissa.bo"]?.int != 2
        var mantissa = Decimal(0)
        for offset in stride(from: 14, through: 0, by: -2) {
            let digit =
                isLittle
                ? Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
                : Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
            mantissa = mantissa * 65_536 + Decimal(digit)
        }
        return Decimal(
            sign: self["NS.negative"]?.int == 1 ? .minus : .plus, exponent: exponent, significand: mantissa)
    }
}

extension ManagedObjectModel {
    /// The model in a keyed archive, as compiled models and stores have it.
    ///
    /// - Throws: ``ArchiveError``, ``ModelError``.
    convenience init(archived bytes: [UInt8]) throws {
        let model = try ArchivedModel(bytes)
        try self.init(
            entities: model.entities, model.configurations, model.versionIdentifiers, [:], isRecovered: true)
    }
}
