import Foundation

/// Reads the XML that Xcode's model editor writes (`contents`).
///
/// - Source: the grammar of 28 published models. Editor layout and what concerns Xcode alone (`syncable`,
///   `codeGenerationType`, `usesScalarValueType`) is left out.
struct ModelReader {
    let file: String
    private(set) var entities: [EntityDeclaration] = []
    private(set) var configurations: [String: [String]] = [:]
    private(set) var templates: [String: FetchRequestTemplate] = [:]
    private(set) var versionIdentifiers: [String] = []
    /// Where each entity begins.
    private(set) var lines: [String: Int] = [:]
    /// The composite types, by name.
    private(set) var composites: [String: ModelElement] = [:]
    /// How many composites a reader is inside of.
    var depth = 0

    /// - Throws: ``ModelFileError``.
    init(_ url: URL) throws {
        file = url.path
        let root = try ModelElement.root(of: url)
        guard root.name == "model" else {
            throw error(root, "no Core Data model: the root is <\(root.name)>")
        }
        if let identifier = root["userDefinedModelVersionIdentifier"], !identifier.isEmpty {
            versionIdentifiers = [identifier]
        }
        for element in root.all("composite") { composites[try name(element)] = element }
        for element in root.all("entity") {
            let entity = try self.entity(element)
            lines[entity.name] = element.line
            entities.append(entity)
        }
        for element in root.all("fetchRequest") {
            let name = try self.name(element)
            templates[name] = try request(element)
        }
        for element in root.all("configuration") {
            let name = try self.name(element)
            configurations[name] = try element.all("memberEntity").map { try self.name($0) }
        }
        // The editor lists members of a configuration one by one; a hierarchy's share its table.
        configurations = configurations.filter { !$0.value.isEmpty }.mapValues(completed)
    }

    /// The members with all that they share a table with: what they inherit from, and what inherits from it.
    private func completed(_ members: [String]) -> [String] {
        let parents = Dictionary(
            entities.map { ($0.name, $0.superentityName) }, uniquingKeysWith: { first, _ in first })
        func root(_ name: String) -> String {
            var (name, steps) = (name, 0)
            while let parent = parents[name] ?? nil, steps < entities.count {
                (name, steps) = (parent, steps + 1)
            }
            return name
        }
        let roots = Set(members.map(root))
        return members
            + entities.map(\.name).filter { !members.contains($0) && roots.contains(root($0)) }
    }

    func error(_ element: ModelElement, _ reason: String) -> ModelFileError {
        ModelFileError(file, line: element.line, reason)
    }

    func name(_ element: ModelElement) throws -> String {
        guard let name = element["name"], !name.isEmpty else {
            throw error(element, "<\(element.name)> without a name")
        }
        return name
    }

    private func entity(_ element: ModelElement) throws -> EntityDeclaration {
        let name = try self.name(element)
        var properties: [PropertyDescription] = []
        for child in element.children {
            switch child.name {
            case "attribute": properties.append(.attribute(try self.attribute(child, of: name, element)))
            case "relationship": properties.append(.relationship(try self.relationship(child, of: name)))
            default: break
            }
        }
        var entity = EntityDeclaration(
            name, properties: properties, inheritingFrom: element["parentEntity"],
            isAbstract: element.isTrue("isAbstract"),
            uniquenessConstraints: element.all("uniquenessConstraints").flatMap {
                $0.all("uniquenessConstraint").map { $0.all("constraint").compactMap { $0["value"] } }
            })
        entity.versionHashModifier = element.text("versionHashModifier")
        entity.className = element["representedClassName"]
        entity.renamingIdentifier = element["elementID"]
        entity.userInfo = userInfo(element)
        entity.fetchedProperties = try element.all("fetchedProperty").map { child in
            guard let request = child.all("fetchRequest").first else {
                throw error(child, "a fetched property without a request")
            }
            return FetchedPropertyDescription(
                name: try self.name(child), request: try self.request(request), userInfo: userInfo(child))
        }
        entity.fetchIndexes = try indexes(element)
        return entity
    }

    private func indexes(_ element: ModelElement) throws -> [FetchIndexDescription] {
        let named = try element.all("fetchIndex").compactMap { index -> FetchIndexDescription? in
            let parts = index.all("fetchIndexElement")
            let elements = parts.compactMap { part in
                part["property"].map {
                    FetchIndexDescription.Element(
                        $0, isDescending: part["order"] == "descending", isRTree: part["type"] == "RTree")
                }
            }
            // An index over an expression belongs to the other program; stores do without it.
            if elements.count < parts.count { return nil }
            return FetchIndexDescription(try self.name(index), elements)
        }
        let compound = element.all("compoundIndexes").flatMap { $0.all("compoundIndex") }.map { index in
            let names = index.all("index").compactMap { $0["value"] }
            return FetchIndexDescription(names.joined(separator: "_"), names.map { .init($0) })
        }
        return named + compound
    }

    private func relationship(_ element: ModelElement, of entity: String) throws -> RelationshipDescription {
        let name = try self.name(element)
        guard let destination = element["destinationEntity"] else {
            throw error(element, "\(entity).\(name) leads to no entity")
        }
        let rules: [String: DeleteRule] = [
            "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
        ]
        let rule = element["deletionRule"] ?? "Nullify"
        guard let deleteRule = rules[rule] else {
            throw error(element, "\(entity).\(name): there is no deletion rule “\(rule)”")
        }
        if let home = element["inverseEntity"], element["inverseName"] == nil || home != destination {
            throw error(element, "\(entity).\(name): the inverse is in \(home), not in \(destination)")
        }
        let minCount = try count(element, "minCount")
        var relationship = RelationshipDescription(
            name, to: destination, isToMany: element.isTrue("toMany"), isOrdered: element.isTrue("ordered"),
            isOptional: element.isTrue("optional"), deleteRule: deleteRule, inverse: element["inverseName"],
            minCount: minCount ?? 0, maxCount: try count(element, "maxCount") ?? 0,
            renamingIdentifier: element["elementID"], userInfo: userInfo(element))
        relationship.versionHashModifier = element.text("versionHashModifier")
        relationship.isTransient = element.isTrue("transient")
        if minCount == nil && !relationship.isOptional { relationship.earlierMinCount = 1 }
        return relationship
    }

    private func count(_ element: ModelElement, _ key: String) throws -> Int? {
        guard let text = element[key] else { return nil }
        guard let count = Int(text), count >= 0 else { throw error(element, "\(key) “\(text)” is no count") }
        return count
    }

    private func request(_ element: ModelElement) throws -> FetchRequestTemplate {
        guard let entity = element["entity"] else { throw error(element, "a fetch request of no entity") }
        return FetchRequestTemplate(
            entityName: entity, format: element["predicateString"].flatMap { $0.isEmpty ? nil : $0 },
            limit: try count(element, "fetchLimit") ?? 0)
    }

    func userInfo(_ element: ModelElement) -> [String: String] {
        let entries = element.all("userInfo").flatMap { $0.all("entry") }
        return Dictionary(
            entries.compactMap { entry in entry["key"].map { ($0, entry["value"] ?? "") } },
            uniquingKeysWith: { _, last in last })
    }
}
