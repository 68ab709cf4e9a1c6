public import Foundation

/// A value and the order it is compared in: what the key path of a sort leads to, since a descriptor keeps no
/// order of ours. On a prototype it tells the path it stands for.
struct OrderedValue: Comparable {
    let value: StoredValue
    let path: OrderedPath

    /// Null before everything.
    static func < (a: Self, b: Self) -> Bool { a.value.rank(against: b.value, a.path.order) == .less }
    static func == (a: Self, b: Self) -> Bool { a.value.rank(against: b.value, a.path.order) == .same }
}

/// A key path to a value, and an order. (A property behind the path itself would do, but for paths over
/// optionals: to follow one that was appended to crashes in the runtime of Swift 6.3.)
struct OrderedPath: Hashable, @unchecked Sendable {
    // @unchecked Sendable because a key path never changes, and who makes one of these has one that may be
    // sent.
    let path: AnyKeyPath
    /// Nil for truth values and enumerations, which Swift does not order: they stand as the store has them.
    let order: Collation?
}

extension ManagedObject {
    fileprivate final subscript(ordered path: OrderedPath) -> OrderedValue {
        // A prototype is asked for the path alone.
        let value = core == nil ? nil : self[keyPath: path.path] as? any PredicateValue
        return OrderedValue(value: value?.storedValue ?? .null, path: path)
    }
}

extension KeyPath where Root: ManagedObject {
    /// The path to a value and its order that this stands for; nil for any other.
    var orderedPath: OrderedPath? {
        guard Value.self == OrderedValue.self,
            let root = ClassDescription.of(Root.self).makePrototype(recorder: nil) as? Root
        else { return nil }
        return (root[keyPath: self] as? OrderedValue)?.path
    }
}

extension SortDescriptor where Compared: ManagedObject {
    /// Texts in another order than byte by byte, smallest first. Texts that are equal in it are put in order
    /// by the next descriptor.
    ///
    /// - Complexity: no index helps; each comparison takes about a microsecond.
    public static func ascending(
        _ keyPath: any KeyPath<Compared, String> & Sendable, comparing order: Collation
    )
        -> SortDescriptor<Compared>
    { descriptor(keyPath, order, .forward) }

    /// Sorts by strings in an order, the greatest value first.
    public static func descending(
        _ keyPath: any KeyPath<Compared, String> & Sendable, comparing order: Collation
    )
        -> SortDescriptor<Compared>
    { descriptor(keyPath, order, .reverse) }

    /// Nil comes before everything.
    public static func ascending(
        _ keyPath: any KeyPath<Compared, String?> & Sendable, comparing order: Collation
    )
        -> SortDescriptor<Compared>
    { descriptor(keyPath, order, .forward) }

    /// Nil comes after everything.
    public static func descending(
        _ keyPath: any KeyPath<Compared, String?> & Sendable, comparing order: Collation
    ) -> SortDescriptor<Compared> { descriptor(keyPath, order, .reverse) }

    /// False before true; nil before both.
    public static func ascending(_ keyPath: any KeyPath<Compared, Bool> & Sendable)
        -> SortDescriptor<Compared>
    { descriptor(keyPath, nil, .forward) }

    /// True before false; nil after both.
    public static func descending(_ keyPath: any KeyPath<Compared, Bool> & Sendable)
        -> SortDescriptor<Compared>
    { descriptor(keyPath, nil, .reverse) }

    /// False before true; nil before both.
    public static func ascending(_ keyPath: any KeyPath<Compared, Bool?> & Sendable)
        -> SortDescriptor<Compared>
    { descriptor(keyPath, nil, .forward) }

    /// True before false; nil after both.
    public static func descending(_ keyPath: any KeyPath<Compared, Bool?> & Sendable)
        -> SortDescriptor<Compared>
    { descriptor(keyPath, nil, .reverse) }

    /// An enumeration by its raw values, smallest first.
    @_disfavoredOverload
    public static func ascending<Value: AttributeEnumeration>(
        _ keyPath: any KeyPath<Compared, Value> & Sendable
    ) -> SortDescriptor<Compared> { descriptor(keyPath, nil, .forward) }

    /// An enumeration by its raw values, largest first.
    @_disfavoredOverload
    public static func descending<Value: AttributeEnumeration>(
        _ keyPath: any KeyPath<Compared, Value> & Sendable
    ) -> SortDescriptor<Compared> { descriptor(keyPath, nil, .reverse) }

    /// An enumeration by its raw values, smallest first; nil before everything.
    @_disfavoredOverload
    public static func ascending<Value: AttributeEnumeration>(
        _ keyPath: any KeyPath<Compared, Value?> & Sendable
    ) -> SortDescriptor<Compared> { descriptor(keyPath, nil, .forward) }

    /// An enumeration by its raw values, largest first; nil after everything.
    @_disfavoredOverload
    public static func descending<Value: AttributeEnumeration>(
        _ keyPath: any KeyPath<Compared, Value?> & Sendable
    ) -> SortDescriptor<Compared> { descriptor(keyPath, nil, .reverse) }

    private static func descriptor(_ path: AnyKeyPath, _ order: Collation?, _ direction: SortOrder)
        -> SortDescriptor<Compared>
    {
        let path = OrderedPath(path: path, order: order)
        return SortDescriptor(\Compared.[ordered: path], order: direction)
    }
}
