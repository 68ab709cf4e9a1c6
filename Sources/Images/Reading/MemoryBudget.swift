internal import Glibc
internal import Synchronization

/// The memory of all pictures that a library decodes in one piece, in all threads of the process together.
///
/// A picture that does not fit beside the ones being decoded waits for its turn, and those that come later
/// wait behind it. A picture larger than the budget is decoded while no other is.
@safe final class MemoryBudget: @unchecked Sendable {
    /// As much as one picture may take by default: see ``DecodingOptions/wholeMemoryLimit``.
    static let shared = MemoryBudget(bytes: 256 * 1024 * 1024)

    private let capacity: Int
    typealias Lender = @Sendable (Int) -> Void
    /// Asks another process for memory: it keeps the account then.
    private let lender = Mutex<Lender?>(nil)
    // Guarded by `mutex`; `changed` is signaled when one of them changes.
    private var held = 0, nextTicket = 0, serving = 0
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(bytes: Int) {
        capacity = bytes
        // SAFETY: room for one of each, which nothing else sees yet.
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(changed, nil)
    }

    deinit {
        // SAFETY: every share keeps the budget alive, so no thread waits.
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Lets another process keep the account: `ask` returns when it has lent so many bytes.
    func lend(_ ask: @escaping Lender) { lender.withLock { $0 = ask } }

    /// Waits until this much memory is free. A thread holds one share at most: two could wait for each other.
    func share(bytes: Int) -> MemoryShare {
        if let ask = lender.withLock({ $0 }) {
            ask(bytes)
            return MemoryShare(self, 0)
        }
        // SAFETY: both were initialized and live as long as self; the thread holds the mutex while it waits.
        unsafe pthread_mutex_lock(mutex)
        let ticket = nextTicket
        nextTicket += 1
        while ticket != serving || held > 0 && bytes > capacity - held {
            unsafe pthread_cond_wait(changed, mutex)
        }
        serving += 1
        held += bytes
        unsafe pthread_cond_broadcast(changed)
        unsafe pthread_mutex_unlock(mutex)
        return MemoryShare(self, bytes)
    }

    fileprivate func giveBack(_ bytes: Int) {
        // SAFETY: as above.
        unsafe pthread_mutex_lock(mutex)
        held -= bytes
        unsafe pthread_cond_broadcast(changed)
        unsafe pthread_mutex_unlock(mutex)
    }
}

/// A part of a ``MemoryBudget``, until nothing refers to it.
final class MemoryShare: Sendable {
    private let budget: MemoryBudget
    private let bytes: Int

    fileprivate init(_ budget: MemoryBudget, _ bytes: Int) { (self.budget, self.bytes) = (budget, bytes) }

    deinit { budget.giveBack(bytes) }
}
