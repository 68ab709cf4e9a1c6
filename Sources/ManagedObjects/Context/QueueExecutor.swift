import Dispatch
import Glibc
import Synchronization

/// Runs an actor's jobs on one serial dispatch queue, so that the actor can also be entered synchronously.
///
/// Dispatch has such an executor of its own on Apple's systems only.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// The thread now inside this executor, 0 when none is. A queue has no thread of its own: `sync` runs
    /// its block on the caller's. So the thread is noted whenever a block starts, not once.
    ///
    /// Relaxed order is enough: a thread only asks whether the value is its own, and only it writes that.
    private let owner = Atomic<UInt>(0)

    /// Blocks that the next one handed in runs first, and how many were handed in and taken so far.
    ///
    /// Relaxed order is enough: whoever sees the first number finds that many blocks under the lock, and only
    /// who is inside this executor uses the second.
    private let deliveries = Mutex(Deliveries())
    private let deliveryCount = Atomic<Int>(0)
    private let takenCount = Atomic<Int>(0)

    /// Whether this is the main queue, on which a program may be without having called anybody here.
    private let isMain: Bool

    /// Whether objects may be used on any thread: whoever owns the context sees to it that two never do at
    /// once.
    private let isUnconfined: Bool

    init(label: String) { (queue, isMain, isUnconfined) = (DispatchQueue(label: label), false, false) }

    /// For a context without a queue, whose owner the compiler keeps in one region.
    init(unconfined label: String) {
        (queue, isMain, isUnconfined) = (DispatchQueue(label: label), false, true)
    }

    /// The main queue's.
    ///
    /// Which thread serves it is nobody's business: after `dispatchMain()` it is any.
    init() {
        (queue, isMain, isUnconfined) = (.main, true, false)
        queue.setSpecific(key: Self.mainKey, value: true)
    }

    private static let mainKey = DispatchSpecificKey<Bool>()

    /// The thread that went from the main queue into another executor and is still there, 0 when none is:
    /// `sync` runs a block on the caller's thread, where Dispatch then answers for that executor's queue. The
    /// main queue is serial, so there is one such thread at most.
    private static let threadFromMain = Atomic<UInt>(0)

    /// Whether the caller holds the main queue, directly or from blocks of other executors inside it.
    private static var isOnMain: Bool {
        DispatchQueue.getSpecific(key: mainKey) != nil
            || threadFromMain.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Whether the caller is inside this executor. One load and one comparison: cheap enough for every
    /// accessor, where `DispatchQueue.getSpecific` would cost more than the access.
    var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Stops the program, in release builds too, unless the caller is inside this executor.
    func checkIsolated() {
        if !isCurrent && !isUnconfined {
            misuse("a managed object context was used off its queue; call perform or performAndWait")
        }
    }

    /// Runs `body` inside this executor and waits. Called from inside, it runs at once.
    ///
    /// Stops the program when waiting would never end.
    func sync<Value>(_ body: () throws -> Value) rethrows -> Value {
        if isCurrent { return try body() }
        let thread = UInt(pthread_self()), isOnMain = Self.isOnMain
        let count = deliveryCount.load(ordering: .relaxed)
        if isMain && isOnMain { return try own(after: count, body) }
        let before = isOnMain ? Self.threadFromMain.exchange(thread, ordering: .sequentiallyConsistent) : 0
        defer { if isOnMain { Self.threadFromMain.store(before, ordering: .sequentiallyConsistent) } }
        guard Waiting.begin(thread, for: self) else {
            misuse("two contexts wait for each other: a block of each calls performAndWait of the other")
        }
        return try queue.sync {
            Waiting.end(thread)
            return try own(after: count, body)
        }
    }

    /// Runs `body` inside this executor, after everything handed in before it.
    func async(_ body: @escaping @Sendable () -> Void) {
        let count = deliveryCount.load(ordering: .relaxed)
        queue.async { self.own(after: count, body) }
    }

    /// Runs `body` inside this executor, after everything handed in before it and before everything handed in
    /// from now on.
    ///
    /// - Parameter wakesThread: false when the caller enters this executor at once: `body` then runs on the
    ///   caller's thread, without the two thread switches of a wake-up.
    func deliver(wakesThread: Bool, _ body: @escaping @Sendable () -> Void) {
        deliveries.withLock { deliveries in
            deliveries.append(body)
            deliveryCount.add(1, ordering: .relaxed)
        }
        if wakesThread { async {} }
    }

    /// Runs what was delivered before a block was handed in. Not what came since: it would overtake blocks
    /// between the two, and the block would never be run while more comes.
    private func runDeliveries(upTo count: Int) {
        while takenCount.load(ordering: .relaxed) < count {
            let body = deliveries.withLock { $0.takeFirst() }
            takenCount.add(1, ordering: .relaxed)
            body()
        }
    }

    /// Whether to wait for this executor would never end: whoever is inside it waits for the caller, maybe by
    /// way of others.
    var wouldWaitForever: Bool {
        !isCurrent && Waiting.isCircle(from: UInt(pthread_self()), to: self)
    }

    /// The thread inside this executor, for the main queue also one that went on from there; 0 for none.
    fileprivate var ownerThread: UInt {
        let thread = owner.load(ordering: .sequentiallyConsistent)
        return thread == 0 && isMain ? Self.threadFromMain.load(ordering: .sequentiallyConsistent) : thread
    }

    /// - Parameter count: how many deliveries were made when `body` was handed in.
    private func own<Value>(after count: Int, _ body: () throws -> Value) rethrows -> Value {
        let outer = owner.exchange(UInt(pthread_self()), ordering: .sequentiallyConsistent)
        defer { owner.store(outer, ordering: .sequentiallyConsistent) }
        // A nested block is part of another one, whose work must not be interrupted.
        if outer == 0 { runDeliveries(upTo: count) }
        return try body()
    }
}

/// Blocks in the order in which they came.
private struct Deliveries {
    private var bodies: [(@Sendable () -> Void)?] = []
    private var first = 0

    mutating func append(_ body: @escaping @Sendable () -> Void) { bodies.append(body) }

    /// There must be one.
    mutating func takeFirst() -> @Sendable () -> Void {
        guard let body = bodies[first] else { misuse("a delivery was taken twice") }
        bodies[first] = nil
        first += 1
        // Seldom enough that each block is moved once on average.
        if first == bodies.count || 2 * first > max(bodies.count, 64) {
            bodies.removeFirst(first)
            first = 0
        }
        return body
    }
}

/// Which threads wait for which executors. Whoever begins to wait last sees a circle whole, since the others
/// in it are inside their executors and wait already.
private enum Waiting {
    private static let waits = Mutex<[UInt: QueueExecutor]>([:])

    /// - Returns: false when the thread would wait for itself.
    static func begin(_ thread: UInt, for executor: QueueExecutor) -> Bool {
        waits.withLock { waits in
            if isCircle(thread, executor, waits) { return false }
            waits[thread] = executor
            return true
        }
    }

    static func end(_ thread: UInt) { waits.withLock { _ = $0.removeValue(forKey: thread) } }

    static func isCircle(from thread: UInt, to executor: QueueExecutor) -> Bool {
        waits.withLock { isCircle(thread, executor, $0) }
    }

    private static func isCircle(_ thread: UInt, _ executor: QueueExecutor, _ waits: [UInt: QueueExecutor])
        -> Bool
    {
        var next: QueueExecutor? = executor
        for _ in 0...waits.count {
            guard let owner = next?.ownerThread, owner != 0 else { return false }
            if owner == thread { return true }
            next = waits[owner]
        }
        return false
    }
}

// Entry points of the concurrency runtime.
extension QueueExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
