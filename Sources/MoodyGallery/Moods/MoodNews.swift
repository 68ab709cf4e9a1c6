package import DataStacks
package import ManagedObjects
import Synchronization

/// What becomes of a list of all moods, told without places: nothing is kept of those that were not told of.
package final class MoodNews: Sendable {
    private let list: MoodList
    private let shown: ShownMoods
    /// Moods that were put aside: they may come back.
    private let aside = Mutex<Set<ManagedObjectID>>([])

    /// - Parameter shown: what was told of moods, for those that are deleted.
    package init(of list: MoodList, knowing shown: ShownMoods) { (self.list, self.shown) = (list, shown) }

    /// Returns what a save did to the list.
    ///
    /// - Parameter related: the moods whose photos were changed.
    /// - Throws: ``StoreError``.
    package func changes(_ note: SaveNotification, updating related: [ManagedObjectID], in stack: DataStack)
        throws -> [MoodChange]
    {
        func moods(_ ids: [ManagedObjectID]) -> [ManagedObjectID] { ids.filter { $0.entity == "Mood" } }
        let inserted = Set(moods(note.insertedObjectIDs))
        let changed = inserted.union(moods(note.updatedObjectIDs)).union(related)
        var list = list, changes: [MoodChange] = [], listed: Set<ManagedObjectID> = []
        list.only = changed
        try list.forEach(in: stack) { records in
            for record in records {
                listed.insert(record.objectID)
                let isBack = aside.withLock { $0.remove(record.objectID) != nil }
                let isNew = isBack || inserted.contains(record.objectID)
                changes.append(MoodChange(isNew ? .insert : .update, record.objectID, record))
            }
        }
        let gone = changed.subtracting(inserted).subtracting(listed)
        aside.withLock { $0.formUnion(gone) }
        for id in gone.union(moods(note.deletedObjectIDs)).sorted(by: { $0.key < $1.key }) {
            changes.append(MoodChange(.delete, id, nil))
        }
        return shown.completed(changes)
    }
}

extension MoodChange {
    /// Without places.
    fileprivate init(_ kind: Kind, _ id: ManagedObjectID, _ record: MoodRecord?) {
        (self.kind, objectID, self.record) = (kind, id, record)
        (from, to, sectionName, batch) = (nil, nil, nil, 0)
    }
}
