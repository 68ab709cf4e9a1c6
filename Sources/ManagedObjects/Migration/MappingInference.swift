/// Finds out what goes where, and collects what cannot be known.
struct MappingInference {
    private let source: ManagedObjectModel
    private let destination: ManagedObjectModel
    private let given: [EntityMapping]
    private(set) var problems: [MigrationError.Problem] = []

    init(_ source: ManagedObjectModel, _ destination: ManagedObjectModel, _ given: [EntityMapping]) {
        (self.source, self.destination, self.given) = (source, destination, given)
    }

    mutating func infer() -> ([EntityMapping], [EntityRoute]) {
        var mappings: [EntityMapping] = [], routes: [EntityRoute] = []
        checkGiven()
        for entity in destination.entities where !entity.isAbstract {
            let origins = origins(of: entity)
            if origins.isEmpty { mappings.append(EntityMapping(adding: entity.name)) }
            for (origin, said) in origins {
                var mapping = said ?? EntityMapping(from: origin.name, to: entity.name)
                let route = route(from: origin, to: entity, &mapping)
                if said == nil && origin.versionHash == entity.versionHash { mapping.kind = .copied }
                mappings.append(mapping)
                routes.append(route)
            }
        }
        let used = Set(routes.map(\.source.name))
        for entity in source.entities where !entity.isAbstract && !used.contains(entity.name) {
            mappings.append(EntityMapping(from: entity.name, to: nil))
        }
        checkTargets(routes)
        return (mappings, routes)
    }

    private mutating func note(_ entity: String, _ property: String?, _ reason: String) {
        problems.append(.init(entity: entity, property: property, reason: reason))
    }

    private mutating func checkGiven() {
        for mapping in given {
            if let name = mapping.sourceEntityName, source.entity(named: name) == nil {
                note(name, nil, "is not in the version before")
            }
            guard let name = mapping.destinationEntityName else { continue }
            guard let entity = destination.entity(named: name) else {
                note(name, nil, "is not in the version after")
                continue
            }
            if entity.isAbstract { note(name, nil, "is abstract") }
            for property in mapping.propertyMappings.keys.sorted() where entity.slot(of: property) == nil {
                note(name, property, "is not in the version after")
            }
        }
    }

    /// The entities whose objects go to `entity`, and what was said of it.
    private func origins(of entity: EntityDescription) -> [(EntityDescription, EntityMapping?)] {
        let said = given.filter { $0.destinationEntityName == entity.name }
        if !said.isEmpty {
            return said.compactMap { mapping in
                mapping.sourceEntityName.flatMap { source.entity(named: $0) }.map { ($0, mapping) }
            }
        }
        guard let origin = predecessor(of: entity), !origin.isAbstract,
            !given.contains(where: { $0.sourceEntityName == origin.name })
        else { return [] }
        return [(origin, nil)]
    }

    /// By name, or by the name that it had.
    private func predecessor(of entity: EntityDescription) -> EntityDescription? {
        let name = entity.declaration.renamingIdentifier ?? entity.name
        return source.entity(named: name)
            ?? source.entities.first { $0.declaration.renamingIdentifier == name }
    }

    private mutating func route(
        from origin: EntityDescription, to entity: EntityDescription, _ mapping: inout EntityMapping
    ) -> EntityRoute {
        var origins: [EntityRoute.Origin] = []
        for (slot, property) in entity.slots.enumerated() {
            let said = mapping.propertyMappings[property.name]
            let found = self.origin(of: property, slot, in: entity, from: origin, said)
            origins.append(found)
            if property.isHidden || said != nil { continue }
            switch found {
            case .slot(let slot): mapping.propertyMappings[property.name] = .property(origin.slots[slot].name)
            case .initial: mapping.propertyMappings[property.name] = .defaultValue
            case .computed, .targets, .none: break
            }
        }
        return EntityRoute(source: origin, destination: entity, origins: origins, policy: mapping.policy)
    }

    private mutating func origin(
        of property: PropertyDescription, _ slot: Int, in entity: EntityDescription,
        from origin: EntityDescription, _ said: PropertyMapping?
    ) -> EntityRoute.Origin {
        if property.isHidden { return hiddenKey(property, from: origin) }
        switch said {
        case .value(let compute):
            if case .attribute = property { return .computed(compute) }
            note(entity.name, property.name, "is a relationship, and no value can be computed for it")
            return .none
        case .defaultValue: return initial(property, slot, in: entity, hasPolicy: true)
        case .property(let name):
            if let found = origin.slot(of: name) {
                return fitting(property, found, in: entity, from: origin)
            }
            let names = name.split(separator: ".").map(String.init)
            guard names.count > 1 else {
                note(entity.name, property.name, "is to come from \(origin.name).\(name), which is not there")
                return .none
            }
            return path(TargetPath(names: names), to: property, in: entity, from: origin)
        case .targets(let name, let before, let after):
            let names = name.split(separator: ".").map(String.init)
            let path = TargetPath(names: names, sourceEntity: before, destinationEntity: after)
            if case .attribute = property {
                note(entity.name, property.name, "is an attribute, and objects are to become its value")
                return .none
            }
            return self.path(path, to: property, in: entity, from: origin)
        case nil:
            guard let found = predecessor(of: property, in: origin) else {
                return initial(property, slot, in: entity, hasPolicy: policy(of: origin, entity) != nil)
            }
            return fitting(property, found, in: entity, from: origin)
        }
    }

    private func policy(of origin: EntityDescription, _ entity: EntityDescription) -> (
        any EntityMigrationPolicy
    )? {
        given.first { $0.sourceEntityName == origin.name && $0.destinationEntityName == entity.name }?.policy
    }

    private func predecessor(of property: PropertyDescription, in origin: EntityDescription) -> Int? {
        let name = property.renamingIdentifier ?? property.name
        if let slot = origin.slot(of: name), !origin.slots[slot].isHidden { return slot }
        return origin.slots.firstIndex { $0.renamingIdentifier == name && !$0.isHidden }
    }

    /// A property that nothing goes to.
    private mutating func initial(
        _ property: PropertyDescription, _ slot: Int, in entity: EntityDescription, hasPolicy: Bool
    ) -> EntityRoute.Origin {
        switch property {
        case .attribute(let attribute):
            if !attribute.isTransient, !attribute.isOptional, !hasPolicy,
                entity.defaultValues()[slot] == .null
            {
                note(entity.name, property.name, "is new and must have a value, but has no default")
            }
            return attribute.isTransient ? .none : .initial
        case .relationship(let relationship):
            if !relationship.isOptional, !hasPolicy, !relationship.isToMany {
                note(entity.name, property.name, "is new and must lead somewhere")
            }
            return .none
        }
    }

    private mutating func fitting(
        _ property: PropertyDescription, _ slot: Int, in entity: EntityDescription,
        from origin: EntityDescription
    ) -> EntityRoute.Origin {
        switch (property, origin.slots[slot]) {
        case (.attribute(let after), .attribute(let before)):
            if after.isTransient { return .none }
            if before.isTransient { return .initial }
            if !before.type.fits(after.type) {
                note(entity.name, property.name, "changes its type from \(before.type) to \(after.type)")
            }
            let targetSlot = entity.slot(of: property.name) ?? 0
            if before.isOptional, !after.isOptional, entity.defaultValues()[targetSlot] == .null {
                note(entity.name, property.name, "must have a value now, but has no default")
            }
            return .slot(slot)
        case (.relationship(let after), .relationship(let before)):
            if before.isToMany && !after.isToMany {
                note(entity.name, property.name, "led to many objects and is to lead to one")
                return .none
            }
            return .slot(slot)
        case (.attribute, _):
            note(entity.name, property.name, "was a relationship and is to be an attribute")
        case (.relationship, _):
            note(entity.name, property.name, "was an attribute and is to be a relationship")
        }
        return .none
    }

    private mutating func path(
        _ path: TargetPath, to property: PropertyDescription, in entity: EntityDescription,
        from origin: EntityDescription
    ) -> EntityRoute.Origin {
        let text = "\(origin.name).\(path.names.joined(separator: "."))"
        switch property {
        case .attribute(let attribute):
            let expression = MappingExpression.path(path.names)
            do { try expression.check(origin, source) } catch { note(entity.name, property.name, "\(error)") }
            return .computed(expression.computation(of: attribute, entity))
        case .relationship(let after):
            guard let steps = path.relationships(from: origin, source), !steps.isEmpty else {
                note(entity.name, property.name, "is to lead where \(text) leads, which is no relationship")
                return .none
            }
            if !after.isToMany, steps.contains(where: \.isToMany) {
                note(entity.name, property.name, "is to lead to one object, and \(text) leads to many")
                return .none
            }
            return .targets(path)
        }
    }

    /// The way back of a one-way relationship to many: it goes with the relationship.
    private func hiddenKey(_ property: PropertyDescription, from origin: EntityDescription)
        -> EntityRoute.Origin
    {
        guard case .relationship(let key) = property else { return .none }
        let owner = destination.destination(of: key), slot = key.inverseSlot
        guard slot >= 0, let before = predecessor(of: owner),
            let found = predecessor(of: owner.slots[slot], in: before),
            let relationship = before.relationship(at: found), relationship.storage == .inverseKeys,
            origin.isKind(of: source.destination(of: relationship))
        else { return .none }
        return .slot(relationship.inverseSlot)
    }

    /// Where a relationship led must have become something that it may lead to.
    private mutating func checkTargets(_ routes: [EntityRoute]) {
        for route in routes {
            for slot in route.destination.relationshipSlots {
                guard let after = route.destination.relationship(at: slot), !after.isHidden,
                    let path = route.targetPath(slot),
                    let before = path.relationships(from: route.source, source)?.last
                else { continue }
                let wanted = destination.destination(of: after), was = source.destination(of: before)
                var others = routes.filter { $0.source.isKind(of: was) }
                if let from = path.sourceEntity, let to = path.destinationEntity {
                    others = others.filter { $0.source.name == from && $0.destination.name == to }
                    if others.count != 1 {
                        note(
                            route.destination.name, after.name,
                            "is to lead to what became \(to) of \(from): \(others.count) mappings do that")
                    }
                }
                for (origin, some) in Dictionary(grouping: others, by: \.source.name).sorted(by: {
                    $0.key < $1.key
                }) {
                    if some.contains(where: { $0.policy != nil || $0.destination.isKind(of: wanted) }) {
                        continue
                    }
                    note(
                        route.destination.name, after.name,
                        "leads to \(wanted.name), but \(origin) becomes \(some[0].destination.name)")
                }
            }
        }
    }
}

extension PropertyDescription {
    var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        }
    }
}

extension AttributeType {
    /// Whether every value of this type is one of the other, in the same column.
    fileprivate func fits(_ other: AttributeType) -> Bool {
        switch (self, other) {
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.float, .double):
            true
        default: self == other
        }
    }
}
