import Foundation
package import ManagedObjects

/// A model as text: an entity per paragraph, a property per line.
package struct ModelListing {
    private let model: ManagedObjectModel

    package init(_ model: ManagedObjectModel) { self.model = model }

    package var text: String {
        var parts: [String] = []
        if model.isInferred {
            parts.append(
                "No model is in the store: these names are those of its columns, in small letters.")
        }
        for entity in model.entities.sorted(by: { $0.name < $1.name }) { parts.append(Self.text(entity)) }
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            parts.append("configuration \(name): \(members.joined(separator: ", "))")
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func text(_ entity: EntityDescription) -> String {
        let declaration = entity.declaration
        var head = entity.isAbstract ? "abstract entity \(entity.name)" : "entity \(entity.name)"
        if let parent = entity.superentityName { head += ": \(parent)" }
        if let name = declaration.className, name != entity.name { head += "  (class \(name))" }
        if let name = declaration.renamingIdentifier, name != entity.name { head += "  (was \(name))" }
        var lines = [head]
        let width = declaration.properties.map { $0.name.count }.max() ?? 0
        for property in declaration.properties.sorted(by: Self.precedes) {
            lines += self.lines(property, width: width, indent: "    ")
        }
        for constraint in entity.uniquenessConstraints {
            lines.append("    unique (\(constraint.joined(separator: ", ")))")
        }
        for index in declaration.fetchIndexes {
            let parts = index.elements.map { $0.property + ($0.isDescending ? " descending" : "") }
            let isTree = index.elements.contains { $0.isRTree }
            lines.append(
                "    index \(index.name) (\(parts.joined(separator: ", ")))\(isTree ? " R*Tree" : "")")
        }
        if let modifier = declaration.versionHashModifier { lines.append("    modifier \(modifier)") }
        return lines.joined(separator: "\n")
    }

    /// Attributes before relationships, each by name.
    package static func precedes(_ a: PropertyDescription, _ b: PropertyDescription) -> Bool {
        switch (a, b) {
        case (.attribute, .relationship): true
        case (.relationship, .attribute): false
        default: a.name < b.name
        }
    }

    private static func lines(_ property: PropertyDescription, width: Int, indent: String) -> [String] {
        let name = property.name + String(repeating: " ", count: max(0, width - property.name.count))
        var lines = ["\(indent)\(name)  \(description(property))"]
        if case .attribute(let attribute) = property {
            let inner = attribute.elements.map { $0.name.count }.max() ?? 0
            for element in attribute.elements {
                lines += self.lines(.attribute(element), width: inner, indent: indent + "    ")
            }
        }
        return lines
    }

    /// Returns a property in one line: `String, optional, default "a"`.
    ///
    /// - Parameter earlierName: whether to tell the name that the property had before.
    package static func description(_ property: PropertyDescription, earlierName: Bool = true) -> String {
        switch property {
        case .attribute(let attribute):
            var parts = [attribute.type.title]
            if let expression = attribute.derivationExpression { parts.append("derived: \(expression)") }
            if attribute.isOptional { parts.append("optional") }
            if attribute.isTransient { parts.append("transient") }
            if attribute.options.contains(.indexed) { parts.append("indexed") }
            if attribute.options.contains(.externalStorage) { parts.append("in files when large") }
            if attribute.options.contains(.preservedAfterDeletion) { parts.append("kept in the history") }
            if let value = attribute.defaultText { parts.append("default \(value)") }
            parts += attribute.validation.map(\.title)
            if let name = attribute.valueTransformerName { parts.append("transformer \(name)") }
            if earlierName, let name = attribute.renamingIdentifier, name != attribute.name {
                parts.append("was \(name)")
            }
            if let modifier = attribute.versionHashModifier { parts.append("modifier \(modifier)") }
            return parts.joined(separator: ", ")
        case .relationship(let relationship):
            var parts = [
                "-> \(relationship.isToMany ? relationship.isOrdered ? "ordered " : "many " : "")"
                    + relationship.destinationName
            ]
            if let inverse = relationship.inverseName {
                parts.append("inverse \(inverse)")
            } else {
                parts.append("no inverse")
            }
            if relationship.isOptional { parts.append("optional") }
            if relationship.isTransient { parts.append("transient") }
            if relationship.isToMany, relationship.minCount > 0 {
                parts.append("at least \(relationship.minCount)")
            }
            if relationship.isToMany, relationship.maxCount > 0 {
                parts.append("at most \(relationship.maxCount)")
            }
            switch relationship.deleteRule {
            case .cascade: parts.append("cascade")
            case .deny: parts.append("deny")
            case .noAction: parts.append("no action")
            case .nullify: break
            }
            if earlierName, let name = relationship.renamingIdentifier, name != relationship.name {
                parts.append("was \(name)")
            }
            if let modifier = relationship.versionHashModifier { parts.append("modifier \(modifier)") }
            return parts.joined(separator: ", ")
        }
    }
}

extension AttributeType {
    /// As the model editor calls it.
    package var title: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binaryData: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .composite: "Composite"
        }
    }
}

extension AttributeDescription {
    /// The default as a model's file says it; nil without one.
    package var defaultValueText: String? {
        switch ShownValue(defaultValue: self) {
        case .null, .data, .error, .key, .keys, .group: nil
        case .bool(let value): value ? "YES" : "NO"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .text(let text): text
        case .uuid(let uuid): uuid.uuidString
        case .date(let seconds): "\(seconds)"
        }
    }

    /// The default for a reader.
    fileprivate var defaultText: String? {
        let value = ShownValue(defaultValue: self)
        return value == .null ? nil : value.shown
    }
}

extension ValidationRule {
    fileprivate var title: String {
        switch self {
        case .bounds(let least, let greatest): Self.range(least?.numberText, greatest?.numberText)
        case .lengths(let least, let greatest):
            "length " + Self.range(least.map { "\($0)" }, greatest.map { "\($0)" })
        case .matches(let pattern): "matches \(pattern)"
        }
    }

    private static func range(_ least: String?, _ greatest: String?) -> String {
        "\(least ?? "")...\(greatest ?? "")"
    }
}

extension StoredValue {
    /// A bound as text.
    package var numberText: String? {
        switch self {
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .blob: "\(decimalText ?? "")"
        case .text(let text): text
        default: nil
        }
    }
}
