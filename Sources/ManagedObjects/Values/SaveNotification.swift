/// What a save wrote, for the other contexts. May travel anywhere.
public struct SaveNotification: Sendable, Equatable {
    /// In the order of insertion.
    public var insertedObjectIDs: [ManagedObjectID]
    /// In the order of their first change.
    public var updatedObjectIDs: [ManagedObjectID]
    public var deletedObjectIDs: [ManagedObjectID]

    /// What somebody else wrote, as another process said it.
    public init(
        insertedObjectIDs: [ManagedObjectID] = [], updatedObjectIDs: [ManagedObjectID] = [],
        deletedObjectIDs: [ManagedObjectID] = []
    ) {
        (self.insertedObjectIDs, self.updatedObjectIDs) = (insertedObjectIDs, updatedObjectIDs)
        self.deletedObjectIDs = deletedObjectIDs
    }

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
