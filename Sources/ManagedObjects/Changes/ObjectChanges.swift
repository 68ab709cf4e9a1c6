/// The changes of a context's objects since its lists were last updated.
struct ObjectChanges {
    var inserted = ObjectList()
    var updated = ObjectList()
    var deleted = ObjectList()
    /// Taken from the store again: another context saved them.
    var refreshed = ObjectList()
    /// The part of `refreshed` whose rows another context inserted.
    var insertedElsewhere = ObjectList()
    /// The part of `refreshed` of which only a to-many relationship changed, at its other end.
    var membersOnly: Set<ObjectIdentifier> = []
    /// Rows that another context deleted, whether they had an object here or not.
    var deletedIDs: Set<ManagedObjectID> = []
    /// Objects that turned out to have no row.
    var invalidated = ObjectList()
    /// Whether the context let go of all its objects.
    var isReset = false
    /// Whether something was missed, so that nothing but reading again will do.
    var isGap = false

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && deletedIDs.isEmpty
            && !isGap && invalidated.isEmpty
    }

    /// Each object once, with those that are gone.
    var all: [ManagedObject] {
        var all = ObjectList()
        for object in deleted.all + inserted.all + updated.all + refreshed.all + invalidated.all {
            all.append(object)
        }
        return all.all
    }
}
