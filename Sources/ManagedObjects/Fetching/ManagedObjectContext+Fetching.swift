extension ManagedObjectContext {
    /// Makes a new object of a class of the model, with its attributes' default values. It gets its row with
    /// the next save.
    public func insert<Object: ManagedObject>(_ type: Object.Type = Object.self) -> Object {
        withObjects { $0.insert(type) }
    }

    /// The objects that match, in the order the request asks for, else in the order they were saved. Unsaved
    /// changes are seen: what was inserted is found, what was deleted is not.
    ///
    /// Always asks the store; what is in memory already keeps its identity and its unsaved changes.
    ///
    /// - Throws: ``FetchError`` when the request looks at something that is not in the model, ``StoreError``.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        try withObjects { try $0.fetch(request) }
    }

    /// How many objects match. Throws as ``fetch(_:)``.
    public func count<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
        try withObjects { try $0.count(request) }
    }

    /// Values of the objects that match, in order, read from the store without making an object of any: for
    /// scans over everything. What is not saved is not seen.
    ///
    ///     for (name, size) in try context.fetchValues(FetchRequest<Photo>(), \.name, \.size) { ... }
    ///
    /// - Throws: as ``fetch(_:)``.
    public func fetchValues<Object: ManagedObject, each Value: AttributeValue>(
        _ request: FetchRequest<Object>, _ paths: repeat KeyPath<Object, each Value>
    ) throws -> [(repeat each Value)] {
        try withObjects { try $0.fetchValues(request, repeat each paths) }
    }

    /// Hands over the attributes of the objects that match, in order, a row at a time, as they lie in the
    /// store. What is not saved is not seen. The store is read meanwhile: `body` must not write to it.
    ///
    /// - Parameter inAnyOrder: whether the request's order does not matter, which saves sorting the rows.
    /// - Throws: as ``fetch(_:)``, and what `body` throws.
    package func scan<Object: ManagedObject, each Value: AttributeValue>(
        _ request: FetchRequest<Object>, _ paths: repeat KeyPath<Object, each Value>,
        inAnyOrder: Bool = false,
        row body: (ScannedRow) throws -> Void
    ) throws {
        try withObjects { try $0.scan(request, repeat each paths, inAnyOrder: inAnyOrder, row: body) }
    }

    /// The object `reference` names, or nil when it is deleted.
    public subscript<Object: ManagedObject>(reference: ObjectReference<Object>) -> Object? {
        withObjects { $0.object(reference.objectID) as? Object }
    }

    /// The object with this ID, or nil when it is deleted. When the row cannot be read, nil too, and the next
    /// call that can throw says why; ``existingObject(with:)`` says it at once.
    public func object(with id: ManagedObjectID) -> ManagedObject? { withObjects { $0.object(id) } }

    /// The object with this ID.
    ///
    /// - Throws: ``StoreError``: that the object is gone, that its store was not added, why it cannot be
    ///   read.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        guard let object = try withObjects({ try $0.existingObject(id) }) else {
            throw StoreError.objectGone(id)
        }
        return object
    }

    /// Makes a new object of an entity, which may have no class of its own: see
    /// ``ManagedObject/value(forKey:)``.
    ///
    /// - Throws: ``FetchError/unknownEntity(_:)``.
    public func insert(entityNamed name: String) throws -> ManagedObject {
        try withObjects { core in
            guard let entity = core.model.entity(named: name) else { throw FetchError.unknownEntity(name) }
            return core.insert(entity)
        }
    }
}

extension ManagedObjectContext {
    /// The IDs of the objects that match, in order; those of unsaved objects are temporary. Unsaved changes
    /// are seen unless the request says otherwise; without any, no object is made. Throws as ``fetch(_:)``.
    public func fetchObjectIDs<Object: ManagedObject>(_ request: FetchRequest<Object>) throws
        -> [ManagedObjectID]
    {
        try withObjects { try $0.fetchObjectIDs(request) }
    }

    /// The objects with these IDs, in their order, read in a few queries; an ID without a row is passed over.
    ///
    /// - Parameters:
    ///   - ids: the IDs, in any order.
    ///   - prefetching: relationships to one that will be asked for: their objects are read in one query
    ///     each, instead of one query an object.
    /// - Throws: ``StoreError``.
    public func objects<Object: ManagedObject>(
        _ type: Object.Type, with ids: [ManagedObjectID], prefetching: [PartialKeyPath<Object>] = []
    ) throws -> [Object] {
        try withObjects { try $0.objects(type, with: ids, prefetching: prefetching) }
    }
}
