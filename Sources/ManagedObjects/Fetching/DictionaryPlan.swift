/// The plan of a dictionary fetch: the values to read, and how results are computed from them.
struct DictionaryPlan {
    private let columns: [FetchedColumn]
    private var fetch: FetchDescription
    private let limit: Int?
    private let offset: Int
    private var aggregation = Aggregation()
    /// The index of each column among the values read.
    private var positions: [Int] = []
    /// Of rows that are not grouped.
    private var rowOrder: [FetchOrder.Term] = []
    /// By index in the columns.
    private var order: [(index: Int, isDescending: Bool, textOrder: Collation?)] = []
    private let isAggregated: Bool
    /// The type of each column; nil for IDs, and for sums of values that are not numbers.
    private(set) var types: [AttributeType?] = []

    /// - Parameter allowsText: whether a sum or an average of values that are no numbers is null instead of
    ///   an error.
    init(
        _ asked: [FetchedColumn], groups: [String], order: FetchOrder, fetch: FetchDescription,
        model: ManagedObjectModel, allowsText: Bool = false
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
                    if !allowsText { throw .unsupported("the \(column.name) of a \(known)") }
                    (types, positions) = (types + [nil], positions + [Self.nowhere])
                    continue
                }
                types.append(function.resultType(of: type ?? nil))
                positions.append(groups.count + aggregation.columns.count)
                aggregation.columns.append(
                    .init(
                        function: function, path: column.path, isDecimal: type == .some(.decimal),
                        mayBeNaN: type == .some(.double) || type == .some(.float)))
                continue
            }
            switch column.source {
            case .property:
                types.append(
                    try column.path.flatMap { path throws(FetchError) in try fetch.type(of: path, model) })
            case .objectID: types.append(nil)
            case .memberCount:
                guard let name = column.path?.names.first, let slot = fetch.entity.slot(of: name),
                    fetch.entity.relationship(at: slot)?.isToMany ?? false, column.path?.names.count == 1
                else {
                    throw .unknownKey(
                        entity: fetch.entity.name, key: column.path?.names.joined(separator: ".") ?? "")
                }
                types.append(.integer64)
            }
            if isAggregated {
                guard column.source == .property, let path = column.path,
                    let index = aggregation.groups.firstIndex(of: path)
                else {
                    throw .unsupported("\(column.name), which is neither grouped by nor aggregated")
                }
                positions.append(index)
            } else {
                positions.append(positions.count)
            }
        }
        for group in aggregation.groups where group.isLargeValue(from: fetch.entity, in: model) {
            throw .unsupported("groups by \(group.names.joined(separator: ".")), which has external storage")
        }
        for path in aggregation.paths { _ = try fetch.type(of: path, model) }
        for term in order.terms {
            let name = term.path.names.joined(separator: ".")
            guard
                let index = columns.firstIndex(where: {
                    $0.name == name || ($0.path == term.path && $0.function == nil)
                })
            else {
                // A row is ordered by what it has, selected or not; one result of all rows has no order.
                if !groups.isEmpty {
                    throw .unsupported("an order by \(name), which is not among the results")
                }
                _ = try fetch.type(of: term.path, model)
                if term.path.isLargeValue(from: fetch.entity, in: model) {
                    throw .unsupported("an order by \(name), which has external storage")
                }
                rowOrder.append(term)
                continue
            }
            if columns[index].source != .property { throw .unsupported("an order by \(name)") }
            self.order.append((index, term.isDescending, term.textOrder))
            if let path = columns[index].path {
                rowOrder.append(
                    .init(path: path, isDescending: term.isDescending, textOrder: term.textOrder))
            }
        }
    }

    func results(
        _ core: ContextCore, _ having: ((FetchedDictionary) throws -> Bool)?, _ distinct: Bool
    ) throws -> [FetchedDictionary] {
        let names = columns.map(\.name)
        var rows: [[StoredValue]]
        if isAggregated && aggregation.columns.isEmpty && aggregation.groups.isEmpty {
            rows = [positions.map { _ in .null }]
        } else if isAggregated {
            rows = try core.aggregates(fetch, aggregation).map { row in
                positions.map { $0 == Self.nowhere ? .null : row[$0] }
            }
        } else {
            var fetch = fetch
            fetch.order = FetchOrder(terms: rowOrder)
            let isWhole = having == nil && !distinct
            if isWhole { (fetch.limit, fetch.offset) = (limit, offset) }
            rows = try plainRows(core, fetch)
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

    /// The position of a column that is null in every result.
    private static var nowhere: Int { -1 }

    private func plainRows(_ core: ContextCore, _ fetch: FetchDescription) throws -> [[StoredValue]] {
        let read = columns.filter { $0.source == .property }.compactMap(\.path)
        let found = try core.values(fetch, read)
        if read.count == columns.count { return found.map { Array($0.values) } }
        return try found.map { row in
            var next = 0
            return try columns.map { column in
                switch column.source {
                case .property:
                    next += 1
                    return row.values[next - 1]
                case .objectID: return .id(row.id)
                case .memberCount:
                    guard let entity = core.model.entity(named: row.id.entity),
                        let slot = column.path?.names.first.flatMap({ entity.slot(of: $0) })
                    else { return .null }
                    return .int(Int64(try core.source.members(of: row.id, entity, slot: slot).count))
                }
            }
        }
    }

    /// Null first; equals as they were.
    private func sorted(_ results: [FetchedDictionary]) -> [FetchedDictionary] {
        results.enumerated().sorted { a, b in
            for term in order {
                let (x, y) = (a.element.values[term.index], b.element.values[term.index])
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

extension Aggregation.Function {
    /// - Parameter type: nil where rows are counted, and for relationships.
    fileprivate func resultType(of type: AttributeType?) -> AttributeType? {
        switch self {
        case .count, .countDistinct: .integer64
        case .average: type == .decimal ? .decimal : .double
        case .minimum, .maximum: type
        case .sum:
            switch type {
            case .integer16, .integer32, .boolean: .integer64
            case .float, .date: .double
            default: type
            }
        }
    }
}

/// The results of a fetch of values, as plain values, with what is known of their types.
package struct FetchedTable: Sendable {
    package let names: [String]
    /// Nil for IDs.
    package let types: [AttributeType?]
    package let rows: [[StoredValue]]
}

extension ContextCore {
    /// Values of the objects that match, or of groups of them; what is not saved is not seen. A sum or an
    /// average of values that are no numbers is null.
    ///
    /// - Throws: as ``ManagedObjectContext/fetchDictionaries(_:of:groupedBy:having:distinct:)``.
    package func fetchTable<Object: ManagedObject>(
        _ request: FetchRequest<Object>, of columns: [FetchedColumn], groupedBy groups: [String]
    ) throws -> FetchedTable {
        var request = request
        let order = try request.consumeOrder()
        let fetch = try request.description(in: model)
        let plan = try DictionaryPlan(
            columns, groups: groups, order: order, fetch: fetch, model: model, allowsText: true)
        let results = try plan.results(self, nil, false)
        return FetchedTable(names: columns.map(\.name), types: plan.types, rows: results.map(\.values))
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
