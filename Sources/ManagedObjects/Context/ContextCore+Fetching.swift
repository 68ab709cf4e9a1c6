// The source's rows and what is not saved yet, as one.
extension ContextCore {
    /// The objects that match, in order, with unsaved changes seen.
    func fetch(_ fetch: FetchDescription) throws -> [ManagedObject] {
        try throwFaultError(of: fetch.entity.rootIndex)
        let objects = try read(fetch)
        try throwFaultError(of: fetch.entity.rootIndex)
        return objects
    }

    /// Like `fetch(_:)`, but returns faults, unless the fetch depends on unsaved changes of this context.
    func fetchFaults(_ fetch: FetchDescription, _ batchSize: Int) throws -> [ManagedObject] {
        var roots = fetch.relatedRoots(in: model)
        roots.insert(fetch.entity.rootIndex)
        if changes.isChanged(roots) { return try self.fetch(fetch) }
        try throwFaultError(of: fetch.entity.rootIndex)
        return registry.faults(try source.values(fetch, []).map(\.id), batchSize: batchSize)
    }

    /// Like `fetch(_:)`, but for internal callers: pending errors of faults stay pending.
    func read(_ fetch: FetchDescription) throws -> [ManagedObject] {
        guard hasChanges else { return registry.objects(try source.rows(fetch)) }
        var (candidates, rowsChanged) = changes.candidates(for: fetch)
        // SQL cannot judge rows by what has changed elsewhere: those that lead there are judged here.
        let concerned = try concernedByChangesElsewhere(fetch)
        if candidates.isEmpty && rowsChanged == 0 && concerned.isEmpty {
            return registry.objects(try source.rows(fetch))
        }
        let judgedHere = Set(concerned)
        if !concerned.isEmpty {
            rowsChanged += concerned.count
            let known = Set(candidates)
            candidates += concerned.filter { !known.contains($0) }
        }
        var wide = fetch
        wide.offset = 0
        wide.limit = fetch.limit(with: rowsChanged)
        let unchanged = registry.objects(try source.rows(wide)).filter {
            $0.status == .saved && !$0.flags.contains(.updated) && !judgedHere.contains($0)
        }
        let changed = candidates.filter {
            !$0.isGone && matches($0, fetch)
        }
        return window(merged(unchanged, sorted(changed, fetch.order), fetch.order), fetch)
    }

    /// The objects whose predicate or order looks at unsaved changes of other objects.
    private func concernedByChangesElsewhere(_ fetch: FetchDescription) throws -> [ManagedObject] {
        let dependencies = fetch.dependencies(in: model)
        if dependencies.isEmpty { return [] }
        let roots = Set(dependencies.map { model.destination(of: $0.relationship).rootIndex })
        if !changes.isChanged(roots) && relationships.deltas.isEmpty { return [] }
        return try ListWatch(fetch, sectionedBy: nil, self).concernedByUnsavedChanges(roots)
    }

    private func sorted(_ objects: [ManagedObject], _ order: FetchOrder) -> [ManagedObject] {
        if objects.count < 2 { return objects }
        let keyed = objects.map { (object: $0, values: order.values(of: $0)) }
        return keyed.sorted {
            order.precedes($0.values, of: $0.object.objectID, before: $1.values, of: $1.object.objectID)
        }.map(\.object)
    }

    /// Two sorted lists as one.
    private func merged(_ a: [ManagedObject], _ b: [ManagedObject], _ order: FetchOrder) -> [ManagedObject] {
        if b.isEmpty { return a }
        var result: [ManagedObject] = [], next = 0
        result.reserveCapacity(a.count + b.count)
        // Each of the few is looked for among the many: O(few × log many) looks at values.
        for object in b {
            let values = order.values(of: object)
            var low = next, high = a.count
            while low < high {
                let middle = (low + high) / 2, other = a[middle]
                let isBehind = order.precedes(
                    values, of: object.objectID, before: order.values(of: other), of: other.objectID)
                if isBehind { high = middle } else { low = middle + 1 }
            }
            result += a[next..<low]
            result.append(object)
            next = low
        }
        return result + a[next...]
    }

    private func window(_ objects: [ManagedObject], _ fetch: FetchDescription) -> [ManagedObject] {
        if fetch.offset == 0 && fetch.limit == nil { return objects }
        let rest = objects.dropFirst(fetch.offset)
        return Array(fetch.limit.map { rest.prefix($0) } ?? rest)
    }

    func count(_ fetch: FetchDescription) throws -> Int {
        try throwFaultError(of: fetch.entity.rootIndex)
        var roots = fetch.relatedRoots(in: model)
        roots.insert(fetch.entity.rootIndex)
        return changes.isChanged(roots) ? try self.fetch(fetch).count : try source.count(fetch)
    }

    /// Values without objects. What is not saved is not seen.
    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [FetchedValues] {
        try throwFaultError(of: fetch.entity.rootIndex)
        return try source.values(fetch, paths)
    }

    func scan(
        _ fetch: FetchDescription, _ paths: [PropertyPath], _ body: (ScannedRow) throws -> Void
    ) throws {
        try throwFaultError(of: fetch.entity.rootIndex)
        try source.scan(fetch, paths, body)
    }

    /// Like `fetch(_:)`, but for counts and sums.
    func aggregates(_ fetch: FetchDescription, _ aggregation: Aggregation) throws -> [[StoredValue]] {
        try throwFaultError(of: fetch.entity.rootIndex)
        return try source.aggregates(fetch, aggregation)
    }

    func matches(_ object: ManagedObject, _ fetch: FetchDescription) -> Bool {
        guard fetch.wants(object.entity) else { return false }
        if let stores = fetch.stores {
            guard let store = source.storeIdentifier(of: object.objectID.current, object.entity),
                stores.contains(store)
            else { return false }
        }
        return fetch.predicate?.matches(object) ?? true
    }

    /// The objects in the stores that match, with their unsaved values and places as they are there; those
    /// whose deletion is not saved too.
    func fetchWithoutPendingChanges(_ fetch: FetchDescription) throws -> [ManagedObject] {
        try throwFaultError(of: fetch.entity.rootIndex)
        return registry.objects(try source.rows(fetch)).filter { $0.status != .detached }
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
        if !faultErrors.isEmpty {
            for root in Set(ids.compactMap({ model.entity(named: $0.entity)?.rootIndex })) {
                try throwFaultError(of: root)
            }
        }
        return try readObjects(ids)
    }

    /// Like `objects(_:)`, but for internal callers: pending errors of faults stay pending.
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
