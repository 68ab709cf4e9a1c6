/// A list that a context keeps for a reader elsewhere.
package protocol KeptList: AnyObject {
    /// Called before another context deletes these rows, while they can still be read.
    func prepareForDeletion(of ids: [ManagedObjectID])
    /// Called when the context ends.
    func end()
}

extension ContextCore {
    /// Holds a list for a reader elsewhere, until ``release(_:)`` or the end of the context.
    package func keep(_ list: any KeptList) { kept.append(list) }

    package func release(_ list: any KeptList) { kept.removeAll { $0 === list } }

    /// An object without values that counts as deleted, for a row that is gone and that nobody had in memory.
    package func goneObject(_ id: ManagedObjectID) -> ManagedObject? {
        if let known = registry.object(id) { return known }
        guard let entity = model.entity(named: id.entity) else { return nil }
        let object = registry.make(entity, id)
        object.rowState.load([StoredValue](repeating: .null, count: entity.slots.count))
        object.rowState.detached()
        registry.remove(object)
        return object
    }
}
