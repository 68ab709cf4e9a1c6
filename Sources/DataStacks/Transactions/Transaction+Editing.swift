public import ManagedObjects

// Objects to be changed here.
extension Transaction {
    /// This transaction's object for an object of a view, a monitor, or another transaction; nil when it is
    /// deleted, or was never saved.
    public func edit<Object: ManagedObject>(_ object: Object?) -> Object? {
        guard let object else { return nil }
        if core.owns(object) { return object.isDeleted ? nil : object }
        return edited(object.objectID) as? Object
    }

    /// The object that `reference` names; nil when it is deleted.
    public func edit<Object: ManagedObject>(_ reference: ObjectReference<Object>) -> Object? {
        edited(reference.objectID) as? Object
    }

    /// The object with this ID; nil when it is deleted, of another class, or in another store than `into`
    /// names.
    public func edit<Object: ManagedObject>(_ into: Into<Object>, _ id: ManagedObjectID) -> Object? {
        guard let object = edited(id) as? Object else { return nil }
        if case .configuration(let name) = into.choice {
            let store = stack.coordinator.persistentStores.first {
                $0.identifier == id.current.storeIdentifier
            }
            if store?.configuration != name { return nil }
        }
        return object
    }

    /// The object with this ID; nil when it is deleted or of another class.
    public func edit<Object: ManagedObject>(_ type: Object.Type, id: ManagedObjectID) -> Object? {
        edited(id) as? Object
    }

    private func edited(_ id: ManagedObjectID) -> ManagedObject? {
        guard checkOpen() else { return nil }
        do throws(StackError) { try checkOwn(id) } catch {
            note(error)
            return nil
        }
        return core.object(id)
    }

    /// Deletes objects, whichever context they are of: their rows go when the transaction commits. Nil, and
    /// objects that are gone, are passed over.
    public func delete(_ objects: ManagedObject?...) { for object in objects { remove(object) } }

    /// Deletes the objects of a list.
    public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: ManagedObject {
        for object in Array(objects) { remove(object) }
    }

    /// Deletes the objects that references name.
    public func delete<Object: ManagedObject>(_ references: [ObjectReference<Object>]) {
        for reference in references { remove(edit(reference)) }
    }

    private func remove(_ object: ManagedObject?) {
        guard let object, checkOpen() else { return }
        if core.owns(object) { return core.delete(object) }
        if let own = edited(object.objectID) { core.delete(own) }
    }

    /// Deletes the objects that match.
    ///
    /// - Returns: how many there were.
    /// - Throws: as ``ObjectSource/fetchAll(_:_:)``.
    @discardableResult
    public func deleteAll<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> Int {
        guard checkOpen() else { return 0 }
        let objects = try objects(from, clauses)
        for object in objects { core.delete(object) }
        return objects.count
    }
}
