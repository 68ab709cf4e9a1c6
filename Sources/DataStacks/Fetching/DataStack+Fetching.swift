public import ManagedObjects

// Committed objects, on the caller's thread. Calls wait for no transaction and for no other call.
extension DataStack {
    /// Runs `body` with a view of what is committed, on the caller's thread.
    ///
    ///     let ages = try stack.read { view in try view.fetchAll(From<Person>()).map(\.age) }
    ///
    /// Each fetch sees what is committed at that moment; an object that was read before stays as it was.
    ///
    /// - Throws: ``StackError/user(_:)`` with what `body` throws; its ``StackError`` as they are;
    ///   ``StackError/store(_:)`` when a value that `body` asked an object for could not be read.
    public func read<Value: Sendable>(
        _ body: @Sendable (StackView) throws -> Value
    ) throws(StackError) -> Value { try view(body) }

    func view<Value>(_ body: (StackView) throws -> Value) throws(StackError) -> Value {
        let member = views.checkOut(for: coordinator)
        defer { views.giveBack(member) }
        return try wrapping {
            let value = try body(StackView(member.core, self))
            try member.core.throwFaultError(of: nil)
            return value
        }
    }

    /// Fetches the objects that match, in order, and returns a value made of each.
    ///
    /// - Throws: ``StackError/noStore(entity:configuration:)``; ``StackError/fetch(_:)`` for a clause that
    ///   cannot be translated; ``StackError/store(_:)``.
    public func fetchAll<Object: ManagedObject, Row: Sendable>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>..., as row: @Sendable (Object) -> Row
    ) throws(StackError) -> [Row] {
        try view { try $0.objects(from, clauses).map(row) }
    }

    /// Fetches the first object that matches and returns a value made of it; nil when none does.
    public func fetchOne<Object: ManagedObject, Row: Sendable>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>..., as row: @Sendable (Object) -> Row
    ) throws(StackError) -> Row? {
        var request = try request(from, clauses)
        request.fetchLimit = 1
        let first = request
        return try view { try $0.core.fetch(first).first.map(row) }
    }

    /// How many objects match.
    public func fetchCount<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> Int {
        let request = try request(from, clauses)
        return try view { try $0.core.count(request) }
    }

    /// References to the objects that match, in order.
    public func fetchObjectIDs<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> [ObjectReference<Object>] {
        let request = try request(from, clauses)
        return try view { try $0.core.fetchObjectIDs(request).map { ObjectReference(objectID: $0) } }
    }

    /// A reference to the first object that matches; nil when none does.
    public func fetchObjectID<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ObjectReference<Object>? {
        var request = try request(from, clauses)
        request.fetchLimit = 1
        let first = request
        return try view { try $0.core.fetchObjectIDs(first).first.map { ObjectReference(objectID: $0) } }
    }

    /// Returns a value made of a known object; nil when it is gone.
    public func fetchExisting<Object: ManagedObject, Row: Sendable>(
        _ reference: ObjectReference<Object>, as row: @Sendable (Object) -> Row
    ) throws(StackError) -> Row? { try view { try $0.fetchExisting(reference).map(row) } }

    /// Returns values made of known objects, in their order; objects that are gone are left out.
    public func fetchExisting<Object: ManagedObject, Row: Sendable>(
        _ references: [ObjectReference<Object>], as row: @Sendable (Object) -> Row
    ) throws(StackError) -> [Row] {
        try view { try $0.fetchExisting(references).map(row) }
    }

    /// Reads one value straight from the stores: of the first row that matches, or of all of them together.
    /// Nil when there is none, and where it is no `Value`.
    ///
    ///     let oldest = try stack.queryValue(From<Person>(), Select<Person, Int>(.maximum(\.age)))
    public func queryValue<Object: ManagedObject, Value: SelectValue>(
        _ from: From<Object>, _ select: Select<Object, Value>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> Value? {
        let plan = try QueryPlan(self, from: from, select: select, clauses: clauses)
        return try view { try plan.value($0.core) }
    }

    /// Reads the one value that a chain selects.
    public func queryValue<Object: ManagedObject, Value: SelectValue>(
        _ chain: SelectChain<Object, Value>
    ) throws(StackError) -> Value? { try queryValue(chain.from, chain.select) }

    /// Values of the rows that match, or of groups of them, straight from the stores.
    ///
    ///     let cities = try stack.queryAttributes(
    ///         From<Person>(), Select("city", .count(\.name, as: "people")), GroupBy("city"))
    ///
    /// - Throws: ``StackError/fetch(_:)``, also for a value that is neither grouped by nor aggregated beside
    ///   one that is; ``StackError/store(_:)``.
    public func queryAttributes<Object: ManagedObject>(
        _ from: From<Object>, _ select: Select<Object, QueryRow>, _ clauses: any QueryClause<Object>...
    ) throws(StackError) -> [QueryRow] {
        let plan = try QueryPlan(self, from: from, select: select, clauses: clauses)
        return try view { try plan.rows($0.core) }
    }

    /// Reads the rows that a chain selects.
    public func queryAttributes<Object: ManagedObject>(
        _ chain: SelectChain<Object, QueryRow>
    ) throws(StackError) -> [QueryRow] { try queryAttributes(chain.from, chain.select) }
}

extension ObjectSource {
    /// Reads one value straight from the stores: unsaved changes are not seen.
    public func queryValue<Object: ManagedObject, Value: SelectValue>(
        _ from: From<Object>, _ select: Select<Object, Value>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> Value? {
        let plan = try QueryPlan(stack, from: from, select: select, clauses: clauses)
        return try wrapping { try plan.value(core) }
    }

    /// Values of the rows that match, or of groups of them, straight from the stores: unsaved changes are not
    /// seen.
    public func queryAttributes<Object: ManagedObject>(
        _ from: From<Object>, _ select: Select<Object, QueryRow>, _ clauses: any QueryClause<Object>...
    ) throws(StackError) -> [QueryRow] {
        let plan = try QueryPlan(stack, from: from, select: select, clauses: clauses)
        return try wrapping { try plan.rows(core) }
    }
}
