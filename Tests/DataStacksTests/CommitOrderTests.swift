import Foundation
import Glibc
import ManagedObjects
import Synchronization
import Testing

@testable import DataStacks

/// Commits, merges and reports come in one order, whatever thread a transaction was begun on.
@Suite(.timeLimit(.minutes(10))) struct CommitOrderTests {
    @Test func `reports come in the order of commits, whatever threads commit and however they wait`() throws
    {
        let stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
        let told = Mutex<[Int64]>([])
        let observation = try stack.reader.performAndWait { context in
            try context.observe(FetchRequest<Song>(sortedBy: .ascending(\.number)), as: { $0.number }) {
                changes in
                for case .insert(let number, _, _) in changes.changes { told.withLock { $0.append(number) } }
            }
        }
        let next = Mutex<Int64>(0), completions = DispatchGroup()
        @Sendable func add(_ transaction: Transaction) {
            let song = transaction.create(Song.self)
            song.number = next.withLock { next in
                next += 1
                return next
            }
            song.title = "\(song.number)"
        }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<50 {
                switch thread % 4 {
                case 0: try? stack.performAndWait { add($0) }
                case 1: try? stack.performAndWait(waitsForObservers: false) { add($0) }
                case 2:
                    try? stack.beginSynchronous {
                        add($0); try $0.commit()
                    }
                default:
                    completions.enter()
                    stack.beginAsynchronous {
                        add($0)
                        $0.commit { _ in completions.leave() }
                    }
                }
            }
        }
        completions.wait()
        stack.waitForReports()
        #expect(told.withLock { $0 } == Array(1...400))
        withExtendedLifetime(observation) {}
    }

    @Test func `what a transaction sees, the reader has merged`() throws {
        let stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
        let monitor = try stack.monitorList(From<Song>(), OrderBy(.ascending(\.number)))
        let behind = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<100 {
                try? stack.performAndWait { transaction in
                    // A transaction that another thread has committed and not yet reported is stored.
                    let stored = try transaction.fetchCount(From<Song>())
                    if monitor.numberOfObjects() < stored { behind.withLock { $0 += 1 } }
                    let song = transaction.create(Song.self)
                    (song.number, song.title) = (Int64(stored), "\(stored)")
                }
            }
        }
        #expect(monitor.numberOfObjects() == 400)
        #expect(behind.withLock { $0 } == 0)
    }

    @Test func `a report waits for nothing that its transaction does after the commit`() throws {
        let stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
        let told = DispatchSemaphore(value: 0)
        let observation = try observe(stack) { told.signal() }
        let isTold = Mutex(false)
        try stack.beginSynchronous { transaction in
            transaction.create(Song.self).title = "one"
            try transaction.commit()
            let result = told.wait(timeout: .now() + 20)
            isTold.withLock { $0 = result == .success }
        }
        #expect(isTold.withLock { $0 })
        withExtendedLifetime(observation) {}
    }

    @Test func `a report waits for no executor of the task that commits`() async throws {
        let stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
        let told = DispatchSemaphore(value: 0), line = TaskLine(), isTold = Mutex(false)
        let observation = try observe(stack) { told.signal() }
        try await Task(executorPreference: line) {
            try await stack.perform { transaction in
                transaction.create(Song.self).title = "one"
                line.queue.async {
                    let result = told.wait(timeout: .now() + 20)
                    isTold.withLock { $0 = result == .success }
                }
            }
        }.value
        #expect(isTold.withLock { $0 })
        withExtendedLifetime(observation) {}
    }

    @Test func `the reader lets in who comes, though commits come faster than they are reported`() throws {
        let stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
        let observation = try observe(stack) { usleep(20_000) }
        let isIn = Atomic(false), commits = Atomic(0), ends = DispatchGroup()
        DispatchQueue.global().async(group: ends) {
            for number in 0..<1000 where !isIn.load(ordering: .relaxed) {
                try? stack.performAndWait(waitsForObservers: false) { transaction in
                    let song = transaction.create(Song.self)
                    (song.number, song.title) = (Int64(number), "\(number)")
                }
                commits.add(1, ordering: .relaxed)
                usleep(5_000)
            }
        }
        while commits.load(ordering: .relaxed) < 10 { usleep(1000) }
        stack.waitForReports()
        isIn.store(true, ordering: .relaxed)
        ends.wait()
        #expect(commits.load(ordering: .relaxed) < 1000)
        withExtendedLifetime(observation) {}
    }

    @Test func `what is committed after an observation ended is not reported`() throws {
        let stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
        let count = Atomic(0)
        var observation: ListObservation? = try observe(stack) { count.add(1, ordering: .relaxed) }
        let isInside = DispatchSemaphore(value: 0), mayLeave = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            stack.reader.performAndWait { _ in
                isInside.signal()
                mayLeave.wait()
            }
        }
        isInside.wait()
        withExtendedLifetime(observation) {}
        observation = nil
        try stack.performAndWait(waitsForObservers: false) { $0.create(Song.self).title = "one" }
        mayLeave.signal()
        stack.waitForReports()
        #expect(count.load(ordering: .relaxed) == 0)
    }

    private func observe(_ stack: DataStack, tell: @escaping @Sendable () -> Void) throws -> ListObservation {
        try stack.reader.performAndWait { context in
            try context.observe(FetchRequest<Song>(sortedBy: .ascending(\.number)), as: { $0.number }) { _ in
                tell()
            }
        }
    }
}

/// Runs a task's jobs on a serial queue.
private final class TaskLine: TaskExecutor {
    let queue = DispatchQueue(label: "line")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
