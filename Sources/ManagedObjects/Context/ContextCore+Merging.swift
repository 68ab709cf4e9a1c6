// Merging the saves of other contexts, and refreshing rows.
extension ContextCore {
    /// Takes in what another context saved. Unsaved changes here stay on top.
    ///
    /// - Throws: ``StoreError``. Lists then read everything again the next time they hear anything.
    func mergeChanges(from note: SaveNotification) throws {
        if note.isEmpty { return }
        relationships.invalidate()
        lose(note.deletedObjectIDs)
        let ends: [ManagedObject]
        do { ends = try merge(updated: note.updatedObjectIDs, inserted: note.insertedObjectIDs) } catch {
            changes.noteGap()
            throw error
        }
        withExtendedLifetime(ends) { processPendingChanges() }
    }

    /// Reads rows again, in a few reads: those that have an object or that a list wants to hear of. An ID
    /// that a notification names twice counts once.
    ///
    /// - Returns: what the rows of lists lead to, as faults that one read fills: whoever makes a report asks
    ///   each of them.
    private func merge(updated: [ManagedObjectID], inserted: [ManagedObjectID]) throws -> [ManagedObject] {
        let makesInserted = notifier.wantsInsertedObjects, new = Set(inserted)
        var wanted: [ManagedObjectID] = [], seen: Set<ManagedObjectID> = []
        for id in updated + inserted where seen.insert(id).inserted {
            guard let entity = model.entity(named: id.entity) else { continue }
            let known = registry.object(id), isWatched = notifier.isWatched(entity)
            if !isWatched,
                let fault = known ?? (makesInserted && new.contains(id) ? registry.fault(id) : nil),
                fault.values.isEmpty
            {
                fault.forgetRelated()
                known == nil ? changes.noteInsertedElsewhere(fault) : changes.noteRefreshed(fault)
            } else if known != nil || isWatched {
                wanted.append(id)
            }
        }
        var rows: [ManagedObjectID: ObjectRow] = [:]
        for row in try source.rows(wanted) { rows[row.id] = row }
        let merged = wanted.compactMap { id in
            rows.removeValue(forKey: id).map { row in
                let isNew = makesInserted && new.contains(id) && registry.object(id) == nil
                let object = merge(row)
                if isNew { changes.noteInsertedElsewhere(object) }
                return object
            }
        }
        for object in merged where object.status == .saved { relationships.settle(object) }
        return targets(of: merged.filter { notifier.isWatched($0.entity) })
    }

    private func targets(of objects: [ManagedObject]) -> [ManagedObject] {
        Dictionary(grouping: objects, by: \.entity.index).flatMap { index, objects in
            model.entities[index].toOneSlots.flatMap { slot in
                let ids = objects.compactMap { $0.values.isEmpty ? nil : $0.values[slot].target }
                // The class of an object of an abstract entity is not known before its row is read.
                return registry.faults(ids.filter { model.entity(named: $0.entity)?.isAbstract == false })
            }
        }
    }

    /// Changed on both sides: ours on top of theirs, and the next save is against their version.
    @discardableResult
    func merge(_ row: ObjectRow) -> ManagedObject {
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
            // Transient values are not part of the row.
            let kept = object.values.indices.filter { isTransient($0, object.entity) }
            object.rowState.refresh(row.values, version: row.version, keeping: kept)
            return object
        }
        relationships.withdraw(object)
        let unchanged = object.entity.columnSlots.filter {
            object.values[$0].isIdentical(to: snapshot[$0])
        }
        for slot in unchanged { changes.willSet(row.values[slot], at: slot, of: object) }
        object.rowState.merge(row.values, version: row.version, unchanged: unchanged)
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
                merge(row)
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
