public import Foundation

/// Which objects, in which order. A value: it may be made anywhere and sent to any context.
///
///     var request = FetchRequest(\Mood.latitude > 45.0, sortedBy: .descending(\.date))
///     request.fetchLimit = 20
public struct FetchRequest<Object: ManagedObject>: Sendable, Hashable {
    /// Nil wants all of them.
    public var filter: Filter<Object>?
    /// The order; objects without an order come by key.
    public var sortDescriptors: [SortDescriptor<Object>]
    /// The order by name, behind `sortDescriptors`: for entities without a class.
    public var sortKeys: [SortKey] = []
    /// The entity, for those without a class; nil for that of `Object`.
    public var entityName: String?
    /// The maximum number of objects; nil, as well as 0 and less, for no limit.
    public var fetchLimit: Int?
    /// The number of matching objects to skip; less than 0 counts as 0.
    public var fetchOffset = 0
    /// When it is not 0, a fetch reads IDs alone and gives faults back: the first of them that is asked for
    /// something reads its row and those of the next ones, so many in all. With unsaved changes of the
    /// entities that it looks at, a fetch reads everything at once.
    public var fetchBatchSize = 0
    /// Whether a fetch gives faults back, as with a ``fetchBatchSize`` of 256. Core Data's are true from the
    /// start and keep the rows that were read; here the rows become objects at once.
    public var returnsObjectsAsFaults = false

    /// Whether a fetch sees unsaved changes of its context; without them it answers what is in the stores.
    public var includesPendingChanges = true
    /// Whether objects of entities that inherit from the request's entity match.
    public var includesSubentities = true
    /// The identifiers of the stores to look in; nil for all.
    public var affectedStores: [String]?
    /// An error found while the request was put together, thrown when it is used.
    package var problem: FetchError?

    /// The order; objects without an order come by key.
    public init(_ filter: Filter<Object>? = nil, sortedBy sortDescriptors: SortDescriptor<Object>...) {
        self.filter = filter
        self.sortDescriptors = sortDescriptors
    }

    /// The order; objects without an order come by key.
    public init(_ predicate: Predicate<Object>, sortedBy sortDescriptors: SortDescriptor<Object>...) {
        filter = Filter(predicate)
        self.sortDescriptors = sortDescriptors
    }

    /// Objects of an entity that may have no class of its own.
    public init(entityName: String, _ filter: Filter<Object>? = nil, sortedBy sortKeys: SortKey...) {
        (self.filter, self.sortKeys, self.entityName) = (filter, sortKeys, entityName)
        sortDescriptors = []
    }

    /// The request without its class.
    ///
    /// - Throws: ``FetchError`` when the filter or the order looks at something the store has no column for.
    func description(in model: ManagedObjectModel) throws -> FetchDescription {
        if let problem { throw problem }
        let entity: EntityDescription
        if let entityName {
            guard let named = model.entity(named: entityName) else {
                throw FetchError.unknownEntity(entityName)
            }
            entity = named
        } else if let known = model.entity(for: Object.self) {
            entity = known
        } else {
            misuse("\(Object.self) is not a class of this context's model")
        }
        var order = try FetchOrder(sortDescriptors)
        for key in sortKeys {
            order.terms.append(
                .init(
                    path: PropertyPath(key: key.key), isDescending: !key.isAscending, textOrder: key.textOrder
                ))
        }
        var fetch = FetchDescription(
            entity: entity, predicate: try filter?.node.get().shortened, order: order,
            limit: fetchLimit.flatMap { $0 > 0 ? $0 : nil }, offset: max(fetchOffset, 0))
        fetch.stores = affectedStores.map { Set($0) }
        fetch.includesSubentities = includesSubentities
        try fetch.check(model)
        try fetch.checkLargeValues(model)
        return fetch
    }
}

/// A property to sort by, by its name or a path of names: `country.name`.
public struct SortKey: Sendable, Hashable {
    /// The name or path of a property.
    public let key: String
    /// Whether the least value comes first.
    public let isAscending: Bool
    /// For texts; nil for byte by byte.
    public let textOrder: Collation?

    /// Sorts by a property, the least value first.
    public static func ascending(_ key: String, comparing order: Collation? = nil) -> SortKey {
        SortKey(key: key, isAscending: true, textOrder: order)
    }
    /// Sorts by a property, the greatest value first.
    public static func descending(_ key: String, comparing order: Collation? = nil) -> SortKey {
        SortKey(key: key, isAscending: false, textOrder: order)
    }
}

extension Filter {
    /// A property of an entity without a class, by its name or a path of names, compared with a value.
    public init(_ key: String, _ comparison: Comparison, _ value: (any PredicateValue)?) {
        let value = value?.storedValue ?? .null
        node = .success(
            .compare(.property(PropertyPath(key: key)), comparison.node, .constant(value)))
    }

    /// A way to compare a property with a value.
    public enum Comparison: Sendable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

        fileprivate var node: PredicateNode.Comparison {
            switch self {
            case .equal: .equal
            case .notEqual: .notEqual
            case .less: .less
            case .lessOrEqual: .lessOrEqual
            case .greater: .greater
            case .greaterOrEqual: .greaterOrEqual
            }
        }
    }
}

extension PropertyPath {
    init(key: String) { self.init(names: key.split(separator: ".").map(String.init)) }
}

extension FetchOrder {
    init<Object: ManagedObject>(_ descriptors: [SortDescriptor<Object>]) throws(FetchError) {
        var terms: [Term] = []
        for descriptor in descriptors {
            let ordered = (descriptor.keyPath as? any OrderedKeyPath)?.orderedPath
            guard let keyPath = (ordered?.path ?? descriptor.keyPath) as? any NamedKeyPath else {
                throw .unsupported("a sort without a key path")
            }
            terms.append(
                Term(
                    path: PropertyPath(names: try keyPath.names()),
                    isDescending: descriptor.order == .reverse, textOrder: ordered?.order))
        }
        self.init(terms: terms)
    }
}

/// A key path from an object, which may say how its values are ordered.
protocol OrderedKeyPath {
    var orderedPath: OrderedPath? { get }
}

extension KeyPath: OrderedKeyPath where Root: ManagedObject {}

extension SortDescriptor where Compared: ManagedObject {
    /// Smallest first; nil before everything.
    public static func ascending<Value: Comparable & AttributeValue>(
        _ keyPath: any KeyPath<Compared, Value> & Sendable
    )
        -> SortDescriptor<Compared>
    { SortDescriptor(keyPath, order: .forward) }

    /// Largest first; nil after everything.
    public static func descending<Value: Comparable & AttributeValue>(
        _ keyPath: any KeyPath<Compared, Value> & Sendable
    ) -> SortDescriptor<Compared> { SortDescriptor(keyPath, order: .reverse) }

    /// Sorts by an attribute, the least value first.
    public static func ascending<Value: Comparable & AttributeValue>(
        _ keyPath: any KeyPath<Compared, Value?> & Sendable
    ) -> SortDescriptor<Compared> { SortDescriptor(keyPath, order: .forward) }

    /// Sorts by an attribute, the greatest value first.
    public static func descending<Value: Comparable & AttributeValue>(
        _ keyPath: any KeyPath<Compared, Value?> & Sendable
    ) -> SortDescriptor<Compared> { SortDescriptor(keyPath, order: .reverse) }
}
