import ManagedObjects

extension DataStack {
    /// The request that a fetch's clauses make together. A fetch without clauses wants all objects, in the
    /// order in which they were saved.
    ///
    /// - Throws: ``StackError/noStore(entity:configuration:)``, ``StackError/fetch(_:)``.
    func request<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: [any FetchClause<Object>]
    ) throws(StackError) -> FetchRequest<Object> {
        var request = try request(from)
        for clause in from.clauses + clauses { clause.apply(to: &request) }
        return request
    }

    /// The request and the groups of a query.
    func request<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: [any QueryClause<Object>]
    ) throws(StackError) -> (request: FetchRequest<Object>, groups: [String]) {
        var request = try request(from), groups: [String] = []
        if let grouping = from.grouping { groups = try wrapping { try grouping.keys.get() } }
        for clause in from.clauses { clause.apply(to: &request) }
        for clause in clauses {
            if let grouping = clause as? GroupBy<Object> {
                groups = try wrapping { try grouping.keys.get() }
            } else {
                clause.apply(to: &request)
            }
        }
        return (request, groups)
    }

    private func request<Object: ManagedObject>(_ from: From<Object>) throws(StackError)
        -> FetchRequest<Object>
    {
        var request = from.request
        let entity = try entity(of: request)
        let all = stores(for: entity)
        guard let configurations = from.configurations else {
            if coordinator.persistentStores.isEmpty { throw .store(.noStore) }
            if all.isEmpty { throw .noStore(entity: entity.name, configuration: nil) }
            return request
        }
        var identifiers: [String] = []
        for name in configurations {
            let found = all.filter { $0.configuration == name }
            if found.isEmpty { throw .noStore(entity: entity.name, configuration: name) }
            identifiers += found.map(\.identifier)
        }
        request.affectedStores = identifiers
        return request
    }

    func entity<Object: ManagedObject>(of request: FetchRequest<Object>) throws(StackError)
        -> EntityDescription
    {
        let model = coordinator.managedObjectModel
        let found =
            if let name = request.entityName { model.entity(named: name) } else {
                model.entity(for: Object.self)
            }
        guard let found else { throw .fetch(.unknownEntity(request.entityName ?? Object.entityName)) }
        return found
    }
}
