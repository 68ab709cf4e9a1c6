import Foundation

extension PredicateExpressions.SequenceContainsWhere: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        let (path, test) = try translation.any(sequence, variable.key, test)
        return .any(path, test)
    }
}

/// The objects of a relationship that pass a test: their number can be asked for.
protocol TranslatableFilter {
    func parts(_ translation: inout Translation) throws(FetchError) -> (PropertyPath, PredicateNode)
}

extension PredicateExpressions.Filter: TranslatableFilter {
    func parts(_ translation: inout Translation) throws(FetchError) -> (PropertyPath, PredicateNode) {
        try translation.any(sequence, variable.key, filter)
    }
}

// All pass: none fails.
extension PredicateExpressions.SequenceAllSatisfy: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        let (path, test) = try translation.any(sequence, variable.key, test)
        return .not(.any(path, .not(test)))
    }
}

// `codes.contains($0.code)`
extension PredicateExpressions.SequenceContains: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        guard let list = sequence as? any CapturedList else { throw .unsupported("\(LHS.self) as a list") }
        return .isIn(try translation.node(element), try list.storedValues())
    }
}

// `(1...4).contains($0.rating)`
extension PredicateExpressions.RangeExpressionContains: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        guard let range = range as? any Interval else { throw .unsupported("\(RangeExpression.self)") }
        let element = try translation.node(element)
        let (lower, comparison, upper) = try range.bounds(&translation)
        return .and(.compare(element, .greaterOrEqual, lower), .compare(element, comparison, upper))
    }
}

extension PredicateExpressions.CollectionContainsCollection: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        .text(try translation.node(base), .contains, try translation.node(other))
    }
}

extension PredicateExpressions.SequenceStartsWith: Translatable {
    func node(_ translation: inout Translation) throws(FetchError) -> PredicateNode {
        .text(try translation.node(base), .beginsWith, try translation.node(prefix))
    }
}

private protocol CapturedList {
    func storedValues() throws(FetchError) -> [StoredValue]
}

extension PredicateExpressions.Value: CapturedList {
    fileprivate func storedValues() throws(FetchError) -> [StoredValue] {
        guard let list = value as? any Sequence else { throw .unsupported("\(Output.self) as a list") }
        var values: [StoredValue] = []
        for element in list {
            guard let element = element as? any PredicateValue else {
                throw .unsupported("\(Output.self) as a list")
            }
            values.append(element.storedValue)
        }
        return values
    }
}

private protocol Interval {
    func bounds(_ translation: inout Translation) throws(FetchError)
        -> (lower: PredicateNode, PredicateNode.Comparison, upper: PredicateNode)
}

extension PredicateExpressions.ClosedRange: Interval {
    fileprivate func bounds(_ translation: inout Translation) throws(FetchError)
        -> (lower: PredicateNode, PredicateNode.Comparison, upper: PredicateNode)
    { (try translation.node(lower), .lessOrEqual, try translation.node(upper)) }
}

extension PredicateExpressions.Range: Interval {
    fileprivate func bounds(_ translation: inout Translation) throws(FetchError)
        -> (lower: PredicateNode, PredicateNode.Comparison, upper: PredicateNode)
    { (try translation.node(lower), .less, try translation.node(upper)) }
}
