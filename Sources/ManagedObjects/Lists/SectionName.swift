/// What a list's sections are called: a key path to an attribute, and how its value becomes a name.
public struct SectionName<Object: ManagedObject>: Sendable {
    let path: PropertyPath
    let name: @Sendable (StoredValue) -> String

    /// Sections by the value of a property, as `\.country?.name`. A nil value is the section "".
    ///
    /// - Throws: ``FetchError`` for a key path through a computed property.
    public init<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value>) throws(FetchError) {
        try self.init(keyPath) { "\($0)" }
    }

    /// Sections by something made of the value, as the month of a day: equal values have equal names.
    public init<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value>, as name: @escaping @Sendable (Value) -> String
    ) throws(FetchError) {
        path = PropertyPath(names: try keyPath.propertyNames())
        self.name = { $0 == .null && Value.isOptional ? "" : name(Value(storedValue: $0)) }
    }

    /// The other entities that decide a row's section.
    func roots(_ entity: EntityDescription, _ model: ManagedObjectModel) -> Set<Int> {
        FetchDescription(
            entity: entity, predicate: nil,
            order: FetchOrder(terms: [FetchOrder.Term(path: path, isDescending: false)])
        ).relatedRoots(in: model)
    }
}
