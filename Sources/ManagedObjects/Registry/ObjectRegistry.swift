import Synchronization

/// Which object stands for which row: one a row, whatever happens to either.
///
/// Owns the table of objects and makes them; nobody else may. The table holds no object, but for the few that
/// were used last: what nobody looks at is forgotten, and an object takes itself out as it goes. Fills
/// faults, those that came together in one read.
///
/// An object may go on another thread than the context's, if somebody carried it off: so the tables have a
/// lock.
final class ObjectRegistry {
    private unowned let core: ContextCore
    private let model: ManagedObjectModel
    /// Per store and root entity, by key.
    private let tables = Mutex(Tables())
    private var tableOfFamily: [Family: Int] = [:]
    private var prototypes: [ManagedObject?]
    private var classes: [ManagedObject.Type?]
    private var recent: [ManagedObject] = []
    private var nextRecent = 0
    /// How many objects are held. Tests hold fewer, so that owners are found that nobody holds.
    var recentCount = 256

    private struct Tables {
        var all: [ObjectTable] = []
        /// By a home's number: the index of its table, -1 when it has none yet.
        var indexOfHome: [Int] = []
        /// By temporary keys without their sign.
        var temporaries = ObjectTable()

        func index(of home: StoreEntity) -> Int? {
            guard indexOfHome.indices.contains(home.number), indexOfHome[home.number] >= 0 else { return nil }
            return indexOfHome[home.number]
        }

        mutating func object(_ id: ManagedObjectID) -> ManagedObject? {
            if id.key < 0 { return temporaries[-id.key] }
            guard let index = index(of: id.home) else { return nil }
            return all[index][id.key]
        }
    }

    private struct Family: Hashable { let store: String, root: Int }

    init(_ core: ContextCore) {
        self.core = core
        model = core.model
        prototypes = Array(repeating: nil, count: model.entities.count)
        classes = Array(repeating: nil, count: model.entities.count)
    }

    // MARK: The table

    /// Makes the table of a home, or finds that of its family.
    private func addTable(of home: StoreEntity) {
        guard let store = home.storeIdentifier, let entity = model.entity(named: home.entity.text) else {
            misuse("\(home.entity.text) is no entity of this model")
        }
        let family = Family(store: store, root: entity.rootIndex), known = tableOfFamily[family]
        let index = tables.withLock { tables in
            let index = known ?? tables.all.count
            if known == nil { tables.all.append(ObjectTable()) }
            while tables.indexOfHome.count <= home.number { tables.indexOfHome.append(-1) }
            tables.indexOfHome[home.number] = index
            return index
        }
        tableOfFamily[family] = index
    }

    /// The object of a row, if there is one in memory.
    func object(_ id: ManagedObjectID) -> ManagedObject? {
        var found: ManagedObject?
        tables.withLock { found = $0.object(id) }
        return found
    }

    /// A new fault. The caller has seen that there is no object yet.
    func make(_ entity: EntityDescription, _ id: ManagedObjectID) -> ManagedObject {
        let object = objectClass(entity).init(
            ObjectToken(core: core, recorder: nil, objectID: id, entity: entity))
        enter(object)
        return object
    }

    /// Looked up once an entity: the cast costs as much as the object.
    private func objectClass(_ entity: EntityDescription) -> ManagedObject.Type {
        if let known = classes[entity.index] { return known }
        let found = entity.classBinding?.objectClass as? ManagedObject.Type ?? ManagedObject.self
        classes[entity.index] = found
        return found
    }

    /// As after ``remove(_:)``: the object is its ID's again.
    func enterAgain(_ object: ManagedObject) { enter(object) }

    private func enter(_ object: ManagedObject) {
        let id = object.objectID
        if id.key < 0 {
            tables.withLock { $0.temporaries.enter(object, at: -id.key) }
            return
        }
        let isEntered = tables.withLock { tables in
            guard let index = tables.index(of: id.home) else { return false }
            tables.all[index].enter(object, at: id.key)
            return true
        }
        if isEntered { return }
        addTable(of: id.home)
        enter(object)
    }

    /// The object of a row that was read: a fault is filled by the way, one with values keeps them.
    func object(_ row: consuming ObjectRow) -> ManagedObject {
        let object: ManagedObject = core.changes.withoutTracking { self.object(&row) }
        keepForAWhile(object)
        return object
    }

    /// Called without tracking. Moves the values out of the row: to touch those of a hundred thousand rows
    /// once more costs a tenth of their fetch.
    private func object(_ row: inout ObjectRow) -> ManagedObject {
        var known = object(row.id)
        // A key of a damaged store led to a row of another entity than it says.
        if let fault = known, fault.values.isEmpty, !row.entity.isKind(of: fault.entity) {
            lose(fault)
            known = nil
        }
        let object = known ?? make(row.entity, row.id)
        guard object.values.isEmpty else { return object }
        object.rowState.load(&row.values, version: row.version)
        object.batch = nil
        object.awakeFromFetch()
        return object
    }

    /// Returns the objects of rows that were read together.
    func objects(_ rows: consuming [ObjectRow]) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        objects.reserveCapacity(rows.count)
        core.changes.withoutTracking {
            for index in rows.indices { objects.append(object(&rows[index])) }
        }
        for object in objects.suffix(recentCount) { keepForAWhile(object) }
        return objects
    }

    /// The object, or a new fault for it.
    func fault(_ id: ManagedObjectID) -> ManagedObject? {
        let id = id.current
        if let object = object(id) { return object }
        guard id.key > 0, let entity = model.entity(named: id.entity) else { return nil }
        return make(entity, id)
    }

    /// Some strong references to what was used last, so that `mood.photo?.name` in a loop does not read one
    /// row again and again.
    private func keepForAWhile(_ object: ManagedObject) {
        if recent.count < recentCount {
            recent.append(object)
        } else {
            recent[nextRecent] = object
            nextRecent = (nextRecent + 1) % recent.count
        }
    }

    /// Takes an object out of the table: its row may get another one. From an object's `deinit` too, on
    /// whatever thread; an entry that is another object's by now stays.
    func remove(_ object: ManagedObject) {
        let id = object.objectID, identity = ObjectIdentifier(object)
        tables.withLock { tables in
            if id.key < 0 {
                tables.temporaries.remove(identity, at: -id.key)
            } else if let index = tables.index(of: id.home) {
                tables.all[index].remove(identity, at: id.key)
            }
        }
    }

    /// Lets go of objects that are gone, with the large values they may hold.
    func forgetRecent() {
        recent.removeAll { $0.isGone }
        nextRecent = 0
    }

    /// After a save gave the object its permanent ID.
    func move(_ object: ManagedObject, to id: ManagedObjectID) {
        remove(object)
        object.objectID.become(id)
        object.objectID = id
        enter(object)
    }

    /// All objects in memory.
    var objects: [ManagedObject] {
        var all: [ManagedObject] = []
        tables.withLock { all = $0.all.flatMap(\.objects) + $0.temporaries.objects }
        return all
    }

    /// The objects in memory that have a row, faults included, and how many there are.
    var savedObjects: [ManagedObject] {
        var all: [ManagedObject] = []
        tables.withLock { all = $0.all.flatMap(\.objects) }
        return all
    }
    var savedCount: Int { tables.withLock { $0.all.reduce(0) { $0 + $1.count } } }

    /// Lets go of all objects: those that others still hold are no row's any more.
    func removeAll() {
        for object in objects {
            object.rowState.detached()
            object.rowState.flags = []
            (object.related, object.batch) = ([:], nil)
        }
        tables.withLock { tables in
            for index in tables.all.indices { tables.all[index] = ObjectTable() }
            tables.temporaries = ObjectTable()
        }
        (recent, nextRecent) = ([], 0)
    }

    /// The end of the context.
    func end() {
        removeAll()
        prototypes = []
    }

    /// The object whose wrappers know their slots.
    func prototype(of entity: EntityDescription) -> ManagedObject {
        if let prototype = prototypes[entity.index] { return prototype }
        guard let binding = entity.classBinding, let prototype = binding.makePrototype() as? ManagedObject
        else { misuse("\(entity.name) has no class") }
        prototypes[entity.index] = prototype
        return prototype
    }
}

/// Faults that came together: when one is asked for something, the next ones are read with it.
final class FaultBatch {
    /// How many rows are read at once, where nobody says how many.
    static let size = 256
    private let ids: [ManagedObjectID]
    private let size: Int
    private var next = 0

    init(_ ids: [ManagedObjectID], size: Int) { (self.ids, self.size) = (ids, size) }

    /// The next ones that `isWanted` wants, each once.
    func consume(where isWanted: (ManagedObjectID) -> Bool) -> [ManagedObjectID] {
        var taken: [ManagedObjectID] = []
        while next < ids.count && taken.count < size - 1 {
            if isWanted(ids[next]) { taken.append(ids[next]) }
            next += 1
        }
        return taken
    }
}

// Faults.
extension ObjectRegistry {
    /// Faults that are to be filled together, in their order.
    func faults(_ ids: [ManagedObjectID], batchSize: Int = FaultBatch.size) -> [ManagedObject] {
        let batch = FaultBatch(ids, size: batchSize)
        return ids.compactMap { id in
            guard let object = fault(id) else { return nil }
            if object.values.isEmpty && object.batch == nil { object.batch = batch }
            return object
        }
    }

    /// Reads the row of a fault, and of those that came with it. When it is gone, the object becomes one
    /// without values and counts as deleted, and the next fetch of its entity says so. When it cannot be
    /// read the object stays a fault, and the next fetch says that.
    func fill(_ object: ManagedObject) {
        if object.status == .detached || object.objectID.key < 0 { return loadNothing(object) }
        do {
            let others = object.batch?.consume { id in
                id != object.objectID && self.object(id)?.values.isEmpty ?? false
            }
            for row in try core.source.rows([object.objectID] + (others ?? [])) { _ = self.object(row) }
            if object.values.isEmpty { lose(object) }
        } catch { core.note(error) }
    }

    private func loadNothing(_ object: ManagedObject) {
        object.rowState.load([StoredValue](repeating: .null, count: object.entity.slots.count))
    }

    private func lose(_ fault: ManagedObject) {
        core.note(StoreError.objectGone(fault.objectID))
        loadNothing(fault)
        fault.rowState.detached()
        remove(fault)
        // It may be among members that were read before.
        core.relationships.invalidate()
        core.changes.noteInvalidated(fault)
    }

    /// Fills faults in a few reads. Those whose rows are gone are left as they are, and say so when they are
    /// asked.
    func fill(_ objects: [ManagedObject]) throws {
        let ids = objects.filter { $0.values.isEmpty && $0.status == .saved }.map(\.objectID)
        if ids.isEmpty { return }
        for row in try core.source.rows(ids) { _ = object(row) }
    }
}
