import ManagedObjects
import Synchronization

/// What was told of the moods of a list, for the line that says that one is gone: another process that
/// deletes a mood leaves nothing to read.
///
/// Holds a record a mood, some 1 KB: only who follows others needs it.
package final class ShownMoods: Sendable {
    private let records = Mutex<[ManagedObjectID: MoodRecord]>([:])

    package init() {}

    /// Takes down what the list shows when the report begins.
    package func add(_ shown: [MoodRecord]) {
        records.withLock { records in for record in shown { records[record.objectID] = record } }
    }

    /// The changes with what is known of moods that are gone, in the order they came.
    func completed(_ changes: [MoodChange]) -> [MoodChange] {
        records.withLock { records in
            changes.map { change in
                guard let id = change.objectID else { return change }
                var change = change
                if change.kind == .delete {
                    let known = records.removeValue(forKey: id)
                    change.record = change.record ?? known
                } else {
                    records[id] = change.record
                }
                return change
            }
        }
    }
}
