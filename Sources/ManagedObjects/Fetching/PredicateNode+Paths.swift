extension PredicateNode {
    /// Every property path in the tree.
    var paths: [PropertyPath] {
        switch self {
        case .constant: []
        case .property(let path), .count(let path): [path]
        case .compare(let a, _, let b), .and(let a, let b), .or(let a, let b), .text(let a, _, let b),
            .arithmetic(let a, _, let b), .coalesce(let a, let b):
            a.paths + b.paths
        case .not(let a), .isIn(let a, _): a.paths
        case .conditional(let test, let a, let b): test.paths + a.paths + b.paths
        case .any(let path, let test): [path] + test.paths
        }
    }

    /// Whether a test goes through the objects of a relationship to many.
    var hasInnerTests: Bool {
        switch self {
        case .constant, .property, .count: false
        case .compare(let a, _, let b), .and(let a, let b), .or(let a, let b), .text(let a, _, let b),
            .arithmetic(let a, _, let b), .coalesce(let a, let b):
            a.hasInnerTests || b.hasInnerTests
        case .not(let a), .isIn(let a, _): a.hasInnerTests
        case .conditional(let test, let a, let b):
            test.hasInnerTests || a.hasInnerTests || b.hasInnerTests
        case .any: true
        }
    }
}
