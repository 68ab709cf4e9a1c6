import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import Testing

/// Transactions that stand in each other's way. What would wait for ever fails here within the time limit.
@Suite(.timeLimit(.minutes(10))) struct TransactionTests {
    private let stack: DataStack

    init() throws {
        stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addInMemoryStorage()
    }

    private func insert(_ number: Int64, _ transaction: Transaction) {
        let song = transaction.create(Song.self)
        (song.number, song.title) = (number, "\(number)")
    }

    private func count() throws -> Int {
        try stack.reader.performAndWait { try $0.count(FetchRequest<Song>()) }
    }

    @Test func `a transaction inside a transaction is refused, and the outer one is whole`() throws {
        let stack = stack
        try stack.performAndWait { transaction in
            insert(1, transaction)
            #expect(throws: StackError.nested) { try stack.performAndWait { insert(2, $0) } }
            insert(3, transaction)
        }
        #expect(try count() == 2)
        #expect(throws: StackError.nested) {
            try stack.performAndWait { transaction in
                insert(4, transaction)
                try stack.performAndWait { insert(5, $0) }
            }
        }
        #expect(try count() == 2, "nothing of half a transaction is kept")
    }

    @Test func `a transaction in a block of the reader is refused`() throws {
        let stack = stack
        stack.reader.performAndWait { _ in
            _ = #expect(throws: StackError.insideReader) { try stack.performAndWait { insert(1, $0) } }
        }
        #expect(try count() == 0)
    }

    @Test func `transactions that delete go on while the reader is read`() async throws {
        let stack = stack
        try stack.performAndWait { for number in 0..<50 { insert(Int64(number), $0) } }
        let observation = try stack.reader.performAndWait { context in
            try context.observe(FetchRequest<Song>(sortedBy: .ascending(\.number)), as: { $0.title }) { _ in }
        }
        await withTaskGroup { group in
            for number in 0..<50 as Range<Int64> {
                group.addTask {
                    try? await stack.perform { transaction in
                        for song in try transaction.fetchAll(FetchRequest(\Song.number == number)) {
                            transaction.delete(song)
                        }
                    }
                }
                group.addTask { _ = try? await stack.reader.perform { try $0.count(FetchRequest<Song>()) } }
            }
        }
        #expect(try count() == 0)
        withExtendedLifetime(observation) {}
    }

    @Test func `of two stacks whose transactions wait for each other one is refused`() throws {
        let other = DataStack(model: try ManagedObjectModel(Song.self))
        try other.addInMemoryStorage()
        let here = stack, inside = Atomic(0), refused = Atomic(0)
        let group = DispatchGroup()
        for (mine, theirs) in [(here, other), (other, here)] {
            DispatchQueue.global().async(group: group) {
                do {
                    try mine.performAndWait { _ in
                        inside.add(1, ordering: .sequentiallyConsistent)
                        // Until both are inside.
                        while inside.load(ordering: .sequentiallyConsistent) < 2 { usleep(1_000) }
                        try theirs.performAndWait { insert(1, $0) }
                    }
                } catch StackError.wouldWaitForever {
                    refused.add(1, ordering: .relaxed)
                } catch { Issue.record(error) }
            }
        }
        group.wait()
        #expect(refused.load(ordering: .relaxed) == 1)
        let both = try count() + (try other.reader.performAndWait { try $0.count(FetchRequest<Song>()) })
        #expect(both == 1)
    }

    @Test func `changing something in the reader stops the program with a sentence`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let stack = DataStack(model: try ManagedObjectModel(Song.self))
                try stack.addInMemoryStorage()
                stack.reader.performAndWait { _ = $0.insert(Song.self) }
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("a context that follows a stack was changed; begin a transaction instead"))
    }

    @Test func `a commit stands though the reader cannot follow it, and the reader makes up for it`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "moody-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stack = DataStack(model: try ManagedObjectModel(Song.self))
        try stack.addStorage(sqlite: folder.appending(path: "A.moody"))
        let titles = Mutex<[String]>([])
        let observation = try stack.reader.performAndWait { context in
            try context.observe(FetchRequest<Song>(sortedBy: .ascending(\.number)), as: { $0.title }) {
                changes in
                for case .insert(let title, _, _) in changes.changes { titles.withLock { $0.append(title) } }
            }
        }
        // A note of a row in a store that is not here: the merge fails as one whose read fails.
        let stranger = DataStack(model: try ManagedObjectModel(Song.self))
        try stranger.addInMemoryStorage()
        let strange = try stranger.performAndWait { transaction in
            insert(1, transaction)
            return try transaction.fetchAll(FetchRequest<Song>()).map(\.objectID)
        }
        try stack.performAndWait { insert(1, $0) }
        stack.reader.performAndWait { context in
            _ = #expect(throws: StoreError.self) {
                try context.mergeChanges(from: SaveNotification(insertedObjectIDs: strange.map(\.current)))
            }
        }
        try stack.performAndWait { insert(2, $0) }
        #expect(titles.withLock { $0 } == ["1", "2"])
        withExtendedLifetime(observation) {}
        try stack.coordinator.close()
    }
}
