public import Foundation

/// A text at the end of a sort's key path, with the order it is compared in: see
/// ``Foundation/SortDescriptor/ascending(_:comparing:)``. Its type says which, since a key path tells no more.
struct OrderedText<Order: TextOrderType>: Comparable, OrderedTextValue {
    let text: String?
    static var order: TextOrder { Order.order }

    /// Nil before everything.
    static func < (a: Self, b: Self) -> Bool {
        guard let one = a.text, let other = b.text else { return a.text == nil && b.text != nil }
        return order.compare(one, other) == .orderedAscending
    }

    static func == (a: Self, b: Self) -> Bool {
        guard let one = a.text, let other = b.text else { return a.text == nil && b.text == nil }
        return order.compare(one, other) == .orderedSame
    }
}

/// An ``OrderedText`` of whatever order.
protocol OrderedTextValue {
    var text: String? { get }
    static var order: TextOrder { get }
}

protocol TextOrderType { static var order: TextOrder { get } }
private enum CaseInsensitive: TextOrderType { static var order: TextOrder { .caseInsensitive } }
private enum Localized: TextOrderType { static var order: TextOrder { .localized } }
private enum LocalizedCaseInsensitive: TextOrderType {
    static var order: TextOrder { .localizedCaseInsensitive }
}
private enum LocalizedStandard: TextOrderType { static var order: TextOrder { .localizedStandard } }

extension String {
    fileprivate var caseInsensitive: OrderedText<CaseInsensitive> { .init(text: self) }
    fileprivate var localized: OrderedText<Localized> { .init(text: self) }
    fileprivate var localizedCaseInsensitive: OrderedText<LocalizedCaseInsensitive> { .init(text: self) }
    fileprivate var localizedStandard: OrderedText<LocalizedStandard> { .init(text: self) }
}

extension String? {
    fileprivate var caseInsensitive: OrderedText<CaseInsensitive> { .init(text: self) }
    fileprivate var localized: OrderedText<Localized> { .init(text: self) }
    fileprivate var localizedCaseInsensitive: OrderedText<LocalizedCaseInsensitive> { .init(text: self) }
    fileprivate var localizedStandard: OrderedText<LocalizedStandard> { .init(text: self) }
}

extension SortDescriptor where Compared: ManagedObject {
    /// Texts in another order than byte by byte, smallest first. Texts that are equal in it are put in order by
    /// the next descriptor.
    ///
    /// - Complexity: no index helps; each comparison takes about a microsecond.
    public static func ascending(
        _ keyPath: any KeyPath<Compared, String> & Sendable, comparing order: TextOrder
    )
        -> SortDescriptor<Compared>
    { descriptor(keyPath, order, .forward) }

    /// The same, largest first.
    public static func descending(
        _ keyPath: any KeyPath<Compared, String> & Sendable, comparing order: TextOrder
    )
        -> SortDescriptor<Compared>
    { descriptor(keyPath, order, .reverse) }

    /// Nil comes before everything.
    public static func ascending(
        _ keyPath: any KeyPath<Compared, String?> & Sendable, comparing order: TextOrder
    )
        -> SortDescriptor<Compared>
    { descriptor(keyPath, order, .forward) }

    /// Nil comes after everything.
    public static func descending(
        _ keyPath: any KeyPath<Compared, String?> & Sendable, comparing order: TextOrder
    ) -> SortDescriptor<Compared> { descriptor(keyPath, order, .reverse) }

    private static func descriptor(
        _ path: KeyPath<Compared, String>, _ order: TextOrder, _ direction: SortOrder
    )
        -> SortDescriptor<Compared>
    {
        switch order {
        case .caseInsensitive: make(path.appending(path: \.caseInsensitive), direction)
        case .localized: make(path.appending(path: \.localized), direction)
        case .localizedCaseInsensitive: make(path.appending(path: \.localizedCaseInsensitive), direction)
        case .localizedStandard: make(path.appending(path: \.localizedStandard), direction)
        }
    }

    private static func descriptor(
        _ path: KeyPath<Compared, String?>, _ order: TextOrder, _ direction: SortOrder
    )
        -> SortDescriptor<Compared>
    {
        switch order {
        case .caseInsensitive: make(path.appending(path: \.caseInsensitive), direction)
        case .localized: make(path.appending(path: \.localized), direction)
        case .localizedCaseInsensitive: make(path.appending(path: \.localizedCaseInsensitive), direction)
        case .localizedStandard: make(path.appending(path: \.localizedStandard), direction)
        }
    }

    private static func make<Value: Comparable>(_ path: KeyPath<Compared, Value>, _ direction: SortOrder)
        -> SortDescriptor<Compared>
    {
        // SAFETY: `Sendable` is a marker and changes no layout; the path is one that may be sent, and a property
        // behind it.
        SortDescriptor(
            unsafe unsafeBitCast(path, to: (any KeyPath<Compared, Value> & Sendable).self), order: direction)
    }
}
