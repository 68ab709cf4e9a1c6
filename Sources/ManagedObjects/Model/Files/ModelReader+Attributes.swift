import Foundation

extension ModelReader {
    private static let types: [String: AttributeType] = [
        "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64, "Decimal": .decimal,
        "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date,
        "Binary": .binaryData, "UUID": .uuid, "URI": .uri, "Transformable": .transformable,
        "Undefined": .undefined, "Composite": .composite,
    ]

    func attribute(_ element: ModelElement, of entity: String, _ parent: ModelElement) throws
        -> AttributeDescription
    {
        let name = try self.name(element), typeName = element["attributeType"] ?? "Undefined"
        guard let type = Self.types[typeName] else {
            throw error(element, "\(entity).\(name) is of the unknown type “\(typeName)”")
        }
        if type == .undefined && !element.isTrue("transient") {
            throw error(element, "\(entity).\(name) has no type and is not transient")
        }
        if type == .composite { return try composite(element, name, of: entity) }
        let isDerived = element.isTrue("derived"), expression = element["derivationExpression"]
        if isDerived, expression.flatMap(Derivation.init) == nil {
            throw error(
                element, "\(entity).\(name): “\(expression ?? "")” is no derivation expression that is known")
        }
        var options: AttributeOptions = []
        for (key, option) in [
            ("transient", AttributeOptions.transient), ("indexed", .indexed),
            ("allowsExternalBinaryDataStorage", .externalStorage),
            ("preserveAfterDeletion", .preservedAfterDeletion),
            ("preservesValueInHistoryOnDeletion", .preservedAfterDeletion),
        ] where element.isTrue(key) { options.insert(option) }
        let single = parent.all("fetchIndex").contains { index in
            // Stores call the index of an indexed attribute so; one of that name is the same.
            let parts = index.all("fetchIndexElement")
            return parts.count == 1 && parts[0]["property"] == name && parts[0]["type"] == "Binary"
                && parts[0]["order"] != "descending"
                && index["name"] == "by\(name.prefix(1).uppercased())\(name.dropFirst())"
        }
        if single { options.insert(.indexed) }
        var attribute = AttributeDescription(
            name, type, isOptional: element.isTrue("optional"), options: options,
            defaultValue: try self.value(element, type: type, prefix: "default", entity: entity) ?? .null,
            validation: try rules(element, type, entity), renamingIdentifier: element["elementID"],
            userInfo: userInfo(element), derivedBy: isDerived ? expression : nil)
        attribute.versionHashModifier = element.text("versionHashModifier")
        attribute.valueTransformerName = element.text("valueTransformerName")
        attribute.valueClassName = element.text("customClassName")
        return attribute
    }

    private func composite(_ element: ModelElement, _ name: String, of entity: String) throws
        -> AttributeDescription
    {
        guard let type = element.text("composite") ?? element.text("compositeType"),
            let elements = composites[type]?.all("attribute")
        else { throw error(element, "\(entity).\(name) is of a composite type that there is not") }
        // Composites of composites end somewhere, or this would not.
        if depth > 16 { throw error(element, "\(entity).\(name): composites inside each other") }
        var inner = self
        inner.depth += 1
        var attribute = AttributeDescription(
            composite: name, try elements.map { try inner.attribute($0, of: "\(entity).\(name)", element) },
            isOptional: element.isTrue("optional"), renamingIdentifier: element["elementID"],
            userInfo: userInfo(element))
        attribute.versionHashModifier = element.text("versionHashModifier")
        return attribute
    }

    private func rules(_ element: ModelElement, _ type: AttributeType, _ entity: String) throws
        -> [ValidationRule]
    {
        var rules: [ValidationRule] = []
        if type == .string {
            let ends = try ["minValueString", "maxValueString"].map { key -> Int? in
                guard let text = element[key] else { return nil }
                guard let length = Int(text) else { throw error(element, "\(key) “\(text)” is no length") }
                return length
            }
            if ends.contains(where: { $0 != nil }) { rules.append(.lengths(ends[0], ends[1])) }
        } else {
            let least = try self.value(element, type: type, prefix: "min", entity: entity)
            let greatest = try self.value(element, type: type, prefix: "max", entity: entity)
            if least != nil || greatest != nil { rules.append(.bounds(least, greatest)) }
        }
        if let pattern = element["regularExpressionString"], !pattern.isEmpty {
            rules.append(.matches(pattern))
        }
        return rules
    }

    /// Reads an attribute of the element as a value of `type`; nil if it is missing.
    private func value(_ element: ModelElement, type: AttributeType, prefix: String, entity: String)
        throws -> StoredValue?
    {
        if type == .date {
            guard let text = element["\(prefix)DateTimeInterval"] else { return nil }
            guard let seconds = Double(text) else {
                throw wrong(element, text: text, type: type, entity: entity)
            }
            return .double(seconds)
        }
        guard let text = element[prefix == "default" ? "defaultValueString" : "\(prefix)ValueString"] else {
            return nil
        }
        let value: StoredValue?
        switch type {
        case .integer16, .integer32, .integer64:
            // Xcode writes the default of a number that was of another type before as it was then.
            let known: [String: Int64] = ["YES": 1, "NO": 0]
            let whole = Int64(text) ?? known[text] ?? Double(text).flatMap { Int64(exactly: $0) }
            value = whole.flatMap { type.storedValue($0) }
        case .boolean:
            let known = [
                "YES": 1, "1": 1, "NO": 0, "0": 0, "true": 1, "false": 0, "TRUE": 1, "FALSE": 0,
            ]
            value = known[text].map { .int(Int64($0)) }
        case .decimal: value = Decimal(string: text, locale: nil)?.storedValue
        case .double, .float: value = Double(text).flatMap { type.storedValue($0) }
        case .string: value = .text(text)
        case .uuid: value = UUID(uuidString: text)?.storedValue
        case .uri: value = URL(string: text)?.storedValue
        case .date, .binaryData, .transformable, .undefined, .composite: value = .null
        }
        guard let value else { throw wrong(element, text: text, type: type, entity: entity) }
        return value
    }

    private func wrong(_ element: ModelElement, text: String, type: AttributeType, entity: String)
        -> ModelFileError
    { error(element, "\(entity).\(element["name"] ?? ""): “\(text)” is no value of type \(type)") }
}
