import ManagedObjects

/// The monitors of single objects, told before and after each merge. Used on the reader's queue alone.
final class WatcherList: @unchecked Sendable {
    // @unchecked Sendable because it is used on the reader's queue alone.
    private struct Entry {
        weak var watcher: (any MergeWatcher)?
    }

    private var entries: [Entry] = []
    /// The watchers that were told of the merge under way.
    private var told: [any MergeWatcher] = []

    func add(_ watcher: any MergeWatcher) {
        entries.removeAll { $0.watcher == nil }
        entries.append(Entry(watcher: watcher))
    }

    func willMerge(_ note: SaveNotification) {
        if entries.isEmpty { return }
        let updated = Set(note.updatedObjectIDs)
        told = entries.compactMap(\.watcher)
        for watcher in told where updated.contains(watcher.objectID) { watcher.willUpdate() }
    }

    func didMerge(_ note: SaveNotification) {
        if told.isEmpty { return }
        let updated = Set(note.updatedObjectIDs), deleted = Set(note.deletedObjectIDs)
        let all = told
        told = []
        for watcher in all {
            if deleted.contains(watcher.objectID) {
                watcher.didDelete()
            } else if updated.contains(watcher.objectID) {
                watcher.didUpdate()
            }
        }
    }

    /// Something was written that nobody tells of: each object may be another one.
    func willReadAgain() {
        told = entries.compactMap(\.watcher)
        for watcher in told { watcher.willUpdate() }
    }

    func didReadAgain() {
        let all = told
        told = []
        for watcher in all { watcher.didReadAgain() }
    }
}

/// A monitor of one object, on the reader's queue.
protocol MergeWatcher: AnyObject {
    var objectID: ManagedObjectID { get }
    func willUpdate()
    func didUpdate()
    func didDelete()
    /// The object may have been changed or deleted.
    func didReadAgain()
}
