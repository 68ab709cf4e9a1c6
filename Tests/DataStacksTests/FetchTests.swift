import DataStacks
import Foundation
import ManagedObjects
import Testing

/// Fetches by clauses, of stacks, views, and transactions.
@Suite struct FetchTests {
    @Test(arguments: [[nil], ["Config1"], [nil, "Config1"]] as [[String?]])
    func `five fetches answer alike in a stack, a view, and a transaction`(_ configurations: [String?]) throws
    {
        let stack = try Fixture.emptyStack()
        for (number, configuration) in configurations.enumerated() {
            try stack.addStorageAndWait(InMemoryStore(configuration: configuration))
            try Fixture.populate(stack, configuration, number: number + 1)
        }
        let wanted = configurations.indices.flatMap { c in (1...5).map { Int64(100 * (c + 1) + $0) } }
        let from = From<Sample>(), order = OrderBy<Sample>(.ascending(\.testEntityID))
        let many = Where<Sample>(\.testNumber > 2), none = Where<Sample>(\.testNumber > 99)
        let found = wanted.filter { $0 % 100 > 2 }
        // The stack.
        #expect(try stack.fetchAll(from, many, order, as: \.testEntityID) == found)
        #expect(try stack.fetchOne(from, many, order, as: \.testEntityID) == found.first)
        #expect(try stack.fetchCount(from, many) == found.count)
        let references = try stack.fetchObjectIDs(from, many, order)
        #expect(try stack.fetchExisting(references, as: \.testEntityID) == found)
        #expect(try stack.fetchObjectID(from, many, order) == references.first)
        #expect(try stack.fetchAll(from, none, as: \.testEntityID) == [])
        #expect(try stack.fetchOne(from, none, as: \.testEntityID) == nil)
        #expect(try stack.fetchCount(from, none) == 0)
        #expect(try stack.fetchObjectIDs(from, none).isEmpty)
        #expect(try stack.fetchObjectID(from, none) == nil)
        // A view and a transaction.
        @Sendable func check(_ source: ObjectSource) throws {
            #expect(try source.fetchAll(from, many, order).map(\.testEntityID) == found)
            #expect(try source.fetchOne(from, many, order)?.testEntityID == found.first)
            #expect(try source.fetchCount(from, many) == found.count)
            #expect(try source.fetchObjectIDs(from, many, order) == references)
            #expect(try source.fetchObjectID(from, many, order) == references.first)
            #expect(try source.fetchAll(from, none).isEmpty)
            #expect(try source.fetchOne(from, none) == nil)
            #expect(try source.fetchCount(from, none) == 0)
            #expect(try source.fetchObjectIDs(from, none).isEmpty)
            #expect(try source.fetchObjectID(from, none) == nil)
        }
        try stack.read { try check($0) }
        try stack.performAndWait { try check($0) }
    }

    @Test func `a fetch of a transaction sees its unsaved changes, a query sees commits only`() throws {
        let stack = try Fixture.stack("Config1")
        try stack.performAndWait { transaction throws in
            transaction.create(Into<Sample>()).testEntityID = 106
            #expect(try transaction.fetchCount(From<Sample>()) == 6)
            #expect(try transaction.fetchAll(From<Sample>()).count == 6)
            #expect(try transaction.fetchObjectIDs(From<Sample>()).count == 6)
            let count = Select<Sample, Int>(.count(\.testEntityID))
            #expect(try transaction.queryValue(From<Sample>(), count) == 5)
            #expect(try transaction.queryAttributes(From<Sample>(), Select("testEntityID")).count == 5)
            #expect(try stack.fetchCount(From<Sample>()) == 5)
        }
        #expect(try stack.queryValue(From<Sample>(), Select<Sample, Int>(.count(\.testEntityID))) == 6)
    }

    @Test func `objects come from a view into a transaction and back, in order, without those that are gone`()
        throws
    {
        let stack = try Fixture.stack("Config1")
        let order = OrderBy<Sample>(.descending(\.testEntityID))
        let references = try stack.read { view throws in
            try view.fetchAll(From<Sample>(), order).map(\.reference)
        }
        let draft = stack.beginUnsafe()
        let theirs = try draft.fetchAll(From<Sample>(), order)
        let other = stack.beginUnsafe()
        #expect(try other.fetchExisting(theirs).map(\.testEntityID) == [105, 104, 103, 102, 101])
        let ours = try #require(try other.fetchExisting(theirs[1]))
        #expect(ours.testEntityID == 104 && ours !== theirs[1])
        let ids = theirs.map(\.objectID)
        let byID: [Sample] = try other.fetchExisting(ids)
        #expect(byID.map(\.testEntityID) == [105, 104, 103, 102, 101])
        let one: Sample? = try other.fetchExisting(ids[0])
        #expect(one?.testEntityID == 105)
        try stack.performAndWait { transaction throws in
            #expect(try transaction.fetchExisting(references[4])?.testEntityID == 101)
            transaction.delete([references[1]])
        }
        try stack.read { view throws in
            let left = try view.fetchExisting(references)
            #expect(left.map(\.testEntityID) == [105, 103, 102, 101])
            #expect(try view.fetchExisting(references[1]) == nil)
        }
    }

    @Test func `From means all stores, those of configurations, or the default one`() throws {
        let stack = try Fixture.stack(nil, "Config1")
        let order = OrderBy<Sample>(.descending(\.testNumber), .ascending(\.testEntityID))
        func ids(_ from: From<Sample>) throws -> [Int64] {
            try stack.fetchAll(from, order, as: \.testEntityID)
        }
        #expect(try ids(From()) == [105, 205, 104, 204, 103, 203, 102, 202, 101, 201])
        #expect(try ids(From(Sample.self)).count == 10)
        #expect(try ids(From("Config1")) == [205, 204, 203, 202, 201])
        #expect(try ids(From(nil)) == [105, 104, 103, 102, 101])
        #expect(try ids(From(Sample.self, nil, "Config1")).count == 10)
        #expect(try stack.fetchCount(From<Sample>(nil)) == 5)
        #expect(try stack.fetchCount(From<Sample>("Config1"), Where(\.testNumber > 3)) == 2)
        #expect(throws: StackError.noStore(entity: "TestEntity1", configuration: "Config2")) {
            _ = try ids(From("Config2"))
        }
        // Unsaved objects count with the store that they will go to.
        try stack.performAndWait { transaction throws in
            transaction.create(Into<Sample>("Config1")).testEntityID = 206
            #expect(try transaction.fetchCount(From<Sample>("Config1")) == 6)
            #expect(try transaction.fetchCount(From<Sample>(nil)) == 5)
            #expect(try transaction.fetchCount(From<Sample>()) == 11)
        }
        // As plain SQL has it: 206 has no number, and stands last in a descending order.
        #expect(try ids(From("Config1")).last == 206)
    }

    @Test func `reads run while a transaction runs, and see what is committed`() throws {
        let stack = try Fixture.stack("Config1")
        let begun = DispatchSemaphore(value: 0), end = DispatchSemaphore(value: 0)
        stack.beginAsynchronous { transaction in
            transaction.create(Into<Sample>()).testEntityID = 106
            begun.signal()
            end.wait()
            transaction.commit()
        }
        begun.wait()
        #expect(try stack.fetchCount(From<Sample>()) == 5)
        #expect(try stack.read { try $0.fetchAll(From<Sample>()).map(\.testEntityID) }.count == 5)
        end.signal()
        try stack.beginSynchronous { _ in }
        #expect(try stack.fetchCount(From<Sample>()) == 6)
    }

    @Test func `changing an object of a view stops the program with a sentence`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let stack = try Fixture.stack("Config1")
                try stack.read { view in try view.fetchOne(From<Sample>())?.testNumber = 7 }
            })
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("a context that follows a stack was changed; begin a transaction instead"))
    }
}
