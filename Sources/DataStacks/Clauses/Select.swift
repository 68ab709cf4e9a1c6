public import ManagedObjects

/// The values that a query wants.
///
///     Select<Person, Int>(.maximum(\.age))                           // one value
///     Select("city", .count(\.name, as: "people"), .average(\.age))  // a row of values
///
/// - Source: CoreStore's type of this name.
public struct Select<Object: ManagedObject, Value: Sendable>: Sendable, Hashable {
    let terms: [SelectTerm<Object>]

    /// Selects one value per result.
    public init(_ term: SelectTerm<Object>) where Value: SelectValue { terms = [term] }
    /// Selects a row of values per result.
    public init(_ terms: SelectTerm<Object>...) where Value == QueryRow { self.terms = terms }

    init(terms: [SelectTerm<Object>]) { self.terms = terms }
}

/// A value of a query: an attribute, or something made of an attribute of many rows.
///
/// A text is the attribute of that name. Without a name of its own a value is called as it is written here:
/// `age`, `sum(age)`, `count(friends)`, `objectID`.
public struct SelectTerm<Object: ManagedObject>: Sendable, Hashable, ExpressibleByStringLiteral {
    enum Function: String, Sendable {
        case none = ""
        case average, count
        case maximum = "max"
        case minimum = "min"
        case sum, objectID
    }

    let function: Function
    let key: Result<String, FetchError>
    private let alias: String?

    /// Selects an attribute by name.
    public init(stringLiteral name: String) { self.init(.none, .success(name), nil) }

    private init(_ function: Function, _ key: Result<String, FetchError>, _ alias: String?) {
        (self.function, self.key, self.alias) = (function, key, alias)
    }

    private init(_ function: Function, _ path: KeyPath<Object, some Any>, _ alias: String?) {
        self.init(function, Result { () throws(FetchError) in try path.name }, alias)
    }

    /// The value's name in a row.
    func name(of key: String) -> String {
        if let alias { return alias }
        switch function {
        case .none: return key
        case .objectID: return "objectID"
        default: return "\(function.rawValue)(\(key))"
        }
    }

    /// The attribute itself.
    public static func attribute<Value>(_ path: KeyPath<Object, Value>, as alias: String? = nil) -> Self {
        Self(.none, path, alias)
    }
    /// The attribute of a name.
    public static func attribute(_ name: String, as alias: String? = nil) -> Self {
        Self(.none, .success(name), alias)
    }

    /// The average of numbers; null when there are none. Rows without a value do not count.
    public static func average<Value>(_ path: KeyPath<Object, Value>, as alias: String? = nil) -> Self {
        Self(.average, path, alias)
    }
    /// The average by name.
    public static func average(_ name: String, as alias: String? = nil) -> Self {
        Self(.average, .success(name), alias)
    }

    /// How many rows have a value. Of a relationship to many, how many members each row has.
    public static func count<Value>(_ path: KeyPath<Object, Value>, as alias: String? = nil) -> Self {
        Self(.count, path, alias)
    }
    /// The count by name.
    public static func count(_ name: String, as alias: String? = nil) -> Self {
        Self(.count, .success(name), alias)
    }

    /// The greatest value.
    public static func maximum<Value>(_ path: KeyPath<Object, Value>, as alias: String? = nil) -> Self {
        Self(.maximum, path, alias)
    }
    /// The greatest value by name.
    public static func maximum(_ name: String, as alias: String? = nil) -> Self {
        Self(.maximum, .success(name), alias)
    }

    /// The smallest value.
    public static func minimum<Value>(_ path: KeyPath<Object, Value>, as alias: String? = nil) -> Self {
        Self(.minimum, path, alias)
    }
    /// The smallest value by name.
    public static func minimum(_ name: String, as alias: String? = nil) -> Self {
        Self(.minimum, .success(name), alias)
    }

    /// The sum of numbers; zero when there are none. A sum that does not fit in 64 bits is nil for
    /// `queryValue`, and an error for `queryAttributes`.
    public static func sum<Value>(_ path: KeyPath<Object, Value>, as alias: String? = nil) -> Self {
        Self(.sum, path, alias)
    }
    /// The sum by name.
    public static func sum(_ name: String, as alias: String? = nil) -> Self {
        Self(.sum, .success(name), alias)
    }

    /// The row's ID.
    public static var objectID: Self { objectID() }
    /// The row's ID under a name of its own.
    public static func objectID(as alias: String? = nil) -> Self {
        Self(.objectID, .success(""), alias)
    }
}
