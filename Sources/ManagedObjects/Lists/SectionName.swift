/// The names of a list's sections: a key path to an attribute, and how its value becomes a name; or a name
/// that is worked out of each object.
public struct SectionName<Object: ManagedObject>: Sendable {
    enum Source: Sendable {
        /// The store sorts by it, or by something that keeps its values together.
        case value(PropertyPath, name: @Sendable (StoredValue) -> String)
        /// The list sorts by it, in memory.
        case object(@Sendable (Object) -> SectionKey)
    }

    let source: Source

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
        source = .value(PropertyPath(names: try keyPath.propertyNames())) {
            $0 == .null && Value.isOptional ? "" : name(Value(storedValue: $0))
        }
    }

    /// Sections by a property's name or a path of names, and how a value of it is called.
    ///
    /// - Parameter name: gets null for an object without a value.
    public init(name key: String, as name: @escaping @Sendable (StoredValue) -> String) {
        source = .value(PropertyPath(key: key), name: name)
    }

    /// Sections that no column of the store tells, as by the hue of a palette: the list comes in the order of
    /// their places, and within one in the request's.
    ///
    /// No store can sort by that, so the first fetch reads every object that matches, some hundred at a time,
    /// and keeps of each what it keeps of any row: its ID, its sort values, and its section. A limit and an
    /// offset count in the list's own order. Such a list is not kept in caches.
    ///
    /// - Parameter sectionKey: by the object's own attributes: what it takes from other objects is not
    ///   followed when those change. Keys of one number have one name.
    public init(computed sectionKey: @escaping @Sendable (Object) -> SectionKey) {
        source = .object(sectionKey)
    }

    /// Nil for sections that are worked out.
    var path: PropertyPath? { if case .value(let path, _) = source { path } else { nil } }
}

/// Which section an object lies in, where that is worked out of it.
public struct SectionKey: Sendable, Equatable {
    /// Where the section stands among the others: sections come by this, the lowest first.
    public var order: Int
    /// The title of the section.
    public var name: String

    /// Creates a name that sorts by a number.
    public init(order: Int, name: String) { (self.order, self.name) = (order, name) }
}

/// A value as a name; what an optional holds without its `Optional(...)`.
private func text(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return "\(value)" }
    return mirror.children.first.map { text(of: $0.value) } ?? ""
}
