/// What a save wrote, for the other contexts. May travel anywhere.
public struct SaveNotification: Sendable, Equatable {
    /// In the order of insertion.
    public var insertedObjectIDs: [ManagedObjectID] = []
    /// In the order of their first change.
    public var updatedObjectIDs: [ManagedObjectID] = []
    public var deletedObjectIDs: [ManagedObjectID] = []

    public var isEmpty: Bool {
        insertedObjectIDs.isEmpty && updatedObjectIDs.isEmpty && deletedObjectIDs.isEmpty
    }
}
