// What others saved, and rows read again.
extension ContextCore {
    /// Takes in what another context saved. Unsaved changes here stay on top.
    ///
    /// - Throws: ``StoreError``. Lists then read everything again the next time they hear anything.
    func mergeChanges(from note: SaveNotification) throws {
        if note.isEmpty { return }
        relationships.invalidate()
        relationships.letGo(of: Set(note.deletedObjectIDs))
        for id in note.deletedObjectIDs {
            changes.noteDeleted(id)
            guard let object = registry.object(id), object.status != .detached else { continue }
            object.status = .detached
            relationships.withdraw(object)
            changes.didLose(object)
            registry.remove(object)
        }
        do { try take(note.updatedObjectIDs + note.insertedObjectIDs) } catch {
            changes.noteGap()
            throw error
        }
        processPendingChanges()
    }

    /// Reads rows again, in a few reads: those that have an object or that a list wants to hear of.
    private func take(_ ids: [ManagedObjectID]) throws {
        var wanted: [ManagedObjectID] = []
        for id in ids {
            guard let entity = model.entity(named: id.entity) else { continue }
            let object = registry.object(id)
            if let object, object.values.isEmpty, !notifier.isWatched(entity) {
                object.related = [:]
                changes.noteRefreshed(object)
            } else if object != nil || notifier.isWatched(entity) {
                wanted.append(id)
            }
        }
        var rows = Dictionary(uniqueKeysWithValues: try source.rows(wanted).map { ($0.id, $0) })
        let taken = wanted.compactMap { id in rows.removeValue(forKey: id).map(take) }
        for object in taken where object.status == .saved { relationships.settle(object) }
    }

    /// Changed on both sides: ours on top of theirs, and the next save is against their version.
    @discardableResult
    func take(_ row: ObjectRow) -> ManagedObject {
        guard let object = registry.object(row.id), !object.values.isEmpty else {
            let object = registry.object(row)
            changes.noteRefreshed(object)
            return object
        }
        guard object.status == .saved else { return object }
        changes.noteRefreshed(object)
        object.forgetRelated()
        defer { changes.withoutTracking { object.awake(fromSnapshotEvents: .refresh) } }
        guard let snapshot = object.snapshot else {
            // What is in memory only is no part of the row.
            let mine = object.values
            object.values = row.values
            for slot in mine.indices where isTransient(slot, object.entity) {
                object.values[slot] = mine[slot]
            }
            object.version = row.version
            return object
        }
        relationships.withdraw(object)
        for slot in object.entity.columnSlots where object.values[slot].isIdentical(to: snapshot[slot]) {
            changes.willSet(row.values[slot], at: slot, of: object)
            object.values[slot] = row.values[slot]
        }
        object.snapshot = row.values
        object.version = row.version
        relationships.reapply(object)
        return object
    }

    /// Something was written that nobody tells of. What has changes keeps them, and a save finds out whether
    /// they are against the row as it is.
    func readAgain() {
        relationships.invalidate()
        for object in registry.objects where object.status == .saved && object.snapshot == nil {
            object.turnIntoFault()
        }
        changes.noteGap()
        processPendingChanges()
    }

    private func isTransient(_ slot: Int, _ entity: EntityDescription) -> Bool {
        if case .attribute(let attribute) = entity.slots[slot] { attribute.isTransient } else { false }
    }

    /// Takes the object's values from the source again: at once when changes are to be put on top, else at
    /// the next access.
    ///
    /// - Parameter mergeChanges: unsaved changes are put back on top; otherwise they are lost, and with them
    ///   what they did to other objects' ends of the same relationships.
    func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.status == .saved else { return }
        guard object.snapshot != nil else {
            object.turnIntoFault()
            changes.noteRefreshed(object)
            return
        }
        if mergeChanges {
            do {
                guard let row = try source.rows([object.objectID]).first else {
                    return note(StoreError.objectGone(object.objectID))
                }
                take(row)
                relationships.settle(object)
            } catch { note(error) }
            return
        }
        relationships.revert(object)
        changes.forget(object)
        object.turnIntoFault()
        changes.noteRefreshed(object)
    }
}
