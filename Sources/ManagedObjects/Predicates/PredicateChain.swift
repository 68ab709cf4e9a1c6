/// The terms of a chain of `&&` or of `||`, which may be hundreds of thousands.
///
/// Flat, since as a tree of pairs such a chain would be as deep as it is long, and every reader of it, down
/// to the code that frees it, would use up its stack.
struct PredicateChain: Sendable, Hashable {
    /// In blocks, so that a chain that is built term by term, each time from a copy, does not copy all terms
    /// each time.
    private var blocks: [[PredicateNode]] = []
    private static let blockSize = 256

    init(_ terms: PredicateNode...) { for term in terms { append(term) } }

    init(_ terms: some Sequence<PredicateNode>) { for term in terms { append(term) } }

    /// In order.
    var terms: FlattenSequence<[[PredicateNode]]> { blocks.joined() }

    var isLong: Bool { blocks.count > 1 || blocks.first.map { $0.count >= Self.fewestToShorten } ?? false }
    private static let fewestToShorten = 9

    /// - Complexity: O(square root of the number of terms), about.
    mutating func append(_ term: PredicateNode) {
        if let last = blocks.last, last.count < Self.blockSize {
            blocks[blocks.count - 1].append(term)
        } else {
            blocks.append([term])
        }
    }

    mutating func append(_ other: PredicateChain) { for term in other.terms { append(term) } }
}

/// The values of an `IN` list.
struct PredicateList: Sendable, Hashable {
    let values: [StoredValue]
    /// Nil where the list is short, or has IDs, which change when a save makes them permanent.
    private let set: Set<StoredValue>?

    init(_ values: [StoredValue]) {
        self.values = values
        let hasID = values.contains { if case .id = $0 { true } else { false } }
        set = values.count > 16 && !hasID ? Set(values) : nil
    }

    func contains(_ value: StoredValue) -> Bool { set?.contains(value) ?? values.contains(value) }
}

extension PredicateNode {
    static func and(_ a: PredicateNode, _ b: PredicateNode) -> PredicateNode {
        var chain = if case .and(let chain) = a { chain } else { PredicateChain(a) }
        if case .and(let more) = b { chain.append(more) } else { chain.append(b) }
        return .and(chain)
    }

    static func or(_ a: PredicateNode, _ b: PredicateNode) -> PredicateNode {
        var chain = if case .or(let chain) = a { chain } else { PredicateChain(a) }
        if case .or(let more) = b { chain.append(more) } else { chain.append(b) }
        return .or(chain)
    }

    static func isIn(_ node: PredicateNode, _ values: [StoredValue]) -> PredicateNode {
        .isAmong(node, PredicateList(values))
    }

    /// Conditions that must all hold.
    var conjuncts: [PredicateNode] {
        if case .and(let chain) = self { chain.terms.flatMap(\.conjuncts) } else { [self] }
    }
}
