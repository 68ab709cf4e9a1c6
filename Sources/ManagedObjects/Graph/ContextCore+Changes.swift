// Inserting, changing, deleting.
extension ContextCore {
    package func insert(_ entity: EntityDescription) -> ManagedObject {
        if entity.isAbstract { misuse("\(entity.name) is abstract: insert one of its subclasses") }
        let object = makeObject(entity, .temporary(entity.entityName))
        object.status = .inserted
        object.values =
            entity.classBinding?.defaultValues()
            ?? Array(repeating: .null, count: entity.properties.count)
        inserted.append(object)
        pending.inserted.append(object)
        object.awakeFromInsert()
        return object
    }

    /// Before the first change since the save the store's values are put aside.
    func willChange(_ object: ManagedObject) {
        if object.values.isEmpty { fill(object) }
        switch object.status {
        case .inserted: if !pending.inserted.contains(object) { pending.updated.append(object) }
        case .saved:
            if object.snapshot == nil {
                object.snapshot = object.values
                updated.append(object)
            }
            pending.updated.append(object)
        case .deleted, .detached: break
        }
    }

    package func delete(_ object: ManagedObject) {
        guard object.core === self else {
            misuse("\(object.objectID) was deleted from a context it is not in")
        }
        guard object.status == .saved || object.status == .inserted else { return }
        if object.values.isEmpty { fill(object) }
        guard object.status != .detached else { return }
        object.prepareForDeletion()
        let wasInserted = object.status == .inserted
        // Marked first: a cascade may come round to this object again.
        object.status = wasInserted ? .detached : .deleted
        propagateDeletion(of: object)
        updated.remove(object)
        if wasInserted {
            inserted.remove(object)
            unregister(object)
        } else {
            deleted.append(object)
        }
        if pending.inserted.remove(object) { return }
        pending.updated.remove(object)
        pending.deleted.append(object)
    }

    private func propagateDeletion(of object: ManagedObject) {
        for (slot, property) in object.entity.properties.enumerated() {
            guard case .relationship(let relationship) = property else { continue }
            let others =
                relationship.isToMany
                ? Array(members(of: object, at: slot)) : target(of: object, at: slot).map { [$0] } ?? []
            for other in others {
                switch relationship.deleteRule {
                case .cascade: delete(other)
                case .nullify:
                    if !other.isDeleted { unlink(other, from: object, at: relationship.inverseSlot) }
                // Denied at the save, when what else was deleted is known.
                case .deny, .noAction: break
                }
            }
        }
    }

    /// Throws away what is not saved. Lists are told of the way back.
    package func rollback() {
        for object in inserted.all {
            object.status = .detached
            unregister(object)
            if !pending.inserted.remove(object) { pending.deleted.append(object) }
            pending.updated.remove(object)
        }
        for object in updated.all + deleted.all {
            let wasDeleted = object.status == .deleted
            if let snapshot = object.snapshot { object.values = snapshot }
            object.snapshot = nil
            object.related = [:]
            object.status = .saved
            if wasDeleted {
                if !pending.deleted.remove(object) { pending.inserted.append(object) }
            } else {
                pending.updated.append(object)
            }
        }
        (inserted, updated, deleted) = (ObjectList(), ObjectList(), ObjectList())
        epoch += 1
        processPendingChanges()
    }

    /// Takes the object's values from the store again at the next access.
    ///
    /// - Parameter mergeChanges: unsaved changes are put back on top; otherwise they are lost.
    func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.status == .saved else { return }
        object.related = [:]
        guard let snapshot = object.snapshot else {
            object.values = []
            pending.refreshed.append(object)
            return
        }
        let mine = object.values
        object.values = []
        object.snapshot = nil
        updated.remove(object)
        pending.refreshed.append(object)
        guard mergeChanges else { return }
        for slot in mine.indices where !mine[slot].isIdentical(to: snapshot[slot]) {
            object.setValue(mine[slot], at: slot)
        }
    }
}
