import Synchronization

/// Which object stands for which row: one a row, whatever happens to either.
///
/// Owns the table of objects and makes them; nobody else may. The table holds no object, but for the few that
/// were used last: what nobody looks at is forgotten, and an object takes itself out as it goes. Fills
/// faults, those that came together in one read.
///
/// The table's references are `unowned` and not `weak`: a weak one gives each object a table of its own (33 bytes an
/// object, as measured), through which every retain goes from then on. An object may go on another thread than the
/// context's, if somebody carried it off: so the table has a lock, and who finds an object that is just going is
/// stopped, as by any other use off the queue.
final class ObjectRegistry {
    private unowned let core: ContextCore
    private let model: ManagedObjectModel
    /// Per store and root entity, by key.
    private var tables: [[Int64: Entry]] = []
    /// By a home's number: the place of its table, -1 when it has none yet.
    private var tableOfHome: [Int] = []
    private var tableOfFamily: [Family: Int] = [:]
    /// By temporary key.
    private var temporaries: [Int64: Entry] = [:]
    private let lock = Mutex(())
    private var prototypes: [ManagedObject?]
    private var classes: [ManagedObject.Type?]
    private var recent: [ManagedObject] = []
    private var nextRecent = 0

    private struct Entry {
        unowned let object: ManagedObject
        let identity: ObjectIdentifier

        init(object: ManagedObject) { (self.object, identity) = (object, ObjectIdentifier(object)) }
    }
    private struct Family: Hashable { let store: String, root: Int }

    init(_ core: ContextCore) {
        self.core = core
        model = core.model
        prototypes = Array(repeating: nil, count: model.entities.count)
        classes = Array(repeating: nil, count: model.entities.count)
    }

    // MARK: The table

    private func table(_ home: ObjectHome) -> Int? {
        if let known = knownTable(home) { return known }
        guard let store = home.storeIdentifier, let entity = model.entity(named: home.entity.text) else {
            return nil
        }
        let family = Family(store: store, root: entity.rootIndex)
        let place = tableOfFamily[family] ?? tables.count
        lock.withLock { _ in
            if place == tables.count {
                tables.append([:])
                tableOfFamily[family] = place
            }
            while tableOfHome.count <= home.number { tableOfHome.append(-1) }
            tableOfHome[home.number] = place
        }
        return place
    }

    /// The object of a row, if there is one in memory.
    func object(_ id: ManagedObjectID) -> ManagedObject? {
        var found: ManagedObject?
        if id.key < 0 {
            lock.withLock { _ in found = temporaries[id.key]?.object }
        } else if let table = table(id.home) {
            lock.withLock { _ in found = tables[table][id.key]?.object }
        }
        return found
    }

    /// A new fault. The caller has seen that there is no object yet.
    func make(_ entity: EntityDescription, _ id: ManagedObjectID) -> ManagedObject {
        let object = objectClass(entity).init(
            ObjectToken(core: core, witness: nil, objectID: id, entity: entity))
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

    private func enter(_ object: ManagedObject) {
        let id = object.objectID
        if id.key < 0 {
            lock.withLock { _ in temporaries[id.key] = Entry(object: object) }
        } else if let table = table(id.home) {
            lock.withLock { _ in tables[table][id.key] = Entry(object: object) }
        } else {
            misuse("\(id) is of no entity of this model")
        }
    }

    /// The object of a row that was read: a fault is filled by the way, one with values keeps them.
    func object(_ row: ObjectRow) -> ManagedObject {
        if let object = object(row.id) {
            if object.values.isEmpty { take(row, into: object) }
            return object
        }
        let object = make(row.entity, row.id)
        take(row, into: object)
        keepForAWhile(object)
        return object
    }

    /// The objects of rows that were read together, with room made for them at once.
    func objects(_ rows: [ObjectRow]) -> [ManagedObject] {
        if rows.count > 64, let table = table(rows[0].id.home) {
            lock.withLock { _ in tables[table].reserveCapacity(tables[table].count + rows.count) }
        }
        return rows.map { object($0) }
    }

    /// The object, or a new fault for it.
    func fault(_ id: ManagedObjectID) -> ManagedObject? {
        let id = id.current
        if let object = object(id) { return object }
        guard id.key > 0, let entity = model.entity(named: id.entity) else { return nil }
        return make(entity, id)
    }

    private func take(_ row: ObjectRow, into object: ManagedObject) {
        object.values = row.values
        object.version = row.version
        object.batch = nil
        core.changes.withoutTracking { object.awakeFromFetch() }
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

    /// Takes an object out of the table: its row may get another one. From an object's `deinit` too, on
    /// whatever thread; an entry that is another object's by now stays.
    func remove(_ object: ManagedObject) {
        let id = object.objectID
        lock.withLock { _ in
            if id.key < 0 {
                temporaries[id.key] = nil
            } else if let table = knownTable(id.home), isEntry(tables[table][id.key], of: object) {
                tables[table][id.key] = nil
            }
        }
    }

    /// Compared without retaining: the object may be on its way out.
    private func isEntry(_ entry: Entry?, of object: ManagedObject) -> Bool {
        entry?.identity == ObjectIdentifier(object)
    }

    private func knownTable(_ home: ObjectHome) -> Int? {
        home.number >= 0 && home.number < tableOfHome.count && tableOfHome[home.number] >= 0
            ? tableOfHome[home.number] : nil
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
        lock.withLock { _ in
            all = tables.flatMap { $0.values.map(\.object) } + temporaries.values.map(\.object)
        }
        return all
    }

    /// Lets go of all objects: those that others still hold are no row's any more.
    func removeAll() {
        for object in objects {
            object.status = .detached
            (object.related, object.batch, object.marks, object.snapshot) = ([:], nil, [], nil)
        }
        lock.withLock { _ in
            for table in tables.indices { tables[table] = [:] }
            temporaries = [:]
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
    /// How many rows are read at once.
    static let size = 256
    private let ids: [ManagedObjectID]
    private var next = 0

    init(_ ids: [ManagedObjectID]) { self.ids = ids }

    /// The next ones that `isWanted` wants, each once.
    func take(where isWanted: (ManagedObjectID) -> Bool) -> [ManagedObjectID] {
        var taken: [ManagedObjectID] = []
        while next < ids.count && taken.count < Self.size - 1 {
            if isWanted(ids[next]) { taken.append(ids[next]) }
            next += 1
        }
        return taken
    }
}

// Faults.
extension ObjectRegistry {
    /// Faults that are to be filled together, in their order.
    func faults(_ ids: [ManagedObjectID]) -> [ManagedObject] {
        let batch = FaultBatch(ids)
        return ids.compactMap { id in
            guard let object = fault(id) else { return nil }
            if object.values.isEmpty && object.batch == nil { object.batch = batch }
            return object
        }
    }

    /// Reads the row of a fault, and of those that came with it. When it is gone, the object becomes one
    /// without values and counts as deleted, and the next call that can throw says so. When it cannot be read
    /// the object stays a fault, and the next call says that.
    func fill(_ object: ManagedObject) {
        let nothing = [StoredValue](repeating: .null, count: object.entity.slots.count)
        if object.status == .detached || object.objectID.key < 0 {
            object.values = nothing
            return
        }
        do {
            let others = object.batch?.take { id in
                id != object.objectID && self.object(id)?.values.isEmpty ?? false
            }
            for row in try core.source.rows([object.objectID] + (others ?? [])) { _ = self.object(row) }
            if !object.values.isEmpty { return }
            core.note(StoreError.objectGone(object.objectID))
        } catch {
            core.note(error)
            return
        }
        object.values = nothing
        object.status = .detached
        remove(object)
    }

    /// Fills faults in a few reads. Those whose rows are gone are left as they are, and say so when they are
    /// asked.
    func fill(_ objects: [ManagedObject]) throws {
        let ids = objects.filter { $0.values.isEmpty && $0.status == .saved }.map(\.objectID)
        if ids.isEmpty { return }
        for row in try core.source.rows(ids) { _ = object(row) }
    }
}
