import Foundation

/// The operators of key-value coding over the members of a relationship.
enum CollectionOperator {
    /// The value of members at a path, which may begin with an operator.
    static func value(of members: [ManagedObject], _ keyPath: String) throws -> Any? {
        guard keyPath.hasPrefix("@") else {
            return try members.compactMap { try $0.value(forKeyPath: keyPath) }
        }
        let parts = keyPath.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        if name == "@count", parts.count == 1 { return Int64(members.count) }
        guard parts.count == 2 else { throw FetchError.unsupported("\(name) without a property behind it") }
        let values = try members.compactMap { try $0.value(forKeyPath: String(parts[1])) }
        switch name {
        case "@max": return try best(values, .greater, keyPath)
        case "@min": return try best(values, .less, keyPath)
        case "@sum": return try sum(values, keyPath)
        case "@avg":
            if values.isEmpty { return nil }
            let sum = try sum(values, keyPath)
            if let sum = sum as? Decimal { return sum / Decimal(values.count) }
            return (sum as? Double ?? Double(sum as? Int64 ?? 0)) / Double(values.count)
        case "@unionOfObjects": return values
        case "@distinctUnionOfObjects": return distinct(values)
        case "@unionOfSets", "@unionOfArrays": return try flattened(values, keyPath)
        case "@distinctUnionOfSets", "@distinctUnionOfArrays": return distinct(try flattened(values, keyPath))
        default: throw FetchError.unsupported("the operator \(name)")
        }
    }

    private static func best(_ values: [Any], _ order: StoredValue.Order, _ keyPath: String) throws -> Any? {
        var best: (value: Any, stored: StoredValue)?
        for value in values {
            guard let stored = (value as? any PredicateValue)?.storedValue else {
                throw FetchError.unsupported("\(keyPath) of values of type \(type(of: value))")
            }
            if best.map({ stored.order(to: $0.stored) == order }) ?? true { best = (value, stored) }
        }
        return best?.value
    }

    private static func sum(_ values: [Any], _ keyPath: String) throws -> Any {
        if let numbers = values as? [Int64] {
            let sum = PredicateAggregate.wholeSum(numbers)
            return if case .int(let whole) = sum { whole } else { Double(storedValue: sum) }
        }
        if let numbers = values as? [Double] { return numbers.reduce(0, +) }
        if let numbers = values as? [Decimal] { return numbers.reduce(0, +) }
        throw FetchError.unsupported("\(keyPath) of values that are no numbers")
    }

    private static func flattened(_ values: [Any], _ keyPath: String) throws -> [Any] {
        try values.flatMap { value -> [Any] in
            switch value {
            case let members as Set<ManagedObject>: members.sorted { $0.objectID.key < $1.objectID.key }
            case let members as [Any]: members
            default: throw FetchError.unsupported("\(keyPath) of what is no list")
            }
        }
    }

    /// Each value once, where it came first.
    private static func distinct(_ values: [Any]) -> [Any] {
        var known: Set<AnyHashable> = []
        return values.filter { value in
            (value as? AnyHashable).map { known.insert($0).inserted } ?? true
        }
    }
}
