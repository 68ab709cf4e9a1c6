import Foundation
package import ManagedObjects
import Texts

/// A model as the XML that Xcode's editor reads: the `contents` of a `.xcdatamodel`.
///
/// The XML has no word for a relationship to many whose greatest count is -1, as code makes it: such a model
/// gets another version hash.
package struct ModelDocument {
    private let model: ManagedObjectModel
    private var lines: [String] = []

    package init(_ model: ManagedObjectModel) { self.model = model }

    package var text: String {
        var document = self
        document.write()
        return document.lines.joined(separator: "\n") + "\n"
    }

    private mutating func write() {
        lines.append("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>")
        open(
            0, "model",
            [
                ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
                ("lastSavedToolsVersion", "22522"), ("minimumToolsVersion", "Automatic"),
                ("sourceLanguage", "Swift"),
                ("userDefinedModelVersionIdentifier", model.versionIdentifiers.first ?? ""),
            ])
        for entity in model.entities { write(entity) }
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            open(4, "configuration", [("name", name)])
            for member in members { element(8, "memberEntity", [("name", member)]) }
            close(4, "configuration")
        }
        for (type, elements) in composites() {
            open(4, "composite", [("name", type)])
            for attribute in elements { write(attribute, 8) }
            close(4, "composite")
        }
        close(0, "model")
    }

    private mutating func write(_ entity: EntityDescription) {
        let declaration = entity.declaration
        open(
            4, "entity",
            [
                ("name", entity.name), ("representedClassName", declaration.className ?? entity.name),
                ("parentEntity", entity.superentityName), ("isAbstract", entity.isAbstract ? "YES" : nil),
                ("elementID", declaration.renamingIdentifier),
                ("versionHashModifier", declaration.versionHashModifier), ("syncable", "YES"),
            ])
        for property in declaration.properties.sorted(by: ModelListing.precedes) {
            switch property {
            case .attribute(let attribute): write(attribute, 8)
            case .relationship(let relationship): write(relationship)
            }
        }
        for index in declaration.fetchIndexes {
            open(8, "fetchIndex", [("name", index.name)])
            for part in index.elements {
                element(
                    12, "fetchIndexElement",
                    [
                        ("property", part.property), ("type", part.isRTree ? "RTree" : "Binary"),
                        ("order", part.isDescending ? "descending" : "ascending"),
                    ])
            }
            close(8, "fetchIndex")
        }
        if !entity.uniquenessConstraints.isEmpty {
            open(8, "uniquenessConstraints", [])
            for constraint in entity.uniquenessConstraints {
                open(12, "uniquenessConstraint", [])
                for name in constraint { element(16, "constraint", [("value", name)]) }
                close(12, "uniquenessConstraint")
            }
            close(8, "uniquenessConstraints")
        }
        write(declaration.userInfo, 8)
        close(4, "entity")
    }

    private mutating func write(_ attribute: AttributeDescription, _ indent: Int) {
        let options = attribute.options
        var pairs: [(String, String?)] = [
            ("name", attribute.name), ("optional", attribute.isOptional ? "YES" : nil),
            ("transient", attribute.isTransient ? "YES" : nil),
            ("attributeType", attribute.type == .undefined ? nil : attribute.type.title),
            ("composite", attribute.type == .composite ? Self.typeName(attribute) : nil),
        ]
        let text = attribute.defaultValueText
        pairs.append((attribute.type == .date ? "defaultDateTimeInterval" : "defaultValueString", text))
        for rule in attribute.validation {
            switch rule {
            case .bounds(let least, let greatest):
                let isDate = attribute.type == .date
                pairs.append((isDate ? "minDateTimeInterval" : "minValueString", least?.numberText))
                pairs.append((isDate ? "maxDateTimeInterval" : "maxValueString", greatest?.numberText))
            case .lengths(let least, let greatest):
                pairs.append(("minValueString", least.map { "\($0)" }))
                pairs.append(("maxValueString", greatest.map { "\($0)" }))
            case .matches(let pattern): pairs.append(("regularExpressionString", pattern))
            }
        }
        pairs += [
            ("indexed", options.contains(.indexed) ? "YES" : nil),
            ("allowsExternalBinaryDataStorage", options.contains(.externalStorage) ? "YES" : nil),
            ("preserveAfterDeletion", options.contains(.preservedAfterDeletion) ? "YES" : nil),
            ("derived", attribute.derivationExpression == nil ? nil : "YES"),
            ("derivationExpression", attribute.derivationExpression),
            ("valueTransformerName", attribute.valueTransformerName),
            ("customClassName", attribute.valueClassName), ("elementID", attribute.renamingIdentifier),
            ("versionHashModifier", attribute.versionHashModifier),
        ]
        write("attribute", pairs: pairs, userInfo: attribute.userInfo, indent: indent)
    }

    private mutating func write(_ relationship: RelationshipDescription) {
        let rules: [DeleteRule: String] = [
            .nullify: "Nullify", .cascade: "Cascade", .deny: "Deny", .noAction: "No Action",
        ]
        let isToMany = relationship.isToMany
        write(
            "relationship",
            pairs: [
                ("name", relationship.name), ("optional", relationship.isOptional ? "YES" : nil),
                ("transient", relationship.isTransient ? "YES" : nil), ("toMany", isToMany ? "YES" : nil),
                ("minCount", relationship.minCount > 0 ? "\(relationship.minCount)" : nil),
                ("maxCount", relationship.maxCount > 0 ? "\(relationship.maxCount)" : nil),
                ("ordered", relationship.saysOrdered ? "YES" : nil),
                ("deletionRule", rules[relationship.deleteRule]),
                ("destinationEntity", relationship.destinationName),
                ("inverseName", relationship.inverseName),
                ("inverseEntity", relationship.inverseName == nil ? nil : relationship.destinationName),
                ("elementID", relationship.renamingIdentifier),
                ("versionHashModifier", relationship.versionHashModifier),
            ], userInfo: relationship.userInfo, indent: 8)
    }

    /// The types of all composites; one that two attributes have with other elements gets a name of its own.
    private func composites() -> [(String, [AttributeDescription])] {
        var found: [String: [AttributeDescription]] = [:]
        func note(_ attribute: AttributeDescription) {
            guard attribute.type == .composite else { return }
            found[Self.typeName(attribute)] = attribute.elements
            for element in attribute.elements { note(element) }
        }
        for entity in model.entities {
            for case .attribute(let attribute) in entity.declaration.properties { note(attribute) }
        }
        return found.sorted { $0.key < $1.key }
    }

    /// A name for the type of a composite: the same for the same elements.
    static func typeName(_ attribute: AttributeDescription) -> String {
        let parts = attribute.elements.map {
            $0.type == .composite
                ? typeName($0)
                : "\($0.name)\($0.type.title.filter { $0 != " " })\($0.isOptional ? "" : "Required")"
        }
        return "Composite_" + parts.joined(separator: "_").filter { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    // MARK: XML

    private mutating func write(
        _ name: String, pairs: [(String, String?)], userInfo: [String: String], indent: Int
    ) {
        if userInfo.isEmpty { return element(indent, name, pairs) }
        open(indent, name, pairs)
        write(userInfo, indent + 4)
        close(indent, name)
    }

    private mutating func write(_ userInfo: [String: String], _ indent: Int) {
        if userInfo.isEmpty { return }
        open(indent, "userInfo", [])
        for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
            element(indent + 4, "entry", [("key", key), ("value", value)])
        }
        close(indent, "userInfo")
    }

    private mutating func element(_ indent: Int, _ name: String, _ pairs: [(String, String?)]) {
        lines.append(String(repeating: " ", count: indent) + "<\(name)\(Self.attributes(pairs))/>")
    }

    private mutating func open(_ indent: Int, _ name: String, _ pairs: [(String, String?)]) {
        lines.append(String(repeating: " ", count: indent) + "<\(name)\(Self.attributes(pairs))>")
    }

    private mutating func close(_ indent: Int, _ name: String) {
        lines.append(String(repeating: " ", count: indent) + "</\(name)>")
    }

    private static func attributes(_ pairs: [(String, String?)]) -> String {
        pairs.compactMap { name, value in value.map { " \(name)=\"\(MarkupText.attribute($0))\"" } }.joined()
    }
}
