public import ManagedObjects

/// A part of a fetch: which objects, in which order, and how they are fetched. Clauses are applied in their
/// order. Two filters want what both want; of two others that set the same, the later wins.
///
/// - Source: CoreStore's protocol of this name.
public protocol FetchClause<Object>: Sendable {
    associatedtype Object: ManagedObject
    /// Makes its part of the request.
    func apply(to request: inout FetchRequest<Object>)
}

/// A part of a query: as a ``FetchClause``, and ``GroupBy``.
public protocol QueryClause<Object>: Sendable {
    associatedtype Object: ManagedObject
    /// Makes its part of the request.
    func apply(to request: inout FetchRequest<Object>)
}

/// Changes a request by hand, just before the fetch: as a rule the last clause.
///
///     Tweak { $0.fetchBatchSize = 20 }
///
/// Equal to its copies alone.
public struct Tweak<Object: ManagedObject>: FetchClause, QueryClause, Hashable {
    private let change: Box<@Sendable (inout FetchRequest<Object>) -> Void>

    /// - Parameter change: runs once for each fetch, on the thread of the fetch.
    public init(_ change: @escaping @Sendable (inout FetchRequest<Object>) -> Void) {
        self.change = Box(change)
    }

    /// Adds the clause to a request.
    public func apply(to request: inout FetchRequest<Object>) { change.value(&request) }
}

/// A closure that is equal to its copies, and to no other.
final class Box<Value: Sendable>: Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (a: Box, b: Box) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The attributes by which a query's rows are put together: one result for each combination of their values.
public struct GroupBy<Object: ManagedObject>: QueryClause, Hashable {
    let keys: Result<[String], FetchError>

    /// Groups by one attribute.
    public init<Value>(_ keyPath: KeyPath<Object, Value>) {
        keys = Result { () throws(FetchError) in [try keyPath.name] }
    }

    /// Groups by two attributes.
    public init<First, Second>(_ first: KeyPath<Object, First>, _ second: KeyPath<Object, Second>) {
        keys = Result { () throws(FetchError) in [try first.name, try second.name] }
    }

    /// By name, or by paths of names.
    public init(_ keys: String...) { self.keys = .success(keys) }
    /// Groups by these attributes.
    public init(_ keys: [String]) { self.keys = .success(keys) }

    /// Adds the clause to a request.
    public func apply(to request: inout FetchRequest<Object>) {
        if case .failure(let error) = keys { request.problem = error }
    }
}

extension KeyPath where Root: ManagedObject {
    /// The properties on the way, as in `country.code`.
    var name: String {
        get throws(FetchError) { try propertyNames().joined(separator: ".") }
    }
}
