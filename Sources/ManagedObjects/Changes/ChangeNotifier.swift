/// Someone who is told of changes while it lives.
struct ChangeObserver {
    /// The root entities it wants to hear of.
    let interest: Set<Int>
    /// Returns false when it is gone.
    let notify: (ObjectChanges) -> Bool
    /// Objects got the IDs that a save gave them: old ones and new ones.
    let rename: ([(old: ManagedObjectID, new: ManagedObjectID)]) -> Void
}

/// Tells lists and other observers what changed.
///
/// Owns the list of observers. What an observer changes while it is told is told to all, itself included, in
/// the next round.
final class ChangeNotifier {
    private unowned let core: ContextCore
    private var observers: [ChangeObserver] = []
    private var isTelling = false

    init(_ core: ContextCore) { self.core = core }

    func add(_ observer: ChangeObserver) { observers.append(observer) }

    func removeAll() { observers = [] }

    /// Whether anybody wants to hear of this entity.
    func isWatched(_ entity: EntityDescription) -> Bool {
        observers.contains { $0.interest.contains(entity.rootIndex) }
    }

    /// - Complexity: as many rounds as observers make changes, a hundred at most: who answers each change
    ///   with another one would never end.
    func tell() {
        if isTelling { return }
        isTelling = true
        defer { isTelling = false }
        for _ in 0..<100 {
            if core.changes.pending.isEmpty { return }
            let changes = core.changes.takePending()
            // An observer may come or go while others are told.
            let told = observers
            observers = []
            let living = told.filter { $0.notify(changes) }
            observers = living + observers
        }
    }

    func rename(_ names: [(old: ManagedObjectID, new: ManagedObjectID)]) {
        if names.isEmpty { return }
        for observer in observers { observer.rename(names) }
    }
}
