public import ManagedObjects

/// The order of a fetch's results: by the first key, equal ones by the second, and so on; at last in the
/// order in which objects were saved.
///
///     OrderBy(.descending(\.rating), .ascending("surname"))
public struct OrderBy<Object: ManagedObject>: FetchClause, QueryClause, Hashable {
    /// The keys, the most important first.
    public private(set) var sortKeys: [SortKey]

    /// Creates an order of several keys, the most important first.
    public init(_ sortKeys: SortKey...) { self.sortKeys = sortKeys }
    /// Creates an order of several keys, the most important first.
    public init(_ sortKeys: [SortKey]) { self.sortKeys = sortKeys }

    /// Puts the keys of two clauses one after the other.
    public static func + (a: OrderBy, b: OrderBy) -> OrderBy { OrderBy(a.sortKeys + b.sortKeys) }
    /// Appends the keys of another clause.
    public static func += (a: inout OrderBy, b: OrderBy) { a.sortKeys += b.sortKeys }

    /// Adds the clause to a request.
    public func apply(to request: inout FetchRequest<Object>) {
        (request.sortDescriptors, request.sortKeys) = ([], [])
        for sortKey in sortKeys {
            switch sortKey.key {
            case .success(let key): request.sortKeys.append(key)
            case .failure(let error): request.problem = error
            }
        }
    }

    /// A property to sort by.
    public struct SortKey: Sendable, Hashable {
        let key: Result<ManagedObjects.SortKey, FetchError>

        private init(_ path: KeyPath<Object, some Any>, isAscending: Bool, _ order: Collation? = nil) {
            key = Result { () throws(FetchError) in
                let name = try path.name
                return isAscending
                    ? .ascending(name, comparing: order) : .descending(name, comparing: order)
            }
        }

        /// Smallest first; nil before everything.
        public static func ascending<Value: Comparable & AttributeValue>(
            _ path: any KeyPath<Object, Value> & Sendable
        ) -> Self { Self(path, isAscending: true) }

        /// Sorts by an attribute, the least value first.
        public static func ascending<Value: Comparable & AttributeValue>(
            _ path: any KeyPath<Object, Value?> & Sendable
        ) -> Self { Self(path, isAscending: true) }

        /// False before true.
        public static func ascending(_ path: any KeyPath<Object, Bool> & Sendable) -> Self {
            Self(path, isAscending: true)
        }
        /// False before true; nil before both.
        public static func ascending(_ path: any KeyPath<Object, Bool?> & Sendable) -> Self {
            Self(path, isAscending: true)
        }

        /// An enumeration by its raw values, smallest first.
        @_disfavoredOverload
        public static func ascending<Value: AttributeEnumeration>(
            _ path: any KeyPath<Object, Value> & Sendable
        ) -> Self { Self(path, isAscending: true) }

        /// An enumeration by its raw values, smallest first; nil before everything.
        @_disfavoredOverload
        public static func ascending<Value: AttributeEnumeration>(
            _ path: any KeyPath<Object, Value?> & Sendable
        ) -> Self { Self(path, isAscending: true) }

        /// Texts in another order than byte by byte.
        public static func ascending(
            _ path: any KeyPath<Object, String> & Sendable, comparing order: Collation
        ) -> Self { Self(path, isAscending: true, order) }

        /// By name, or by a path of names over relationships to one.
        public static func ascending(_ name: String, comparing order: Collation? = nil) -> Self {
            Self(key: .success(.ascending(name, comparing: order)))
        }

        /// Largest first; nil after everything.
        public static func descending<Value: Comparable & AttributeValue>(
            _ path: any KeyPath<Object, Value> & Sendable
        ) -> Self { Self(path, isAscending: false) }

        /// Sorts by an attribute, the greatest value first.
        public static func descending<Value: Comparable & AttributeValue>(
            _ path: any KeyPath<Object, Value?> & Sendable
        ) -> Self { Self(path, isAscending: false) }

        /// True before false.
        public static func descending(_ path: any KeyPath<Object, Bool> & Sendable) -> Self {
            Self(path, isAscending: false)
        }
        /// True before false; nil after both.
        public static func descending(_ path: any KeyPath<Object, Bool?> & Sendable) -> Self {
            Self(path, isAscending: false)
        }

        /// An enumeration by its raw values, largest first.
        @_disfavoredOverload
        public static func descending<Value: AttributeEnumeration>(
            _ path: any KeyPath<Object, Value> & Sendable
        ) -> Self { Self(path, isAscending: false) }

        /// An enumeration by its raw values, largest first; nil after everything.
        @_disfavoredOverload
        public static func descending<Value: AttributeEnumeration>(
            _ path: any KeyPath<Object, Value?> & Sendable
        ) -> Self { Self(path, isAscending: false) }

        /// Texts in another order than byte by byte.
        public static func descending(
            _ path: any KeyPath<Object, String> & Sendable, comparing order: Collation
        ) -> Self { Self(path, isAscending: false, order) }

        /// By name, or by a path of names over relationships to one.
        public static func descending(_ name: String, comparing order: Collation? = nil) -> Self {
            Self(key: .success(.descending(name, comparing: order)))
        }

        private init(key: Result<ManagedObjects.SortKey, FetchError>) { self.key = key }
    }
}
