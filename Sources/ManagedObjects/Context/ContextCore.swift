import Foundation

/// Everything a context knows, in parts that each own what they know: who is who (``ObjectRegistry``), who is
/// related to whom (``RelationshipGraph``), what is not saved (``ChangeTracker``), who wants to hear of it
/// (``ChangeNotifier``). This is their common ground, and what a context's face calls.
///
/// Not `Sendable`: core and objects form one region, which the actor owns. Objects hold the core itself and
/// not the actor, so filling a fault needs no hop and no `await`.
package final class ContextCore {
    let executor: QueueExecutor
    /// Where rows come from and saves go.
    let source: any RowSource
    let model: ManagedObjectModel
    /// Whether the context only follows what others save.
    let isReadOnly: Bool
    weak var context: ManagedObjectContext?

    private(set) lazy var registry = ObjectRegistry(self)
    private(set) lazy var relationships = RelationshipGraph(self)
    private(set) lazy var changes = ChangeTracker(self)
    private(set) lazy var notifier = ChangeNotifier(self)
    private(set) lazy var undoLog = UndoLog(self)

    var mergePolicy = MergePolicy.error
    /// While a set of members is changed in place: the objects that were hashed for it.
    var hashedObjects: HashedObjects?

    /// Why faults could not be filled, the last hundred. The next fetch throws the first of a row that could
    /// not be read; that a row is gone, the next fetch of its entity.
    private(set) var faultErrors: [any Error] = []
    /// How many there were in all.
    private(set) var faultErrorCount = 0
    /// Why changes could not be kept. A save throws the first, and no other call makes it forgotten.
    private var lostChanges: [any Error] = []
    /// Staged data that unsaved changes took.
    private var takenData: [ExternalData] = []
    /// Lists that live as long as the context, for readers elsewhere.
    var kept: [any KeptList] = []

    init(executor: QueueExecutor, source: any RowSource, isReadOnly: Bool) {
        (self.executor, self.source, self.isReadOnly) = (executor, source, isReadOnly)
        model = source.managedObjectModel
    }

    /// A context without a queue on the stores of a coordinator: its owner sees to it that two threads never
    /// use it at once, and calls ``end()``.
    package convenience init(unconfinedOn coordinator: PersistentStoreCoordinator, isReadOnly: Bool) {
        self.init(
            executor: QueueExecutor(unconfined: "moody.draft"), source: coordinator, isReadOnly: isReadOnly)
    }

    package var deletedObjectIDs: [ManagedObjectID] { changes.deleted.all.map(\.objectID) }

    package var hasChanges: Bool { changes.hasChanges }
    /// The objects that a save would write.
    package var unsavedObjects:
        (inserted: [ManagedObject], updated: [ManagedObject], deleted: [ManagedObject])
    {
        (changes.inserted.all, changes.updated.all, changes.deleted.all)
    }

    /// Takes back what was changed last, as ``ManagedObjectContext/undo()``.
    package var undoManager: UndoManager? {
        get { undoLog.manager }
        set { undoLog.manager = newValue }
    }

    /// Whether `object` is one of this context's.
    package func owns(_ object: ManagedObject) -> Bool { object.core === self }

    /// Names the store that a new object goes to. The caller has seen that it takes the entity.
    package func assign(_ object: ManagedObject, toStore identifier: String) {
        object.objectID.home.assignedStore = identifier
    }

    /// From an object's `deinit`, on whatever thread.
    func forget(_ object: ManagedObject) { registry.remove(object) }

    // MARK: Errors that had nobody to go to

    func note(_ error: any Error) {
        if faultErrors.count == 100 { faultErrors.removeFirst() }
        faultErrors.append(error)
        faultErrorCount += 1
    }

    func noteLostChange(_ error: any Error) {
        note(error)
        lostChanges.append(error)
    }

    /// - Parameter root: the family of entities whose rows are asked for; nil for all.
    package func throwFaultError(of root: Int?) throws {
        if !faultErrors.isEmpty { try throwKnownFaultError(of: root) }
    }

    private func throwKnownFaultError(of root: Int?) throws {
        func concerns(_ error: any Error) -> Bool {
            guard let root, case .objectGone(let id)? = error as? StoreError else { return true }
            return model.entity(named: id.entity)?.rootIndex == root
        }
        guard let first = faultErrors.first(where: concerns) else { return }
        faultErrors.removeAll(where: concerns)
        throw first
    }

    /// Throws the first error that came after `count` others, which stay. For calls that answer for their own
    /// reads and not for those of others.
    func throwFaultError(after count: Int) throws {
        guard faultErrorCount > count else { return }
        let new = min(faultErrorCount - count, faultErrors.count)
        if new == 0 { return }
        let first = faultErrors[faultErrors.count - new]
        faultErrors.removeLast(new)
        throw first
    }

    /// The errors of faults that no call has thrown yet; they are forgotten here.
    package func takeFaultErrors() -> [any Error] {
        defer { faultErrors = [] }
        return faultErrors
    }

    /// Throws an error if a change was lost, so that it is not taken for saved. Once: a second save
    /// saves the remaining changes.
    func throwLostChange() throws {
        guard let first = lostChanges.first else { return }
        (lostChanges, faultErrors) = ([], [])
        throw first
    }

    // MARK: External storage

    /// Reads a large value. When that fails null is answered, and the next fetch says why.
    func read(_ file: ExternalFile) -> StoredValue {
        do { return .blob(try file.read()) } catch {
            note(error)
            return .null
        }
    }

    func adopt(_ data: ExternalData) -> StoredValue {
        takenData.append(data)
        return data.consume()
    }

    /// - Parameter isSaved: whether rows name the data now; else it may be taken again.
    func finishTakenData(isSaved: Bool) {
        for data in takenData { isSaved ? data.didSave() : data.giveBack() }
        takenData = []
    }

    /// The external files that a save of this context would name.
    var dataToSave: [ExternalData] { takenData }

    /// Files that a child's changes name, which are this context's changes now.
    func takeOver(_ data: [ExternalData]) { takenData += data }

    // MARK: Inserting, deleting, taking back

    package func insert(_ entity: EntityDescription) -> ManagedObject {
        if entity.isAbstract { misuse("\(entity.name) is abstract: insert one of its subentities") }
        let object = registry.make(entity, .temporary(entity.entityName))
        changes.didInsert(object)
        object.awakeFromInsert()
        return object
    }

    package func delete(_ object: ManagedObject) {
        guard object.core === self else {
            misuse("\(object.objectID) was deleted from a context it is not in")
        }
        changes.checkDeletable()
        delete(object, isWithdrawal: false)
    }

    /// A step of a cascade: an object to be deleted, or one with all its parts gone.
    private enum Deletion {
        case begin(ManagedObject)
        case end(ManagedObject, wasInserted: Bool, pairs: [UndoStep.Pair])
    }

    /// Deletes an object and what its delete rules name. A list of work and not a recursion: a cascade may be
    /// a hundred thousand objects deep.
    ///
    /// - Parameter isWithdrawal: whether an insertion is undone: no hook of the object is called, and what
    ///   led to a new object was taken back before.
    func delete(_ object: ManagedObject, isWithdrawal: Bool) {
        var work = [Deletion.begin(object)], isFirst = true
        while let next = work.popLast() {
            switch next {
            case .begin(let object):
                let isWithdrawn = isWithdrawal && isFirst
                isFirst = false
                if !isWithdrawn && !prepareDeletion(of: object) { continue }
                if isWithdrawn && object.values.isEmpty { registry.fill(object) }
                guard isDeletable(object) else { continue }
                let wasInserted = object.status == .inserted
                let pairs = undoLog.isNoting && !isWithdrawn ? relationships.pairs(of: object) : []
                if !isWithdrawn { relationships.noteOrders(of: object) }
                // Marked first: a cascade may come round to this object again.
                object.rowState.deleted()
                work.append(.end(object, wasInserted: wasInserted, pairs: pairs))
                if isWithdrawn && wasInserted { continue }
                work += relationships.propagateDeletion(of: object).reversed().map { .begin($0) }
            case .end(let object, let wasInserted, let pairs):
                changes.didDelete(object, wasInserted: wasInserted, pairs: pairs)
                if !wasInserted { continue }
                registry.remove(object)
                // What no row stands for is held by nobody but the program and its undo manager.
                relationships.forgetAll(of: object)
            }
        }
    }

    private func isDeletable(_ object: ManagedObject) -> Bool {
        !object.values.isEmpty && (object.status == .saved || object.status == .inserted)
    }

    /// Reads the object and calls its hook.
    ///
    /// - Returns: false when it cannot be deleted: it is gone, or its row cannot be read, so that what its
    ///   delete rules name is not known.
    private func prepareDeletion(of object: ManagedObject) -> Bool {
        guard object.status == .saved || object.status == .inserted else { return false }
        if object.values.isEmpty { registry.fill(object) }
        if object.values.isEmpty {
            noteLostChange(faultErrors.last ?? StoreError.objectGone(object.objectID))
            return false
        }
        guard object.status != .detached else { return false }
        object.prepareForDeletion()
        return true
    }

    /// Takes objects out of the context whose rows another context deleted. One that is to be written again
    /// here stays.
    func lose(_ ids: [ManagedObjectID]) {
        let lost = ids.filter { registry.object($0)?.status != .inserted }
        relationships.letGo(of: Set(lost))
        for id in lost {
            changes.noteDeleted(id)
            guard let object = registry.object(id), object.status != .detached else { continue }
            relationships.withdraw(object)
            changes.didLose(object)
            registry.remove(object)
        }
    }

    /// Throws away what is not saved. Lists are told of the way back.
    package func rollback() {
        undoLog.forgetEverything()
        changes.rollback()
        relationships.forgetChanges()
        relationships.invalidate()
        lostChanges = []
        finishTakenData(isSaved: false)
        processPendingChanges()
    }

    /// Turns every object without changes into a fault.
    package func refreshAllObjects() {
        for object in registry.objects where object.snapshot == nil { refresh(object, mergeChanges: true) }
    }

    package func processPendingChanges() {
        notifier.tell()
        undoLog.endEvent()
    }

    /// Lets go of every object. Those that are still held elsewhere have no context any more.
    package func forgetEverything() {
        undoLog.forgetEverything()
        registry.removeAll()
        changes.removeAll()
        relationships.forgetChanges()
        relationships.invalidate()
        (faultErrors, lostChanges) = ([], [])
        finishTakenData(isSaved: false)
    }

    /// As ``forgetEverything()``, and lists read what the source has.
    func reset() {
        forgetEverything()
        changes.noteReset()
        processPendingChanges()
    }

    /// The end of the context.
    package func end() {
        forgetEverything()
        notifier.removeAll()
        for list in kept { list.end() }
        kept = []
        registry.end()
    }
}
