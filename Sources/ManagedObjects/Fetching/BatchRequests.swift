import Foundation

/// Rows to insert without creating objects.
///
///     let note = try context.execute(
///         BatchInsertRequest(Country.self, objects: [["code": 250, "name": "France"], ...]))
///
/// Batch requests write to the stores at once, in one transaction, and ignore the context's unsaved changes.
/// They call no methods of the objects' classes and check no rule of the model but uniqueness. The context
/// merges the written rows, as other contexts can with ``ManagedObjectContext/mergeChanges(from:)``.
///
/// The context's ``ManagedObjectContext/mergePolicy`` decides about rows whose unique values a stored row, or
/// an earlier row of the same request, already has. ``MergePolicy/error`` and custom policies refuse the
/// whole request; ``MergePolicy/mergeByPropertyStoreTrump`` and ``MergePolicy/rollback`` leave the new row
/// out; ``MergePolicy/mergeByPropertyObjectTrump`` sets the given values in the stored row, and
/// ``MergePolicy/overwrite`` all of them.
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
    /// The objects to change, by a fetch request: its filter and limits count.
    public var fetchRequest: FetchRequest<Object>
    let values: [String: (any Sendable)?]

    /// - Parameter fetchRequest: the objects to fetch, and their order.
    /// - Parameter propertiesToUpdate: by the names of attributes and relationships to one; nil sets null.
    public init(_ fetchRequest: FetchRequest<Object>, propertiesToUpdate: [String: (any Sendable)?]) {
        (self.fetchRequest, values) = (fetchRequest, propertiesToUpdate)
    }
}

/// Rows to delete: see ``BatchInsertRequest`` for what batch requests do not do. Of the delete rules only
/// nullify is run, whatever the model says: no row is left that leads to one that is gone.
public struct BatchDeleteRequest<Object: ManagedObject>: Sendable {
    /// The objects to change, by a fetch request: its filter and limits count.
    public var fetchRequest: FetchRequest<Object>

    /// Creates a request for the objects of a fetch request.
    public init(_ fetchRequest: FetchRequest<Object>) { self.fetchRequest = fetchRequest }
}

extension ManagedObjectContext {
    /// Inserts rows; the merge policy decides about unique values that a row already has.
    ///
    /// - Returns: the IDs of the new rows, in the order of the request, and of the rows that were updated.
    /// - Throws: ``FetchError`` for unknown keys and values of another type; ``StoreError``. Nothing is
    ///   written then.
    @discardableResult
    public func execute<Object: ManagedObject>(_ request: BatchInsertRequest<Object>) throws
        -> SaveNotification
    {
        try withObjects { core in
            let entity = try FetchRequest<Object>(entityName: request.entityName).entity(in: core.model)
            if entity.isAbstract { throw FetchError.unsupported("a row of the abstract \(entity.name)") }
            let rows = try request.objects.map { object in
                var row = BatchRow(values: entity.defaultValues(), given: [])
                for (key, value) in object {
                    let (slot, stored) = try entity.storedValue(value, forKey: key, in: core.model)
                    row.values[slot] = stored
                    row.given.insert(slot)
                }
                return row
            }
            return try core.execute(.insert(entity, rows, core.mergePolicy.uniqueRowRule))
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
                let (slot, stored) = try fetch.entity.storedValue(
                    value, forKey: key, in: core.model)
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
    /// Returns the column's value for a value that was given by name.
    fileprivate func storedValue(_ value: Any?, forKey key: String, in model: ManagedObjectModel)
        throws(FetchError) -> (Int, StoredValue)
    {
        guard let slot = slot(of: key), !slots[slot].isHidden, slots[slot].hasColumn else {
            throw .unknownKey(entity: name, key: key)
        }
        let wrong = FetchError.wrongType(
            entity: name, key: key, type: value.map { "\(type(of: $0))" } ?? "nil")
        guard case .attribute(let attribute) = slots[slot] else {
            guard let value else { return (slot, .null) }
            guard let id = (value as? ManagedObjectID)?.current, !id.isTemporaryID,
                let relationship = relationship(at: slot), let target = model.entity(named: id.entity),
                target.isKind(of: model.destination(of: relationship))
            else { throw wrong }
            return (slot, .id(id))
        }
        try checkSettable(attribute)
        guard let stored = attribute.type.storedValue(value) else { throw wrong }
        return (slot, stored)
    }
}

extension ContextCore {
    fileprivate func execute(_ batch: Batch) throws -> SaveNotification {
        try throwFaultError(of: nil)
        if isReadOnly { throw StoreError.readOnly }
        let note = try source.execute(batch)
        try mergeChanges(from: note)
        if let context, !note.isEmpty { tellFollowers(note, by: context) }
        return note
    }
}

extension MergePolicy {
    /// The rule of a merge policy for batch inserts; a custom policy has no objects to decide about.
    fileprivate var uniqueRowRule: UniqueRowRule {
        switch rule {
        case .error, .custom: .refuse
        case .storeTrump, .rollback: .leaveOut
        case .objectTrump: .setGiven
        case .overwrite: .setAll
        }
    }
}
