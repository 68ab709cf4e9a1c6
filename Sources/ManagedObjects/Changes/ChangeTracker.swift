/// What is not saved yet, and what observers were not told yet.
///
/// Owns the lists of inserted, updated and deleted objects and their snapshots. Every change of a value
/// passes through ``willChange(_:)`` first.
final class ChangeTracker {
    private unowned let core: ContextCore

    // Since the last save.
    private(set) var inserted = ObjectList()
    private(set) var updated = ObjectList()
    private(set) var deleted = ObjectList()
    /// Inserted and updated objects, by root entity.
    private var unsaved: [Int: UnsavedObjects] = [:]
    /// By root entity: how many of the source's rows are updated or deleted here.
    private var rowsChanged: [Int: Int] = [:]
    /// Since observers were told.
    private(set) var pending = ObjectChanges()
    private(set) var isTracking = true

    init(_ core: ContextCore) { self.core = core }

    var hasChanges: Bool { !(inserted.isEmpty && updated.isEmpty && deleted.isEmpty) }

    // MARK: Changing

    func didInsert(_ object: ManagedObject) {
        checkWritable()
        object.status = .inserted
        object.values = object.entity.defaultValues()
        noteInsertion(object)
        object.marks.insert(.pendingInsert)
        pending.inserted.appendNew(object)
    }

    /// A deletion is taken back whose object has no row: it is inserted as it is.
    func didInsertAgain(_ object: ManagedObject) {
        (object.status, object.snapshot, object.version) = (.inserted, nil, 0)
        noteInsertion(object)
        if pending.deleted.remove(object) { return notePendingUpdate(object) }
        object.marks.insert(.pendingInsert)
        pending.inserted.append(object)
    }

    /// Somebody else deleted the row: the object is to be written again, under its own ID.
    func didLoseRow(of object: ManagedObject) {
        forget(object)
        (object.status, object.version) = (.inserted, 0)
        inserted.appendNew(object)
        unsaved[object.entity.rootIndex, default: UnsavedObjects()].append(object)
        notePendingUpdate(object)
    }

    private func noteInsertion(_ object: ManagedObject) {
        core.undoLog.note(.insertion(object))
        inserted.appendNew(object)
        unsaved[object.entity.rootIndex, default: UnsavedObjects()].append(object)
    }

    /// Before the first change since the save the source's values are put aside.
    ///
    /// - Returns: false when the object cannot be read, and so not changed: the next save says why.
    func willChange(_ object: ManagedObject) -> Bool {
        if object.values.isEmpty {
            core.registry.fill(object)
            if object.values.isEmpty {
                core.noteLostChange(core.faultErrors.last ?? StoreError.objectGone(object.objectID))
                return false
            }
        }
        if !isTracking { return true }
        checkWritable()
        switch object.status {
        case .inserted: if !object.marks.contains(.pendingInsert) { notePendingUpdate(object) }
        case .saved:
            if !object.marks.contains(.updated) {
                object.snapshot = object.values
                noteUpdate(object)
            }
            notePendingUpdate(object)
        case .deleted, .detached: break
        }
        return true
    }

    private func noteUpdate(_ object: ManagedObject) {
        object.marks.insert(.updated)
        updated.append(object)
        rowsChanged[object.entity.rootIndex, default: 0] += 1
        unsaved[object.entity.rootIndex, default: UnsavedObjects()].append(object)
    }

    /// Before a value is replaced.
    func willSet(_ value: StoredValue, at slot: Int, of object: ManagedObject) {
        unsaved[object.entity.rootIndex]?.willSet(value, at: slot, of: object)
    }

    /// Counts the object as changed, though none of its values is.
    func touch(_ object: ManagedObject) -> Bool { object.isGone ? true : willChange(object) }

    private func checkWritable() {
        if core.isReadOnly {
            misuse("a context that follows a stack was changed; begin a transaction instead")
        }
    }

    private func notePendingUpdate(_ object: ManagedObject) {
        if object.marks.contains(.pendingUpdate) { return }
        object.marks.insert(.pendingUpdate)
        pending.updated.appendNew(object)
    }

    /// What `body` changes is as if it had been read so.
    func withoutTracking<T>(_ body: () -> T) -> T {
        let before = isTracking
        isTracking = false
        defer { isTracking = before }
        return body()
    }

    /// The object leaves what is inserted or changed, and is deleted at the next save if the source has it.
    ///
    /// - Parameter pairs: whom it was paired with, for whoever takes the deletion back.
    func didDelete(_ object: ManagedObject, wasInserted: Bool, pairs: [UndoStep.Pair]) {
        core.undoLog.note(.deletion(object, pairs: pairs))
        unsaved[object.entity.rootIndex]?.remove(object)
        let wasUpdated = object.marks.contains(.updated)
        if wasUpdated { updated.remove(object) }
        object.marks.remove(.updated)
        if wasInserted {
            inserted.remove(object)
        } else {
            deleted.append(object)
            if !wasUpdated { rowsChanged[object.entity.rootIndex, default: 0] += 1 }
        }
        let wasPending = object.marks.contains(.pendingInsert)
        clearPending(object)
        if !wasPending { pending.deleted.append(object) }
    }

    /// A deletion that is not saved is taken back.
    func didRevive(_ object: ManagedObject) {
        core.undoLog.note(.insertion(object))
        object.status = .saved
        if deleted.remove(object) { rowsChanged[object.entity.rootIndex, default: 1] -= 1 }
        if object.snapshot != nil { noteUpdate(object) }
        if pending.deleted.remove(object) { return notePendingUpdate(object) }
        object.marks.insert(.pendingInsert)
        pending.inserted.append(object)
    }

    /// After changes were taken back: an object whose values are the source's again has no changes.
    func forgetIfAsBefore(_ object: ManagedObject) {
        guard object.status == .saved, object.marks.contains(.updated), object.changedSlots.isEmpty,
            !core.relationships.hasChanges(of: object)
        else { return }
        forget(object)
        notePendingUpdate(object)
    }

    /// Somebody else deleted the row. Its values stay, so that whoever is told can say what was there.
    func didLose(_ object: ManagedObject) {
        unsaved[object.entity.rootIndex]?.remove(object)
        if updated.remove(object) || deleted.remove(object) {
            rowsChanged[object.entity.rootIndex, default: 1] -= 1
        }
        object.marks.remove(.updated)
        object.snapshot = nil
        clearPending(object)
        pending.deleted.append(object)
    }

    func checkDeletable() { checkWritable() }

    private func clearPending(_ object: ManagedObject) {
        if object.marks.contains(.pendingInsert) { pending.inserted.remove(object) }
        if object.marks.contains(.pendingUpdate) { pending.updated.remove(object) }
        object.marks.subtract([.pendingInsert, .pendingUpdate])
    }

    // MARK: Taking back

    /// Puts every value back as the source has it.
    func rollback() {
        for object in inserted.all {
            object.status = .detached
            let wasPending = object.marks.contains(.pendingInsert)
            clearPending(object)
            core.registry.remove(object)
            if !wasPending { pending.deleted.append(object) }
        }
        for object in updated.all + deleted.all {
            let wasDeleted = object.status == .deleted
            if let snapshot = object.snapshot { object.values = snapshot }
            (object.snapshot, object.related, object.status) = (nil, [:], .saved)
            object.marks.remove(.updated)
            object.awake(fromSnapshotEvents: .rollback)
            if !wasDeleted {
                notePendingUpdate(object)
            } else if !pending.deleted.remove(object) {
                object.marks.insert(.pendingInsert)
                pending.inserted.append(object)
            }
        }
        forgetUnsaved()
    }

    /// Forgets the changes of one object: it is as its row is.
    func forget(_ object: ManagedObject) {
        unsaved[object.entity.rootIndex]?.remove(object)
        if updated.remove(object) { rowsChanged[object.entity.rootIndex, default: 1] -= 1 }
        object.marks.remove(.updated)
        object.snapshot = nil
    }

    private func forgetUnsaved() {
        (inserted, updated, deleted) = (ObjectList(), ObjectList(), ObjectList())
        (unsaved, rowsChanged) = ([:], [:])
    }

    /// Everything is as the source has it now.
    func didSave() {
        for object in updated.all {
            object.snapshot = nil
            object.marks.remove(.updated)
        }
        forgetUnsaved()
    }

    func removeAll() {
        forgetUnsaved()
        pending = ObjectChanges()
    }

    // MARK: Telling

    /// Lists are to look at the object again.
    func noteRefreshed(_ object: ManagedObject) {
        if object.status != .saved || object.marks.contains(.pendingRefresh) { return }
        object.marks.insert(.pendingRefresh)
        pending.refreshed.appendNew(object)
    }

    func noteDeleted(_ id: ManagedObjectID) { pending.deletedIDs.insert(id) }

    /// Something was missed: lists are to read everything again.
    func noteGap() { pending.isGap = true }

    /// No object of before is a row's any more.
    func noteReset() { (pending.isGap, pending.isReset) = (true, true) }

    /// An object turned out to have no row, and nobody had said so.
    func noteInvalidated(_ object: ManagedObject) { pending.invalidated.append(object) }

    /// What observers are to be told now.
    func takePending() -> ObjectChanges {
        let changes = pending
        pending = ObjectChanges()
        for object in changes.inserted.all + changes.updated.all + changes.refreshed.all {
            object.marks.subtract([.pendingInsert, .pendingUpdate, .pendingRefresh])
        }
        return changes
    }

    // MARK: Looking

    /// Whether anything of these root entities is not saved.
    func isChanged(_ roots: Set<Int>) -> Bool {
        roots.contains { unsaved[$0]?.isEmpty == false || rowsChanged[$0, default: 0] > 0 }
    }

    /// The objects that may match without the source knowing, and how many of its rows may not match any
    /// more.
    func candidates(for fetch: FetchDescription) -> (objects: [ManagedObject], rowsChanged: Int) {
        let root = fetch.entity.rootIndex
        return (
            unsaved[root]?.matching(fetch.predicate, core.model.entities[root]) ?? [],
            rowsChanged[root, default: 0]
        )
    }
}
