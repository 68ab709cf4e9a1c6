// Shared by contexts and, above, transactions.
extension ContextCore {
    package func insert<Object: ManagedObject>(_ type: Object.Type) -> Object {
        guard let entity = model.entity(for: type) else {
            misuse("\(type) is not a class of this context's model")
        }
        guard let object = insert(entity) as? Object else { misuse("\(entity.name) is not of class \(type)") }
        return object
    }

    package func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        let description = try request.description(in: model)
        if !request.includesPendingChanges {
            return ManagedObject.cast(try fetchWithoutPendingChanges(description))
        }
        let size = request.fetchBatchSize > 0 ? request.fetchBatchSize : FaultBatch.size
        if request.fetchBatchSize > 0 || request.returnsObjectsAsFaults {
            return ManagedObject.cast(try fetchFaults(description, size))
        }
        return ManagedObject.cast(try fetch(description))
    }

    package func count<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
        let description = try request.description(in: model)
        return request.includesPendingChanges ? try count(description) : try source.count(description)
    }

    /// The IDs of the objects that match, with unsaved changes unless the request says otherwise.
    package func fetchObjectIDs<Object: ManagedObject>(_ request: FetchRequest<Object>) throws
        -> [ManagedObjectID]
    {
        let description = try request.description(in: model)
        if request.includesPendingChanges && hasChanges { return try fetch(description).map(\.objectID) }
        return try values(description, []).map(\.id)
    }

    /// The inserted and updated objects that match, as they are in memory; order and limit do not count.
    package func unsavedObjects<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        let description = try request.description(in: model)
        return changes.candidates(for: description).objects.lazy.compactMap { $0 as? Object }
            .filter { !$0.isGone && self.matches($0, description) }
    }

    /// How many objects of the class's family were inserted since the last save, deleted ones included.
    package func insertionCount(of type: ManagedObject.Type) -> Int {
        model.entity(for: type).flatMap { changes.unsaved[$0.rootIndex]?.insertionCount } ?? 0
    }

    /// The objects with these IDs that are there, in their order.
    package func existingObjects(_ ids: [ManagedObjectID]) throws -> [ManagedObject] { try objects(ids) }

    package func fetchValues<Object: ManagedObject, each Value: AttributeValue>(
        _ request: FetchRequest<Object>, _ paths: repeat KeyPath<Object, each Value>
    ) throws -> [(repeat each Value)] {
        var columns: [PropertyPath] = []
        for path in repeat each paths { columns.append(PropertyPath(names: try path.propertyNames())) }
        return try values(request.description(in: model), columns).map { row in
            var index = -1
            func next() -> StoredValue {
                index += 1
                return row.values[index]
            }
            return (repeat (each Value)(storedValue: next()))
        }
    }

    package func scan<Object: ManagedObject, each Value: AttributeValue>(
        _ request: FetchRequest<Object>, _ paths: repeat KeyPath<Object, each Value>, inAnyOrder: Bool,
        row body: (ScannedRow) throws -> Void
    ) throws {
        var columns: [PropertyPath] = []
        for path in repeat each paths { columns.append(PropertyPath(names: try path.propertyNames())) }
        var fetch = try request.description(in: model)
        fetch.inAnyOrder = inAnyOrder
        try scan(fetch, columns, body)
    }

    package func objects<Object: ManagedObject>(
        _ type: Object.Type, with ids: [ManagedObjectID], prefetching: [PartialKeyPath<Object>]
    ) throws -> [Object] {
        let objects = try objects(ids)
        for keyPath in prefetching {
            guard let named = keyPath as? any NamedKeyPath, let name = try named.names().first,
                let first = objects.first
            else { continue }
            guard let slot = first.entity.slot(of: name), first.entity.toOneSlots.contains(slot) else {
                throw FetchError.unsupported("\(keyPath) as a relationship to one")
            }
            try prefetch(slot, of: objects)
        }
        return objects.compactMap { $0 as? Object }
    }
}
