/// A model on its way from declarations to descriptions: who inherits from whom, which slot each property
/// has, where relationships lead.
struct ModelAssembly {
    let declarations: [EntityDeclaration]
    private let isRecovered: Bool
    private(set) var indexes: [String: Int] = [:]
    private(set) var parents: [Int?] = []
    private(set) var roots: [Int] = []
    /// Roots by name, each followed by what inherits from it, by name: a number's entity.
    private(set) var order: [Int] = []
    /// The entity and all that inherit from it, as a range of `order`.
    private(set) var families: [ClosedRange<Int>] = []
    private(set) var slots: [[PropertyDescription]] = []
    /// The slots of each entity by their names.
    private var slotNumbers: [[String: Int]] = []
    private(set) var joins: [ManagedObjectModel.Join] = []
    /// The joins by their sides.
    private var joinNumbers: [JoinSide: Int] = [:]

    private struct JoinSide: Hashable {
        let entity: Int
        let slot: Int
    }

    /// - Parameter isRecovered: see ``ManagedObjectModel/isRecovered``.
    init(_ declarations: [EntityDeclaration], isRecovered: Bool = false) throws(ModelError) {
        (self.declarations, self.isRecovered) = (declarations, isRecovered)
        if !isRecovered { for declaration in declarations { try checkNames(declaration) } }
        try name()
        sort()
        try layOut()
        for index in declarations.indices { try tie(index) }
        for index in order { shareJoins(index) }
        if isRecovered { return }
        for declaration in declarations { try checkRules(declaration) }
        for index in declarations.indices { try checkIndexes(index) }
        for (index, declaration) in declarations.enumerated() {
            for name in declaration.uniquenessConstraints.joined()
            where slot(name, of: index)?.hasColumn != true {
                throw .unknownProperty(entity: declaration.name, property: name)
            }
        }
    }

    private func checkNames(_ entity: EntityDeclaration) throws(ModelError) {
        func isName(_ name: String) -> Bool { name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } }
        func begins(_ name: String, _ isFirst: (Character) -> Bool) -> Bool {
            name.first { $0 != "_" }.map(isFirst) ?? false
        }
        guard begins(entity.name, \.isUppercase), isName(entity.name) else {
            throw .badName(entity: entity.name, property: nil)
        }
        for property in entity.properties {
            let isUnderscored = property.name.first == "_"
            guard begins(property.name, { isUnderscored || $0.isLowercase }), isName(property.name) else {
                throw .badName(entity: entity.name, property: property.name)
            }
        }
    }

    private func checkRules(_ entity: EntityDeclaration) throws(ModelError) {
        for case .attribute(let attribute) in entity.properties {
            for rule in attribute.validation where rule.typed(attribute.type) == nil {
                throw .unfitRule(entity: entity.name, property: attribute.name)
            }
        }
    }

    private func checkIndexes(_ entity: Int) throws(ModelError) {
        let name = declarations[entity].name
        for index in declarations[entity].fetchIndexes {
            for element in index.elements {
                guard let property = slot(element.property, of: entity), property.hasColumn
                else { throw .unknownProperty(entity: name, property: element.property) }
                guard element.isRTree else { continue }
                guard case .attribute(let attribute) = property, attribute.type.isInBoxes else {
                    throw .unsupported(
                        entity: name, property: element.property,
                        feature: "an R*Tree of what is no number or date")
                }
            }
            let boxes = index.elements.count { $0.isRTree }
            if boxes > 0, boxes < index.elements.count {
                throw .unsupported(entity: name, property: index.name, feature: "an index of both kinds")
            }
            let most = FetchIndexDescription.mostBoxElements
            if boxes > most {
                throw .unsupported(
                    entity: name, property: index.name, feature: "an R*Tree of more than \(most)")
            }
        }
    }

    private mutating func name() throws(ModelError) {
        for (index, declaration) in declarations.enumerated() {
            guard indexes.updateValue(index, forKey: declaration.name) == nil else {
                throw .duplicateEntity(declaration.name)
            }
        }
        for declaration in declarations {
            guard let name = declaration.superentityName else {
                parents.append(nil)
                continue
            }
            guard let parent = indexes[name] else {
                throw .missingSuperentity(entity: declaration.name, superentity: name)
            }
            parents.append(parent)
        }
        for (index, declaration) in declarations.enumerated() {
            var root = index, steps = 0
            while let parent = parents[root] {
                (root, steps) = (parent, steps + 1)
                if steps > declarations.count {
                    throw .missingSuperentity(
                        entity: declaration.name, superentity: declaration.superentityName ?? "")
                }
            }
            roots.append(root)
        }
    }

    /// - Source: the order of `Z_PRIMARYKEY` in Apple-written stores.
    private mutating func sort() {
        families = Array(repeating: 0...0, count: declarations.count)
        let children = Dictionary(grouping: declarations.indices) { parents[$0] }
        func visit(_ parent: Int?, _ assembly: inout ModelAssembly) {
            for child in (children[parent] ?? []).sorted(by: { declarations[$0].name < declarations[$1].name }
            ) {
                let first = assembly.order.count
                assembly.order.append(child)
                visit(child, &assembly)
                assembly.families[child] = first...(assembly.order.count - 1)
            }
        }
        var sorted = self
        visit(nil, &sorted)
        self = sorted
    }

    /// The parent's slots, then the own properties, then the ways back that only the model has.
    private mutating func layOut() throws(ModelError) {
        var hidden: [Int: [PropertyDescription]] = [:]
        for declaration in declarations {
            for case .relationship(let relationship) in declaration.properties
            where relationship.isToMany && relationship.inverseName == nil && !relationship.isTransient {
                var back = RelationshipDescription(
                    Self.hiddenName(declaration.name, relationship.name), to: declaration.name,
                    inverse: relationship.name)
                back.isHidden = true
                if let destination = indexes[relationship.destinationName] {
                    hidden[destination, default: []].append(.relationship(back))
                }
            }
        }
        slots = Array(repeating: [], count: declarations.count)
        slotNumbers = Array(repeating: [:], count: declarations.count)
        for index in order {
            slots[index] =
                (parents[index].map { slots[$0] } ?? [])
                + declarations[index].properties.flatMap(\.columnProperties) + (hidden[index] ?? [])
            for (slot, property) in slots[index].enumerated() {
                guard slotNumbers[index].updateValue(slot, forKey: property.name) == nil else {
                    throw .duplicateProperty(entity: declarations[index].name, property: property.name)
                }
            }
        }
    }

    private func slot(_ name: String, of index: Int) -> PropertyDescription? {
        slotNumbers[index][name].map { slots[index][$0] }
    }

    /// All that an entity declares and inherits, as it was declared, but for fetched properties.
    func properties(_ index: Int) -> [PropertyDescription] {
        (parents[index].map(properties) ?? [])
            + declarations[index].properties.compactMap { property in
                switch property {
                case .attribute(let attribute):
                    return attribute.isFetched ? nil : property
                case .relationship(var relationship):
                    if let tied = slot(relationship.name, of: index) { return tied }
                    relationship.destination = indexes[relationship.destinationName] ?? index
                    return .relationship(relationship)
                }
            }
    }

    /// A name no program can declare.
    private static func hiddenName(_ entity: String, _ relationship: String) -> String {
        "\(entity).\(relationship)"
    }

    /// Finds each relationship's destination and inverse.
    private mutating func tie(_ index: Int) throws(ModelError) {
        let entity = declarations[index].name
        for slot in slots[index].indices {
            guard case .relationship(var relationship) = slots[index][slot] else { continue }
            guard let destination = indexes[relationship.destinationName] else {
                throw .missingDestination(
                    entity: entity, property: relationship.name, destination: relationship.destinationName)
            }
            relationship.destination = destination
            var inverseName = relationship.inverseName
            if inverseName == nil && relationship.isToMany {
                // Of the entity that declares it, which may be one that this one inherits from.
                inverseName =
                    lineage(index).map { Self.hiddenName(declarations[$0].name, relationship.name) }
                    .first { slotNumbers[destination][$0] != nil }
            }
            if let inverseName {
                guard let back = slotNumbers[destination][inverseName],
                    case .relationship(let inverse) = slots[destination][back],
                    inverse.inverseName == relationship.name || relationship.inverseName == nil
                        || relationship.isHidden,
                    let home = indexes[inverse.destinationName], roots[home] == roots[index]
                else {
                    if isRecovered && !relationship.isToMany { continue }
                    throw .inverseMismatch(entity: entity, property: relationship.name)
                }
                (relationship.inverseSlot, relationship.inverseIsToMany) = (back, inverse.isToMany)
                if relationship.isToMany && !inverse.isToMany { relationship.storage = .inverseKeys }
            }
            slots[index][slot] = .relationship(relationship)
        }
    }

    /// Gives the two sides of each relationship from many to many one number.
    private mutating func shareJoins(_ index: Int) {
        for slot in slots[index].indices {
            guard case .relationship(var relationship) = slots[index][slot], relationship.isToMany,
                relationship.inverseIsToMany
            else { continue }
            let (declared, back) = (declarer(of: slot, in: index), relationship.inverseSlot)
            let other = declarer(of: back, in: relationship.destination)
            let known = joinNumbers[JoinSide(entity: declared, slot: slot)]
            if known == nil {
                // Core Data names the table after the entity that comes first.
                let (mine, theirs) = ((entity: declared, slot: slot), (entity: other, slot: back))
                let isFirst =
                    (families[declared].lowerBound, slots[declared][slot].name)
                    <= (families[other].lowerBound, slots[other][back].name)
                joinNumbers[JoinSide(entity: declared, slot: slot)] = joins.count
                joinNumbers[JoinSide(entity: other, slot: back)] = joins.count
                joins.append(
                    isFirst ? .init(first: mine, second: theirs) : .init(first: theirs, second: mine))
            }
            relationship.storage = .join(known ?? joins.count - 1)
            slots[index][slot] = .relationship(relationship)
        }
    }

    /// The entity and all that it inherits from, the highest first.
    func lineage(_ index: Int) -> [Int] { (parents[index].map(lineage) ?? []) + [index] }

    /// The uniqueness constraints of an entity's family that are over slots which the entity has.
    func constraintSlots(_ index: Int) -> [[Int]] {
        var found: [[Int]] = []
        for member in families[roots[index]] {
            let other = order[member]
            for constraint in declarations[other].uniquenessConstraints {
                let constrained = constraint.compactMap { slotNumbers[other][$0] }
                // Slots of siblings are other properties under the same numbers.
                let declared = declarer(of: constrained.max() ?? 0, in: other)
                if families[declared].contains(families[index].lowerBound), !found.contains(constrained) {
                    found.append(constrained)
                }
            }
        }
        return found
    }

    /// The highest entity that has the slot.
    private func declarer(of slot: Int, in index: Int) -> Int {
        guard let parent = parents[index], slot < slots[parent].count else { return index }
        return declarer(of: slot, in: parent)
    }
}
