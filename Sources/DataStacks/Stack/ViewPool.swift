import ManagedObjects
import Synchronization

/// The contexts that `read` and fetches of a stack use: one for each call under way, kept for the next one.
final class ViewPool: Sendable {
    /// A context of the pool, used by one call at a time.
    final class Member: @unchecked Sendable {
        // @unchecked Sendable because the pool hands it to one call at a time.
        let core: ContextCore
        init(_ core: ContextCore) { self.core = core }
        deinit { core.end() }
    }

    private let free = Mutex<[Member]>([])
    /// More are let go when their calls end.
    private static let mostKept = 16

    func checkOut(for coordinator: PersistentStoreCoordinator) -> Member {
        free.withLock { $0.popLast() }
            ?? Member(ContextCore(unconfinedOn: coordinator, isReadOnly: true))
    }

    /// Its objects count as deleted from now on.
    func giveBack(_ member: Member) {
        member.core.forgetEverything()
        free.withLock { if $0.count < Self.mostKept { $0.append(member) } }
    }

    func removeAll() { free.withLock { $0 = [] } }
}
