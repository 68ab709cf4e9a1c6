extension PredicateNode {
    /// An equal predicate whose long chains have one term per property for the terms that one test can
    /// replace.
    ///
    /// `a == 1 || a == 2 || ...` becomes one list, `a > 3 || a > 5 || ...` the one bound that decides. Both
    /// readers get the short predicate: SQLite would plan a search for each term, and memory would try each
    /// term on each object.
    var shortened: PredicateNode {
        switch self {
        case .and(let chain): Self.shortened(chain, isOr: false)
        case .or(let chain): Self.shortened(chain, isOr: true)
        case .not(let node): .not(node.shortened)
        case .any(let path, let test): .any(path, test.shortened)
        default: self
        }
    }

    private static func shortened(_ chain: PredicateChain, isOr: Bool) -> PredicateNode {
        var terms: [PredicateNode] = []
        if chain.isLong {
            var shortening = ChainShortening(isOr: isOr)
            for term in chain.terms { shortening.append(term.shortened) }
            terms = shortening.result
        } else {
            for term in chain.terms { terms.append(term.shortened) }
        }
        if terms.count == 1 { return terms[0] }
        let chain = PredicateChain(terms)
        return isOr ? .or(chain) : .and(chain)
    }
}

/// The terms of a chain, each property's in one place: where its first term of that kind stood.
private struct ChainShortening {
    private enum Kind: Hashable { case list, bound(PredicateNode.Comparison, isWhole: Bool) }
    private struct Key: Hashable {
        let path: PropertyPath
        let kind: Kind
    }

    /// A position in the chain.
    private enum Term {
        case node(PredicateNode)
        case list(PropertyPath, [StoredValue])
        case bound(PropertyPath, PredicateNode.Comparison, StoredValue)
    }

    let isOr: Bool
    private var terms: [Term] = []
    private var indices: [Key: Int] = [:]
    /// Below this a list is not better than its terms, which can each use an index.
    private static let fewestInList = 9

    init(isOr: Bool) { self.isOr = isOr }

    mutating func append(_ term: PredicateNode) {
        switch term {
        case .compare(.property(let path), let comparison, .constant(let value)):
            append(term, path: path, comparison: comparison, value: value)
        case .compare(.constant(let value), let comparison, .property(let path))
        where comparison == .equal || comparison == .notEqual:
            append(term, path: path, comparison: comparison, value: value)
        default: terms.append(.node(term))
        }
    }

    private mutating func append(
        _ term: PredicateNode, path: PropertyPath, comparison: PredicateNode.Comparison,
        value: StoredValue
    ) {
        switch (comparison, value) {
        // Null and external values can be compared by `==` and `!=` alone.
        case (_, .null), (_, .external): terms.append(.node(term))
        case (.equal, _), (.notEqual, _):
            if (comparison == .equal) == isOr { gather(value, of: path) } else { terms.append(.node(term)) }
        // Bounds of numbers alone: what other kinds of value are to a column depends on the column.
        case (_, .int): bound(path, comparison, value, isWhole: true)
        case (_, .double): bound(path, comparison, value, isWhole: false)
        default: terms.append(.node(term))
        }
    }

    private mutating func gather(_ value: StoredValue, of path: PropertyPath) {
        let key = Key(path: path, kind: .list)
        guard let index = indices[key], case .list(_, var values) = terms[index] else {
            indices[key] = terms.count
            terms.append(.list(path, [value]))
            return
        }
        // Taken out first, so that the array is not copied for each value.
        terms[index] = .list(path, [])
        values.append(value)
        terms[index] = .list(path, values)
    }

    private mutating func bound(
        _ path: PropertyPath, _ comparison: PredicateNode.Comparison, _ value: StoredValue, isWhole: Bool
    ) {
        let key = Key(path: path, kind: .bound(comparison, isWhole: isWhole))
        guard let index = indices[key], case .bound(_, _, let known) = terms[index] else {
            indices[key] = terms.count
            terms.append(.bound(path, comparison, value))
            return
        }
        let isUpper = comparison == .less || comparison == .lessOrEqual
        // The wider of two bounds decides an `||`, the narrower an `&&`.
        let isBetter: StoredValue.Order = isUpper == isOr ? .less : .greater
        if known.order(to: value) == isBetter { terms[index] = .bound(path, comparison, value) }
    }

    var result: [PredicateNode] {
        terms.flatMap { term -> [PredicateNode] in
            switch term {
            case .node(let node): return [node]
            case .bound(let path, let comparison, let value):
                return [.compare(.property(path), comparison, .constant(value))]
            case .list(let path, let values) where values.count < Self.fewestInList:
                let comparison: PredicateNode.Comparison = isOr ? .equal : .notEqual
                return values.map { .compare(.property(path), comparison, .constant($0)) }
            case .list(let path, let values):
                let list = PredicateNode.isIn(.property(path), values)
                return [isOr ? list : .not(list)]
            }
        }
    }
}
