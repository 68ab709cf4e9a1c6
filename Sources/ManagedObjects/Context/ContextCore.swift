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

    /// Why faults could not be filled; the next call that can throw throws the first.
    private(set) var faultErrors: [any Error] = []
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

    package var deletedObjectIDs: [ManagedObjectID] { changes.deleted.all.map(\.objectID) }

    var hasChanges: Bool { changes.hasChanges }

    /// From an object's `deinit`, on whatever thread.
    func forget(_ object: ManagedObject) { registry.remove(object) }

    // MARK: Errors that had nobody to go to

    func note(_ error: any Error) {
        if faultErrors.count < 100 { faultErrors.append(error) }
    }

    func noteLostChange(_ error: any Error) {
        note(error)
        lostChanges.append(error)
    }

    func throwFaultError() throws {
        guard let first = faultErrors.first else { return }
        faultErrors = []
        throw first
    }

    /// The first that came after `count` others, which stay.
    func throwFaultError(after count: Int) throws {
        guard faultErrors.count > count else { return }
        let first = faultErrors[count]
        faultErrors.removeSubrange(count...)
        throw first
    }

    /// What could not be changed is not saved as if it had been. Said once: whoever saves again after that
    /// means what is left.
    func throwLostChange() throws {
        guard let first = lostChanges.first else { return }
        (lostChanges, faultErrors) = ([], [])
        throw first
    }

    // MARK: External storage

    func externalValue(_ column: Data, of object: ManagedObject) -> StoredValue {
        if let inline = ExternalFiles.parse(column).inline { return .blob(inline) }
        do {
            let value = try source.stagedValue(column, of: object.objectID, object.entity)
            return value.map { .blob($0) } ?? .null
        } catch {
            note(error)
            return .null
        }
    }

    func take(_ data: ExternalData) -> StoredValue {
        takenData.append(data)
        return data.take()
    }

    /// - Parameter isSaved: whether rows name the data now; else it may be taken again.
    func finishTakenData(isSaved: Bool) {
        if !isSaved { for data in takenData { data.giveBack() } }
        takenData = []
    }

    /// What a plan of this context's would name.
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
        guard object.status == .saved || object.status == .inserted else { return }
        if object.values.isEmpty { registry.fill(object) }
        // A row that cannot be read cannot be deleted either, since what its rules say is not known.
        if object.values.isEmpty {
            return noteLostChange(faultErrors.last ?? StoreError.objectGone(object.objectID))
        }
        guard object.status != .detached else { return }
        object.prepareForDeletion()
        guard object.status == .saved || object.status == .inserted else { return }
        let wasInserted = object.status == .inserted
        let pairs = undoLog.isNoting ? relationships.pairs(of: object) : []
        // Marked first: a cascade may come round to this object again.
        object.status = wasInserted ? .detached : .deleted
        relationships.propagateDeletion(of: object)
        changes.didDelete(object, wasInserted: wasInserted, pairs: pairs)
        if wasInserted { registry.remove(object) }
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

    func processPendingChanges() {
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
    func end() {
        forgetEverything()
        notifier.removeAll()
        for list in kept { list.end() }
        kept = []
        registry.end()
    }
}
