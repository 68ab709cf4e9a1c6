extension ContextCore {
    /// Writes what changed, in one transaction a store.
    ///
    /// - Throws: ``ValidationError``, ``StoreError``. Nothing was written then, and nothing is lost.
    ///
    /// Contexts that follow this one's source, or this one, hear of it. Errors of faults that were read
    /// before are no reason not to save.
    package func save() throws -> SaveNotification {
        try throwLostChange()
        let before = faultErrorCount
        callWillSave()
        processPendingChanges()
        try throwLostChange()
        try throwFaultError(after: before)
        let note = try settlingConflicts(write)
        if !note.isEmpty { tellFollowers(note, by: context) }
        return note
    }

    /// Each round settles what the one before met; another process that writes all the time may win each.
    private func settlingConflicts(_ write: () throws -> SaveNotification) throws -> SaveNotification {
        for _ in 0..<20 {
            do { return try write() } catch let error as StoreError { try settle(error) }
        }
        return try write()
    }

    private func write() throws -> SaveNotification {
        guard hasChanges else { return SaveNotification() }
        try validate()
        if source.wantsPermanentIDs { try obtainPermanentIDs(for: changes.inserted.all) }
        let (updatedRows, saved) = try writeDraft()
        let note = finish(updatedRows, saved.ids)
        return apply(saved.derived, into: note)
    }

    /// The draft ends here: while it holds the values, each that ``finish(_:_:)`` sets would be in a copy.
    private func writeDraft() throws -> (updatedRows: [ManagedObject], saved: SavedRows) {
        let draft = try SaveDraft(self)
        return (draft.updatedRows, try source.save(draft.plan))
    }

    /// Reads derived values back, like changes of other contexts.
    private func apply(_ derived: [ManagedObjectID], into note: SaveNotification) -> SaveNotification {
        if derived.isEmpty { return note }
        // The save is done, whatever becomes of this: it is read again next time.
        do { try mergeChanges(from: SaveNotification(updatedObjectIDs: derived)) } catch { self.note(error) }
        return note.adding(derived)
    }

    /// Gives new objects the IDs that they will have in the store.
    ///
    /// - Throws: ``StoreError``; no object has another ID then.
    func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        let new = objects.filter { $0.core === self && $0.status == .inserted && $0.objectID.isTemporaryID }
        if new.isEmpty { return }
        let ids = try source.permanentIDs(for: new.map { ($0.objectID, $0.entity) })
        var names: [(old: ManagedObjectID, new: ManagedObjectID)] = []
        for (object, id) in zip(new, ids) {
            names.append((object.objectID, id))
            registry.move(object, to: id)
        }
        relationships.rename(names)
        changes.forgetIndexes()
        notifier.rename(names)
    }

    private func finish(_ updatedRows: [ManagedObject], _ ids: [Int64: ManagedObjectID]) -> SaveNotification {
        let (new, touched, gone) = (changes.inserted.all, changes.updated.all, changes.deleted.all)
        var names: [(old: ManagedObjectID, new: ManagedObjectID)] = []
        for object in new {
            if let id = ids[object.objectID.key] {
                names.append((object.objectID, id))
                registry.move(object, to: id)
            }
            object.rowState.saved(version: 1)
        }
        for object in updatedRows { object.rowState.countVersion() }
        for object in new + touched {
            for slot in object.entity.toOneSlots {
                if let target = object.values[slot].target { object.rowState.set(.id(target), at: slot) }
            }
        }
        // As in Core Data an object that was set to what it was counts as updated: no row is written, but
        // lists hear of it. That is how an object says that what it shows of another one has changed.
        changes.didSave()
        relationships.didSave()
        finishTakenData(isSaved: true)
        for object in gone {
            object.rowState.detached()
            registry.remove(object)
        }
        if !gone.isEmpty { registry.forgetRecent() }
        notifier.rename(names)
        for object in new + updatedRows + gone { object.didSave() }
        // Two that were deleted together would hold each other for ever.
        for object in gone { object.related = [:] }
        return SaveNotification(
            insertedObjectIDs: new.map(\.objectID), updatedObjectIDs: touched.map(\.objectID),
            deletedObjectIDs: gone.map(\.objectID))
    }

    /// Calls `willSave`, which may change other objects and the same one again: in rounds, until nothing new
    /// comes.
    ///
    /// - Source: Apple, NSManagedObject reference, `willSave`: who changes something in it each time is asked
    ///   again and again; a thousand rounds there, a hundred here.
    private func callWillSave() {
        guard hasChanges else { return }
        var asked: [AskedObject] = []
        for _ in 0..<100 {
            let objects = changes.inserted.all + changes.updated.all + changes.deleted.all
            // As a rule the same as before, in the same order; else they are looked up.
            let isSame = asked.count == objects.count && zip(asked, objects).allSatisfy { $0.object === $1 }
            let indices = isSame ? [:] : AskedObject.indices(of: asked)
            var isDone = true
            for (index, object) in objects.enumerated() {
                let known = isSame ? index : indices[ObjectIdentifier(object)]
                if let known, asked[known].isAsItWas { continue }
                isDone = false
                let now = AskedObject(object: object, values: object.values)
                if let known { asked[known] = now } else { asked.append(now) }
                object.willSave()
            }
            if isDone { return }
        }
    }
}

/// An object and what it held when `willSave` was called.
private struct AskedObject {
    let object: ManagedObject
    let values: [StoredValue]

    var isAsItWas: Bool {
        values.count == object.values.count
            && object.entity.columnSlots.allSatisfy { values[$0].isIdentical(to: object.values[$0]) }
    }

    static func indices(of asked: [AskedObject]) -> [ObjectIdentifier: Int] {
        var indices: [ObjectIdentifier: Int] = [:]
        for (index, one) in asked.enumerated() { indices[ObjectIdentifier(one.object)] = index }
        return indices
    }
}
