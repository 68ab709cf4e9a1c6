/// What a list's sections are called: a key path to an attribute, and how its value becomes a name.
public struct SectionName<Object: ManagedObject>: Sendable {
    let path: PropertyPath
    let name: @Sendable (StoredValue) -> String

    /// Sections by the value of a property, as `\.country?.name`. A nil value is the section "".
    ///
    /// - Throws: ``FetchError`` for a key path through a computed property.
    public init<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value>) throws(FetchError) {
        try self.init(keyPath) { text(of: $0) }
    }

    /// Sections by something made of the value, as the month of a day: equal values have equal names.
    public init<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value>, as name: @escaping @Sendable (Value) -> String
    ) throws(FetchError) {
        path = PropertyPath(names: try keyPath.propertyNames())
        self.name = { $0 == .null && Value.isOptional ? "" : name(Value(storedValue: $0)) }
    }
}

/// A value as a name; what an optional holds without its `Optional(...)`.
private func text(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return "\(value)" }
    return mirror.children.first.map { text(of: $0.value) } ?? ""
}
