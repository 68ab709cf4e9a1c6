/// The changes that a context saves: all or nothing.
///
/// Values hold IDs as the context knows them: a temporary one stands for a row of `inserts`.
struct SavePlan: Sendable {
    var inserts: [Insert] = []
    var updates: [Update] = []
    var deletes: [Delete] = []
    var links: [Link] = []
    var orders: [Order] = []
    /// Files that the new values name; whoever keeps the plan longer than the call keeps them.
    var taken: [ExternalData] = []
    /// The author and the context of a save, for the history.
    var author: String?, contextName: String?

    var isEmpty: Bool {
        inserts.isEmpty && updates.isEmpty && deletes.isEmpty && links.isEmpty && orders.isEmpty
    }

    struct Insert: Sendable {
        let id: ManagedObjectID
        let entity: EntityDescription
        /// By slot.
        let values: [StoredValue]
    }

    struct Update: Sendable {
        let id: ManagedObjectID
        let entity: EntityDescription
        /// `Z_OPT` as it was read; the save fails when it is another by now.
        let version: Int64
        /// Which of the values are new. None at all counts the row's version up and writes nothing else.
        let slots: [Int]
        /// By slot.
        let values: [StoredValue]
        /// By slot: as they were read.
        let snapshot: [StoredValue]

        /// The row's values after the update, by slot; nil where neither the old nor a new one is known.
        var valuesAfter: [StoredValue?] {
            values.indices.map { slot in
                slots.contains(slot) ? values[slot] : slot < snapshot.count ? snapshot[slot] : nil
            }
        }
    }

    struct Delete: Sendable {
        let id: ManagedObjectID
        let entity: EntityDescription
        let version: Int64
        /// By slot: as they were read.
        let snapshot: [StoredValue]
    }

    /// Pairs of a relationship from many to many that come and go.
    struct Link: Sendable {
        let owner: ManagedObjectID
        let entity: EntityDescription
        let slot: Int
        let added: [ManagedObjectID]
        let removed: [ManagedObjectID]
    }

    /// The order of a relationship to many.
    struct Order: Sendable {
        let owner: ManagedObjectID
        let entity: EntityDescription
        let slot: Int
        let members: [ManagedObjectID]
        /// Whether `members` are all there are; else they come behind those the store has.
        let isComplete: Bool
    }
}

/// The result of saving a plan.
struct SavedRows: Sendable {
    /// Permanent IDs by temporary key.
    var ids: [Int64: ManagedObjectID] = [:]
    /// The rows that got other derived values, whether the plan has them or not.
    var derived: [ManagedObjectID] = []
}
