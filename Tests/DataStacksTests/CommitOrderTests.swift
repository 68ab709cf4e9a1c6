import Foundation
import ManagedObjects
import Synchronization
import Testing

@testable import DataStacks

/// Commits, merges and reports come in one order, whatever thread a transaction was begun on.
@Suite(.timeLimit(.minutes(5))) struct CommitOrderTests {
    @Test func `reports come in the order of commits, whatever threads commit`() throws {
        let stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
        let told = Mutex<[Int64]>([])
        let observation = try stack.reader.performAndWait { context in
            try context.observe(FetchRequest<Song>(sortedBy: .ascending(\.number)), as: { $0.number }) {
                changes in
                for case .insert(let number, _, _) in changes.changes { told.withLock { $0.append(number) } }
            }
        }
        let next = Mutex<Int64>(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<100 {
                try? stack.performAndWait { transaction in
                    let song = transaction.create(Song.self)
                    song.number = next.withLock { next in
                        next += 1
                        return next
                    }
                    song.title = "\(song.number)"
                }
            }
        }
        #expect(told.withLock { $0 } == Array(1...800))
        withExtendedLifetime(observation) {}
    }

    @Test func `reports of waiting and not waiting transactions come in one order`() throws {
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
}
