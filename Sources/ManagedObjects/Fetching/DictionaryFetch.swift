/// A column of a dictionary fetch: a property, or an aggregate of a property over many
/// objects.
public struct FetchedColumn: Sendable {
    /// The name of the column in the results.
    public let name: String
    let path: PropertyPath?
    /// Nil for the property itself.
    let function: Aggregation.Function?
    let source: Source

    /// Where a column of rows that are not grouped comes from.
    enum Source: Sendable { case property, objectID, memberCount }

    private init(
        _ name: String?, path: String?, function: Aggregation.Function?, kind: String,
        source: Source = .property
    ) {
        self.path = path.map { PropertyPath(key: $0) }
        (self.function, self.source) = (function, source)
        self.name = name ?? [kind, path].compactMap { $0 }.joined(separator: " ")
    }

    /// A property, or one over relationships to one: `country.name`.
    public static func property(_ path: String, as name: String? = nil) -> Self {
        .init(name ?? path, path: path, function: nil, kind: "")
    }

    /// The object's ID. "objectID" unless another name is given. Not for groups.
    public static func objectID(as name: String? = nil) -> Self {
        .init(name ?? "objectID", path: nil, function: nil, kind: "", source: .objectID)
    }

    /// How many members a relationship to many of the object has. "count of NAME". Not for groups.
    ///
    /// - Complexity: one look at the store for each row.
    public static func memberCount(_ name: String, as other: String? = nil) -> Self {
        .init(other, path: name, function: nil, kind: "count of", source: .memberCount)
    }

    /// How many objects. "count" unless another name is given.
    public static func count(as name: String? = nil) -> Self {
        .init(name, path: nil, function: .count, kind: "count")
    }

    /// How many objects have a value. "count of NAME".
    public static func count(of path: String, as name: String? = nil) -> Self {
        .init(name, path: path, function: .count, kind: "count of")
    }

    /// How many different values they have. "distinct NAME".
    public static func countDistinct(_ path: String, as name: String? = nil) -> Self {
        .init(name, path: path, function: .countDistinct, kind: "distinct")
    }

    /// The sum of numbers; 0 if no object has a value. Named "sum NAME".
    public static func sum(_ path: String, as name: String? = nil) -> Self {
        .init(name, path: path, function: .sum, kind: "sum")
    }

    /// The average of numbers; null if no object has a value. Named "average NAME".
    public static func average(_ path: String, as name: String? = nil) -> Self {
        .init(name, path: path, function: .average, kind: "average")
    }

    /// The smallest value; null when none has one. "minimum NAME".
    public static func minimum(_ path: String, as name: String? = nil) -> Self {
        .init(name, path: path, function: .minimum, kind: "minimum")
    }

    /// The greatest value; null when none has one. "maximum NAME".
    public static func maximum(_ path: String, as name: String? = nil) -> Self {
        .init(name, path: path, function: .maximum, kind: "maximum")
    }
}

/// A row of the results of ``ManagedObjectContext/fetchDictionaries(_:of:groupedBy:having:distinct:)``.
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
    ///   - request: the objects to fetch, and their order.
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
            let order = try request.consumeOrder()
            let fetch = try request.description(in: core.model)
            let plan = try DictionaryPlan(
                columns, groups: groups, order: order, fetch: fetch, model: core.model)
            return try plan.results(core, having, distinct)
        }
    }
}

extension FetchRequest {
    /// The order, which is one of results and not of objects.
    mutating func consumeOrder() throws -> FetchOrder {
        var order = try FetchOrder(sortDescriptors)
        for key in sortKeys {
            order.terms.append(
                .init(
                    path: PropertyPath(names: key.key.split(separator: ".").map(String.init)),
                    isDescending: !key.isAscending, textOrder: key.textOrder))
        }
        (sortDescriptors, sortKeys) = ([], [])
        return order
    }
}
