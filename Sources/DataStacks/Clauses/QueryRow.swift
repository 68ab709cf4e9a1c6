import ManagedObjects

/// A result of a query: values by their names.
public struct QueryRow: Sendable, Equatable {
    /// In the order in which they were selected.
    public let names: [String]
    let types: [AttributeType?]
    let stored: [StoredValue]

    /// The value of a name as what it is: `Bool`, `Int`, `Double`, `Decimal`, `String`, `Date`, `Data`,
    /// `UUID`, `URL`, or ``ManagedObjects/ManagedObjectID``. Nil for a null, and for a name that was not
    /// selected.
    public subscript(name: String) -> (any Sendable)? { queryValue(name)?.natural }

    /// The value of a name as a type: numbers are converted. Nil for a null, for a value of another kind, and
    /// for a number that does not fit.
    public func value<Value: SelectValue>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        queryValue(name).flatMap { Value.selected($0) }
    }

    /// The values that are not null, by name.
    public var dictionary: [String: any Sendable] {
        var values: [String: any Sendable] = [:]
        for name in names { values[name] = self[name] }
        return values
    }

    private func queryValue(_ name: String) -> QueryValue? {
        names.firstIndex(of: name).map { QueryValue(stored: stored[$0], type: types[$0]) }
    }
}
