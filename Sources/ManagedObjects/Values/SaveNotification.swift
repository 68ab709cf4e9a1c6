/// The changes that a save wrote, for other contexts.
public struct SaveNotification: Sendable, Equatable {
    /// In the order of insertion.
    public var insertedObjectIDs: [ManagedObjectID]
    /// In the order of their first change.
    public var updatedObjectIDs: [ManagedObjectID]
    /// The IDs of deleted objects.
    public var deletedObjectIDs: [ManagedObjectID]

    /// Creates a notification of changes that another process reported.
    public init(
        insertedObjectIDs: [ManagedObjectID] = [], updatedObjectIDs: [ManagedObjectID] = [],
        deletedObjectIDs: [ManagedObjectID] = []
    ) {
        (self.insertedObjectIDs, self.updatedObjectIDs) = (insertedObjectIDs, updatedObjectIDs)
        self.deletedObjectIDs = deletedObjectIDs
    }

    /// Whether there is nothing in it.
    public var isEmpty: Bool {
        insertedObjectIDs.isEmpty && updatedObjectIDs.isEmpty && deletedObjectIDs.isEmpty
    }

    /// With rows whose derived values are other ones now.
    func adding(_ derived: [ManagedObjectID]) -> SaveNotification {
        if derived.isEmpty { return self }
        let known = Set(insertedObjectIDs + updatedObjectIDs + deletedObjectIDs)
        var note = self
        note.updatedObjectIDs += derived.filter { !known.contains($0) }
        return note
    }
}
