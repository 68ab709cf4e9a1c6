public import Foundation

/// Which objects, in which order. A value: it may be made anywhere and sent to any context.
///
///     var request = FetchRequest(\Mood.latitude > 45.0, sortedBy: .descending(\.date))
///     request.fetchLimit = 20
public struct FetchRequest<Object: ManagedObject>: Sendable {
    /// Nil wants all of them.
    public var filter: Filter<Object>?
    public var sortDescriptors: [SortDescriptor<Object>]
    /// At most so many; nil for all.
    public var fetchLimit: Int?
    /// How many to pass over first.
    public var fetchOffset = 0

    public init(_ filter: Filter<Object>? = nil, sortedBy sortDescriptors: SortDescriptor<Object>...) {
        self.filter = filter
        self.sortDescriptors = sortDescriptors
    }

    public init(_ predicate: Predicate<Object>, sortedBy sortDescriptors: SortDescriptor<Object>...) {
        filter = Filter(predicate)
        self.sortDescriptors = sortDescriptors
    }

    /// The request without its class.
    ///
    /// - Throws: ``FetchError`` when the filter or the order looks at something the store has no column for.
    func description(in model: ManagedObjectModel) throws -> FetchDescription {
        guard let entity = model.entity(for: Object.self) else {
            misuse("\(Object.self) is not a class of this context's model")
        }
        return FetchDescription(
            entity: entity, predicate: try filter?.node.get(), order: try FetchOrder(sortDescriptors),
            limit: fetchLimit, offset: fetchOffset)
    }
}

extension FetchOrder {
    init<Object: ManagedObject>(_ descriptors: [SortDescriptor<Object>]) throws(FetchError) {
        var terms: [Term] = []
        for descriptor in descriptors {
            guard let keyPath = descriptor.keyPath as? any NamedKeyPath else {
                throw .unsupported("a sort without a key path")
            }
            terms.append(
                Term(
                    path: PropertyPath(names: try keyPath.names()),
                    isDescending: descriptor.order == .reverse))
        }
        self.init(terms: terms)
    }
}

/// A key path from an object, whatever it leads to.
protocol NamedKeyPath {
    func names() throws(FetchError) -> [String]
}

extension KeyPath: NamedKeyPath where Root: ManagedObject {
    func names() throws(FetchError) -> [String] { try propertyNames() }
}

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

    public static func ascending<Value: Comparable & AttributeValue>(
        _ keyPath: any KeyPath<Compared, Value?> & Sendable
    ) -> SortDescriptor<Compared> { SortDescriptor(keyPath, order: .forward) }

    public static func descending<Value: Comparable & AttributeValue>(
        _ keyPath: any KeyPath<Compared, Value?> & Sendable
    ) -> SortDescriptor<Compared> { SortDescriptor(keyPath, order: .reverse) }
}
