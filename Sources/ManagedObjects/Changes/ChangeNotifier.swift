/// A list or another observer that is told of changes while it lives.
final class ChangeObserver {
    enum Interest {
        /// Rows of these root entities, those that other contexts insert included.
        case rows(Set<Int>)
        /// Every object that is in memory or inserted, by this context or another.
        case objects
        /// Objects that are in memory.
        case objectsInMemory
    }

    let interest: Interest
    /// Returns false when the observer is gone.
    fileprivate let notify: (ChangeRound) -> Bool
    /// Objects got the IDs that a save gave them.
    fileprivate let rename: ([(old: ManagedObjectID, new: ManagedObjectID)]) -> Void

    init(
        interest: Interest, notify: @escaping (ChangeRound) -> Bool,
        rename: @escaping ([(old: ManagedObjectID, new: ManagedObjectID)]) -> Void = { _ in }
    ) {
        (self.interest, self.notify, self.rename) = (interest, notify, rename)
    }
}

/// The changes of one round, as all observers are told them.
final class ChangeRound {
    let changes: ObjectChanges
    /// Made once for all observers that want it.
    private(set) lazy var notification = ObjectsDidChangeNotification(changes)

    init(_ changes: ObjectChanges) { self.changes = changes }
}

/// Tells lists and other observers what changed.
///
/// Owns the list of observers. What an observer changes while it is told is told to all, itself included, in
/// the next round. Observers hear of new IDs and of merged rows while they are told, too.
final class ChangeNotifier {
    private unowned let core: ContextCore
    private var observers: [ChangeObserver] = []
    private var isTelling = false

    init(_ core: ContextCore) { self.core = core }

    func add(_ observer: ChangeObserver) { observers.append(observer) }

    func removeAll() { observers = [] }

    /// Whether a list wants the rows of this entity that other contexts insert.
    func isWatched(_ entity: EntityDescription) -> Bool {
        observers.contains { observer in
            if case .rows(let roots) = observer.interest { roots.contains(entity.rootIndex) } else { false }
        }
    }

    /// Whether an observer wants to hear of every inserted object.
    var wantsInsertedObjects: Bool {
        observers.contains { if case .objects = $0.interest { true } else { false } }
    }

    /// - Complexity: as many rounds as observers make changes, a hundred at most: an observer that answers
    ///   each change with another one would never end.
    func tell() {
        if isTelling || core.changes.pending.isEmpty { return }
        isTelling = true
        defer { isTelling = false }
        core.changes.withTracking {
            for _ in 0..<100 {
                if core.changes.pending.isEmpty { return }
                let round = ChangeRound(core.changes.consumePending())
                // An observer may come or go while others are told.
                let gone = observers.filter { !$0.notify(round) }
                if !gone.isEmpty { observers.removeAll { observer in gone.contains { $0 === observer } } }
            }
        }
    }

    func rename(_ names: [(old: ManagedObjectID, new: ManagedObjectID)]) {
        if names.isEmpty { return }
        for observer in observers { observer.rename(names) }
    }
}
