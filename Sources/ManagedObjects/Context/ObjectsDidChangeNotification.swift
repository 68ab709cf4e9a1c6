/// The changes of a context's objects since its last notification. Valid on the context's queue only.
///
/// - Source: Apple, NSManagedObjectContextObjectsDidChangeNotification.
public struct ObjectsDidChangeNotification {
    /// Inserted here, or by a save that was merged: those are faults until they are read.
    public let insertedObjects: Set<ManagedObject>
    /// Changed here.
    public let updatedObjects: Set<ManagedObject>
    /// Deleted here, or by a save that was merged.
    public let deletedObjects: Set<ManagedObject>
    /// Read again, since somebody else saved them, or because one of their relationships changed at its other
    /// end.
    public let refreshedObjects: Set<ManagedObject>
    /// Found to have no row, though nobody had said so.
    public let invalidatedObjects: Set<ManagedObject>
    /// Whether the context was reset: no object of before is a row's any more.
    public let invalidatedAllObjects: Bool

    init(_ changes: ObjectChanges) {
        let elsewhere = Set(changes.insertedElsewhere.all.filter { !$0.isGone })
        insertedObjects = elsewhere.union(changes.inserted.all)
        updatedObjects = Set(changes.updated.all)
        deletedObjects = Set(changes.deleted.all)
        refreshedObjects = Set(changes.refreshed.all).subtracting(elsewhere)
        invalidatedObjects = Set(changes.invalidated.all)
        invalidatedAllObjects = changes.isReset
    }
}

extension Sequence where Element: AnyObject {
    /// Whether this very object is among them, whatever its class takes for equal.
    public func containsObjectIdentical(to object: AnyObject) -> Bool { contains { $0 === object } }
}

/// Ends an observation when it is released.
public final class ObservationToken: Sendable {
    init() {}
}

extension ManagedObjectContext {
    /// Calls `handler` on this context's queue after each round of changes to its objects: at the end of
    /// every call of the `perform` family, at ``processPendingChanges()``, and when a save of another context
    /// was merged.
    ///
    /// - Returns: what keeps the observation going.
    public func addObjectsDidChangeObserver(
        _ handler: @escaping (ObjectsDidChangeNotification) -> Void
    ) -> ObservationToken { withObjects { $0.addObserver(handler) } }
}

extension ContextCore {
    /// - Parameter hearsOfInserts: whether objects that other contexts insert are to be made for it.
    func addObserver(
        hearsOfInserts: Bool = true, _ handler: @escaping (ObjectsDidChangeNotification) -> Void
    ) -> ObservationToken {
        let token = ObservationToken()
        notifier.add(
            ChangeObserver(
                interest: hearsOfInserts ? .objects : .objectsInMemory,
                notify: { [weak token] round in
                    if token == nil { return false }
                    handler(round.notification)
                    return true
                }))
        return token
    }
}
