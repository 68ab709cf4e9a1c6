/// Which rows of a list a change of other objects concerns.
///
/// Rows are found from the changed object back along the relationships that the request looks through: so
/// many are read as are concerned, however long the list is.
struct ListWatch {
    private unowned let core: ContextCore
    private let entity: EntityDescription
    private let dependencies: [Dependency]
    /// The root entities the list wants to hear of.
    let interest: Set<Int>

    init(_ fetch: FetchDescription, sectionedBy path: PropertyPath?, _ core: ContextCore) {
        var fetch = fetch
        if let path { fetch.order.terms.append(.init(path: path, isDescending: false)) }
        self.core = core
        entity = fetch.entity
        dependencies = fetch.dependencies(in: core.model)
        interest = fetch.relatedRoots(in: core.model).union([fetch.entity.rootIndex])
    }

    /// The objects of the list's entity that a change concerns; nil when that cannot be told, since who owned
    /// what another context took away is not known.
    func concerned(_ changes: ObjectChanges) throws -> [ManagedObject]? {
        var found = ObjectList()
        let changed = changes.all
        for object in changed where object.entity.isKind(of: entity) { found.append(object) }
        for dependency in dependencies {
            let far = core.model.destination(of: dependency.relationship)
            if dependency.relationship.isToMany {
                let isUnknown =
                    changes.refreshed.all.contains { $0.entity.isKind(of: far) }
                    || changes.deletedIDs.contains {
                        core.model.entity(named: $0.entity)?.isKind(of: far) ?? false
                    }
                if isUnknown { return nil }
            }
            // An owner whose members changed concerns no row that looks at its own values alone.
            let looksAtMembers = goesOnToMany(dependency)
            let sources = changed.filter {
                $0.entity.isKind(of: far)
                    && (looksAtMembers || !changes.membersOnly.contains(ObjectIdentifier($0)))
            }
            if sources.isEmpty { continue }
            for object in try back(dependency.steps[...], from: sources) { found.append(object) }
        }
        return found.all
    }

    /// Whether the request looks from the far end of a dependency on to a to-many relationship.
    private func goesOnToMany(_ dependency: Dependency) -> Bool {
        dependencies.contains { other in
            other.steps.count > dependency.steps.count && other.steps.starts(with: dependency.steps)
                && isToMany(other.steps[dependency.steps.count])
        }
    }

    private func isToMany(_ step: Dependency.Step) -> Bool {
        core.model.entities[step.entity].relationship(at: step.slot)?.isToMany ?? true
    }

    /// The objects of the request's entity that lead to unsaved changes of others.
    ///
    /// - Complexity: reads the rows that lead to changed objects, and no others.
    func concernedByUnsavedChanges(_ roots: Set<Int>) throws -> [ManagedObject] {
        var found = ObjectList()
        let changed = core.changes.unsavedObjects(roots)
        for dependency in dependencies {
            let far = core.model.destination(of: dependency.relationship)
            let sources = changed.filter { $0.entity.isKind(of: far) && !$0.values.isEmpty }
            for object in try back(dependency.steps[...], from: sources) { found.append(object) }
            guard let step = dependency.steps.last, isToMany(step) else { continue }
            // Owners that lost members, which lead nowhere now.
            let owners = core.relationships.deltas.compactMap { key, delta in
                key.slot == step.slot ? delta.owner : nil
            }.filter { $0.entity.isKind(of: core.model.entities[step.entity]) && !$0.isGone }
            for object in try back(dependency.steps.dropLast(), from: owners) { found.append(object) }
        }
        return found.all
    }

    private func back(_ steps: ArraySlice<Dependency.Step>, from objects: [ManagedObject]) throws
        -> [ManagedObject]
    {
        guard let step = steps.last else { return objects }
        let owner = core.model.entities[step.entity]
        guard let relationship = owner.relationship(at: step.slot) else { return [] }
        var owners = ObjectList()
        // Objects between two relationships may not have been read.
        if relationship.isToMany && !relationship.inverseIsToMany { try core.registry.fill(objects) }
        for object in objects {
            if !relationship.isToMany {
                let request = FetchDescription(owner, with: relationship.name, leadingTo: object.objectID)
                for owner in try core.read(request) { owners.append(owner) }
            } else if relationship.inverseIsToMany {
                for owner in try core.relationships.readMembers(of: object, at: relationship.inverseSlot) {
                    owners.append(owner)
                }
            } else if !object.values.isEmpty {
                // Where it is and where it was before this change.
                for values in [object.values, object.snapshot].compactMap({ $0 }) {
                    if let id = values[relationship.inverseSlot].target, let owner = core.registry.fault(id),
                        !owner.isGone
                    {
                        owners.append(owner)
                    }
                }
            }
        }
        return try back(steps.dropLast(), from: owners.all)
    }
}
