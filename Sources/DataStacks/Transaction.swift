public import ManagedObjects

/// What a transaction's block works with, on the writer's queue and only there.
///
/// A class that is not `Sendable`, in the same region as the objects it hands out: neither it nor an object
/// of it can be captured by a task or returned.
public final class Transaction {
    private let core: ContextCore
    init(_ core: ContextCore) { self.core = core }

    /// Makes a new object; it gets its row when the transaction commits.
    public func create<Object: ManagedObject>(_ type: Object.Type = Object.self) -> Object {
        core.insert(type)
    }

    /// The object `reference` names, to be changed here; nil when it is deleted.
    public func edit<Object: ManagedObject>(_ reference: ObjectReference<Object>) -> Object? {
        core.object(reference.objectID) as? Object
    }

    /// The object with this ID, nil when it is deleted or of another class.
    public func edit<Object: ManagedObject>(_ type: Object.Type, id: ManagedObjectID) -> Object? {
        core.object(id) as? Object
    }

    public func delete(_ object: ManagedObject) { core.delete(object) }

    /// The objects that match, with what this transaction changed. Throws ``FetchError``, ``StoreError``.
    public func fetchAll<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        try core.fetch(request)
    }

    /// The first object that matches, nil when none does. Throws as ``fetchAll(_:)``.
    public func fetchOne<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Object? {
        var first = request
        first.fetchLimit = 1
        return try core.fetch(first).first
    }

    /// How many objects match. Throws as ``fetchAll(_:)``.
    public func fetchCount<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
        try core.count(request)
    }
}

@available(*, unavailable, message: "a transaction stays inside its block")
extension Transaction: Sendable {}
