extension FetchDescription {
    /// The root entities that the predicate and the order go to, besides the request's own.
    func relatedRoots(in model: ManagedObjectModel) -> Set<Int> {
        Set(dependencies(in: model).map { model.destination(of: $0.relationship).rootIndex })
    }

    /// The relationships whose far ends the predicate and the order look at, from the fetched entity on, each
    /// once.
    ///
    /// The last step of a path to one is a key in the own row and leads nowhere.
    func dependencies(in model: ManagedObjectModel) -> [Dependency] {
        var found: [Dependency] = []
        for path in order.terms.map(\.path) { note(path, from: entity, behind: [], in: model, &found) }
        predicate?.visit(entity, behind: [], in: model) { path, entity, steps in
            note(path, from: entity, behind: steps, in: model, &found)
        }
        return found
    }

    private func note(
        _ path: PropertyPath, from entity: EntityDescription, behind steps: [Dependency.Step],
        in model: ManagedObjectModel, _ found: inout [Dependency]
    ) {
        var entity = entity, steps = steps
        for (index, name) in path.names.enumerated() {
            guard let slot = entity.slot(of: name), let relationship = entity.relationship(at: slot) else {
                return
            }
            if index == path.names.count - 1 && !relationship.isToMany { return }
            steps.append(.init(entity: entity.index, slot: slot))
            let dependency = Dependency(steps: steps, relationship: relationship)
            if !found.contains(where: { $0.steps == steps }) { found.append(dependency) }
            entity = model.destination(of: relationship)
        }
    }

    /// - Throws: ``FetchError/unknownKey(entity:key:)`` for a name that the model does not know or a store
    ///   does not keep.
    func check(_ model: ManagedObjectModel) throws(FetchError) {
        for term in order.terms { try check(term.path, entity, model) }
        var failure: FetchError?
        predicate?.visit(entity, behind: [], in: model) { path, entity, _ in
            do throws(FetchError) { try check(path, entity, model) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// - Throws: ``FetchError/unsupported(_:)`` for a predicate or an order that compares large values, which
    ///   no column holds: whether there is one can be asked.
    func checkLargeValues(_ model: ManagedObjectModel) throws(FetchError) {
        for term in order.terms {
            try refuseLargeValue(term.path, of: entity, model: model, as: "an order by")
        }
        var failure: FetchError?
        predicate?.withoutNullTests?.visit(entity, behind: [], in: model) { path, entity, _ in
            do throws(FetchError) {
                try refuseLargeValue(path, of: entity, model: model, as: "a comparison of")
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func refuseLargeValue(
        _ path: PropertyPath, of entity: EntityDescription, model: ManagedObjectModel, as what: String
    ) throws(FetchError) {
        if !path.isLargeValue(from: entity, in: model) { return }
        let name = path.names.joined(separator: ".")
        throw .unsupported("\(what) \(entity.name).\(name), which has external storage; == nil can be asked")
    }

    private func check(_ path: PropertyPath, _ entity: EntityDescription, _ model: ManagedObjectModel)
        throws(FetchError)
    {
        let unknown = FetchError.unknownKey(entity: entity.name, key: path.names.joined(separator: "."))
        var entity = entity
        for (index, name) in path.names.enumerated() {
            guard let slot = entity.slot(of: name) else { throw unknown }
            guard let relationship = entity.relationship(at: slot) else {
                if index < path.names.count - 1 || !entity.slots[slot].hasColumn { throw unknown }
                return
            }
            entity = model.destination(of: relationship)
        }
    }
}

/// A way from a fetched object to others it is judged by.
struct Dependency {
    struct Step: Hashable {
        /// The entity that has the property.
        let entity: Int
        let slot: Int
    }

    let steps: [Step]
    /// The last step's.
    let relationship: RelationshipDescription
}

extension PropertyPath {
    /// Whether the path ends in an attribute with external storage.
    func isLargeValue(from entity: EntityDescription, in model: ManagedObjectModel) -> Bool {
        var entity = entity
        for name in names {
            guard let slot = entity.slot(of: name) else { return false }
            guard let relationship = entity.relationship(at: slot) else {
                return entity.slots[slot].isExternal
            }
            entity = model.destination(of: relationship)
        }
        return false
    }
}

extension PredicateNode {
    /// The predicate without its tests for null; nil when nothing else is in it. For looking at what it
    /// compares, not for judging by it.
    fileprivate var withoutNullTests: PredicateNode? {
        switch self {
        case .compare(.property, .equal, .constant(.null)), .compare(.property, .notEqual, .constant(.null)),
            .compare(.constant(.null), .equal, .property), .compare(.constant(.null), .notEqual, .property):
            nil
        case .and(let chain), .or(let chain):
            .and(PredicateChain(chain.terms.compactMap(\.withoutNullTests)))
        case .not(let node): node.withoutNullTests
        case .any(let path, let test): test.withoutNullTests.map { .any(path, $0) }
        default: self
        }
    }

    /// Hands every path to `body`, with the entity it begins at and the steps that lead there: inside
    /// `contains {}` those of the objects it goes through.
    fileprivate func visit(
        _ entity: EntityDescription, behind steps: [Dependency.Step], in model: ManagedObjectModel,
        _ body: (PropertyPath, EntityDescription, [Dependency.Step]) -> Void
    ) {
        visit([(entity, steps)], model, body)
    }

    private typealias Scope = (entity: EntityDescription, steps: [Dependency.Step])

    private func visit(
        _ scopes: [Scope], _ model: ManagedObjectModel,
        _ body: (PropertyPath, EntityDescription, [Dependency.Step]) -> Void
    ) {
        func go(_ nodes: PredicateNode...) { for node in nodes { node.visit(scopes, model, body) } }
        func tell(_ path: PropertyPath) {
            body(path, scopes[path.variable].entity, scopes[path.variable].steps)
        }
        switch self {
        case .constant: break
        case .property(let path), .count(let path, nil): tell(path)
        case .and(let chain), .or(let chain): for node in chain.terms { node.visit(scopes, model, body) }
        case .compare(let a, _, let b), .text(let a, _, let b), .arithmetic(let a, _, let b),
            .coalesce(let a, let b):
            go(a, b)
        case .not(let a), .isAmong(let a, _): go(a)
        case .conditional(let test, let a, let b): go(test, a, b)
        case .any(let path, let test), .count(let path, let test?):
            tell(path)
            test.visit(scopes + [Self.end(of: path, scopes[path.variable], model)], model, body)
        case .aggregate(let aggregate):
            tell(aggregate.path)
            PredicateNode.property(aggregate.value).visit(
                scopes + [Self.end(of: aggregate.path, scopes[aggregate.path.variable], model)], model, body)
        }
    }

    private static func end(of path: PropertyPath, _ scope: Scope, _ model: ManagedObjectModel) -> Scope {
        var (entity, steps) = scope
        for name in path.names {
            guard let slot = entity.slot(of: name), let relationship = entity.relationship(at: slot)
            else { break }
            steps.append(.init(entity: entity.index, slot: slot))
            entity = model.destination(of: relationship)
        }
        return (entity, steps)
    }
}
