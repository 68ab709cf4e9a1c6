/// What to read, and how results are made of it.
struct DictionaryPlan {
    private let columns: [FetchedColumn]
    private var fetch: FetchDescription
    private let limit: Int?
    private let offset: Int
    private var aggregation = Aggregation()
    /// Of each column, its place in what is read.
    private var places: [Int] = []
    /// By place in the columns.
    private var order: [(place: Int, isDescending: Bool, textOrder: TextOrder?)] = []
    private let isAggregated: Bool

    init(
        _ asked: [FetchedColumn], _ groups: [String], _ order: FetchOrder, _ fetch: FetchDescription,
        _ model: ManagedObjectModel
    ) throws(FetchError) {
        let columns =
            asked.isEmpty
            ? fetch.entity.slots.filter { $0.isStoredAttribute }.map { .property($0.name) } : asked
        (self.columns, self.fetch, limit, offset) = (columns, fetch, fetch.limit, fetch.offset)
        (self.fetch.limit, self.fetch.offset) = (nil, 0)
        isAggregated = !groups.isEmpty || columns.contains { $0.function != nil }
        aggregation.groups = groups.map { PropertyPath(names: $0.split(separator: ".").map(String.init)) }
        for column in columns {
            if let function = column.function {
                let type = try column.path.map { path throws(FetchError) in try fetch.type(of: path, model) }
                if function != .count, let path = column.path,
                    path.isLargeValue(from: fetch.entity, in: model)
                {
                    throw .unsupported("the \(column.name), which has external storage")
                }
                if function == .sum || function == .average, let type, let known = type, !known.isNumeric {
                    throw .unsupported("the \(column.name) of a \(known)")
                }
                places.append(groups.count + aggregation.columns.count)
                aggregation.columns.append(
                    .init(function: function, path: column.path, isDecimal: type == .some(.decimal)))
            } else if isAggregated {
                guard let path = column.path, let place = aggregation.groups.firstIndex(of: path) else {
                    throw .unsupported("\(column.name), which is neither grouped by nor aggregated")
                }
                places.append(place)
            } else {
                places.append(places.count)
            }
        }
        for group in aggregation.groups where group.isLargeValue(from: fetch.entity, in: model) {
            throw .unsupported("groups by \(group.names.joined(separator: ".")), which has external storage")
        }
        for path in aggregation.paths + columns.compactMap(\.path) { _ = try fetch.type(of: path, model) }
        for term in order.terms {
            let name = term.path.names.joined(separator: ".")
            guard
                let place = columns.firstIndex(where: {
                    $0.name == name || ($0.path == term.path && $0.function == nil)
                })
            else { throw .unsupported("an order by \(name), which is not among the results") }
            self.order.append((place, term.isDescending, term.textOrder))
        }
    }

    func results(
        _ core: ContextCore, _ having: ((FetchedDictionary) throws -> Bool)?, _ distinct: Bool
    ) throws -> [FetchedDictionary] {
        let names = columns.map(\.name)
        var rows: [[StoredValue]]
        if isAggregated {
            rows = try core.aggregates(fetch, aggregation).map { row in places.map { row[$0] } }
        } else {
            var fetch = fetch
            fetch.order = FetchOrder(
                terms: order.compactMap { term in
                    columns[term.place].path.map {
                        .init(path: $0, isDescending: term.isDescending, textOrder: term.textOrder)
                    }
                })
            let isWhole = having == nil && !distinct
            if isWhole { (fetch.limit, fetch.offset) = (limit, offset) }
            rows = try core.values(fetch, columns.compactMap(\.path)).map(\.values)
            if isWhole { return rows.map { FetchedDictionary(names: names, values: $0) } }
        }
        if distinct {
            var seen: Set<[StoredValue]> = []
            rows = rows.filter { seen.insert($0).inserted }
        }
        var results = rows.map { FetchedDictionary(names: names, values: $0) }
        if let having { results = try results.filter(having) }
        if isAggregated && !order.isEmpty { results = sorted(results) }
        let rest = results.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }

    /// Null first; equals as they were.
    private func sorted(_ results: [FetchedDictionary]) -> [FetchedDictionary] {
        results.enumerated().sorted { a, b in
            for term in order {
                let (x, y) = (a.element.values[term.place], b.element.values[term.place])
                switch x.rank(against: y, term.textOrder) {
                case .same: continue
                case .less: return !term.isDescending
                case .greater: return term.isDescending
                }
            }
            return a.offset < b.offset
        }.map(\.element)
    }
}

extension PropertyDescription {
    fileprivate var isStoredAttribute: Bool {
        if case .attribute(let attribute) = self { !attribute.isTransient } else { false }
    }
}

extension AttributeType {
    fileprivate var isNumeric: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date: true
        case .undefined, .string, .binaryData, .uuid, .uri, .transformable, .composite: false
        }
    }
}

extension FetchDescription {
    /// The type of the attribute a path ends in; nil for a relationship to one.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``.
    fileprivate func type(of path: PropertyPath, _ model: ManagedObjectModel) throws(FetchError)
        -> AttributeType?
    {
        var fetch = self
        fetch.order = FetchOrder(terms: [.init(path: path, isDescending: false)])
        try fetch.check(model)
        var entity = entity, type: AttributeType?
        for name in path.names {
            guard let slot = entity.slot(of: name) else { return nil }
            switch entity.slots[slot] {
            case .attribute(let attribute): type = attribute.type
            case .relationship(let relationship):
                if relationship.isToMany { throw .unsupported("\(name), which leads to many objects") }
                (entity, type) = (model.destination(of: relationship), nil)
            }
        }
        return type
    }
}
