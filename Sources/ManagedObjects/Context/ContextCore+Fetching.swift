// The source's rows and what is not saved yet, as one.
extension ContextCore {
    /// The objects that match, in order, with unsaved changes seen.
    func fetch(_ fetch: FetchDescription) throws -> [ManagedObject] {
        try throwFaultError()
        let objects = try read(fetch)
        try throwFaultError()
        return objects
    }

    /// The same without the rows' values, as far as nothing is changed here that the fetch looks at.
    func fetchFaults(_ fetch: FetchDescription, _ batchSize: Int) throws -> [ManagedObject] {
        var roots = fetch.relatedRoots(in: model)
        roots.insert(fetch.entity.rootIndex)
        if changes.isChanged(roots) { return try self.fetch(fetch) }
        try throwFaultError()
        return registry.faults(try source.values(fetch, []).map(\.id), batchSize: batchSize)
    }

    /// The same for those who only look: errors of faults are left to whoever made them.
    func read(_ fetch: FetchDescription) throws -> [ManagedObject] {
        guard hasChanges else { return registry.objects(try source.rows(fetch)) }
        // When what the predicate or the order looks at elsewhere has changed, SQL cannot tell.
        if changes.isChanged(fetch.relatedRoots(in: model)) { return try readEverything(fetch) }
        let (candidates, rowsChanged) = changes.candidates(for: fetch)
        if candidates.isEmpty && rowsChanged == 0 { return registry.objects(try source.rows(fetch)) }
        var wide = fetch
        wide.offset = 0
        wide.limit = fetch.limit(with: rowsChanged)
        let unchanged = registry.objects(try source.rows(wide)).filter {
            $0.status == .saved && !$0.marks.contains(.updated)
        }
        let changed = candidates.filter {
            $0.entity.isKind(of: fetch.entity) && !$0.isGone && matches($0, fetch)
        }
        return window(merged(unchanged, sorted(changed, fetch.order), fetch.order), fetch)
    }

    private func readEverything(_ fetch: FetchDescription) throws -> [ManagedObject] {
        var all = fetch
        (all.limit, all.offset, all.predicate) = (nil, 0, nil)
        let stored = registry.objects(try source.rows(all)).filter { $0.status == .saved }
        let objects = (stored + changes.inserted.all).filter {
            $0.entity.isKind(of: fetch.entity) && !$0.isGone && matches($0, fetch)
        }
        return window(sorted(objects, fetch.order), fetch)
    }

    private func sorted(_ objects: [ManagedObject], _ order: FetchOrder) -> [ManagedObject] {
        if objects.count < 2 { return objects }
        let keyed = objects.map { (object: $0, values: order.values(of: $0)) }
        return keyed.sorted {
            order.places($0.values, of: $0.object.objectID, before: $1.values, of: $1.object.objectID)
        }.map(\.object)
    }

    /// Two sorted lists as one.
    private func merged(_ a: [ManagedObject], _ b: [ManagedObject], _ order: FetchOrder) -> [ManagedObject] {
        if b.isEmpty { return a }
        let values = b.map { order.values(of: $0) }
        var result: [ManagedObject] = [], next = 0
        result.reserveCapacity(a.count + b.count)
        for object in a {
            if next < b.count {
                let mine = order.values(of: object)
                while next < b.count,
                    order.places(values[next], of: b[next].objectID, before: mine, of: object.objectID)
                {
                    result.append(b[next])
                    next += 1
                }
            }
            result.append(object)
        }
        return result + b[next...]
    }

    private func window(_ objects: [ManagedObject], _ fetch: FetchDescription) -> [ManagedObject] {
        if fetch.offset == 0 && fetch.limit == nil { return objects }
        let rest = objects.dropFirst(fetch.offset)
        return Array(fetch.limit.map { rest.prefix($0) } ?? rest)
    }

    func count(_ fetch: FetchDescription) throws -> Int {
        try throwFaultError()
        var roots = fetch.relatedRoots(in: model)
        roots.insert(fetch.entity.rootIndex)
        return changes.isChanged(roots) ? try self.fetch(fetch).count : try source.count(fetch)
    }

    /// Values without objects. What is not saved is not seen.
    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [FetchedValues] {
        try throwFaultError()
        return try source.values(fetch, paths)
    }

    func scan(
        _ fetch: FetchDescription, _ paths: [PropertyPath], _ body: (ScannedRow) throws -> Void
    ) throws {
        try throwFaultError()
        try source.scan(fetch, paths, body)
    }

    /// The same for counts and sums.
    func aggregates(_ fetch: FetchDescription, _ aggregation: Aggregation) throws -> [[StoredValue]] {
        try throwFaultError()
        return try source.aggregates(fetch, aggregation)
    }

    func matches(_ object: ManagedObject, _ fetch: FetchDescription) -> Bool {
        fetch.predicate?.matches(object) ?? true
    }
}

extension ContextCore {
    /// The object with this ID: in memory, or read from the source; nil when there is no such row. When that
    /// cannot be read, nil too, and the next call that can throw says why.
    package func object(_ id: ManagedObjectID) -> ManagedObject? {
        do { return try existingObject(id) } catch {
            note(error)
            return nil
        }
    }

    /// - Throws: ``StoreError``.
    package func existingObject(_ id: ManagedObjectID) throws -> ManagedObject? {
        let id = id.current
        if let object = registry.object(id) {
            if object.isGone { return nil }
            // A fault may be of a row that never was.
            if object.values.isEmpty { registry.fill(object) }
            return object.isGone ? nil : object
        }
        if id.key < 0 { return nil }
        return try source.rows([id]).first.map { registry.object($0) }
    }

    /// The objects with these IDs, in their order; those that are gone are left out.
    func objects(_ ids: [ManagedObjectID]) throws -> [ManagedObject] {
        try throwFaultError()
        return try readObjects(ids)
    }

    /// The same for those who only look.
    func readObjects(_ ids: [ManagedObjectID]) throws -> [ManagedObject] {
        let ids = ids.map(\.current)
        // Held until they are handed over: what nobody holds is forgotten, and reading makes room among those
        // that were used last.
        let known = ids.compactMap { registry.object($0) }
        let unread = ids.filter { $0.key > 0 && registry.object($0).map { $0.values.isEmpty } ?? true }
        let read = registry.objects(try source.rows(unread))
        return withExtendedLifetime((known, read)) {
            ids.compactMap { registry.object($0) }.filter { !$0.isGone && !$0.values.isEmpty }
        }
    }

    /// Reads what a relationship to one leads to from all of `objects`, in one read.
    func prefetch(_ slot: Int, of objects: [ManagedObject]) throws {
        let ids = Set(objects.compactMap { $0.value(at: slot)?.target })
        let targets = try self.objects(Array(ids))
        withExtendedLifetime(targets) {
            for object in objects { _ = relationships.target(of: object, at: slot) }
        }
    }
}
