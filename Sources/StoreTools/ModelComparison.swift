import Foundation
package import ManagedObjects

/// The differences between two versions of a model.
package struct ModelComparison {
    package struct Line: Sendable {
        package enum Kind: String, Sendable { case added = "+", removed = "-", changed = "~" }
        package let kind: Kind
        package let entity: String
        /// Nil where the entity itself is meant.
        package let property: String?
        package let text: String
    }

    package private(set) var lines: [Line] = []

    package init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        for entity in new.entities.sorted(by: { $0.name < $1.name }) {
            if let before = Self.origin(of: entity, in: old) {
                compare(before, entity)
            } else {
                add(.added, entity: entity.name, property: nil, text: "entity")
            }
        }
        let kept = Set(new.entities.compactMap { Self.origin(of: $0, in: old)?.name })
        for entity in old.entities.sorted(by: { $0.name < $1.name }) where !kept.contains(entity.name) {
            add(.removed, entity: entity.name, property: nil, text: "entity")
        }
    }

    package var text: String {
        if lines.isEmpty { return "no difference\n" }
        return lines.map { line in
            "\(line.kind.rawValue) \(line.entity)\(line.property.map { ".\($0)" } ?? ""): \(line.text)\n"
        }.joined()
    }

    private mutating func add(_ kind: Line.Kind, entity: String, property: String?, text: String) {
        lines.append(Line(kind: kind, entity: entity, property: property, text: text))
    }

    private static func origin(of entity: EntityDescription, in old: ManagedObjectModel) -> EntityDescription?
    {
        if let identifier = entity.declaration.renamingIdentifier, let found = old.entity(named: identifier) {
            return found
        }
        return old.entity(named: entity.name)
    }

    private mutating func compare(_ old: EntityDescription, _ new: EntityDescription) {
        func note(_ what: String, _ a: String?, _ b: String?) {
            if a != b {
                add(
                    .changed, entity: new.name, property: nil,
                    text: "\(what) \(a ?? "none") -> \(b ?? "none")")
            }
        }
        if old.name != new.name {
            add(.changed, entity: new.name, property: nil, text: "renamed from \(old.name)")
        }
        note("superentity", old.superentityName, new.superentityName)
        if old.isAbstract != new.isAbstract {
            add(
                .changed, entity: new.name, property: nil,
                text: new.isAbstract ? "abstract now" : "no longer abstract")
        }
        func constraints(_ entity: EntityDescription) -> String? {
            let lists = entity.uniquenessConstraints.map { "(" + $0.joined(separator: ", ") + ")" }.sorted()
            return lists.isEmpty ? nil : lists.joined(separator: " ")
        }
        note("unique", constraints(old), constraints(new))
        note("modifier", old.declaration.versionHashModifier, new.declaration.versionHashModifier)
        let before = Dictionary(
            old.declaration.properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var kept: Set<String> = []
        for property in new.declaration.properties.sorted(by: ModelListing.precedes) {
            let identifier = property.renamingIdentifier ?? property.name
            guard let origin = before[identifier] ?? before[property.name] else {
                add(
                    .added, entity: new.name, property: property.name,
                    text: ModelListing.description(property))
                continue
            }
            kept.insert(origin.name)
            if origin.name != property.name {
                add(.changed, entity: new.name, property: property.name, text: "renamed from \(origin.name)")
            }
            let (a, b) = (Self.description(origin), Self.description(property))
            if a != b { add(.changed, entity: new.name, property: property.name, text: "\(a) -> \(b)") }
        }
        for property in old.declaration.properties.sorted(by: ModelListing.precedes)
        where !kept.contains(property.name) {
            add(.removed, entity: new.name, property: property.name, text: ModelListing.description(property))
        }
    }

    /// Without the name that the property had before: that is told once.
    private static func description(_ property: PropertyDescription) -> String {
        var text = ModelListing.description(property, earlierName: false)
        if case .attribute(let attribute) = property, !attribute.elements.isEmpty {
            text +=
                ", (" + attribute.elements.map { "\($0.name): \($0.type.title)" }.joined(separator: ", ")
                + ")"
        }
        return text
    }
}

extension PropertyDescription {
    fileprivate var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        }
    }
}
