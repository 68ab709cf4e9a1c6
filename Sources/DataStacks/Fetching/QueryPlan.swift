import ManagedObjects

/// A query, ready to be run on a context.
struct QueryPlan<Object: ManagedObject> {
    private var request: FetchRequest<Object>
    private let columns: [FetchedColumn]
    private let groups: [String]

    /// - Throws: ``StackError/noStore(entity:configuration:)``, ``StackError/fetch(_:)``.
    init<Value>(
        _ stack: DataStack, from: From<Object>, select: Select<Object, Value>,
        clauses: [any QueryClause<Object>]
    ) throws(StackError) {
        (request, groups) = try stack.request(from, clauses)
        columns = try Self.columns(select, try stack.entity(of: request))
    }

    /// Prepares a query for one value, which has no groups.
    init<Value>(
        _ stack: DataStack, from: From<Object>, select: Select<Object, Value>,
        clauses: [any FetchClause<Object>]
    ) throws(StackError) {
        if from.grouping != nil { throw .fetch(.unsupported("groups in a query for one value")) }
        (request, groups) = (try stack.request(from, clauses), [])
        columns = try Self.columns(select, try stack.entity(of: request))
    }

    private static func columns<Value>(
        _ select: Select<Object, Value>, _ entity: EntityDescription
    ) throws(StackError) -> [FetchedColumn] {
        var columns: [FetchedColumn] = []
        for term in select.terms {
            let key = try wrapping { try term.key.get() }
            let name = term.name(of: key)
            switch term.function {
            case .none: columns.append(.property(key, as: name))
            case .objectID: columns.append(.objectID(as: name))
            case .average: columns.append(.average(key, as: name))
            case .maximum: columns.append(.maximum(key, as: name))
            case .minimum: columns.append(.minimum(key, as: name))
            case .sum: columns.append(.sum(key, as: name))
            case .count:
                let isToMany = entity.relationshipsToMany.contains(key)
                columns.append(isToMany ? .memberCount(key, as: name) : .count(of: key, as: name))
            }
        }
        return columns
    }

    /// The value of the first result.
    func value<Value: SelectValue>(_ core: ContextCore) throws -> Value? {
        var request = request
        request.fetchLimit = 1
        let table: FetchedTable
        do { table = try core.fetchTable(request, of: columns, groupedBy: []) } catch StoreError.sqlite(
            _, message: "integer overflow", _)
        { return nil }
        guard let stored = table.rows.first?.first else { return nil }
        return Value.selected(QueryValue(stored: stored, type: table.types[0]))
    }

    func rows(_ core: ContextCore) throws -> [QueryRow] {
        let table = try core.fetchTable(request, of: columns, groupedBy: groups)
        return table.rows.map { QueryRow(names: table.names, types: table.types, stored: $0) }
    }
}

extension EntityDescription {
    /// The names of relationships to many.
    fileprivate var relationshipsToMany: [String] {
        properties.compactMap { property in
            if case .relationship(let relationship) = property, relationship.isToMany {
                relationship.name
            } else {
                nil
            }
        }
    }
}
