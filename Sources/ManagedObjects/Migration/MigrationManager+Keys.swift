// Which keys objects have after a migration.
extension MigrationManager {
    /// Settles which keys are kept, and gives new ones to the others.
    func giveKeys() throws {
        for route in mapping.routes {
            let root = route.destination.rootIndex
            if keeper[root] == nil { keeper[root] = route.source.rootIndex }
        }
        for (root, kept) in keeper.sorted(by: { $0.key < $1.key }) {
            // A store of one configuration has some of the model's entities.
            guard try source.stores[0].entityIndexes.contains(kept),
                try target.stores[0].entityIndexes.contains(root)
            else { continue }
            let last = try source.stores[0].lastKey(mapping.source.entities[kept])
            guard last > 0 else { continue }
            let entity = mapping.destination.entities[root], store = try target.stores[0]
            let known = try store.lastKey(entity)
            if known < last { _ = try store.reserveKeys(entity, count: Int(last - known)) }
        }
        // Only one of the objects that an old one becomes has its key.
        var keeping: Set<Int> = []
        for route in mapping.routes where route.policy == nil {
            let root = mapping.destination.entities[route.destination.rootIndex]
            let several = mapping.routes.filter { $0.source === route.source }.count > 1
            if keeper[root.index] == route.source.rootIndex && !several {
                sameKeys[route.source.name] = route.destination
                continue
            }
            let keys = try keys(of: route.source)
            let isKept =
                keeper[root.index] == route.source.rootIndex && keeping.insert(route.source.index).inserted
            let first = isKept || keys.isEmpty ? 0 : try target.stores[0].reserveKeys(root, count: keys.count)
            for (index, key) in keys.enumerated() {
                let id = targetID(route.destination, isKept ? key : first + Int64(index))
                becameOf[route.source.name, default: [:]][key, default: []].append(id)
            }
        }
    }

    /// The keys of the objects of this very entity.
    func keys(of entity: EntityDescription) throws -> [Int64] {
        let fetch = FetchDescription(entity: entity, predicate: nil, order: FetchOrder(terms: []))
        return try source.stores(for: fetch).flatMap { try $0.versions(fetch) }.filter {
            $0.id.entity == entity.name
        }
        .map(\.id.key).sorted()
    }

    /// The ID that an object without a policy gets there.
    func id(_ route: EntityRoute, _ key: Int64) -> ManagedObjectID {
        let known = becameOf[route.source.name]?[key]
        return known?.first { $0.entity == route.destination.name } ?? targetID(route.destination, key)
    }
}
