public import Foundation

// Key path on the left, value on the right. Each operator twice: for an attribute, and for an optional one or
// one behind an optional relationship. Global, since a static operator must take its own type.

/// Matches objects whose attribute equals the value; nil matches null.
public func == <Object, Value: AttributeValue & Equatable>(path: KeyPath<Object, Value>, value: Value)
    -> Filter<Object>
{ Filter(path, .equal, value) }

/// Matches objects whose attribute equals the value; nil matches null.
public func == <Object, Value: AttributeValue & Equatable>(path: KeyPath<Object, Value?>, value: Value?)
    -> Filter<Object>
{ Filter(path, .equal, value) }

/// Matches objects whose attribute differs from the value.
public func != <Object, Value: AttributeValue & Equatable>(path: KeyPath<Object, Value>, value: Value)
    -> Filter<Object>
{ Filter(path, .notEqual, value) }

/// Matches objects whose attribute differs from the value.
public func != <Object, Value: AttributeValue & Equatable>(path: KeyPath<Object, Value?>, value: Value?)
    -> Filter<Object>
{ Filter(path, .notEqual, value) }

/// Unavailable: of a transformed value a key path does not say which property it is.
@available(
    *, unavailable,
    message: "compare a transformed value with nil by text: Filter(format: \"tags == nil\")"
)
public func == <Object: ManagedObject, Value>(
    path: KeyPath<Object, Value?>, value: _OptionalNilComparisonType
) -> Filter<Object> {
    misuse("a transformed value was compared by key path")
}

/// Unavailable: of a transformed value a key path does not say which property it is.
@available(
    *, unavailable,
    message: "compare a transformed value with nil by text: Filter(format: \"tags != nil\")"
)
public func != <Object: ManagedObject, Value>(
    path: KeyPath<Object, Value?>, value: _OptionalNilComparisonType
) -> Filter<Object> {
    misuse("a transformed value was compared by key path")
}

/// Matches objects whose attribute is less than the value; null never matches.
public func < <Object, Value: AttributeValue & Comparable>(path: KeyPath<Object, Value>, value: Value)
    -> Filter<Object>
{ Filter(path, .less, value) }

/// Matches objects whose attribute is less than the value; null never matches.
public func < <Object, Value: AttributeValue & Comparable>(path: KeyPath<Object, Value?>, value: Value)
    -> Filter<Object>
{ Filter(path, .less, value) }

/// Matches objects whose attribute is at most the value; null never matches.
public func <= <Object, Value: AttributeValue & Comparable>(path: KeyPath<Object, Value>, value: Value)
    -> Filter<Object>
{ Filter(path, .lessOrEqual, value) }

/// Matches objects whose attribute is at most the value; null never matches.
public func <= <Object, Value: AttributeValue & Comparable>(path: KeyPath<Object, Value?>, value: Value)
    -> Filter<Object>
{ Filter(path, .lessOrEqual, value) }

/// Matches objects whose attribute is greater than the value; null never matches.
public func > <Object, Value: AttributeValue & Comparable>(path: KeyPath<Object, Value>, value: Value)
    -> Filter<Object>
{ Filter(path, .greater, value) }

/// Matches objects whose attribute is greater than the value; null never matches.
public func > <Object, Value: AttributeValue & Comparable>(path: KeyPath<Object, Value?>, value: Value)
    -> Filter<Object>
{ Filter(path, .greater, value) }

/// Matches objects whose attribute is at least the value; null never matches.
public func >= <Object, Value: AttributeValue & Comparable>(path: KeyPath<Object, Value>, value: Value)
    -> Filter<Object>
{ Filter(path, .greaterOrEqual, value) }

/// Matches objects whose attribute is at least the value; null never matches.
public func >= <Object, Value: AttributeValue & Comparable>(path: KeyPath<Object, Value?>, value: Value)
    -> Filter<Object>
{ Filter(path, .greaterOrEqual, value) }

// A relationship to one object: compared by reference, or with nil.

/// Matches objects whose relationship leads to the target; nil matches those that lead nowhere.
public func == <Object, Target>(path: KeyPath<Object, Target?>, target: ObjectReference<Target>?)
    -> Filter<Object>
{ Filter(path, .equal, target) }

/// Matches objects whose relationship does not lead to the target.
public func != <Object, Target>(path: KeyPath<Object, Target?>, target: ObjectReference<Target>?)
    -> Filter<Object>
{ Filter(path, .notEqual, target) }

extension Filter {
    fileprivate init<Value>(
        _ path: KeyPath<Object, Value>, _ comparison: PredicateNode.Comparison, _ value: some PredicateValue
    ) {
        self.init(
            Result { () throws(FetchError) in
                let property = PropertyPath(names: try path.propertyNames())
                return .compare(.property(property), comparison, .constant(value.storedValue))
            })
    }
}

// An object of the same context, in place of its reference.

/// Matches objects whose relationship leads to the target; nil matches those that lead nowhere.
public func == <Object, Target: ManagedObject>(path: KeyPath<Object, Target?>, target: Target)
    -> Filter<Object>
{ Filter(path, .equal, target.reference) }

/// Matches objects whose relationship does not lead to the target.
public func != <Object, Target: ManagedObject>(path: KeyPath<Object, Target?>, target: Target)
    -> Filter<Object>
{ Filter(path, .notEqual, target.reference) }

// A truth value by itself.

extension Filter {
    /// The objects whose attribute is true: `Filter(\.isDone) && \.stars > 3`, `!\.isDone`.
    public init(_ path: KeyPath<Object, Bool>) { self.init(path, .equal, true) }
}

extension FetchRequest {
    /// The objects whose attribute is true.
    public init(_ path: KeyPath<Object, Bool>, sortedBy sortDescriptors: SortDescriptor<Object>...) {
        self.init()
        (filter, self.sortDescriptors) = (Filter(path), sortDescriptors)
    }
}

// No `&&` and `||` of key paths: with four more overloads of each the compiler gives up on longer filters.
/// Matches objects whose attribute is false.
public prefix func ! <Object>(path: KeyPath<Object, Bool>) -> Filter<Object> { !Filter(path) }
