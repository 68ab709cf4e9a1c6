import Foundation

/// Everything a context knows.
///
/// Not `Sendable`: core and objects form one region, which the actor owns. Objects hold the core itself and
/// not the actor, so filling a fault needs no hop and no `await`.
///
/// Objects without changes are held weakly: what nobody looks at is forgotten. Objects with changes are held
/// until the save.
package final class ContextCore {
    let executor: QueueExecutor
    let coordinator: PersistentStoreCoordinator
    let model: ManagedObjectModel
    weak var context: ManagedObjectContext?

    /// By root entity, by key: one object a row.
    private var registered: [[Int64: WeakObject]]
    private var prototypes: [ManagedObject?]

    // Since the last save.
    var inserted = ObjectList()
    var updated = ObjectList()
    var deleted = ObjectList()
    /// Since observers were told.
    var pending = ObjectChanges()
    private var observers: [ChangeObserver] = []

    /// Goes up with each merge; sets of related objects gathered before are gathered anew.
    var epoch = 0
    /// Why faults could not be filled; the next call that can throw throws the first.
    private(set) var faultErrors: [any Error] = []
    private var recent: [ManagedObject] = []
    private var nextRecent = 0
    /// Lists that live as long as the context, for readers elsewhere.
    var kept: [AnyObject] = []

    private struct WeakObject { weak var object: ManagedObject? }

    init(executor: QueueExecutor, coordinator: PersistentStoreCoordinator) {
        self.executor = executor
        self.coordinator = coordinator
        model = coordinator.managedObjectModel
        registered = Array(repeating: [:], count: model.entities.count)
        prototypes = Array(repeating: nil, count: model.entities.count)
    }

    package var deletedObjectIDs: [ManagedObjectID] { deleted.all.map(\.objectID) }

    var hasChanges: Bool { !(inserted.isEmpty && updated.isEmpty && deleted.isEmpty) }
}

// One object a row.
extension ContextCore {
    func registeredObject(_ entity: EntityDescription, _ key: Int64) -> ManagedObject? {
        registered[entity.rootIndex][key]?.object
    }

    /// A new fault, or with values a filled object. The caller has seen that there is none yet.
    func makeObject(_ entity: EntityDescription, _ id: ManagedObjectID) -> ManagedObject {
        let objectClass = entity.classBinding?.objectClass as? ManagedObject.Type ?? ManagedObject.self
        let object = objectClass.init(ObjectToken(core: self, witness: nil, objectID: id, entity: entity))
        registered[entity.rootIndex][id.key] = WeakObject(object: object)
        return object
    }

    func register(_ row: SQLiteStore.Row) -> ManagedObject {
        if let object = registeredObject(row.entity, row.key) {
            if object.values.isEmpty { take(row, into: object) }
            return object
        }
        let object = makeObject(row.entity, ManagedObjectID(row.entity.entityName, key: row.key))
        take(row, into: object)
        keepForAWhile(object)
        return object
    }

    func take(_ row: SQLiteStore.Row, into object: ManagedObject) {
        object.values = row.values
        object.version = row.version
        object.awakeFromFetch()
    }

    /// Some strong references to what was used last, so that `mood.photo?.name` in a loop does not read one
    /// row again and again.
    private func keepForAWhile(_ object: ManagedObject) {
        if recent.count < 256 {
            recent.append(object)
        } else {
            recent[nextRecent] = object
            nextRecent = (nextRecent + 1) % recent.count
        }
    }

    /// From an object's `deinit`.
    func forget(_ object: ManagedObject) {
        // Off the queue an entry stays behind, empty, and is replaced when its row is read again.
        guard executor.isCurrent else { return }
        let root = object.entity.rootIndex, key = object.objectID.key
        if registered.indices.contains(root), registered[root][key]?.object == nil {
            registered[root][key] = nil
        }
    }

    func unregister(_ object: ManagedObject) {
        registered[object.entity.rootIndex][object.objectID.key] = nil
    }

    /// After a save gave the object its permanent ID.
    func move(_ object: ManagedObject, to id: ManagedObjectID) {
        unregister(object)
        object.objectID = id
        registered[object.entity.rootIndex][id.key] = WeakObject(object: object)
    }

    /// All objects in memory.
    var registeredObjects: [ManagedObject] { registered.flatMap { $0.values.compactMap(\.object) } }

    /// The object with this ID: in memory, or read from the store; nil when there is no such row.
    package func object(_ id: ManagedObjectID) -> ManagedObject? {
        let id = id.current
        guard let entity = model.entity(named: id.entity) else { return nil }
        if let object = registeredObject(entity, id.key) {
            return object.status == .deleted || object.status == .detached ? nil : object
        }
        if id.key < 0 { return nil }
        do {
            return try coordinator.store.rows(entity, keys: [id.key]).first.map(register)
        } catch {
            note(error)
            return nil
        }
    }

    /// The object whose wrappers know their slots.
    func prototype(of entity: EntityDescription) -> ManagedObject {
        if let prototype = prototypes[entity.index] { return prototype }
        guard let binding = entity.classBinding, let prototype = binding.makePrototype() as? ManagedObject
        else {
            misuse("\(entity.name) has no class")
        }
        prototypes[entity.index] = prototype
        return prototype
    }
}

// Faults.
extension ContextCore {
    /// Reads the row of a fault. When it is gone, the object becomes one without values and counts as
    /// deleted, and the next call that can throw says so.
    func fill(_ object: ManagedObject) {
        let nothing = [StoredValue](repeating: .null, count: object.entity.properties.count)
        if object.status == .detached || object.objectID.key < 0 {
            object.values = nothing
            return
        }
        do {
            if let row = try coordinator.store.rows(object.entity, keys: [object.objectID.key]).first {
                take(row, into: object)
                return
            }
            note(StoreError.objectGone(object.objectID))
        } catch { note(error) }
        object.values = nothing
        object.status = .detached
        unregister(object)
    }

    func externalValue(_ column: Data) -> StoredValue {
        let (inline, name) = ExternalFiles.parse(column)
        if let inline { return .blob(inline) }
        do {
            guard let name, let files = try coordinator.store.files else { return .null }
            return .blob(try files.read(name))
        } catch {
            note(error)
            return .null
        }
    }

    func note(_ error: any Error) { faultErrors.append(error) }

    func throwFaultError() throws {
        guard let first = faultErrors.first else { return }
        faultErrors = []
        throw first
    }
}

// Who wants to know.
extension ContextCore {
    func observe(_ observer: ChangeObserver) { observers.append(observer) }

    /// Whether anybody wants to hear of this entity.
    func isWatched(_ entity: EntityDescription) -> Bool {
        observers.contains { $0.interest.contains(entity.rootIndex) }
    }

    func processPendingChanges() {
        guard !pending.isEmpty else { return }
        let changes = pending
        pending = ObjectChanges()
        // An observer may make or drop lists while it is told.
        let told = observers
        observers = []
        let living = told.filter { $0.notify(changes) }
        observers = living + observers
    }

    /// Lets go of every object. Those that are still held elsewhere have no context any more.
    package func forgetEverything() {
        for object in inserted.all + updated.all + deleted.all { object.status = .detached }
        for index in registered.indices {
            for weak in registered[index].values { weak.object?.related = [:] }
            registered[index] = [:]
        }
        (inserted, updated, deleted) = (ObjectList(), ObjectList(), ObjectList())
        pending = ObjectChanges()
        recent = []
        nextRecent = 0
        faultErrors = []
        epoch += 1
    }

    /// The end of the context.
    func end() {
        forgetEverything()
        observers = []
        kept = []
        prototypes = []
    }
}
