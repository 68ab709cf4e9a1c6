// The store's rows and what is not saved yet, as one.
extension ContextCore {
    /// The rows that match as the store has them, as objects.
    func fetchRows(_ fetch: FetchDescription) throws -> [ManagedObject] {
        try coordinator.store.rows(fetch).map(register)
    }

    /// The objects that match, in order, with unsaved changes seen.
    func fetch(_ fetch: FetchDescription) throws -> [ManagedObject] {
        try throwFaultError()
        guard hasChanges else { return try fetchRows(fetch) }
        var all = fetch
        (all.limit, all.offset) = (nil, 0)
        // When what the predicate looks at elsewhere has changed, SQL cannot tell.
        let mustLookAtAll = isChangedElsewhere(fetch)
        if mustLookAtAll { all.predicate = nil }
        var objects = try fetchRows(all).filter { object in
            !object.isGone && (object.snapshot == nil || matches(object, fetch))
                && (!mustLookAtAll || matches(object, fetch))
        }
        let found = Set(objects)
        objects += (updated.all + inserted.all).filter {
            $0.isKind(of: fetch.entity) && !$0.isGone && !found.contains($0) && matches($0, fetch)
        }
        let keyed = objects.map { (object: $0, values: fetch.order.values(of: $0)) }
        let sorted = keyed.sorted {
            fetch.order.precedes($0.values, $0.object.objectID.key, $1.values, $1.object.objectID.key)
        }
        let rest = sorted.dropFirst(fetch.offset).map(\.object)
        return fetch.limit.map { Array(rest.prefix($0)) } ?? Array(rest)
    }

    func count(_ fetch: FetchDescription) throws -> Int {
        try throwFaultError()
        return hasChanges ? try self.fetch(fetch).count : try coordinator.store.count(fetch)
    }

    /// Values without objects. What is not saved is not seen.
    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [(
        key: Int64, values: [StoredValue]
    )] {
        try throwFaultError()
        return try coordinator.store.values(fetch, paths)
    }

    func matches(_ object: ManagedObject, _ fetch: FetchDescription) -> Bool {
        fetch.predicate?.matches(object) ?? true
    }

    /// Whether an object of another entity that the request looks at has unsaved changes.
    private func isChangedElsewhere(_ fetch: FetchDescription) -> Bool {
        let roots = fetch.relatedRoots(in: model)
        guard !roots.isEmpty else { return false }
        return (inserted.all + updated.all + deleted.all).contains { roots.contains($0.entity.rootIndex) }
    }
}

extension ContextCore {
    /// The objects with these keys, in their order; those that are gone are left out.
    func objects(_ entity: EntityDescription, keys: [Int64]) throws -> [ManagedObject] {
        try throwFaultError()
        let unread = keys.filter { registeredObject(entity, $0).map { $0.values.isEmpty } ?? true }
        // Held until they are handed over: what nobody holds is forgotten.
        let read = try coordinator.store.rows(entity, keys: unread.filter { $0 > 0 }).map(register)
        return withExtendedLifetime(read) {
            keys.compactMap { registeredObject(entity, $0) }.filter { !$0.isGone }
        }
    }

    /// Reads what a relationship to one leads to from all of `objects`, in one query.
    func prefetch(_ slot: Int, of objects: [ManagedObject]) throws {
        guard let first = objects.first, case .relationship(let relationship) = first.entity.properties[slot],
            !relationship.isToMany
        else { return }
        let keys = objects.compactMap { object -> Int64? in
            if case .int(let key)? = object.value(at: slot) { key } else { nil }
        }
        let targets = try self.objects(model.destination(of: relationship), keys: keys)
        withExtendedLifetime(targets) {
            for object in objects { _ = target(of: object, at: slot) }
        }
    }
}
