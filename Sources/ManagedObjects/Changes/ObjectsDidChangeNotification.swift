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
