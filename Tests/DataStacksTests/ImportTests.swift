import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import Testing

/// Objects from values that come from outside: CoreStore's numbers.
@Suite(.serialized) struct ImportTests {
    private let stack: DataStack

    init() throws { stack = try Fixture.stack("Config1") }

    private func source(_ id: Int64?, _ number: Int64 = 9, _ word: String = "new") -> SampleSource {
        SampleSource(id: id, number: number, word: word)
    }

    private func count() throws -> Int { try stack.fetchCount(From<Sample>()) }

    private func numbers() throws -> [Int64?] {
        try stack.fetchAll(From<Sample>(), OrderBy(.ascending(\.testEntityID)), as: \.testNumber)
    }

    @Test func `importing always inserts, and the same source twice is two objects`() throws {
        let made = try stack.performAndWait { transaction throws in
            let one = try transaction.importObject(Into<Entry>(), source: ["number": 1, "title": "one"])
            let two = try transaction.importObject(Into<Entry>(), source: ["number": 1, "title": "one"])
            return [one?.title, two?.title]
        }
        #expect(made == ["one", "one"])
        #expect(try stack.fetchCount(From<Entry>()) == 2)
    }

    @Test func `an array is imported in order, and an object is filled again`() throws {
        let titles = try stack.performAndWait { transaction throws in
            let all = try transaction.importObjects(
                Into<Entry>(), sourceArray: [["title": "one"], ["title": "two"]])
            try transaction.importObject(all[0], source: ["title": "eins"])
            try transaction.importObject(all[1], source: ["title": "zwei", "skip": true])
            return all.map(\.title)
        }
        #expect(titles == ["eins", "two"])
        #expect(try stack.fetchCount(From<Entry>()) == 2)
    }

    @Test func `sources are of any type: dictionaries, data, tuples, structures`() throws {
        try stack.performAndWait { transaction throws in
            let note = try transaction.importObject(Into<Note>(), source: Data("text".utf8))
            let pair = try transaction.importObject(Into<Pair>(), source: (1, "one"))
            #expect(note?.text == "text" && pair?.number == 1 && pair?.word == "one")
        }
        let all = try stack.performAndWait { transaction throws in
            _ = try transaction.importObject(Into<Entry>(), source: ["title": "dictionary"])
            return try transaction.importUniqueObject(Into<Sample>(), source: source(7))?.testEntityID
        }
        #expect(all == 7)
    }

    @Test func `a source that is not to be inserted is skipped, and the rest goes on`() throws {
        let made = try stack.performAndWait { transaction throws in
            let none = try transaction.importObject(Into<Entry>(), source: ["skip": true])
            let some = try transaction.importObjects(
                Into<Entry>(), sourceArray: [["skip": true], ["title": "two"]])
            return (none == nil, some.map(\.title))
        }
        #expect(made.0 && made.1 == ["two"])
        #expect(try stack.fetchCount(From<Entry>()) == 1)
    }

    @Test func `a source that throws ends the whole import, and nothing is kept`() throws {
        #expect(throws: StackError.user(Refusal())) {
            try stack.performAndWait { transaction throws in
                do throws(StackError) {
                    _ = try transaction.importObject(Into<Entry>(), source: ["throw": true])
                    Issue.record("it did not throw")
                } catch { #expect(error == .user(Refusal())) }
                #expect(try transaction.fetchAll(From<Entry>()).map(\.title) == [nil])
                _ = try transaction.importObjects(
                    Into<Entry>(), sourceArray: [["title": "one"], ["throw": true], ["title": "three"]])
            }
        }
        #expect(try stack.fetchCount(From<Entry>()) == 0)
    }

    @Test func `an unknown ID makes an object, a known one updates it in place`() throws {
        try stack.performAndWait { transaction throws in
            let object = try #require(try transaction.importUniqueObject(Into<Sample>(), source: source(106)))
            #expect(object.testEntityID == 106 && object.testNumber == 9)
            #expect(object.testString == "inserted new")
        }
        #expect(try count() == 6)
        let first = try stack.fetchObjectID(From<Sample>(), Where(\.testEntityID == 106))
        try stack.performAndWait { transaction throws in
            _ = try transaction.importUniqueObject(Into<Sample>(), source: source(106, 10))
            _ = try transaction.importUniqueObject(Into<Sample>(), source: source(105, 11))
        }
        #expect(try count() == 6)
        #expect(try stack.fetchObjectID(From<Sample>(), Where(\.testEntityID == 106)) == first)
        #expect(try numbers() == [1, 2, 3, 4, 11, 10])
    }

    @Test func `many sources are imported in their order, and of equal IDs the last counts`() throws {
        let imported = try stack.performAndWait { transaction throws in
            try transaction.importUniqueObjects(
                Into<Sample>(),
                sourceArray: [source(106, 1), source(105, 2), source(106, 3), source(nil), source(104, 4)]
            ).map { [$0.testEntityID, $0.testNumber] }
        }
        #expect(imported == [[106, 3], [105, 2], [104, 4]])
        #expect(try numbers() == [1, 2, 3, 4, 2, 3])
    }

    @Test func `an import into one of two stores leaves the other's object of that ID alone`() throws {
        let stack = try Fixture.emptyStack(nil, "Config1")
        try stack.performAndWait { transaction in
            for configuration in [nil, "Config1"] {
                let object = transaction.create(Into<Sample>(configuration))
                (object.testEntityID, object.testNumber) = (7, 1)
            }
        }
        try stack.performAndWait { transaction throws in
            _ = try transaction.importUniqueObject(Into<Sample>("Config1"), source: source(7, 20))
            _ = try transaction.importUniqueObjects(Into<Sample>(nil), sourceArray: [source(8, 30)])
            _ = try transaction.importUniqueObjects(
                Into<Sample>("Config1"), sourceArray: [source(8, 40), source(8, 50)])
        }
        func numbers(_ configuration: String?) throws -> [Int64?] {
            try stack.fetchAll(
                From<Sample>(configuration), OrderBy(.ascending(\.testEntityID)), as: \.testNumber)
        }
        #expect(try numbers(nil) == [1, 30])
        #expect(try numbers("Config1") == [20, 50])
    }

    @Test func `of two objects with one ID the first is brought up to date`() throws {
        try stack.performAndWait { transaction in
            let twin = transaction.create(Into<Sample>())
            (twin.testEntityID, twin.testNumber) = (105, 50)
        }
        try stack.performAndWait { transaction throws in
            _ = try transaction.importUniqueObjects(Into<Sample>(), sourceArray: [source(105, 11)])
        }
        #expect(try count() == 6)
        let twins = From<Sample>(), own = Where<Sample>(\.testEntityID == 105)
        #expect(try stack.fetchAll(twins, own, as: \.testNumber).sorted { $0 ?? 0 < $1 ?? 0 } == [11, 50])
    }

    @Test func `a unique source is skipped by each of three ways, or ends the import by three others`() throws
    {
        try stack.performAndWait { transaction throws in
            let skipped = try transaction.importUniqueObjects(
                Into<Sample>(),
                sourceArray: [source(nil), source(106, 1, "skip insert"), source(105, 1, "skip update")])
            #expect(skipped.isEmpty)
            let one = try transaction.importUniqueObject(
                Into<Sample>(), source: source(105, 1, "skip update"))
            #expect(one == nil)
        }
        #expect(try numbers() == [1, 2, 3, 4, 5])
        for word in ["throw on ID", "throw on insert", "throw on update"] {
            #expect(throws: StackError.user(Refusal()), "\(word)") {
                try stack.performAndWait { transaction throws in
                    _ = try transaction.importUniqueObjects(
                        Into<Sample>(),
                        sourceArray: [
                            source(104, 77), source(word == "throw on insert" ? 106 : 105, 1, word),
                        ])
                }
            }
            #expect(try numbers() == [1, 2, 3, 4, 5], "\(word)")
        }
        try stack.performAndWait { transaction throws in
            _ = try? transaction.importUniqueObject(Into<Sample>(), source: source(106, 1, "throw on insert"))
            let new = try transaction.fetchOne(From<Sample>(), Where(\.testEntityID == 106))
            #expect(new?.testEntityID == 106 && new?.testNumber == nil, "it has its ID and nothing else")
            _ = try? transaction.importUniqueObject(Into<Sample>(), source: source(105, 1, "throw on update"))
            #expect(try transaction.fetchOne(From<Sample>(), Where(\.testEntityID == 105))?.testNumber == 5)
            transaction.delete(new)
        }
    }

    @Test func `what a hook inserts or deletes is known to the sources after it`() throws {
        for many in [false, true] {
            let first: Int64 = many ? 300 : 200
            try stack.performAndWait { transaction throws in
                if many { _ = transaction.create(Into<Sample>()) }
                let all = try transaction.importUniqueObjects(
                    Into<Sample>(),
                    sourceArray: [
                        source(first, 1, "parent \(first + 1)"), source(first + 1, 2), source(first + 2, 3),
                        source(first + 3, 4, "delete 105"), source(105, 5),
                    ])
                #expect(all.map(\.testEntityID) == [first, first + 1, first + 2, first + 3, 105])
                #expect(all.map(\.testString)[1] == "updated new", "it was inserted as a parent")
                #expect(all.map(\.testString)[4] == "inserted new", "the old one was deleted")
            }
            let ids = try stack.fetchAll(
                From<Sample>(), Where(\.testEntityID >= first), as: \.testEntityID)
            #expect(Set(ids) == [first, first + 1, first + 2, first + 3] && ids.count == 4)
            #expect(try stack.fetchCount(From<Sample>(), Where(\.testEntityID == 105)) == 1)
        }
    }

    @Test func `objects known by two attributes together are told apart`() throws {
        @Sendable func page(_ book: String, _ number: Int64, _ text: String) -> Page.Source {
            Page.Source(place: PagePlace(book: book, number: number), text: text)
        }
        try stack.performAndWait { transaction throws in
            let all = try transaction.importUniqueObjects(
                Into<Page>(),
                sourceArray: [
                    page("A", 1, "a1"), page("A", 2, "a2"), page("B", 1, "b1"), page("A", 1, "again"),
                ])
            #expect(all.map(\.text) == ["again", "a2", "b1"])
        }
        try stack.performAndWait { transaction throws in
            // The filter finds A 1, A 2 and B 1, of which two are meant.
            let all = try transaction.importUniqueObjects(
                Into<Page>(), sourceArray: [page("B", 1, "new"), page("B", 2, "b2"), page("A", 2, "newer")])
            #expect(all.map(\.text) == ["new", "b2", "newer"])
        }
        let texts = try stack.fetchAll(
            From<Page>(), OrderBy(.ascending(\.book), .ascending(\.number)), as: \.text)
        #expect(texts == ["again", "newer", "new", "b2"])
    }

    @Test func `40,000 unique sources take four fetches and one transaction`() throws {
        let scratch = try Scratch()
        let stack = DataStack(model: try Fixture.model(), logger: QuietLogger())
        try stack.addStorageAndWait(SQLiteStore(fileURL: scratch.file("A.sqlite")))
        let sources = (1...40_000).map { source(Int64($0), Int64($0)) }
        Sample.filters.store(0, ordering: .relaxed)
        for _ in 0..<2 {
            let count = try stack.performAndWait { transaction throws in
                try transaction.importUniqueObjects(Into<Sample>(), sourceArray: sources).count
            }
            #expect(count == 40_000)
        }
        #expect(Sample.filters.load(ordering: .relaxed) == 8)
        #expect(try stack.fetchCount(From<Sample>()) == 40_000)
        try stack.close()
        let saves = try shell(
            "sqlite3 '\(scratch.file("A.sqlite").path)' 'SELECT COUNT(*) FROM ATRANSACTION'")
        #expect(saves == "2\n")
    }

    @Test func `an import that throws at its 20,000th source saves nothing, and the stack goes on`() throws {
        let sources = (1...40_000).map {
            source(Int64($0 + 1000), 1, $0 == 20_000 ? "throw on insert" : "new")
        }
        #expect(throws: StackError.user(Refusal())) {
            try stack.performAndWait { transaction throws in
                _ = try transaction.importUniqueObjects(Into<Sample>(), sourceArray: sources)
            }
        }
        #expect(try count() == 5)
        try stack.performAndWait { $0.create(Into<Sample>()).testEntityID = 6 }
        #expect(try count() == 6)
    }
}
