/// How far a migration is.
public struct MigrationProgress: Sendable, Equatable {
    /// From 1.
    public let step: Int
    /// The number of steps.
    public let stepCount: Int
    /// The entity whose objects are being brought over.
    public let entity: String
    /// The number of objects of this step that are done.
    public let objectsDone: Int
    /// The number of objects of this step.
    public let objectCount: Int
    /// The progress of the whole migration, from 0 to 1.
    public var fractionCompleted: Double {
        let part = objectCount == 0 ? 1 : Double(objectsDone) / Double(objectCount)
        return (Double(step - 1) + part) / Double(stepCount)
    }

    package init(step: Int, stepCount: Int, entity: String, objectsDone: Int, objectCount: Int) {
        (self.step, self.stepCount, self.entity) = (step, stepCount, entity)
        (self.objectsDone, self.objectCount) = (objectsDone, objectCount)
    }
}

/// Runs one step of a migration.
struct MigrationRun {
    let manager: MigrationManager
    let step: Int
    let stepCount: Int
    let progress: (MigrationProgress) throws -> Void
    private var done = 0
    private var count = 0
    /// The number of rows read and written at a time.
    private let page = 500

    init(
        _ manager: MigrationManager, step: Int, of stepCount: Int,
        progress: @escaping (MigrationProgress) throws -> Void
    ) {
        (self.manager, self.step, self.stepCount, self.progress) = (manager, step, stepCount, progress)
    }

    private var target: PersistentStoreCoordinator { manager.target }

    mutating func run() throws {
        let routes = manager.mapping.routes
        try manager.giveKeys()
        let keys = try routes.map { try manager.keys(of: $0.source) }
        count = keys.reduce(0) { $0 + $1.count }
        // So that the caller knows which step fails, whatever it does first.
        if let first = routes.first { try tell(0, first) }
        let all = Array(zip(routes, keys))
        for (route, keys) in all {
            guard let policy = route.policy else { continue }
            manager.route = route
            try policy.begin(manager)
            try forEach(keys, route) { source, manager in
                manager.became(source, try policy.createObjects(for: source, in: manager), route)
            }
        }
        manager.route = nil
        for (route, keys) in all where route.policy == nil { try copy(keys, route) }
        for (route, keys) in all {
            let links = route.policy == nil ? self.links(of: route) : []
            if route.policy == nil && links.isEmpty { continue }
            for some in keys.parts(of: page) {
                for source in try sources(some, route) {
                    if let policy = route.policy {
                        try policy.createRelationships(
                            of: manager.objects(of: source, route), for: source, in: manager)
                    } else {
                        try link(source, route, links)
                    }
                }
                try flush()
            }
        }
        for route in routes { try route.policy?.validate(manager) }
        try flush()
        try checkRequired()
    }

    private func sources(_ keys: [Int64], _ route: EntityRoute) throws -> [MigrationSource] {
        try manager.source.stores.flatMap { try $0.rows(route.source, keys: keys) }
            .sorted { $0.id.key < $1.id.key }.map { MigrationSource(row: $0, manager: manager) }
    }

    private mutating func forEach(
        _ keys: [Int64], _ route: EntityRoute, _ body: (MigrationSource, MigrationManager) throws -> Void
    ) throws {
        for some in keys.parts(of: page) {
            for source in try sources(some, route) { try body(source, manager) }
            try flush()
            try tell(some.count, route)
        }
    }

    private mutating func tell(_ more: Int, _ route: EntityRoute) throws {
        done += more
        try progress(
            MigrationProgress(
                step: step, stepCount: stepCount, entity: route.destination.name, objectsDone: done,
                objectCount: count))
    }

    /// Rows with their attributes and keys.
    private mutating func copy(_ keys: [Int64], _ route: EntityRoute) throws {
        for some in keys.parts(of: page) {
            var plan = SavePlan()
            for source in try sources(some, route) {
                var values = try manager.initialValues(of: route.destination)
                try manager.fill(&values, route, source, hasKeys: true)
                plan.inserts.append(
                    .init(
                        id: manager.id(route, source.objectID.key), entity: route.destination, values: values)
                )
            }
            if !plan.isEmpty { _ = try target.save(plan) }
            try tell(some.count, route)
        }
    }

    // MARK: Relationships to many

    /// The slots that copied keys do not bring over: pairs, orders, and keys that were not there.
    private func links(of route: EntityRoute) -> [Int] {
        route.destination.relationshipSlots.filter { slot in
            guard route.targetPath(slot) != nil, let relationship = route.destination.relationship(at: slot),
                relationship.isToMany
            else { return false }
            return relationship.isOrdered || isWritten(slot, relationship, route)
        }
    }

    /// Whether the members themselves have to be written from this side.
    private func isWritten(_ slot: Int, _ relationship: RelationshipDescription, _ route: EntityRoute) -> Bool
    {
        let model = manager.mapping.destination, other = model.destination(of: relationship)
        func isBrought(_ inverse: Int) -> Bool {
            let routes = manager.mapping.routes.filter { $0.destination.isKind(of: other) }
            return routes.allSatisfy { $0.policy != nil || $0.targetPath(inverse) != nil } && !routes.isEmpty
        }
        switch relationship.storage {
        case .key: return false
        case .inverseKeys: return !isBrought(relationship.inverseSlot)
        case .join(let number):
            let first = model.joins[number].first
            if slot == first.slot && route.destination.isKind(of: model.entities[first.entity]) {
                return true
            }
            return !isBrought(relationship.inverseSlot)
        }
    }

    private func link(_ source: MigrationSource, _ route: EntityRoute, _ slots: [Int]) throws {
        let id = manager.id(route, source.objectID.key)
        let object = MigrationObject(
            route.destination, id: id,
            values: [StoredValue](repeating: .null, count: route.destination.slots.count),
            isWritten: true, manager: manager)
        for slot in slots {
            let members = try manager.targets(of: source.row, route, slot) ?? []
            if !members.isEmpty { object.setTargets(members, at: slot) }
        }
    }

    // MARK: Writing

    /// Writes what was made and changed since.
    private func flush() throws {
        var inserts = SavePlan(), rest = SavePlan(), keys: [ManagedObjectID: [Int: StoredValue]] = [:]
        var order: [ManagedObjectID] = []
        func setKey(_ value: StoredValue, _ slot: Int, of id: ManagedObjectID) {
            if keys[id] == nil { order.append(id) }
            keys[id, default: [:]][slot] = value
        }
        for object in manager.consumePending() {
            let isNew = !object.isWritten, entity = object.entityDescription
            let changes = object.consumeChanges()
            if isNew {
                inserts.inserts.append(.init(id: object.id, entity: entity, values: object.values))
            } else {
                for slot in changes.slots { setKey(object.values[slot], slot, of: object.id) }
            }
            for (slot, members) in changes.members.sorted(by: { $0.key < $1.key }) {
                guard let relationship = entity.relationship(at: slot) else { continue }
                switch relationship.storage {
                case .key: break
                case .inverseKeys:
                    for member in members { setKey(.id(object.id), relationship.inverseSlot, of: member) }
                case .join:
                    rest.links.append(
                        .init(owner: object.id, entity: entity, slot: slot, added: members, removed: []))
                }
                if relationship.isOrdered {
                    rest.orders.append(
                        .init(
                            owner: object.id, entity: entity, slot: slot, members: members, isComplete: true))
                }
            }
        }
        if !inserts.isEmpty { _ = try target.save(inserts) }
        var updates = SavePlan()
        for row in try target.rows(order) {
            guard let changed = keys[row.id] else { continue }
            var values = row.values
            for (slot, value) in changed { values[slot] = value }
            updates.updates.append(
                .init(
                    id: row.id, entity: row.entity, version: row.version, slots: changed.keys.sorted(),
                    values: values, snapshot: row.values))
        }
        if !updates.isEmpty { _ = try target.save(updates) }
        if !rest.isEmpty { _ = try target.save(rest) }
    }

    /// Nothing that must have a value is without one.
    private func checkRequired() throws {
        for entity in manager.mapping.destination.entities where !entity.isAbstract {
            for slot in entity.requiredSlots where entity.slots[slot].hasColumn {
                let name = entity.slots[slot].name
                let fetch = FetchDescription(
                    entity: entity,
                    predicate: .compare(.property(PropertyPath(names: [name])), .equal, .constant(.null)),
                    order: FetchOrder(terms: []))
                let count = try target.count(fetch)
                if count > 0 {
                    throw MigrationError.required(entity: entity.name, property: name, count: count)
                }
            }
        }
    }
}
