import Foundation

extension PredicateNode {
    /// Whether `object` passes, on the values it has in memory.
    func matches(_ object: any PredicateSubject) -> Bool { isTrue([object]) }

    private func isTrue(_ bound: [any PredicateSubject]) -> Bool { truth(value(bound)) }

    /// `bound` are the objects the predicate has names for, by `PropertyPath.variable`.
    private func value(_ bound: [any PredicateSubject]) -> StoredValue {
        switch self {
        case .constant(let value): value
        case .property(let path): path.value(bound)
        case .compare(let a, let comparison, let b): .int(comparison.holds(a.value(bound), b.value(bound)))
        case .and(let chain): .int(chain.terms.allSatisfy { $0.isTrue(bound) })
        case .or(let chain): .int(chain.terms.contains { $0.isTrue(bound) })
        case .not(let a): .int(!a.isTrue(bound))
        case .isAmong(let a, let list): .int(list.contains(a.value(bound)))
        case .text(let a, let test, let b): .int(test.holds(a.value(bound), b.value(bound)))
        case .arithmetic(let a, let operation, let b): operation.result(a.value(bound), b.value(bound))
        case .coalesce(let a, let b): a.value(bound).nonNull ?? b.value(bound)
        case .conditional(let test, let a, let b): test.isTrue(bound) ? a.value(bound) : b.value(bound)
        case .any(let path, let test): .int(path.objects(bound).contains { test.isTrue(bound + [$0]) })
        case .count(let path, nil): .int(Int64(path.objects(bound).count))
        case .count(let path, let test?):
            .int(Int64(path.objects(bound).count { test.isTrue(bound + [$0]) }))
        case .aggregate(let aggregate):
            aggregate.result(aggregate.path.objects(bound).map { aggregate.value.value(bound + [$0]) })
        }
    }
}

private func truth(_ value: StoredValue) -> Bool { value != .null && value != .int(0) }

extension StoredValue {
    fileprivate static func int(_ truth: Bool) -> StoredValue { .int(truth ? 1 : 0) }
    fileprivate var nonNull: StoredValue? { if case .null = self { nil } else { self } }
}

extension PredicateNode.Comparison {
    fileprivate func holds(_ a: StoredValue, _ b: StoredValue) -> Bool {
        switch self {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a.order(to: b) == .less
        case .lessOrEqual: a.order(to: b) == .less || a.order(to: b) == .same
        case .greater: a.order(to: b) == .greater
        case .greaterOrEqual: a.order(to: b) == .greater || a.order(to: b) == .same
        }
    }
}

extension PredicateNode.TextTest {
    /// False unless both are texts. SQL calls this too, for the localized test.
    func holds(_ a: StoredValue, _ b: StoredValue) -> Bool {
        guard case .text(let a) = a, case .text(let b) = b else { return false }
        return switch self {
        case .contains: b.isEmpty || Array(a.utf8).firstRange(of: Array(b.utf8)) != nil
        case .beginsWith: a.utf8.starts(with: b.utf8)
        case .localizedContains: a.localizedStandardContains(b)
        case .folded(let test): test.holds(a, b)
        }
    }
}

extension PredicateNode.Arithmetic {
    /// Whole numbers that overflow go on as floating point, as in SQLite; a null gives null.
    func result(_ a: StoredValue, _ b: StoredValue) -> StoredValue {
        if a == .null || b == .null { return .null }
        if case .int(let a) = a, case .int(let b) = b {
            let (value, overflow) =
                switch self {
                case .add: a.addingReportingOverflow(b)
                case .subtract: a.subtractingReportingOverflow(b)
                case .multiply: a.multipliedReportingOverflow(by: b)
                }
            if !overflow { return .int(value) }
        }
        let (a, b) = (a.number, b.number)
        return switch self {
        case .add: (a + b).storedValue
        case .subtract: (a - b).storedValue
        case .multiply: (a * b).storedValue
        }
    }
}

extension StoredValue {
    /// The number that SQL computes with: 0 for a string, even the one that stands for NaN.
    fileprivate var number: Double { if case .text = self { 0 } else { Double(storedValue: self) } }
}
