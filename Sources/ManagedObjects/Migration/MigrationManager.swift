import Foundation

/// A running step of a migration: reads a store through one version of its model and writes the new objects
/// through the next, to another store.
///
/// Owns the step's two coordinators and what became of each object. Objects keep their keys, so that their
/// IDs and URIs stay what they were, unless two hierarchies of entities become one. Not for several threads.
public final class MigrationManager {
    /// The mapping of this step.
    public let mapping: MappingModel
    let source: PersistentStoreCoordinator
    let target: PersistentStoreCoordinator
    /// Whether a column that names a file says the same in both stores.
    let sharesFiles: Bool
    /// Puts a large value in a file of the store that will be.
    private let stage: (Data) throws -> StoredValue

    /// The new objects of old ones that cannot be found by entity and key alone, by entity and key.
    var becameOf: [String: [Int64: [ManagedObjectID]]] = [:]
    /// By the source's entity: where its objects go under their own keys.
    var sameKeys: [String: EntityDescription] = [:]
    /// By the destination's root: the source's root whose keys are kept.
    var keeper: [Int: Int] = [:]
    /// The keys that went to an object of a policy, by the source's entity: each goes to one object.
    private var keptKeys: [String: Set<Int64>] = [:]
    /// The route whose policy is being asked.
    var route: EntityRoute?
    /// By route, of entities from which several lead: the objects that its policy made.
    private var made: [RouteName: [Int64: [ManagedObjectID]]] = [:]

    private struct RouteName: Hashable { let source: Int, destination: Int }
    private var named: [String: MigrationObject] = [:]
    /// The files of large values that rows of the new store name.
    private var filesHandedOn: Set<String> = []
    private var live: [ManagedObjectID: MigrationObject] = [:]
    private var pending: [MigrationObject] = []
    private var isPending: Set<ObjectIdentifier> = []
    private let targetIdentifier: String

    init(
        _ mapping: MappingModel, from source: PersistentStoreCoordinator,
        to target: PersistentStoreCoordinator,
        sharesFiles: Bool, stage: @escaping (Data) throws -> StoredValue
    ) throws {
        (self.mapping, self.source, self.target) = (mapping, source, target)
        (self.sharesFiles, self.stage) = (sharesFiles, stage)
        targetIdentifier = try target.storeIdentifier()
    }

    // MARK: For policies

    /// A new object, with the values of new objects.
    ///
    /// - Throws: ``StoreError``; ``MigrationError/mapping(_:)`` when there is no such entity, or it is
    ///   abstract.
    public func makeObject(_ entity: String) throws -> MigrationObject {
        let entity = try destination(entity)
        let root = mapping.destination.entities[entity.rootIndex]
        let key = try target.stores[0].reserveKeys(root, count: 1)
        return try object(entity, key, initialValues(of: entity))
    }

    /// The object that was made under this name before, or a new one: several objects can become one.
    public func object(_ entity: String, named name: String) throws -> (object: MigrationObject, isNew: Bool)
    {
        let name = "\(entity)/\(name)"
        if let known = named[name] { return (known, false) }
        let object = try makeObject(entity)
        (named[name], live[object.id]) = (object, object)
        return (object, true)
    }

    /// Makes the new object of `source` as the properties are mapped, without relationships.
    public func makeObject(for source: MigrationSource) throws -> MigrationObject {
        let asked = route.flatMap { $0.source === source.row.entity ? $0 : nil }
        guard let route = asked ?? mapping.routes.first(where: { $0.source === source.row.entity }) else {
            throw MigrationError.mapping([.init(entity: source.entity, property: nil, reason: "goes nowhere")]
            )
        }
        var values = try initialValues(of: route.destination)
        try fill(&values, route, source, hasKeys: false)
        let root = mapping.destination.entities[route.destination.rootIndex]
        let old = source.objectID.key
        let isKept =
            keeper[root.index] == route.source.rootIndex && becameOf[source.entity]?[old] == nil
            && keptKeys[source.entity, default: []].insert(old).inserted
        let key = isKept ? old : try target.stores[0].reserveKeys(root, count: 1)
        return object(route.destination, key, values)
    }

    /// Makes the relationships of `object` lead to what became of those that `source` led to, as the
    /// properties are mapped.
    public func copyRelationships(of source: MigrationSource, to object: MigrationObject) throws {
        guard
            let route = mapping.routes.first(where: {
                $0.source === source.row.entity && $0.destination === object.entityDescription
            })
        else { return }
        for slot in route.destination.relationshipSlots {
            guard let targets = try targets(of: source.row, route, slot) else { continue }
            object.setTargets(targets, at: slot)
        }
    }

    /// All objects of an entity before, and of those that inherit from it.
    ///
    /// - Complexity: memory for all of them.
    public func sources(_ entity: String) throws -> [MigrationSource] {
        guard let description = mapping.source.entity(named: entity) else { return [] }
        return try source.rows(
            FetchDescription(entity: description, predicate: nil, order: FetchOrder(terms: []))
        ).map { MigrationSource(row: $0, manager: self) }
    }

    // MARK: Values

    private func destination(_ name: String) throws -> EntityDescription {
        guard let entity = mapping.destination.entity(named: name), !entity.isAbstract else {
            throw MigrationError.mapping([
                .init(entity: name, property: nil, reason: "has no objects in the version after")
            ])
        }
        return entity
    }

    private func object(_ entity: EntityDescription, _ key: Int64, _ values: [StoredValue]) -> MigrationObject
    {
        let object = MigrationObject(
            entity, id: targetID(entity, key), values: values, isWritten: false, manager: self)
        note(object)
        return object
    }

    func targetID(_ entity: EntityDescription, _ key: Int64) -> ManagedObjectID {
        ManagedObjectID(.of(entity.entityName, in: targetIdentifier), key: key)
    }

    func initialValues(of entity: EntityDescription) throws -> [StoredValue] {
        entity.defaultValues()
    }

    /// Returns the value that a row holds: the value itself, or the name of its file.
    func column(_ value: StoredValue, _ entity: EntityDescription, _ slot: Int) throws -> StoredValue {
        guard entity.slots[slot].isExternal, case .blob(let data) = value else { return value }
        return try stage(data)
    }

    /// Sets what the properties' mapping says.
    ///
    /// - Parameter hasKeys: whether relationships to one are set too.
    func fill(
        _ values: inout [StoredValue], _ route: EntityRoute, _ source: MigrationSource, hasKeys: Bool
    ) throws {
        let row = source.row
        for slot in route.destination.columnSlots {
            switch route.origins[slot] {
            case .initial, .none: continue
            case .targets:
                guard hasKeys, let target = try targets(of: row, route, slot)?.first else { continue }
                values[slot] = .id(target)
            case .computed(let compute):
                values[slot] = try column(try compute(source).storedValue, route.destination, slot)
            case .slot(let before):
                if route.destination.relationship(at: slot) != nil {
                    guard hasKeys, let target = row.values[before].target else { continue }
                    let targets = try destinationIDs(of: [target], route, slot)
                    values[slot] = targets.first.map { .id($0) } ?? .null
                    continue
                }
                let isFile = row.entity.slots[before].isExternal
                let value =
                    isFile == route.destination.slots[slot].isExternal
                        && (!isFile || sharesFiles && isFirst(row.values[before]))
                    ? row.values[before]
                    : try column(
                        try source.storedValue(row.entity.slots[before].name), route.destination, slot)
                // A null value keeps the default of an attribute that is required now.
                if value != .null || route.destination.slots[slot].isOptional { values[slot] = value }
            }
        }
    }

    /// Whether a value may be handed on: a file belongs to one row, and one value may become several.
    private func isFirst(_ value: StoredValue) -> Bool {
        if case .external(let file) = value { filesHandedOn.insert(file.name).inserted } else { true }
    }

    /// Returns the old targets of a relationship.
    func sourceIDs(_ row: ObjectRow, _ slot: Int) throws -> [ManagedObjectID] {
        guard let relationship = row.entity.relationship(at: slot) else { return [] }
        if !relationship.isToMany { return row.values[slot].target.map { [$0] } ?? [] }
        return try source.members(of: row.id, row.entity, slot: slot)
    }

    /// Returns the old objects at the end of a path, each once.
    private func sourceIDs(_ row: ObjectRow, _ names: [String]) throws -> [ManagedObjectID] {
        var rows = [row]
        var ids: [ManagedObjectID] = []
        for name in names {
            if !ids.isEmpty { rows = try source.rows(ids) }
            let order = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1.key, $0) })
            rows.sort { order[$0.id.key, default: 0] < order[$1.id.key, default: 0] }
            var known: Set<Int64> = []
            ids = try rows.flatMap { row in
                try row.entity.slot(of: name).map { try sourceIDs(row, $0) } ?? []
            }
            .filter { known.insert($0.key).inserted }
            if ids.isEmpty { return [] }
        }
        return ids
    }

    /// Returns the new targets of a relationship, as its mapping says; nil where it says nothing.
    func targets(of row: ObjectRow, _ route: EntityRoute, _ slot: Int) throws -> [ManagedObjectID]? {
        if let before = route.sourceSlot(slot) {
            return try destinationIDs(of: sourceIDs(row, before), route, slot)
        }
        guard let path = route.targetPath(slot) else { return nil }
        var ids = try sourceIDs(row, path.names)
        guard let from = path.sourceEntity, let to = path.destinationEntity else {
            return try destinationIDs(of: ids, route, slot)
        }
        ids = try ids.map(exactID).filter { $0.entity == from }
        return try destinationIDs(of: ids, route, slot).filter { $0.entity == to }
    }

    // MARK: Who became what

    /// The objects that old ones became, as far as a relationship may lead to them.
    ///
    /// - Returns: in order; nothing for objects that go.
    func destinationIDs(of ids: [ManagedObjectID], in entity: EntityDescription, _ slot: Int) throws
        -> [ManagedObjectID]
    {
        guard let relationship = entity.relationship(at: slot) else { return [] }
        let wanted = mapping.destination.destination(of: relationship)
        return try ids.flatMap { id -> [ManagedObjectID] in
            let exact = try exactID(id)
            guard let known = becameOf[exact.entity]?[exact.key] else {
                return sameKeys[exact.entity].map { [targetID($0, exact.key)] } ?? []
            }
            return known.filter { mapping.destination.entity(named: $0.entity)?.isKind(of: wanted) ?? false }
        }
    }

    func destinationIDs(of ids: [ManagedObjectID], _ route: EntityRoute, _ slot: Int) throws
        -> [ManagedObjectID]
    { try destinationIDs(of: ids, in: route.destination, slot) }

    /// A key may say no more than an entity that others inherit from.
    private func exactID(_ id: ManagedObjectID) throws -> ManagedObjectID {
        guard let entity = mapping.source.entity(named: id.entity), entity.hasSubentities else { return id }
        return try source.rows([id]).first?.id ?? id
    }

    func became(_ source: MigrationSource, _ objects: [MigrationObject], _ route: EntityRoute) {
        let ids = objects.map(\.id), key = source.objectID.key
        becameOf[source.entity, default: [:]][key, default: []] += ids
        if isSplit(route) { made[name(route), default: [:]][key] = ids }
    }

    /// Whether the objects of the route's source go elsewhere too.
    private func isSplit(_ route: EntityRoute) -> Bool {
        mapping.routes.count { $0.source === route.source } > 1
    }

    private func name(_ route: EntityRoute) -> RouteName {
        RouteName(source: route.source.index, destination: route.destination.index)
    }

    /// Returns the objects that a route's policy made of an old one, to set their relationships.
    func objects(of source: MigrationSource, _ route: EntityRoute) throws -> [MigrationObject] {
        let key = source.objectID.key
        let ids = isSplit(route) ? made[name(route)]?[key] : becameOf[source.entity]?[key]
        return (ids ?? []).compactMap { id in
            if let known = live[id] { return known }
            guard let entity = mapping.destination.entity(named: id.entity) else { return nil }
            let values = [StoredValue](repeating: .null, count: entity.slots.count)
            return MigrationObject(entity, id: id, values: values, isWritten: true, manager: self)
        }
    }

    // MARK: Writing

    func note(_ object: MigrationObject) {
        if isPending.insert(ObjectIdentifier(object)).inserted { pending.append(object) }
    }

    func consumePending() -> [MigrationObject] {
        defer { (pending, isPending) = ([], []) }
        return pending
    }
}
