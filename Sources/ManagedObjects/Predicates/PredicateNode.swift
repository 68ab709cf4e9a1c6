/// A predicate as a tree. Key-path operators and `#Predicate` build it; SQL and in-memory evaluation read it.
///
/// The two readers must agree on every row, nulls included, and so share one rule: a comparison, a list
/// and a text test are never null. `x == null` asks whether x is null; an order with a null is false; and
/// `not` therefore always turns false into true, as in Swift. Plain SQL would drop such rows.
indirect enum PredicateNode: Sendable, Hashable {
    case constant(StoredValue)
    case property(PropertyPath)
    case compare(PredicateNode, Comparison, PredicateNode)
    case and(PredicateChain)
    case or(PredicateChain)
    case not(PredicateNode)
    case isAmong(PredicateNode, PredicateList)
    case text(PredicateNode, TextTest, PredicateNode)
    case arithmetic(PredicateNode, Arithmetic, PredicateNode)
    /// The first, or when that is null the second.
    case coalesce(PredicateNode, PredicateNode)
    case conditional(PredicateNode, then: PredicateNode, else: PredicateNode)
    /// Whether some object at the end of a to-many path passes the test.
    case any(PropertyPath, PredicateNode)
    /// How many objects at the end of a to-many path pass the test; all without one.
    case count(PropertyPath, where: PredicateNode? = nil)
    /// The greatest, least, sum or average of a value over the objects at the end of a to-many path.
    case aggregate(PredicateAggregate)

    enum Comparison: String, Sendable {
        case equal = "IS"
        case notEqual = "IS NOT"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// Texts are compared by their UTF-8 bytes, but for the localized and the folded tests.
    enum TextTest: Sendable, Hashable { case contains, beginsWith, localizedContains, folded(FoldedTest) }

    enum Arithmetic: String, Sendable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
    }

    /// A chain of negations is two of them at most, since each is a level deeper in SQL and in memory.
    static func negation(of node: PredicateNode) -> PredicateNode {
        if case .not(.not(let inner)) = node { .not(inner) } else { .not(node) }
    }
}
