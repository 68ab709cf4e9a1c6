import Foundation

// Reading: one store answers by itself; the answers of several are put in order.
extension PersistentStoreCoordinator: RowSource {
    private func stores(for entity: EntityDescription) throws -> [any PersistentStore] {
        try stores.filter { $0.entityIndexes.contains(entity.rootIndex) }
    }

    /// The stores that a fetch asks.
    func stores(for fetch: FetchDescription) throws -> [any PersistentStore] {
        let all = try stores(for: fetch.entity)
        guard let wanted = fetch.stores else { return all }
        return all.filter { wanted.contains($0.identifier) }
    }

    func storeIdentifier(of id: ManagedObjectID, _ entity: EntityDescription) -> String? {
        try? home(of: id, entity).identifier
    }

    func rows(_ fetch: FetchDescription) throws -> [ObjectRow] {
        let stores = try stores(for: fetch)
        if stores.count < 2 { return try stores.first?.rows(fetch) ?? [] }
        let ids = try values(fetch, []).map(\.id)
        let rows = Dictionary(uniqueKeysWithValues: try rows(ids).map { ($0.id, $0) })
        return ids.compactMap { rows[$0] }
    }

    func rows(_ ids: [ManagedObjectID]) throws -> [ObjectRow] {
        if ids.isEmpty { return [] }
        struct TableKey: Hashable {
            let store: Int, root: Int
        }
        let stores = try stores
        var keys: [TableKey: [Int64]] = [:]
        for id in ids {
            guard let entity = managedObjectModel.entity(named: id.entity),
                let store = stores.firstIndex(where: { $0.identifier == id.storeIdentifier })
            else { throw StoreError.otherStore(id) }
            keys[TableKey(store: store, root: entity.rootIndex), default: []].append(id.key)
        }
        return try keys.flatMap { table, keys in
            try stores[table.store].rows(managedObjectModel.entities[table.root], keys: keys)
        }
    }

    func values(_ fetch: FetchDescription, _ paths: [PropertyPath]) throws -> [FetchedValues] {
        let stores = try stores(for: fetch)
        if stores.count < 2 { return try stores.first?.values(fetch, paths) ?? [] }
        // Each store's best, and then the best of those.
        var each = fetch
        (each.limit, each.offset) = (fetch.limit(with: 0), 0)
        let order = fetch.order.terms.map(\.path)
        let all = try stores.flatMap { try $0.values(each, order + paths) }
        let sorted = all.sorted { fetch.order.precedes($0.values, of: $0.id, before: $1.values, of: $1.id) }
        let rest = sorted.dropFirst(fetch.offset)
        return (fetch.limit.map { rest.prefix($0) } ?? rest).map {
            FetchedValues(id: $0.id, values: $0.values.dropFirst(order.count))
        }
    }

    func scan(
        _ fetch: FetchDescription, _ paths: [PropertyPath], _ body: (ScannedRow) throws -> Void
    ) throws {
        let stores = try stores(for: fetch)
        if stores.count == 1 { return try stores[0].scan(fetch, paths, body) }
        try values(fetch, paths).scan(body)
    }

    func aggregates(_ fetch: FetchDescription, _ aggregation: Aggregation) throws -> [[StoredValue]] {
        let stores = try stores(for: fetch)
        if stores.count == 1 { return try stores[0].aggregates(fetch, aggregation) }
        return try aggregation.results(values(fetch, aggregation.paths).lazy.map(\.values))
    }

    func count(_ fetch: FetchDescription) throws -> Int {
        let stores = try stores(for: fetch)
        if stores.count < 2 { return try stores.first?.count(fetch) ?? 0 }
        var all = fetch
        (all.limit, all.offset) = (nil, 0)
        let count = max(0, try stores.reduce(0) { $0 + (try $1.count(all)) } - fetch.offset)
        return fetch.limit.map { min(count, $0) } ?? count
    }

    func members(of id: ManagedObjectID, _ entity: EntityDescription, slot: Int) throws -> [ManagedObjectID] {
        try store(of: id).members(entity, key: id.key, slot: slot)
    }

    func owns(_ file: ExternalFile, of entity: EntityDescription, id: ManagedObjectID) throws -> Bool {
        try home(of: id, entity).owns(file)
    }

    func stage(_ data: Data, for entity: EntityDescription, id: ManagedObjectID) throws -> StoredValue {
        try home(of: id, entity).stage(data)
    }

    var wantsPermanentIDs: Bool { false }

    /// Whether a new object may go to a store.
    ///
    /// - Throws: ``StoreError/noStoreFor(entity:)``, ``StoreError/readOnly``.
    func checkAssignable(_ entity: EntityDescription, to identifier: String) throws {
        guard let store = try stores(for: entity).first(where: { $0.identifier == identifier }) else {
            throw StoreError.noStoreFor(entity: entity.name)
        }
        if store.isReadOnly { throw StoreError.readOnly }
    }

    func permanentIDs(for objects: [(id: ManagedObjectID, entity: EntityDescription)]) throws
        -> [ManagedObjectID]
    {
        struct TableKey: Hashable {
            let store: Int, root: Int
        }
        let stores = try stores
        let entities = objects.map(\.entity)
        let tables = try objects.map { id, entity in
            let home = try home(of: id, entity)
            return TableKey(store: stores.firstIndex { $0 === home } ?? 0, root: entity.rootIndex)
        }
        var next = try Dictionary(grouping: tables, by: { $0 }).map { table, all in
            let root = managedObjectModel.entities[table.root]
            return (table, try stores[table.store].reserveKeys(root, count: all.count))
        }.reduce(into: [TableKey: Int64]()) { $0[$1.0] = $1.1 }
        return zip(entities, tables).map { entity, table in
            let key = next[table] ?? 0
            next[table] = key + 1
            return ManagedObjectID(.of(entity.entityName, in: stores[table.store].identifier), key: key)
        }
    }

    func listCacheLocation(_ fetch: FetchDescription, section: PropertyPath?, name: String)
        -> ListCacheLocation?
    {
        guard fetch.stores == nil, fetch.includesSubentities, let stores = try? stores(for: fetch),
            stores.count == 1
        else { return nil }
        return stores[0].listCacheLocation(fetch, section: section, name: name)
    }

    /// The store that has a row, or that a new one will go to: the first that takes its entity and can be
    /// written.
    private func home(of id: ManagedObjectID, _ entity: EntityDescription) throws -> any PersistentStore {
        if !id.isTemporaryID { return try store(of: id) }
        let stores = try stores(for: entity)
        if let assigned = id.home.assignedStore,
            let store = stores.first(where: { $0.identifier == assigned })
        {
            return store
        }
        guard let store = stores.first(where: { !$0.isReadOnly }) ?? stores.first else {
            throw StoreError.noStoreFor(entity: entity.name)
        }
        return store
    }

    /// The part of a plan that concerns one store.
    private struct Part {
        let store: any PersistentStore
        var plan = SavePlan()
    }

    /// Writes to each store in one transaction of its own, and commits none before all are written.
    ///
    /// - Throws: ``ValidationError`` with the rule ``ValidationError/Rule/acrossStores``, ``StoreError``.
    func save(_ plan: SavePlan) throws -> SavedRows {
        let stores = try stores
        if stores.count == 1 { return try stores[0].save(checked(plan, stores[0])) {} }
        var parts = stores.map { Part(store: $0) }
        var storeIndices: [Int64: Int] = [:]
        func storeIndex(_ id: ManagedObjectID, _ entity: EntityDescription) throws -> Int {
            let home = try home(of: id, entity)
            return stores.firstIndex { $0 === home } ?? 0
        }
        for insert in plan.inserts {
            let storeIndex = try storeIndex(insert.id, insert.entity)
            storeIndices[insert.id.key] = storeIndex
            parts[storeIndex].plan.inserts.append(insert)
        }
        for update in plan.updates {
            parts[try storeIndex(update.id, update.entity)].plan.updates.append(update)
        }
        for delete in plan.deletes {
            parts[try storeIndex(delete.id, delete.entity)].plan.deletes.append(delete)
        }
        for link in plan.links { parts[try storeIndex(link.owner, link.entity)].plan.links.append(link) }
        for order in plan.orders {
            parts[try storeIndex(order.owner, order.entity)].plan.orders.append(order)
        }
        try checkRelationships(parts.map(\.plan), storeIndices)
        return try save(parts.filter { !$0.plan.isEmpty }[...])
    }

    /// A store says itself that it cannot take something, before anything is written.
    private func checked(_ plan: SavePlan, _ store: any PersistentStore) throws -> SavePlan {
        for insert in plan.inserts where !store.entityIndexes.contains(insert.entity.rootIndex) {
            throw StoreError.noStoreFor(entity: insert.entity.name)
        }
        return plan
    }

    private func save(_ parts: ArraySlice<Part>) throws -> SavedRows {
        guard let part = parts.first else { return SavedRows() }
        var others = SavedRows()
        let mine = try part.store.save(part.plan) { others = try save(parts.dropFirst()) }
        others.ids.merge(mine.ids) { first, _ in first }
        others.derived += mine.derived
        return others
    }

    private func checkRelationships(_ plans: [SavePlan], _ storeIndices: [Int64: Int]) throws {
        let identifiers = storeIdentifiers
        var failures: [ValidationError.Failure] = []
        func isElsewhere(_ value: StoredValue, than storeIndex: Int) -> Bool {
            guard let target = value.target else { return false }
            if target.key < 0 { return storeIndices[target.key].map { $0 != storeIndex } ?? false }
            return target.storeIdentifier != identifiers[storeIndex]
        }
        for (storeIndex, plan) in plans.enumerated() {
            let rows =
                plan.inserts.map { ($0.id, $0.entity, $0.entity.toOneSlots, $0.values) }
                + plan.updates.map { ($0.id, $0.entity, $0.slots, $0.values) }
            for (id, entity, slots, values) in rows {
                for slot in slots where isElsewhere(values[slot], than: storeIndex) {
                    failures.append(.init(object: id, property: entity.slots[slot].name, rule: .acrossStores))
                }
            }
            for link in plan.links
            where link.added.contains(where: { isElsewhere(.id($0), than: storeIndex) }) {
                failures.append(
                    .init(
                        object: link.owner, property: link.entity.slots[link.slot].name, rule: .acrossStores))
            }
        }
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }
}

extension StoreReport {
    mutating func add(_ other: StoreReport) {
        damage += other.damage
        counts.merge(other.counts, uniquingKeysWith: +)
        externalFiles += other.externalFiles
        externalBytes += other.externalBytes
        missingFiles += other.missingFiles
        leftOverFiles += other.leftOverFiles
    }
}
