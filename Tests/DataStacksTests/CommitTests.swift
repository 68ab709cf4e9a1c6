import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import Testing

/// The four forms of transactions.
@Suite(.timeLimit(.minutes(10))) struct CommitTests {
    private let logger = RecordingLogger()
    private let stack: DataStack

    init() throws { stack = try Fixture.emptyStack("Config1", "Config2", logger: logger) }

    private func count() throws -> Int { try stack.fetchCount(From<Sample>()) }

    private func ids() throws -> [Int64] {
        try stack.fetchAll(From<Sample>(), OrderBy(.ascending(\.testEntityID)), as: \.testEntityID)
    }

    private func insert(_ id: Int64, _ transaction: Transaction) {
        transaction.create(Into<Sample>()).testEntityID = id
    }

    @Test func `without a commit nothing of a transaction is kept, and a warning says so`() throws {
        try stack.beginSynchronous { insert(1, $0) }
        stack.beginAsynchronous { insert(2, $0) }
        do {
            let draft = stack.beginUnsafe()
            insert(3, draft)
        }
        #expect(throws: StackError.cancelled) {
            try stack.performAndWait { transaction throws in
                insert(4, transaction)
                try transaction.cancel()
            }
        }
        #expect(try count() == 0)
        let warnings = logger.entries.filter { $0.level == .warning }
        #expect(warnings.count == 2)
        #expect(warnings.allSatisfy { $0.file.hasSuffix("CommitTests.swift") })
    }

    @Test func `a commit says whether anything was written, or why nothing was`() throws {
        let results = Collected<SaveResult>()
        stack.beginAsynchronous { transaction in
            insert(1, transaction)
            transaction.commit { results.add($0) }
        }
        stack.beginAsynchronous { $0.commit { results.add($0) } }
        let known = try stack.performAndWait { transaction throws in
            let object = transaction.create(Into<Sample>())
            object.testEntityID = 5
            return object.reference
        }
        // A draft that holds an older state of the row conflicts.
        let draft = stack.beginUnsafe()
        draft.edit(known)?.testNumber = 1
        try stack.performAndWait { $0.edit(known)?.testNumber = 2 }
        let id = known.objectID.current
        #expect(throws: StackError.store(.conflict(id))) { try draft.commit() }
        stack.beginAsynchronous { transaction in
            transaction.create(Into<Sample>()).testString = "a\u{0}b"
            transaction.commit { results.add($0) }
        }
        let all = results.wait(for: 3)
        #expect(all.count == 3)
        #expect(all[0] == .success(true) && all[1] == .success(false))
        guard case .failure(.store(.textWithNUL)) = all[2] else {
            Issue.record("\(all[2])")
            return
        }
        #expect(logger.errors.count == 1)
    }

    @Test func `an asynchronous transaction returns before its block runs, and they run in order`() throws {
        let order = Collected<Int>(), gate = DispatchSemaphore(value: 0)
        for number in 0..<10 {
            stack.beginAsynchronous { transaction in
                if number == 0 { gate.wait() }
                order.add(number)
                insert(Int64(number), transaction)
                transaction.commit()
            }
        }
        #expect(order.values.isEmpty)
        gate.signal()
        try stack.beginSynchronous { _ in }
        #expect(order.values == Array(0..<10))
        #expect(try ids() == Array(0..<10))
    }

    @Test func `a completion is called when lists have reported`() throws {
        let list = try stack.monitorList(From<Sample>(), OrderBy(.ascending(\.testEntityID)))
        let counts = Collected<Int>()
        stack.beginAsynchronous { transaction in
            insert(1, transaction)
            transaction.commit { _ in counts.add(list.numberOfObjects()) }
        }
        #expect(counts.wait(for: 1) == [1])
    }

    @Test func `a synchronous transaction returns after its block and after reports`() throws {
        let list = try stack.monitorList(From<Sample>(), OrderBy(.ascending(\.testEntityID)))
        try stack.beginSynchronous { transaction throws in
            insert(1, transaction)
            let isWritten = try transaction.commit()
            #expect(isWritten)
        }
        #expect(list.numberOfObjects() == 1)
        #expect(throws: StackError.user(Refusal())) {
            try stack.beginSynchronous { transaction throws in
                insert(2, transaction)
                throw Refusal()
            }
        }
        #expect(try ids() == [1])
    }

    @Test func `a draft lives over awaits and is committed again and again`() async throws {
        let draft = stack.beginUnsafe()
        insert(1, draft)
        try await Task.sleep(for: .milliseconds(1))
        #expect(try draft.commit())
        #expect(try ids() == [1])
        insert(2, draft)
        try await Task.sleep(for: .milliseconds(1))
        #expect(try ids() == [1])
        #expect(try draft.commit())
        #expect(try draft.commit() == false)
        #expect(try ids() == [1, 2])
        insert(3, draft)
        draft.rollback()
        #expect(try draft.commit() == false)
    }

    @Test func `a mistake in a draft keeps it from being committed until it is rolled back`() throws {
        let other = try Fixture.stack("Config1"), draft = stack.beginUnsafe()
        let foreign = try #require(try other.fetchObjectID(From<Sample>()))
        let later = try #require(
            try other.fetchObjectID(From<Sample>(), OrderBy(.descending(\.testEntityID))))
        #expect(later != foreign)
        insert(1, draft)
        #expect(draft.edit(foreign) == nil && draft.edit(later) == nil)
        #expect(throws: StackError.foreignObject(foreign.objectID)) { try draft.commit() }
        #expect(throws: StackError.foreignObject(foreign.objectID)) { try draft.commit() }
        draft.rollback()
        insert(2, draft)
        #expect(try draft.commit())
        #expect(try ids() == [2])
    }

    @Test func `a draft takes back what was changed, and does it again`() throws {
        let draft = stack.beginUnsafe(supportsUndo: true)
        insert(1, draft)
        draft.flush()
        insert(2, draft)
        draft.undo()
        #expect(try draft.commit())
        #expect(try ids() == [1])
        insert(3, draft)
        draft.undo()
        draft.redo()
        #expect(try draft.commit())
        #expect(try ids() == [1, 3])
    }

    @Test func `a second commit is a mistake, but for a draft's`() throws {
        #expect(throws: StackError.alreadyCommitted) {
            try stack.beginSynchronous { transaction throws in
                insert(1, transaction)
                try transaction.commit()
                insert(2, transaction)
                try transaction.commit()
            }
        }
        let results = Collected<SaveResult>()
        stack.beginAsynchronous { transaction in
            insert(3, transaction)
            transaction.commit { results.add($0) }
            transaction.commit { results.add($0) }
        }
        // The mistake's completion does not wait for reports.
        let all = Set(results.wait(for: 2).map { "\($0)" })
        #expect(all == ["\(SaveResult.success(true))", "\(SaveResult.failure(.alreadyCommitted))"])
        #expect(try ids() == [1, 3])
        #expect(logger.assertions.count == 3)
    }

    @Test func `a second commit stops the program when the logger does not let it pass`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let stack = DataStack(model: try Fixture.model())
                try stack.addInMemoryStorage()
                try stack.beginSynchronous { transaction throws in
                    try transaction.commit()
                    try transaction.commit()
                }
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("the transaction was committed before"))
    }

    @Test func `each form creates, edits, and deletes`() async throws {
        // perform
        try await stack.perform { insert(100, $0) }
        try await stack.perform { transaction throws in
            try transaction.fetchOne(From<Sample>(), Where(\.testEntityID == 100))?.testEntityID = 200
        }
        #expect(try ids() == [200])
        try await stack.perform { transaction throws in
            transaction.delete(try transaction.fetchOne(From<Sample>(), Where(\.testEntityID == 200)))
        }
        #expect(try count() == 0)
        // beginSynchronous
        try stack.beginSynchronous { transaction throws in
            insert(100, transaction)
            try transaction.commit()
        }
        try stack.beginSynchronous { transaction throws in
            try transaction.fetchOne(From<Sample>())?.testEntityID = 200
            try transaction.commit()
        }
        #expect(try ids() == [200])
        try stack.beginSynchronous { transaction throws in
            transaction.delete(try transaction.fetchOne(From<Sample>()))
            try transaction.commit()
        }
        #expect(try count() == 0)
        // beginAsynchronous
        let results = Collected<SaveResult>()
        stack.beginAsynchronous { transaction in
            insert(100, transaction)
            transaction.commit { results.add($0) }
        }
        stack.beginAsynchronous { transaction in
            try transaction.fetchOne(From<Sample>())?.testEntityID = 200
            transaction.commit { results.add($0) }
        }
        #expect(results.wait(for: 2).count == 2)
        #expect(try ids() == [200])
        stack.beginAsynchronous { transaction in
            transaction.delete(try transaction.fetchOne(From<Sample>()))
            transaction.commit { results.add($0) }
        }
        #expect(results.wait(for: 3) == [.success(true), .success(true), .success(true)])
        #expect(try count() == 0)
        // beginUnsafe
        let draft = stack.beginUnsafe()
        insert(100, draft)
        try draft.commit()
        try draft.fetchOne(From<Sample>())?.testEntityID = 200
        try draft.commit()
        #expect(try ids() == [200])
        draft.delete(try draft.fetchOne(From<Sample>()))
        try draft.commit()
        #expect(try count() == 0)
    }

    @Test func `editing gives the transaction's own object, and nil for one that is gone`() throws {
        try Fixture.populate(stack, "Config1")
        let reference = try #require(try stack.fetchObjectID(From<Sample>(), Where(\.testEntityID == 101)))
        try stack.performAndWait { transaction throws in
            let own = try #require(transaction.edit(reference))
            #expect(transaction.edit(own) === own)
            #expect(transaction.edit(Into<Sample>(), reference.objectID) === own)
            #expect(transaction.edit(Into<Sample>("Config1"), reference.objectID) === own)
            #expect(transaction.edit(Into<Sample>(nil), reference.objectID) == nil)
            own.testString = "edited"
        }
        let text = try stack.fetchExisting(reference, as: \.testString)
        #expect(text == "edited")
        try stack.performAndWait { transaction throws in
            // An object of a view is deleted here as the transaction's own.
            try stack.read { view throws in
                let id = try view.fetchExisting(reference)?.testEntityID
                #expect(id == 101)
            }
            transaction.delete([reference])
        }
        try stack.performAndWait { transaction throws in #expect(transaction.edit(reference) == nil) }
        #expect(try ids() == [102, 103, 104, 105])
    }

    @Test(arguments: [(0, 1), (1, 1), (3, 3)])
    func `a conflict that stays is tried as often as said`(attempts: Int, runs: Int) throws {
        for error in [StoreError.inUse, .notUnique(entity: "E", properties: [])] {
            let count = Collected<Int>()
            #expect(throws: StackError.store(error)) {
                try stack.performAndWait(attempts: attempts) { _ throws -> Void in
                    count.add(1)
                    throw error
                }
            }
            #expect(count.values.count == runs)
        }
        let others = Collected<Int>()
        #expect(throws: StackError.store(.readOnly)) {
            try stack.performAndWait(attempts: attempts) { _ throws -> Void in
                others.add(1)
                throw StoreError.readOnly
            }
        }
        #expect(others.values.count == 1)
    }

    @Test func `a transaction's own deleted object exists no more`() throws {
        let stack = try Fixture.stack("Config1")
        try stack.performAndWait { transaction throws in
            let object = try #require(try transaction.fetchOne(From<Sample>()))
            #expect(try transaction.fetchExisting(object) === object)
            transaction.delete(object)
            #expect(try transaction.fetchExisting(object) == nil)
            #expect(transaction.edit(object) == nil)
        }
    }

    @Test func `an object of another transaction is deleted as the transaction's own`() throws {
        try Fixture.populate(stack, "Config1")
        let draft = stack.beginUnsafe()
        let theirs = try #require(try draft.fetchOne(From<Sample>(), Where(\.testEntityID == 103)))
        let other = stack.beginUnsafe()
        #expect(other.edit(theirs) !== theirs && other.edit(theirs)?.testEntityID == 103)
        other.delete(theirs)
        try other.commit()
        #expect(try ids() == [101, 102, 104, 105])
    }

    @Test func `objects are deleted one by one, as a list, and by clauses; nil is passed over`() throws {
        try Fixture.populate(stack, "Config1")
        try stack.performAndWait { transaction throws in
            let all = try transaction.fetchAll(From<Sample>(), OrderBy(.ascending(\.testEntityID)))
            transaction.delete(all[0], nil, all[1])
        }
        #expect(try ids() == [103, 104, 105])
        try stack.performAndWait { transaction throws in
            transaction.delete(try transaction.fetchAll(From<Sample>(), Where(\.testEntityID > 103)))
        }
        #expect(try ids() == [103])
        try stack.performAndWait { _ = try $0.deleteAll(From<Sample>()) }
        try Fixture.populate(stack, "Config1")
        let count = try stack.performAndWait { transaction throws in
            try transaction.deleteAll(From<Sample>(), Where("testBoolean", isEqualTo: false))
        }
        #expect(count == 2)
        #expect(try ids() == [101, 103, 105])
    }

    @Test func `a relationship to another context's object stops the program with a sentence`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let stack = DataStack(model: try ManagedObjectModel(Album.self, Track.self))
                try stack.addInMemoryStorage()
                let draft = stack.beginUnsafe(), other = stack.beginUnsafe()
                draft.create(Into<Track>()).album = other.create(Into<Album>())
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("are in different contexts"))
    }

    @Test func `after a commit changes are mistakes, and nothing of them is saved`() throws {
        try stack.beginSynchronous { transaction throws in
            insert(1, transaction)
            try transaction.commit()
            insert(2, transaction)
            #expect(try transaction.deleteAll(From<Sample>()) == 0)
        }
        #expect(try ids() == [1])
        #expect(logger.assertions.count == 2)
    }

    @Test func `waiting inside a transaction or the reader is refused at once`() throws {
        let stack = stack
        try stack.performAndWait { _ throws in
            #expect(throws: StackError.nested) { try stack.performAndWait { _ in } }
            #expect(throws: StackError.nested) { try stack.beginSynchronous { _ in } }
            let draft = stack.beginUnsafe()
            #expect(throws: StackError.nested) { try draft.commit() }
            #expect(throws: StackError.nested) { try stack.addStorageAndWait(InMemoryStore()) }
            #expect(throws: StackError.nested) { try stack.close() }
        }
        try stack.reader.performAndWait { _ throws in
            #expect(throws: StackError.insideReader) { try stack.performAndWait { _ in } }
            #expect(throws: StackError.insideReader) { try stack.beginSynchronous { _ in } }
            let draft = stack.beginUnsafe()
            #expect(throws: StackError.insideReader) { try draft.commit() }
        }
    }

    @Test func `a reference of another stack is nil, a mistake, and the commit's error`() throws {
        let other = try Fixture.stack("Config1")
        let foreign = try #require(try other.fetchObjectID(From<Sample>()))
        #expect(throws: StackError.foreignObject(foreign.objectID)) {
            try stack.performAndWait { transaction throws in
                insert(1, transaction)
                #expect(transaction.edit(foreign) == nil)
            }
        }
        #expect(try count() == 0)
        #expect(logger.assertions.count == 1)
        try stack.performAndWait { insert(2, $0) }
        #expect(try ids() == [2])
    }

    @Test func `two who count up one row lose nothing when each tries again`() throws {
        let scratch = try Scratch()
        let stacks = try (0..<2).map { _ in
            let stack = DataStack(model: try Fixture.model(), logger: QuietLogger())
            try stack.addStorageAndWait(SQLiteStore(fileURL: scratch.file("A.sqlite")))
            return stack
        }
        try stacks[0].performAndWait { transaction throws in
            let object = transaction.create(Into<Sample>())
            (object.testEntityID, object.testNumber) = (1, 0)
        }
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            for _ in 0..<100 {
                do {
                    try stacks[number].performAndWait(attempts: 1000) { transaction in
                        let object = try transaction.fetchOne(From<Sample>())
                        object?.testNumber = (object?.testNumber ?? 0) + 1
                    }
                } catch { Issue.record(error) }
            }
        }
        #expect(try stacks[0].fetchAll(From<Sample>(), as: \.testNumber) == [200])
        for stack in stacks { try stack.close() }
    }

    @Test func `a cancelled task begins no transaction`() async throws {
        let stack = stack
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await stack.perform { insert(1, $0) }
        }
        task.cancel()
        await #expect(throws: StackError.cancelled) { try await task.value }
        #expect(try count() == 0)
    }

    @Test func `after its stack was closed every call says that there is no store`() throws {
        let scratch = try Scratch()
        let stack = DataStack(model: try Fixture.model(), logger: QuietLogger())
        try stack.addStorageAndWait(SQLiteStore(fileURL: scratch.file("A.sqlite")))
        try stack.performAndWait { insert(1, $0) }
        try stack.close()
        #expect(throws: StackError.store(.noStore)) { try stack.fetchCount(From<Sample>()) }
        #expect(throws: StackError.noStore(entity: "TestEntity1", configuration: nil)) {
            try stack.performAndWait { insert(1, $0) }
        }
    }
}

final class Album: ManagedObject {
    @Attribute var title: String
    @Relationship(inverse: "album") var tracks: Set<Track>
}

final class Track: ManagedObject {
    @Attribute var title: String?
    @Relationship(inverse: \Album.tracks) var album: Album?
}
