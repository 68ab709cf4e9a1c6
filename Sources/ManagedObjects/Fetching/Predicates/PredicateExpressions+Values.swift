import Foundation

extension PredicateExpressions.Variable: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        guard let node = translation.variables[key] else {
            throw .unsupported("a variable of another predicate")
        }
        return node
    }
}

extension PredicateExpressions.KeyPath: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        // `$0.orders.filter { }.count`
        if let filter = root as? any TranslatableFilter {
            let (path, test) = try filter.parts(&translation)
            guard let list = Root.Output.self as? any ToMany.Type else { throw .unsupported("\(keyPath)") }
            if keyPath == list.countPath { return .count(path, where: test) }
            if keyPath == list.isEmptyPath { return .not(.any(path, test)) }
            throw .unsupported("\(keyPath)")
        }
        let path = try translation.path(root)
        if let set = Root.Output.self as? any ToMany.Type {
            if keyPath == set.countPath { return .count(path) }
            if keyPath == set.isEmptyPath { return .compare(.count(path), .equal, .constant(.int(0))) }
        }
        guard let root = Root.Output.self as? any Referable.Type else { throw .unsupported("\(keyPath)") }
        return .property(path + (try names(from: root)))
    }

    private func names<Object: Referable>(from _: Object.Type) throws(FetchError) -> [String] {
        guard let keyPath = keyPath as? KeyPath<Object, Output> else { throw .unsupported("\(keyPath)") }
        return try keyPath.propertyNames()
    }
}

extension PredicateExpressions.Value: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        guard let value = value as? any PredicateValue else {
            throw .unsupported("a value of type \(Output.self)")
        }
        return .constant(value.storedValue)
    }
}

extension PredicateExpressions.NilLiteral: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode { .constant(.null) }
}

// `$0.country?.code`
extension PredicateExpressions.OptionalFlatMap: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        let wrapped = try translation.node(wrapped)
        translation.variables[variable.key] = wrapped
        let transformed = try translation.node(transform)
        // A property of a missing object is null by itself; any other expression must be told.
        if case .property = transformed { return transformed }
        return .conditional(
            .compare(wrapped, .equal, .constant(.null)), then: .constant(.null), else: transformed)
    }
}

// `$0.country!`: a missing object's properties are null, where Swift would stop.
extension PredicateExpressions.ForcedUnwrap: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        try translation.node(inner)
    }
}

/// A set or an array, whose key paths cannot be told by their description.
///
/// The literals stand in a plain `extension Set`: in `where Element: ManagedObject` they crash the
/// optimizer of Swift 6.3.1.
private protocol ToMany {
    static var countPath: AnyKeyPath { get }
    static var isEmptyPath: AnyKeyPath { get }
}

extension Array: ToMany {
    fileprivate static var countPath: AnyKeyPath { \[Element].count }
    fileprivate static var isEmptyPath: AnyKeyPath { \[Element].isEmpty }
}

extension Set: ToMany {
    fileprivate static var countPath: AnyKeyPath { \Set<Element>.count }
    fileprivate static var isEmptyPath: AnyKeyPath { \Set<Element>.isEmpty }
}
