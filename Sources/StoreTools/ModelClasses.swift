import Foundation
package import ManagedObjects

/// A model as Swift classes of this library.
package struct ModelClasses {
    private let model: ManagedObjectModel

    package init(_ model: ManagedObjectModel) { self.model = model }

    package var text: String {
        var parts = ["import Foundation\nimport ManagedObjects"]
        var hasTransformable = false
        let parents = Set(model.entities.compactMap(\.superentityName))
        for entity in ordered() {
            var lines: [String] = []
            let isLeaf = !parents.contains(entity.name)
            let name = Self.typeName(entity.name)
            lines.append(
                "\(isLeaf ? "final class" : "class") \(name): "
                    + (entity.superentityName.map(Self.typeName) ?? "ManagedObject") + " {")
            for property in entity.declaration.properties.sorted(by: ModelListing.precedes) {
                let (line, isTransformable) = self.line(property)
                lines.append("    " + line)
                hasTransformable = hasTransformable || isTransformable
            }
            if name != entity.name {
                lines.append("    override class var entityName: String { \(Self.literal(entity.name)) }")
            }
            if entity.isAbstract {
                lines.append("    override class var isAbstractEntity: Bool { self == \(name).self }")
            }
            if !entity.uniquenessConstraints.isEmpty {
                let lists = entity.uniquenessConstraints.map { list in
                    "[" + list.map(Self.literal).joined(separator: ", ") + "]"
                }
                lines.append(
                    "    override class var uniquenessConstraints: [[String]] { ["
                        + "\(lists.joined(separator: ", "))] }")
            }
            if let identifier = entity.declaration.renamingIdentifier, identifier != entity.name {
                lines.append(
                    "    override class var renamingIdentifier: String? { \(Self.literal(identifier)) }")
            }
            lines.append("}")
            parts.append(lines.joined(separator: "\n"))
        }
        if hasTransformable {
            parts.append(
                """
                /// The bytes of a transformable value, undecoded.
                enum ArchivedBytes: ValueTransforming {
                    static var placeholder: Data { Data() }
                    static func encode(_ value: Data) -> Data { value }
                    static func decode(_ data: Data) throws -> Data { data }
                }
                """)
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// A superclass before its subclasses.
    private func ordered() -> [EntityDescription] {
        let children = Dictionary(grouping: model.entities) { $0.superentityName }
        func below(_ name: String?) -> [EntityDescription] {
            (children[name] ?? []).sorted { $0.name < $1.name }.flatMap { [$0] + below($0.name) }
        }
        return below(nil)
    }

    private func line(_ property: PropertyDescription) -> (String, Bool) {
        switch property {
        case .attribute(let attribute): return line(attribute)
        case .relationship(let relationship):
            if relationship.isTransient {
                return ("// \(relationship.name): a transient relationship", false)
            }
            let target = Self.typeName(relationship.destinationName)
            let type =
                relationship.isToMany
                ? relationship.isOrdered ? "[\(target)]" : "Set<\(target)>" : "\(target)?"
            var arguments = ["inverse: \(relationship.inverseName.map(Self.literal) ?? "nil")"]
            if relationship.deleteRule != .nullify {
                arguments.append("deleteRule: .\(relationship.deleteRule)")
            }
            if !relationship.isOptional { arguments.append("isOptional: false") }
            if relationship.isToMany {
                if relationship.minCount != (relationship.isOptional ? 0 : 1) {
                    arguments.append("minCount: \(relationship.minCount)")
                }
                if relationship.maxCount != 0 { arguments.append("maxCount: \(relationship.maxCount)") }
            }
            return (
                "@Relationship(\(arguments.joined(separator: ", "))) var "
                    + "\(Self.name(relationship.name)): \(type)",
                false
            )
        }
    }

    private func line(_ attribute: AttributeDescription) -> (String, Bool) {
        let types: [AttributeType: String] = [
            .integer16: "Int16", .integer32: "Int32", .integer64: "Int64", .decimal: "Decimal",
            .double: "Double", .float: "Float", .string: "String", .boolean: "Bool", .date: "Date",
            .binaryData: "Data", .uuid: "UUID", .uri: "URL", .transformable: "Data",
        ]
        guard let plain = types[attribute.type], attribute.type != .undefined else {
            let kind = attribute.type == .composite ? "a composite; its elements are" : "of no type;"
            let names = attribute.elements.map { "\(attribute.name).\($0.name)" }.joined(separator: ", ")
            return ("// \(attribute.name): \(kind) \(names)", false)
        }
        var options: [String] = []
        for (option, name) in [
            (AttributeOptions.indexed, ".indexed"), (.externalStorage, ".externalStorage"),
            (.preservedAfterDeletion, ".preservedAfterDeletion"), (.transient, ".transient"),
        ] where attribute.options.contains(option) { options.append(name) }
        let list = options.count == 1 ? options[0] : "[\(options.joined(separator: ", "))]"
        let name = Self.name(attribute.name), type = plain + (attribute.isOptional ? "?" : "")
        if let expression = attribute.derivationExpression {
            let rest = options.isEmpty ? "" : ", \(list)"
            return ("@Derived(\(Self.literal(expression))\(rest)) var \(name): \(plain)?", false)
        }
        if attribute.type == .transformable {
            let rest = options.isEmpty ? "" : "\(list), "
            return ("@Attribute(\(rest)transformer: ArchivedBytes.self) var \(name): \(type)", true)
        }
        let wrapper = options.isEmpty ? "@Attribute" : "@Attribute(\(list))"
        return ("\(wrapper) var \(name): \(type)\(initial(attribute))", false)
    }

    private func initial(_ attribute: AttributeDescription) -> String {
        guard let text = attribute.defaultValueText else { return "" }
        switch attribute.type {
        case .string: return " = \(Self.literal(text))"
        case .boolean: return " = \(text == "YES")"
        case .integer16, .integer32, .integer64: return " = \(text)"
        case .double, .float: return Double(text)?.isFinite == true ? " = \(text)" : ""
        case .date: return " = Date(timeIntervalSinceReferenceDate: \(text))"
        default: return ""
        }
    }

    private static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": literal += "\\\(scalar)"
            case "\n": literal += "\\n"
            case "\0"..."\u{1F}", "\u{7F}": literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// A name that Swift has a word for stands in backquotes.
    private static func name(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// An entity that is called like a type which the classes use gets another class.
    private static func typeName(_ entity: String) -> String {
        let isTaken = [
            "Data", "Date", "Set", "String", "Bool", "URL", "UUID", "Decimal", "Double", "Float", "Int16",
            "Int32", "Int64", "Attribute", "Relationship", "Derived", "ManagedObject", "Type", "Protocol",
        ].contains(entity)
        return isTaken ? entity + "Entity" : entity
    }

    private static let keywords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit",
        "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if",
        "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "private",
        "precedencegroup", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where",
        "while",
    ]
}
