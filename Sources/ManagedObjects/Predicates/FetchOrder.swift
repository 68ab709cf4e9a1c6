import Foundation

/// An order of rows, for SQL and for memory. Nulls first, as in SQLite; ties by key.
struct FetchOrder: Sendable {
    struct Term: Sendable, Equatable {
        let path: PropertyPath
        let isDescending: Bool
        /// Nil where values are compared as they are.
        var textOrder: Collation?
    }
    var terms: [Term]

    /// Returns the values of `subject` that decide its order.
    func values(of subject: any PredicateSubject) -> CompactValues {
        CompactValues(terms.map { $0.path.value([subject]) })
    }

    /// Whether one row stands before another, by the values of the terms and then by the ID.
    ///
    /// Objects that were not saved yet come after all that were, in the order of insertion: their keys are
    /// negative and go down. Rows of several stores with one key stand as their stores were opened.
    func precedes(
        _ values: CompactValues, of id: ManagedObjectID, before others: CompactValues,
        of other: ManagedObjectID
    ) -> Bool {
        for (index, term) in terms.enumerated() {
            switch values[index].rank(against: others[index], term.textOrder) {
            case .same: continue
            case .less: return !term.isDescending
            case .greater: return term.isDescending
            }
        }
        switch (id.key < 0, other.key < 0) {
        case (false, false): return (id.key, id.home.number) < (other.key, other.home.number)
        case (true, true): return id.key > other.key
        case (let isNew, _): return !isNew
        }
    }
}

extension StoredValue {
    /// The total order of `ORDER BY`: null before everything.
    func rank(against other: StoredValue, _ textOrder: Collation?) -> Order {
        switch (self, other) {
        case (.text(let one), .text(let two)) where textOrder != nil:
            switch textOrder?.compare(one, two) {
            case .orderedAscending: .less
            case .orderedDescending: .greater
            default: .same
            }
        case (.null, .null): .same
        case (.null, _): .less
        case (_, .null): .greater
        default: order(to: other) ?? .same
        }
    }
}
