import Foundation

/// Rows to insert without making objects of them.
///
///     let note = try context.execute(
///         BatchInsertRequest(Country.self, objects: [["code": 250, "name": "France"], ...]))
///
/// Batch requests write to the stores at once, in one transaction, whatever the context has not saved. They
/// call nothing of the objects' classes and look at no rule of the model but uniqueness. The context takes in
/// what was written, as others may with ``ManagedObjectContext/mergeChanges(from:)``.
public struct BatchInsertRequest<Object: ManagedObject>: Sendable {
    let entityName: String?
    let objects: [[String: any Sendable]]

    /// - Parameter objects: by the names of attributes and relationships to one, whose values are
    ///   ``ManagedObjectID``; what is left out has its default value.
    public init(_ type: Object.Type, objects: [[String: any Sendable]]) {
        (entityName, self.objects) = (nil, objects)
    }

    /// For an entity that may have no class of its own.
    public init(entityName: String, objects: [[String: any Sendable]]) where Object == ManagedObject {
        (self.entityName, self.objects) = (entityName, objects)
    }
}

/// Attributes to set in all rows that match: see ``BatchInsertRequest`` for what batch requests do not do.
public struct BatchUpdateRequest<Object: ManagedObject>: Sendable {
    public var fetchRequest: FetchRequest<Object>
    let values: [String: (any Sendable)?]

    /// - Parameter propertiesToUpdate: by the names of attributes and relationships to one; nil sets null.
    public init(_ fetchRequest: FetchRequest<Object>, propertiesToUpdate: [String: (any Sendable)?]) {
        (self.fetchRequest, values) = (fetchRequest, propertiesToUpdate)
    }
}

/// Rows to delete: see ``BatchInsertRequest`` for what batch requests do not do. Of the delete rules only
/// nullify is run, whatever the model says: no row is left that leads to one that is gone.
public struct BatchDeleteRequest<Object: ManagedObject>: Sendable {
    public var fetchRequest: FetchRequest<Object>

    public init(_ fetchRequest: FetchRequest<Object>) { self.fetchRequest = fetchRequest }
}

extension ManagedObjectContext {
    /// - Returns: the IDs of the new rows, in their order.
    /// - Throws: ``FetchError`` for keys and values that are not the entity's, ``StoreError``: nothing was
    ///   written then.
    @discardableResult
    public func execute<Object: ManagedObject>(_ request: BatchInsertRequest<Object>) throws
        -> SaveNotification
    {
        try withObjects { core in
            let entity = try FetchRequest<Object>(entityName: request.entityName).entity(in: core.model)
            if entity.isAbstract { throw FetchError.unsupported("a row of the abstract \(entity.name)") }
            let rows = try request.objects.map { object in
                var values = entity.defaultValues()
                for (key, value) in object {
                    let (slot, stored) = try entity.storedValue(value, forKey: key)
                    values[slot] = stored
                }
                return values
            }
            return try core.execute(.insert(entity, rows))
        }
    }

    /// - Returns: the IDs of the rows that matched.
    /// - Throws: as ``execute(_:)-(BatchInsertRequest<Object>)``.
    @discardableResult
    public func execute<Object: ManagedObject>(_ request: BatchUpdateRequest<Object>) throws
        -> SaveNotification
    {
        try withObjects { core in
            let fetch = try request.fetchRequest.description(in: core.model)
            var values: [Int: StoredValue] = [:]
            for (key, value) in request.values {
                let (slot, stored) = try fetch.entity.storedValue(value, forKey: key)
                values[slot] = stored
            }
            return try core.execute(.update(fetch, values))
        }
    }

    /// - Returns: the IDs of the rows that are gone, and of those that led to them.
    /// - Throws: as ``execute(_:)-(BatchInsertRequest<Object>)``.
    @discardableResult
    public func execute<Object: ManagedObject>(_ request: BatchDeleteRequest<Object>) throws
        -> SaveNotification
    {
        try withObjects { core in
            try core.execute(.delete(request.fetchRequest.description(in: core.model)))
        }
    }
}

extension FetchRequest {
    fileprivate init(entityName: String?) {
        self.init()
        self.entityName = entityName
    }

    fileprivate func entity(in model: ManagedObjectModel) throws -> EntityDescription {
        try description(in: model).entity
    }
}

extension EntityDescription {
    /// What a column holds for a value that was given by name.
    fileprivate func storedValue(_ value: Any?, forKey key: String) throws(FetchError) -> (Int, StoredValue) {
        guard let slot = slot(of: key), !slots[slot].isHidden, slots[slot].hasColumn else {
            throw .unknownKey(entity: name, key: key)
        }
        let wrong = FetchError.wrongType(
            entity: name, key: key, type: value.map { "\(type(of: $0))" } ?? "nil")
        guard case .attribute(let attribute) = slots[slot] else {
            guard let value else { return (slot, .null) }
            guard let id = value as? ManagedObjectID, !id.current.isTemporaryID else { throw wrong }
            return (slot, .id(id.current))
        }
        try checkSettable(attribute)
        guard let stored = attribute.type.storedValue(value) else { throw wrong }
        return (slot, stored)
    }
}

extension ContextCore {
    fileprivate func execute(_ batch: Batch) throws -> SaveNotification {
        try throwFaultError()
        if isReadOnly { throw StoreError.readOnly }
        let note = try source.execute(batch)
        try mergeChanges(from: note)
        if let context, !note.isEmpty { tellFollowers(note, by: context) }
        return note
    }
}
