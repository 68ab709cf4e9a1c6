/// The unsaved changes of a context, and the changes that observers have not received.
///
/// Owns the lists of inserted, updated and deleted objects and their snapshots. Every change of a value
/// passes through ``willChange(_:)`` first.
final class ChangeTracker {
    unowned let core: ContextCore

    // Since the last save.
    private(set) var inserted = ObjectList()
    private(set) var updated = ObjectList()
    private(set) var deleted = ObjectList()
    /// Inserted and updated objects, by root entity.
    private(set) var unsaved: [Int: UnsavedObjects] = [:]
    /// Whether any of them has an index, which every value that is set must reach.
    private var hasIndexes = false
    /// By root entity: how many of the source's rows are updated or deleted here.
    private(set) var rowsChanged: [Int: Int] = [:]
    /// Since observers were told.
    private(set) var pending = ObjectChanges()
    private(set) var isTracking = true

    init(_ core: ContextCore) { self.core = core }

    var hasChanges: Bool { !(inserted.isEmpty && updated.isEmpty && deleted.isEmpty) }

    // MARK: Changing

    func didInsert(_ object: ManagedObject) {
        checkWritable()
        object.rowState.inserted(object.entity.defaultValues())
        noteInsertion(object)
        object.rowState.flags.insert(.pendingInsert)
        pending.inserted.appendNew(object)
    }

    /// A deletion is taken back whose object has no row: it is inserted as it is.
    func didInsertAgain(_ object: ManagedObject) {
        object.rowState.insertedAgain()
        noteInsertion(object)
        if pending.deleted.remove(object) { return notePendingUpdate(object) }
        object.rowState.flags.insert(.pendingInsert)
        pending.inserted.append(object)
    }

    /// Somebody else deleted the row: the object is to be written again, under its own ID.
    func didLoseRow(of object: ManagedObject) {
        forget(object)
        object.rowState.insertedAgain()
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
            if object.values.isEmpty || object.status == .detached {
                core.noteLostChange(core.faultErrors.last ?? StoreError.objectGone(object.objectID))
                return false
            }
        }
        if !isTracking { return true }
        checkWritable()
        switch object.status {
        case .inserted: if !object.flags.contains(.pendingInsert) { notePendingUpdate(object) }
        case .saved:
            if !object.flags.contains(.updated) {
                object.rowState.willChange()
                noteUpdate(object)
            }
            notePendingUpdate(object)
        case .deleted, .detached: break
        }
        return true
    }

    private func noteUpdate(_ object: ManagedObject) {
        updated.append(object)
        rowsChanged[object.entity.rootIndex, default: 0] += 1
        unsaved[object.entity.rootIndex, default: UnsavedObjects()].append(object)
    }

    /// Before a value is replaced.
    func willSet(_ value: StoredValue, at slot: Int, of object: ManagedObject) {
        if hasIndexes { unsaved[object.entity.rootIndex]?.willSet(value, at: slot, of: object) }
    }

    /// Counts the object as changed, though none of its values is.
    func touch(_ object: ManagedObject) -> Bool { object.isGone ? true : willChange(object) }

    private func checkWritable() {
        if core.isReadOnly {
            misuse("a context that follows a stack was changed; begin a transaction instead")
        }
    }

    private func notePendingUpdate(_ object: ManagedObject) {
        if object.flags.contains(.pendingUpdate) { return }
        object.rowState.flags.insert(.pendingUpdate)
        pending.updated.appendNew(object)
    }

    /// Runs `body`, whose changes of values count as read from the source: no undo, no save. All hooks that
    /// the framework calls while it changes objects itself run so.
    func withoutTracking<T>(_ body: () -> T) -> T { with(tracking: false, body) }

    /// Runs a program's code that may change objects, such as an observer, inside a hook too.
    func withTracking<T>(_ body: () -> T) -> T { with(tracking: true, body) }

    private func with<T>(tracking: Bool, _ body: () -> T) -> T {
        let before = isTracking
        isTracking = tracking
        defer { isTracking = before }
        return body()
    }

    /// The object leaves what is inserted or changed, and is deleted at the next save if the source has it.
    ///
    /// - Parameter pairs: whom it was paired with, for whoever takes the deletion back.
    func didDelete(_ object: ManagedObject, wasInserted: Bool, pairs: [UndoStep.Pair]) {
        core.undoLog.note(.deletion(object, pairs: pairs))
        unsaved[object.entity.rootIndex]?.remove(object)
        let wasUpdated = object.flags.contains(.updated)
        if wasUpdated { updated.remove(object) }
        object.rowState.flags.remove(.updated)
        if wasInserted {
            inserted.remove(object)
        } else {
            deleted.append(object)
            if !wasUpdated { rowsChanged[object.entity.rootIndex, default: 0] += 1 }
        }
        let wasPending = object.flags.contains(.pendingInsert)
        clearPending(object)
        if !wasPending { pending.deleted.append(object) }
    }

    /// A deletion that is not saved is taken back.
    func didRevive(_ object: ManagedObject) {
        core.undoLog.note(.insertion(object))
        object.rowState.revived()
        if deleted.remove(object) { rowsChanged[object.entity.rootIndex, default: 1] -= 1 }
        if object.flags.contains(.updated) { noteUpdate(object) }
        if pending.deleted.remove(object) { return notePendingUpdate(object) }
        object.rowState.flags.insert(.pendingInsert)
        pending.inserted.append(object)
    }

    /// After changes were taken back: an object whose values are the source's again has no changes.
    func forgetIfAsBefore(_ object: ManagedObject) {
        guard object.status == .saved, object.flags.contains(.updated), object.changedSlots.isEmpty,
            !core.relationships.hasChanges(of: object)
        else { return }
        forget(object)
        notePendingUpdate(object)
    }

    /// Another context deleted the row. The values stay, so that observers can say what was there.
    func didLose(_ object: ManagedObject) {
        unsaved[object.entity.rootIndex]?.remove(object)
        if updated.remove(object) || deleted.remove(object) {
            rowsChanged[object.entity.rootIndex, default: 1] -= 1
        }
        object.rowState.detached()
        clearPending(object)
        pending.deleted.append(object)
    }

    func checkDeletable() { checkWritable() }

    private func clearPending(_ object: ManagedObject) {
        if object.flags.contains(.pendingInsert) { pending.inserted.remove(object) }
        if object.flags.contains(.pendingUpdate) { pending.updated.remove(object) }
        object.rowState.flags.subtract([.pendingInsert, .pendingUpdate])
    }

    // MARK: Taking back

    /// Puts every value back as the source has it. Hooks are called when everything is back.
    func rollback() {
        let (new, changed) = (inserted.all, updated.all + deleted.all)
        for object in new {
            object.rowState.detached()
            // Two new objects that lead to each other would hold each other for ever.
            object.related = [:]
            let wasPending = object.flags.contains(.pendingInsert)
            clearPending(object)
            core.registry.remove(object)
            if !wasPending { pending.deleted.append(object) }
        }
        for object in changed {
            let wasDeleted = object.status == .deleted
            object.rowState.rolledBack()
            object.related = [:]
            if !wasDeleted {
                notePendingUpdate(object)
            } else if !pending.deleted.remove(object) {
                object.rowState.flags.insert(.pendingInsert)
                pending.inserted.append(object)
            }
        }
        forgetUnsaved()
        withoutTracking { for object in changed { object.awake(fromSnapshotEvents: .rollback) } }
    }

    /// Forgets the changes of one object: it is as its row is.
    func forget(_ object: ManagedObject) {
        unsaved[object.entity.rootIndex]?.remove(object)
        if updated.remove(object) { rowsChanged[object.entity.rootIndex, default: 1] -= 1 }
        object.rowState.forgetChanges()
    }

    /// Objects got other IDs: what was found by the old ones is found anew.
    func forgetIndexes() {
        for root in Array(unsaved.keys) { unsaved[root]?.forgetIndexes() }
        hasIndexes = false
    }

    private func forgetUnsaved() {
        (inserted, updated, deleted) = (ObjectList(), ObjectList(), ObjectList())
        (unsaved, rowsChanged, hasIndexes) = ([:], [:], false)
    }

    /// Everything is as the source has it now.
    func didSave() {
        for object in updated.all { object.rowState.forgetChanges() }
        forgetUnsaved()
    }

    func removeAll() {
        forgetUnsaved()
        pending = ObjectChanges()
    }

    // MARK: Telling

    /// Lists are to look at the object again.
    ///
    /// - Parameter membersOnly: whether only a to-many relationship of the object changed, at its other end.
    func noteRefreshed(_ object: ManagedObject, membersOnly: Bool = false) {
        if object.status != .saved { return }
        if object.flags.contains(.pendingRefresh) {
            if !membersOnly { object.rowState.flags.remove(.pendingMembers) }
            return
        }
        object.rowState.flags.insert(membersOnly ? [.pendingRefresh, .pendingMembers] : .pendingRefresh)
        pending.refreshed.appendNew(object)
    }

    /// A row that another context inserted. Lists hear of it as of one that was read again.
    func noteInsertedElsewhere(_ object: ManagedObject) {
        noteRefreshed(object)
        pending.insertedElsewhere.append(object)
    }

    func noteDeleted(_ id: ManagedObjectID) { pending.deletedIDs.insert(id) }

    /// Something was missed: lists are to read everything again.
    func noteGap() { pending.isGap = true }

    /// No object of before is a row's any more.
    func noteReset() { (pending.isGap, pending.isReset) = (true, true) }

    /// An object turned out to have no row, and nobody had said so.
    func noteInvalidated(_ object: ManagedObject) { pending.invalidated.append(object) }

    /// Returns the changes that observers receive next.
    func consumePending() -> ObjectChanges {
        var changes = pending
        pending = ObjectChanges()
        for object in changes.refreshed.all
        where object.flags.contains(.pendingMembers) && !object.flags.contains(.pendingUpdate) {
            changes.membersOnly.insert(ObjectIdentifier(object))
        }
        for object in changes.inserted.all + changes.updated.all + changes.refreshed.all {
            object.rowState.flags.subtract([.pendingInsert, .pendingUpdate, .pendingRefresh, .pendingMembers])
        }
        return changes
    }

    // MARK: Looking

    /// Whether anything of these root entities is not saved.
    func isChanged(_ roots: Set<Int>) -> Bool {
        roots.contains { unsaved[$0]?.isEmpty == false || rowsChanged[$0, default: 0] > 0 }
    }

    /// The inserted, updated and deleted objects of these root entities.
    func unsavedObjects(_ roots: Set<Int>) -> [ManagedObject] {
        roots.flatMap { unsaved[$0]?.all ?? [] } + deleted.all.filter { roots.contains($0.entity.rootIndex) }
    }

    /// The objects that may match without the source knowing, and how many of its rows may not match any
    /// more.
    func candidates(for fetch: FetchDescription) -> (objects: [ManagedObject], rowsChanged: Int) {
        let root = fetch.entity.rootIndex
        let objects = unsaved[root]?.matching(fetch.predicate, core.model.entities[root]) ?? []
        if unsaved[root]?.hasIndexes == true { hasIndexes = true }
        return (objects, rowsChanged[root, default: 0])
    }
}
