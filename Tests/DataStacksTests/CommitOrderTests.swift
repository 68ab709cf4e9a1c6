import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import Testing

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
}
