/// One value of a fetch's results that are not objects: a property, or something made of a property of many
/// objects.
public struct FetchedColumn: Sendable {
    /// What it is called in the results.
    public let name: String
    let path: PropertyPath?
    /// Nil for the property itself.
    let function: Aggregation.Function?

    private init(_ name: String?, _ path: String?, _ function: Aggregation.Function?, _ kind: String) {
        self.path = path.map { PropertyPath(names: $0.split(separator: ".").map(String.init)) }
        self.function = function
        self.name = name ?? [kind, path].compactMap { $0 }.joined(separator: " ")
    }

    /// A property, or one over relationships to one: `country.name`.
    public static func property(_ path: String, as name: String? = nil) -> Self {
        .init(name ?? path, path, nil, "")
    }

    /// How many objects. "count" unless another name is given.
    public static func count(as name: String? = nil) -> Self { .init(name, nil, .count, "count") }

    /// How many objects have a value. "count of NAME".
    public static func count(of path: String, as name: String? = nil) -> Self {
        .init(name, path, .count, "count of")
    }

    /// How many different values they have. "distinct NAME".
    public static func countDistinct(_ path: String, as name: String? = nil) -> Self {
        .init(name, path, .countDistinct, "distinct")
    }

    /// Of numbers; 0 when none has a value. "sum NAME".
    public static func sum(_ path: String, as name: String? = nil) -> Self { .init(name, path, .sum, "sum") }

    /// Of numbers; null when none has a value. "average NAME".
    public static func average(_ path: String, as name: String? = nil) -> Self {
        .init(name, path, .average, "average")
    }

    /// The smallest value; null when none has one. "minimum NAME".
    public static func minimum(_ path: String, as name: String? = nil) -> Self {
        .init(name, path, .minimum, "minimum")
    }

    /// The greatest value; null when none has one. "maximum NAME".
    public static func maximum(_ path: String, as name: String? = nil) -> Self {
        .init(name, path, .maximum, "maximum")
    }
}

/// One result of ``ManagedObjectContext/fetchDictionaries(_:of:groupedBy:having:distinct:)``.
public struct FetchedDictionary: Sendable, Equatable {
    /// In the order they were asked for.
    public let names: [String]
    let values: [StoredValue]

    /// Null for a name that was not asked for, too.
    public subscript(_ name: String) -> StoredValue {
        names.firstIndex(of: name).map { values[$0] } ?? .null
    }

    /// `row.value("sum share", as: Double.self)`; nil for an optional type, else zero, where it is null.
    public func value<Value: AttributeValue>(_ name: String, as: Value.Type = Value.self) -> Value {
        Value(storedValue: self[name])
    }
}

extension ManagedObjectContext {
    /// Values of the objects that match, or of groups of them, without making an object of any.
    ///
    ///     let years = try context.fetchDictionaries(
    ///         FetchRequest<Mood>(), of: [.property("year"), .count(), .average("share")],
    ///         groupedBy: ["year"], having: { $0.value("count", as: Int.self) > 10 })
    ///
    /// The request's order names results or properties among them; its limit and offset count results. What
    /// is not saved is not seen.
    ///
    /// - Parameters:
    ///   - columns: with an aggregate among them, all others must be grouped by. None stand for all
    ///     attributes.
    ///   - groups: objects with the same values of these are one result.
    ///   - having: which results are wanted; looked at after grouping.
    ///   - distinct: whether equal results are wanted once only.
    /// - Throws: as ``fetch(_:)``; ``FetchError/unsupported(_:)`` for a column that is neither grouped by nor
    ///   aggregated, or a sum of what are no numbers.
    public func fetchDictionaries<Object: ManagedObject>(
        _ request: FetchRequest<Object>, of columns: [FetchedColumn] = [], groupedBy groups: [String] = [],
        having: (@Sendable (FetchedDictionary) throws -> Bool)? = nil, distinct: Bool = false
    ) throws -> [FetchedDictionary] {
        try withObjects { core in
            var request = request
            let order = try request.takeOrder()
            let fetch = try request.description(in: core.model)
            let plan = try DictionaryPlan(columns, groups, order, fetch, core.model)
            return try plan.results(core, having, distinct)
        }
    }
}

extension FetchRequest {
    /// The order, which is one of results and not of objects.
    fileprivate mutating func takeOrder() throws -> FetchOrder {
        var order = try FetchOrder(sortDescriptors)
        for key in sortKeys {
            order.terms.append(
                .init(
                    path: PropertyPath(names: key.key.split(separator: ".").map(String.init)),
                    isDescending: !key.isAscending))
        }
        (sortDescriptors, sortKeys) = ([], [])
        return order
    }
}

/// What to read, and how results are made of it.
private struct DictionaryPlan {
    private let columns: [FetchedColumn]
    private var fetch: FetchDescription
    private let limit: Int?
    private let offset: Int
    private var aggregation = Aggregation()
    /// Of each column, its place in what is read.
    private var places: [Int] = []
    /// By place in the columns.
    private var order: [(place: Int, isDescending: Bool)] = []
    private let isAggregated: Bool

    init(
        _ asked: [FetchedColumn], _ groups: [String], _ order: FetchOrder, _ fetch: FetchDescription,
        _ model: ManagedObjectModel
    ) throws(FetchError) {
        let columns =
            asked.isEmpty
            ? fetch.entity.properties.filter { $0.isStoredAttribute }.map { .property($0.name) } : asked
        (self.columns, self.fetch, limit, offset) = (columns, fetch, fetch.limit, fetch.offset)
        (self.fetch.limit, self.fetch.offset) = (nil, 0)
        isAggregated = !groups.isEmpty || columns.contains { $0.function != nil }
        aggregation.groups = groups.map { PropertyPath(names: $0.split(separator: ".").map(String.init)) }
        for column in columns {
            if let function = column.function {
                let type = try column.path.map { path throws(FetchError) in try fetch.type(of: path, model) }
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
        for path in aggregation.paths + columns.compactMap(\.path) { _ = try fetch.type(of: path, model) }
        for term in order.terms {
            let name = term.path.names.joined(separator: ".")
            guard
                let place = columns.firstIndex(where: {
                    $0.name == name || ($0.path == term.path && $0.function == nil)
                })
            else { throw .unsupported("an order by \(name), which is not among the results") }
            self.order.append((place, term.isDescending))
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
                    columns[term.place].path.map { .init(path: $0, isDescending: term.isDescending) }
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
                if x == y { continue }
                let isLess = x == .null || (y != .null && x.order(to: y) == .less)
                return isLess != term.isDescending
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
        case .undefined, .string, .binaryData, .uuid, .uri, .transformable: false
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
