public import Foundation
public import ManagedObjects

/// Which objects a fetch wants. Without one it wants all.
///
///     Where(\.age > 30) && !Where("city", isEqualTo: "Oslo")
///
/// Several of them want what all of them want. A text that cannot be read is an error of the fetch that uses
/// it.
public struct Where<Object: ManagedObject>: FetchClause, QueryClause, Hashable {
    let filter: Filter<Object>

    /// Creates a clause from a filter.
    public init(_ filter: Filter<Object>) { self.filter = filter }
    /// The objects whose text passes a test: `Where(\.title, .contains("fog", ignoring: .case))`.
    public init(_ path: KeyPath<Object, String>, _ match: TextMatch) { filter = Filter(path, match) }
    /// The objects that have a text which passes a test.
    public init(_ path: KeyPath<Object, String?>, _ match: TextMatch) { filter = Filter(path, match) }
    /// Creates a clause from a predicate of Foundation.
    public init(_ predicate: Predicate<Object>) { filter = Filter(predicate) }
    /// All objects, or none.
    public init(_ isTrue: Bool = true) { filter = Filter(isTrue) }

    /// A predicate's text with arguments, as `Filter(format:_:)` of ManagedObjects reads it.
    public init(_ format: String, _ arguments: Any?...) {
        filter = Filter(deferring: format, arguments: arguments)
    }

    /// Creates a clause from a format string and its arguments.
    public init(_ format: String, argumentArray arguments: [Any?]) {
        filter = Filter(deferring: format, arguments: arguments)
    }

    /// The objects whose property has a value; nil for those without one.
    public init(_ name: String, isEqualTo value: Any?) {
        filter = Filter(deferring: "%K == %@", arguments: [name, value])
    }

    /// The objects whose property has one of these values.
    public init<Values: Sequence>(_ name: String, isMemberOf values: Values) {
        let list = values.map { $0 as Any? }
        filter =
            list.isEmpty ? Filter(false) : Filter(deferring: "%K IN %@", arguments: [name, list])
    }

    /// Holds where both hold.
    public static func && (a: Where, b: Where) -> Where { Where(a.filter && b.filter) }
    /// Holds where either holds.
    public static func || (a: Where, b: Where) -> Where { Where(a.filter || b.filter) }
    /// Holds where the clause does not.
    public static prefix func ! (a: Where) -> Where { Where(!a.filter) }

    /// Adds the clause to a request.
    public func apply(to request: inout FetchRequest<Object>) {
        request.filter = request.filter.map { $0 && filter } ?? filter
    }
}
