public import ManagedObjects

/// The objects that a fetch or a query looks among: of a class, in all stores or in those of configurations.
///
///     From<Person>()                      // all stores
///     From<Person>("People", "Archive")   // the stores of two configurations
///     From<Person>(nil)                   // the store that was added without a configuration
///
/// Clauses may follow as a chain: `From<Person>().where(\.age > 30).orderBy(.ascending(\.name))`.
public struct From<Object: ManagedObject>: Sendable {
    /// Nil for all stores.
    let configurations: [String?]?
    private(set) var request = FetchRequest<Object>()
    private(set) var clauses: [any FetchClause<Object>] = []
    private(set) var grouping: GroupBy<Object>?
    private(set) var sectioning: SectionBy<Object>?

    /// Names all stores that hold the class.
    public init() { configurations = nil }
    /// Names all stores that hold the class.
    public init(_ type: Object.Type) { configurations = nil }

    /// Names the stores of some configurations; nil is the default configuration.
    public init(_ configuration: String?, _ others: String?...) { configurations = [configuration] + others }

    /// Names the stores of some configurations; nil is the default configuration.
    public init(_ type: Object.Type, _ configuration: String?, _ others: String?...) {
        configurations = [configuration] + others
    }

    /// A request that is there already; clauses change a copy of it.
    public init(_ request: FetchRequest<Object>) {
        configurations = nil
        self.request = request
    }
}

// The chain.
extension From {
    /// Adds a filter: objects must match it, too.
    public func `where`(_ filter: Filter<Object>) -> From { adding(Where(filter)) }
    /// Adds a `Where`: objects must match it, too.
    public func `where`(_ clause: Where<Object>) -> From { adding(clause) }
    /// Adds a predicate's text: objects must match it, too.
    public func `where`(_ format: String, _ arguments: Any?...) -> From {
        adding(Where(format, argumentArray: arguments))
    }

    /// Sets the order.
    public func orderBy(_ sortKeys: OrderBy<Object>.SortKey...) -> From { adding(OrderBy(sortKeys)) }
    /// Sets the order by a clause.
    public func orderBy(_ clause: OrderBy<Object>) -> From { adding(clause) }

    /// Adds a change of the request, just before the fetch.
    public func tweak(_ change: @escaping @Sendable (inout FetchRequest<Object>) -> Void) -> From {
        adding(Tweak(change))
    }

    /// For `queryAttributes` alone.
    public func groupBy<Value>(_ keyPath: KeyPath<Object, Value>) -> From { grouped(GroupBy(keyPath)) }
    /// Groups by names. For `queryAttributes` alone.
    public func groupBy(_ keys: String...) -> From { grouped(GroupBy(keys)) }

    /// For `monitorSectionedList` and `publishList`.
    public func sectionBy<Value>(
        _ keyPath: KeyPath<Object, Value>, _ name: (@Sendable (String) -> String?)? = nil
    ) -> From { sectioned(SectionBy(keyPath, name)) }

    /// Divides by a name. For `monitorSectionedList` and `publishList`.
    public func sectionBy(_ key: String, _ name: (@Sendable (String) -> String?)? = nil) -> From {
        sectioned(SectionBy(key, name))
    }

    /// Names the one value that a query wants.
    public func select<Value: SelectValue>(_ type: Value.Type = Value.self, _ term: SelectTerm<Object>)
        -> SelectChain<Object, Value>
    { SelectChain(from: self, select: Select(term)) }

    /// Names the values that a query wants of each row.
    public func select(_ terms: SelectTerm<Object>...) -> SelectChain<Object, QueryRow> {
        SelectChain(from: self, select: Select(terms: terms))
    }

    private func adding(_ clause: any FetchClause<Object>) -> From { adding([clause]) }

    func adding(_ clauses: [any FetchClause<Object>]) -> From {
        var from = self
        from.clauses += clauses
        return from
    }

    /// The chain to which other clauses are applied in place of its own: a filter among them replaces all
    /// filters.
    func replaced(by clauses: [any FetchClause<Object>]) -> From {
        guard clauses.contains(where: { $0 is Where<Object> }) else { return self }
        var from = self
        from.clauses.removeAll { $0 is Where<Object> }
        from.request.filter = nil
        return from
    }

    private func grouped(_ clause: GroupBy<Object>) -> From {
        var from = self
        from.grouping = clause
        return from
    }

    private func sectioned(_ clause: SectionBy<Object>) -> From {
        var from = self
        from.sectioning = clause
        return from
    }
}

extension From: Hashable {
    /// Whether two chains ask for the same. A clause of a program's own counts when it is `Hashable`, and is
    /// otherwise equal to none.
    public static func == (a: From, b: From) -> Bool {
        a.configurations == b.configurations && a.request == b.request && a.grouping == b.grouping
            && a.sectioning == b.sectioning && a.clauses.count == b.clauses.count
            && zip(a.clauses, b.clauses).allSatisfy { first, second in
                guard let first = first as? any Hashable, let second = second as? any Hashable else {
                    return false
                }
                return AnyHashable(first) == AnyHashable(second)
            }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(configurations)
        hasher.combine(request)
        hasher.combine(clauses.count)
        hasher.combine(grouping)
        hasher.combine(sectioning)
    }
}

/// A query as a chain: what to look among, and what to select.
public struct SelectChain<Object: ManagedObject, Value: Sendable>: Sendable {
    let from: From<Object>
    let select: Select<Object, Value>
}
