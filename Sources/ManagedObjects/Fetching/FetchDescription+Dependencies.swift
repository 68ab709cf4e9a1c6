extension FetchDescription {
    /// The root entities that the predicate and the order go to, besides the request's own.
    func relatedRoots(in model: ManagedObjectModel) -> Set<Int> {
        var roots: Set<Int> = []
        for path in (predicate?.paths ?? []) + order.terms.map(\.path) where path.variable == 0 {
            var entity = self.entity
            for name in path.names {
                guard let relationship = entity.relationship(name) else { break }
                entity = model.destination(of: relationship)
                // The last step of a path to one is the key in the own row.
                if name != path.names.last || relationship.isToMany { roots.insert(entity.rootIndex) }
            }
        }
        // What a test inside `contains {}` looks at: taken to be anything.
        if predicate?.hasInnerTests ?? false { roots.formUnion(model.entities.map(\.rootIndex)) }
        return roots
    }
}
