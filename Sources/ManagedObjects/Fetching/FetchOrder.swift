/// An order of rows, for SQL and for memory. Nulls first, as in SQLite; ties by key.
struct FetchOrder: Sendable {
    struct Term: Sendable, Equatable {
        let path: PropertyPath
        let isDescending: Bool
    }
    var terms: [Term]

    /// What stands behind `ORDER BY`.
    func sql(_ scope: SQLScope) -> SQLFragment {
        var sql: SQLFragment = ""
        for term in terms {
            sql = "\(sql)\(term.path.sql(scope))\(name: term.isDescending ? " DESC" : ""), "
        }
        return "\(sql)t0.Z_PK"
    }

    /// What the order looks at in `subject`.
    func values(of subject: any PredicateSubject) -> [StoredValue] { terms.map { $0.path.value([subject]) } }

    /// Whether a row with values `a` stands before one with values `b`.
    ///
    /// Objects that were not saved yet come after all that were, in the order of insertion: their keys are
    /// negative and go down.
    func precedes(_ a: [StoredValue], _ aKey: Int64, _ b: [StoredValue], _ bKey: Int64) -> Bool {
        for (index, term) in terms.enumerated() {
            switch a[index].rank(against: b[index]) {
            case .same: continue
            case .less: return !term.isDescending
            case .greater: return term.isDescending
            }
        }
        switch (aKey < 0, bKey < 0) {
        case (false, false): return aKey < bKey
        case (true, true): return aKey > bKey
        case (let isNew, _): return !isNew
        }
    }
}

extension StoredValue {
    /// The total order of `ORDER BY`: null before everything.
    fileprivate func rank(against other: StoredValue) -> Order {
        switch (self, other) {
        case (.null, .null): .same
        case (.null, _): .less
        case (_, .null): .greater
        default: order(to: other) ?? .same
        }
    }
}
