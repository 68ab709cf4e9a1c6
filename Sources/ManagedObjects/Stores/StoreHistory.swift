/// Changes that others have written to a store.
struct StoreHistory: Sendable, Equatable {
    var note = SaveNotification()
    /// Whether something was written that no log tells of, so that nothing but reading again will do.
    var isGap = false

    var isEmpty: Bool { note.isEmpty && !isGap }

    /// Adds what was written to another store.
    mutating func add(_ other: StoreHistory) {
        note.insertedObjectIDs += other.note.insertedObjectIDs
        note.updatedObjectIDs += other.note.updatedObjectIDs
        note.deletedObjectIDs += other.note.deletedObjectIDs
        isGap = isGap || other.isGap
    }
}
