public import ManagedObjects

/// The part that transactions and views have in common: objects, fetched by clauses.
///
/// Bound to its block or its owner's task, like the objects it hands out.
public class ObjectSource {
    let core: ContextCore
    let stack: DataStack

    init(_ core: ContextCore, _ stack: DataStack) { (self.core, self.stack) = (core, stack) }

    func objects<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: [any FetchClause<Object>]
    ) throws(StackError) -> [Object] {
        let request = try stack.request(from, clauses)
        return try wrapping { try core.fetch(request) }
    }

    func checkOwn(_ id: ManagedObjectID) throws(StackError) { try stack.checkOwn(id) }
}

extension DataStack {
    /// - Throws: ``StackError/foreignObject(_:)`` for the ID of another stack's row; ``StackError/store(_:)``
    ///   with `noStore` when there is no store at all, as after ``close()``.
    func checkOwn(_ id: ManagedObjectID) throws(StackError) {
        guard let store = id.current.storeIdentifier else { return }
        let own = coordinator.storeIdentifiers
        if own.isEmpty { throw .store(.noStore) }
        if !own.contains(store) { throw .foreignObject(id) }
    }
}

@available(*, unavailable, message: "a source of objects stays with its objects")
extension ObjectSource: Sendable {}

extension ObjectSource {
    /// The objects that match, in order, with unsaved changes of a transaction.
    ///
    /// - Throws: ``StackError/noStore(entity:configuration:)``; ``StackError/fetch(_:)`` for a clause that
    ///   cannot be translated; ``StackError/store(_:)``.
    public func fetchAll<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> [Object] { try objects(from, clauses) }

    /// The first object that matches; nil when none does.
    public func fetchOne<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> Object? {
        var request = try stack.request(from, clauses)
        request.fetchLimit = 1
        let first = request
        return try wrapping { try core.fetch(first) }.first
    }

    /// How many objects match.
    public func fetchCount<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> Int {
        let request = try stack.request(from, clauses)
        return try wrapping { try core.count(request) }
    }

    /// References to the objects that match, in order, without making the objects.
    public func fetchObjectIDs<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> [ObjectReference<Object>] {
        try objectIDs(from, clauses, isFirst: false)
    }

    /// A reference to the first object that matches; nil when none does.
    public func fetchObjectID<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ObjectReference<Object>? {
        try objectIDs(from, clauses, isFirst: true).first
    }

    private func objectIDs<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: [any FetchClause<Object>], isFirst: Bool
    ) throws(StackError) -> [ObjectReference<Object>] {
        var request = try stack.request(from, clauses)
        if isFirst { request.fetchLimit = 1 }
        let wanted = request
        return try wrapping { try core.fetchObjectIDs(wanted) }.map { ObjectReference(objectID: $0) }
    }

    // MARK: Objects that are known

    /// This source's object for one of another context; nil when it is gone or was never saved.
    public func fetchExisting<Object: ManagedObject>(_ object: Object) throws(StackError) -> Object? {
        if core.owns(object) { return object.isDeleted ? nil : object }
        return try knownObject(object.objectID)
    }

    /// Returns the object that a reference names; nil when it is gone.
    public func fetchExisting<Object: ManagedObject>(_ reference: ObjectReference<Object>)
        throws(StackError) -> Object?
    { try knownObject(reference.objectID) }

    /// Returns the object with an ID; nil when it is gone or of another class.
    public func fetchExisting<Object: ManagedObject>(_ id: ManagedObjectID) throws(StackError) -> Object? {
        try knownObject(id)
    }

    /// This source's objects for those of another context, in their order; those that are gone are left out.
    public func fetchExisting<Object: ManagedObject>(_ objects: [Object])
        throws(StackError) -> [Object]
    { try known(objects.map(\.objectID)) }

    /// Returns the objects that references name, in their order; objects that are gone are left out.
    public func fetchExisting<Object: ManagedObject>(
        _ references: [ObjectReference<Object>]
    ) throws(StackError) -> [Object] { try known(references.map(\.objectID)) }

    /// Returns the objects with these IDs, in their order; objects that are gone are left out.
    public func fetchExisting<Object: ManagedObject>(_ ids: [ManagedObjectID])
        throws(StackError) -> [Object]
    { try known(ids) }

    private func knownObject<Object: ManagedObject>(_ id: ManagedObjectID) throws(StackError) -> Object? {
        let objects: [Object] = try known([id])
        return objects.first
    }

    private func known<Object: ManagedObject>(_ ids: [ManagedObjectID]) throws(StackError) -> [Object] {
        for id in ids { try checkOwn(id) }
        return try wrapping { try core.existingObjects(ids) }.compactMap { $0 as? Object }
    }

    // MARK: Requests

    /// The objects that a request finds, with what this transaction changed.
    ///
    /// - Throws: ``StackError/fetch(_:)`` for what is not in the model; ``StackError/store(_:)``.
    public func fetchAll<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(StackError)
        -> [Object]
    { try wrapping { try core.fetch(request) } }

    /// The first object that a request finds; nil when there is none. Throws as ``fetchAll(_:)``.
    public func fetchOne<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(StackError)
        -> Object?
    {
        var first = request
        first.fetchLimit = 1
        return try fetchAll(first).first
    }

    /// How many objects a request finds. Throws as ``fetchAll(_:)``.
    public func fetchCount<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(StackError) -> Int {
        try wrapping { try core.count(request) }
    }

    /// The IDs of the objects that a request finds, in order, without making the objects. Throws as
    /// ``fetchAll(_:)``.
    public func fetchObjectIDs<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(StackError)
        -> [ManagedObjectID]
    { try wrapping { try core.fetchObjectIDs(request) } }

    /// Values of the objects that a request finds, in order, read from the store without making the objects:
    /// for looks at everything. What is not saved is not seen. Throws as ``fetchAll(_:)``.
    public func fetchValues<Object: ManagedObject, each Value: AttributeValue>(
        _ request: FetchRequest<Object>, _ paths: repeat KeyPath<Object, each Value>
    ) throws(StackError) -> [(repeat each Value)] {
        do { return try core.fetchValues(request, repeat each paths) } catch { throw StackError(error) }
    }

    /// The objects with these IDs, in their order, read in a few queries; an ID without a row is passed over.
    ///
    /// - Parameters:
    ///   - type: their class.
    ///   - ids: the IDs, in any order.
    ///   - prefetching: relationships to one that will be asked for: their objects are read in one query
    ///     each, instead of one query an object.
    /// - Throws: ``StackError/store(_:)``; ``StackError/fetch(_:)`` for a relationship that is none to one.
    public func objects<Object: ManagedObject>(
        _ type: Object.Type, with ids: [ManagedObjectID], prefetching: [PartialKeyPath<Object>] = []
    ) throws(StackError) -> [Object] {
        try wrapping { try core.objects(type, with: ids, prefetching: prefetching) }
    }

    /// Hands over the attributes of the objects that match, in order, a row at a time, as they lie in the
    /// store. What is not saved is not seen. The store is read meanwhile: `body` must not write to it.
    ///
    /// - Parameter inAnyOrder: whether the request's order does not matter, which saves sorting the rows.
    package func scan<Object: ManagedObject, each Value: AttributeValue>(
        _ request: FetchRequest<Object>, _ paths: repeat KeyPath<Object, each Value>,
        inAnyOrder: Bool = false, row body: (ScannedRow) throws -> Void
    ) throws(StackError) {
        do {
            try core.scan(request, repeat each paths, inAnyOrder: inAnyOrder, row: body)
        } catch { throw StackError(error) }
    }

    /// Why values read as nil that could not be read, so far; they are forgotten here, else the end of the
    /// block throws the first.
    package func takeFaultErrors() -> [any Error] { core.takeFaultErrors() }
}

/// The objects of a `read`, which are forgotten when it ends: they count as deleted then.
///
/// A program that changes one of them is stopped with a sentence: changes are made in transactions.
public final class StackView: ObjectSource {}
