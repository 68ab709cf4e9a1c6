public import Foundation

/// A text and the order it is compared in: what the key path of a sort leads to, since a descriptor keeps no
/// order of ours. On a prototype it tells the path it stands for.
struct OrderedText: Comparable {
    let text: String?
    let path: OrderedPath

    /// Nil before everything.
    static func < (a: Self, b: Self) -> Bool {
        guard let one = a.text, let other = b.text else { return a.text == nil && b.text != nil }
        guard let order = a.path.order else { return one < other }
        return order.compare(one, other) == .orderedAscending
    }

    static func == (a: Self, b: Self) -> Bool {
        guard let one = a.text, let other = b.text else { return a.text == nil && b.text == nil }
        guard let order = a.path.order else { return one == other }
        return order.compare(one, other) == .orderedSame
    }
}

/// A key path to a text, and an order. (A property behind the path itself would do, but for paths over
/// optionals: to follow one that was appended to crashes in the runtime of Swift 6.3.)
struct OrderedPath: Hashable, @unchecked Sendable {
    // @unchecked Sendable because a key path never changes, and who makes one of these has one that may be
    // sent.
    let path: AnyKeyPath
    /// Nil for a truth value, which Swift does not order: false stands before true.
    let order: Collation?
}

extension ManagedObject {
    fileprivate final subscript(ordered path: OrderedPath) -> OrderedText {
        // A prototype is asked for the path alone.
        let value = core == nil ? nil : self[keyPath: path.path]
        let text = path.order == nil ? (value as? Bool).map { $0 ? "1" : "0" } : value as? String
        return OrderedText(text: text, path: path)
    }
}

extension KeyPath where Root: ManagedObject {
    /// The path to a text and its order that this stands for; nil for any other.
    var orderedPath: OrderedPath? {
        guard Value.self == OrderedText.self,
            let root = ClassDescription.of(Root.self).makePrototype(recorder: nil) as? Root
        else { return nil }
        return (root[keyPath: self] as? OrderedText)?.path
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

    private static func descriptor(_ path: AnyKeyPath, _ order: Collation?, _ direction: SortOrder)
        -> SortDescriptor<Compared>
    {
        let path = OrderedPath(path: path, order: order)
        return SortDescriptor(\Compared.[ordered: path], order: direction)
    }
}
