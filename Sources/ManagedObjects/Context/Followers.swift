import Synchronization

/// Contexts that take in by themselves what is saved to their parent or their coordinator.
///
/// Any thread may call.
final class Followers: Sendable {
    private struct Follower {
        weak var context: ManagedObjectContext?
    }

    private let followers = Mutex<[Follower]>([])

    func contains(_ context: ManagedObjectContext) -> Bool {
        followers.withLock { $0.contains { $0.context === context } }
    }

    func set(_ context: ManagedObjectContext, isFollowing: Bool) {
        followers.withLock { followers in
            followers.removeAll { $0.context == nil || $0.context === context }
            if isFollowing { followers.append(Follower(context: context)) }
        }
    }

    /// Hands on what was saved; nobody is waited for.
    func tell(_ note: SaveNotification, by saver: ManagedObjectContext) {
        let contexts = followers.withLock { $0.compactMap(\.context) }
        for context in contexts where context !== saver { context.mergeSoon(note) }
    }
}

extension ManagedObjectContext {
    /// What cannot be read is said by the next call that can throw, and lists read everything again.
    fileprivate nonisolated func mergeSoon(_ note: SaveNotification) {
        executor.async { [weak self] in
            self?.assumeIsolated { context in
                context.withObjects { core in
                    do { try core.mergeChanges(from: note) } catch { core.note(error) }
                }
            }
        }
    }
}

extension ContextCore {
    /// Those beside this context, and those on top of it.
    func tellFollowers(_ note: SaveNotification, by context: ManagedObjectContext) {
        source.followers.tell(note, by: context)
        context.childFollowers.tell(note, by: context)
    }
}
