import DataStacks
import Foundation
import ManagedObjects
import Synchronization
import Testing

/// Where, OrderBy, and Tweak; the same in SQL as in memory.
@Suite struct ClauseTests {
    private let scratch: Scratch
    private let stacks: [DataStack]

    init() throws {
        scratch = try Scratch()
        let file = try Fixture.emptyStack()
        try file.addStorageAndWait(SQLiteStore(fileURL: scratch.file("A.sqlite"), configuration: "Config1"))
        try Fixture.populate(file, "Config1")
        stacks = [try Fixture.stack("Config1"), file]
    }

    private func expect(
        _ wanted: [Int64], _ clauses: any FetchClause<Sample>...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for stack in stacks {
            var from = From<Sample>()
            for clause in clauses { from = from.tweak { clause.apply(to: &$0) } }
            let found = try stack.fetchAll(from, as: \.testEntityID)
            #expect(found == wanted, sourceLocation: sourceLocation)
        }
    }

    @Test func `Where takes filters, predicates, truth values, texts, and lists`() throws {
        try expect([104, 105], Where(\.testNumber > 3))
        try expect([104, 105], Where(#Predicate<Sample> { $0.testEntityID > 103 }))
        try expect([101, 102, 103, 104, 105], Where(true))
        try expect([101, 102, 103, 104, 105], Where())
        try expect([], Where(false))
        try expect([104, 105], Where("%K > %d", "testNumber", 3))
        try expect([104, 105], Where("testNumber > 3"))
        try expect([102], Where("%K == %@ AND testNumber < %d", argumentArray: ["testBoolean", false, 4]))
        try expect([103], Where("testNumber", isEqualTo: 3))
        try expect([103], Where("testString", isEqualTo: "Config1:TestEntity1:3"))
        try expect([101, 102, 103, 104, 105], Where("testNil", isEqualTo: nil))
        try expect([], Where("testString", isEqualTo: nil))
        try expect([101, 103], Where("testNumber", isMemberOf: [1, 3, 17]))
        try expect([102], Where("testString", isMemberOf: ["Config1:TestEntity1:2", "x"]))
        try expect([], Where("testNumber", isMemberOf: [Int]()))
    }

    @Test func `Where is put together by and, or, and not`() throws {
        try expect([103], Where(\.testNumber > 2) && Where(\.testNumber < 4))
        try expect([101, 105], Where(\.testNumber < 2) || Where(\.testNumber > 4))
        try expect([101, 102], !Where(\.testNumber > 2))
        try expect([101, 102], !(Where(\.testNumber > 2) || Where(false)) && Where(true))
    }

    @Test func `several filters want what all of them want`() throws {
        try expect([103], Where(\.testNumber > 2), Where("testNumber < 4"))
        try expect([], Where(\.testNumber > 2), Where(\.testNumber < 2), Where(true))
        for stack in stacks {
            let chain = From<Sample>().where(\.testNumber > 2).where("testNumber < %d", 5)
            #expect(try stack.fetchAll(chain, as: \.testEntityID) == [103, 104])
            let narrower = try stack.fetchAll(chain, Where(\.testNumber != 3), as: \.testEntityID)
            #expect(narrower == [104])
            let request = From(FetchRequest<Sample>(\.testNumber > 4))
            #expect(try stack.fetchAll(request.where(\.testNumber < 5), as: \.testEntityID) == [])
            #expect(try stack.fetchCount(chain, Where(\.testNumber != 3)) == 1)
            let sum = try stack.queryValue(chain, Select<Sample, Int>(.sum(\.testNumber)))
            #expect(sum == 7)
        }
    }

    @Test func `texts are tested by key path`() throws {
        try expect([103], Where(\.testString, .hasSuffix(":3")))
        try expect([103], Where(\.testString, .contains("ENTITY1:3", ignoring: .case)))
        try expect([], Where(\.testString, .contains("ENTITY1:3")))
        try expect([101, 102, 103, 104, 105], Where(\.testString, .hasPrefix("Config1:")))
        try expect([], Where(\.testString, .hasPrefix("config1:", ignoring: .diacritics)))
        try expect([104], Where(\.testString, .like("*TestEntity?:4")))
        try expect(
            [105], Where(\.testString, .equals("cönfig1:testentity1:5", ignoring: [.case, .diacritics])))
        try expect([101, 102, 103, 104, 105], !Where(\.testNil, .contains("")))
    }

    @Test func `clauses that say the same are equal`() throws {
        func from(_ number: Int64, _ name: String) -> From<Sample> {
            From<Sample>("Config1").where(\.testNumber > number).orderBy(.ascending(name))
                .sectionBy(\.testBoolean)
        }
        let filters = [3, 4].map { Where<Sample>(Filter("testNumber", .greater, $0 as Int64)) }
        let three = Where<Sample>(\.testNumber > 3)
        let text = Where<Sample>("testNumber > %d", 3)
        let wrong = Where<Sample>("nothing > 3")
        #expect(three == filters[0])
        #expect(three != filters[1])
        #expect(three == text)
        #expect(three != wrong)
        #expect(OrderBy<Sample>(.ascending("testNumber")) == OrderBy<Sample>(.ascending(\.testNumber)))
        #expect(OrderBy<Sample>(.ascending("testNumber")) != OrderBy<Sample>(.descending(\.testNumber)))
        #expect(GroupBy<Sample>(\.testString) == GroupBy<Sample>("testString"))
        #expect(Select<Sample, Int>(.sum(\.testNumber)) == Select<Sample, Int>(.sum("testNumber")))
        #expect(Select<Sample, Int>(.sum(\.testNumber)) != Select<Sample, Int>(.sum("testNumber", as: "all")))
        #expect(from(3, "testNumber") == from(3, "testNumber"))
        #expect(from(3, "testNumber") != from(4, "testNumber"))
        #expect(from(3, "testNumber") != from(3, "testString"))
        #expect(From<Sample>("Config1") != From<Sample>())
        #expect(From<Sample>(nil) != From<Sample>())
        let tweak = Tweak<Sample> { $0.fetchLimit = 1 }
        let copy = tweak
        let other = Tweak<Sample> { $0.fetchLimit = 1 }
        #expect(tweak == copy)
        #expect(tweak != other)
        let known: Set<From<Sample>> = [from(3, "testNumber"), from(3, "testNumber"), from(4, "testNumber")]
        #expect(known.count == 2)
    }

    @Test func `without a Where all objects match`() throws {
        try expect([101, 102, 103, 104, 105])
        for stack in stacks { #expect(try stack.fetchCount(From<Sample>()) == 5) }
    }

    @Test func `OrderBy takes key paths and names, and is added to`() throws {
        try expect([105, 104, 103, 102, 101], OrderBy(.descending(\.testNumber)))
        try expect([105, 104, 103, 102, 101], OrderBy(.descending("testNumber")))
        var order = OrderBy<Sample>(.ascending(\.testBoolean))
        order += OrderBy(.descending(\.testNumber))
        try expect([104, 102, 105, 103, 101], order)
        try expect(
            [105, 103, 101, 104, 102],
            OrderBy(.descending("testBoolean")) + OrderBy(.descending("testNumber")))
        #expect(order.sortKeys.count == 2)
    }

    /// As CoreStore's: a clause sets the request's sort descriptors.
    @Test func `of two OrderBy clauses the later counts alone`() throws {
        let (flags, numbers) = (
            OrderBy<Sample>(.ascending(\.testBoolean)), OrderBy<Sample>(.descending("testNumber"))
        )
        try expect([105, 104, 103, 102, 101], flags, numbers)
        try expect(
            [105, 104, 103, 102, 101], Tweak { $0.sortDescriptors = [.ascending(\.testNumber)] }, numbers)
        for stack in stacks {
            let chain = From<Sample>().orderBy(flags).orderBy(numbers)
            #expect(try stack.fetchAll(chain, as: \.testEntityID) == [105, 104, 103, 102, 101])
        }
    }

    @Test func `a clause of the fetch comes behind those of From`() throws {
        for stack in stacks {
            let from = From<Sample>().orderBy(OrderBy(.ascending(\.testNumber)))
            let ids = try stack.fetchAll(from, OrderBy(.descending(\.testNumber)), as: \.testEntityID)
            #expect(ids == [105, 104, 103, 102, 101])
        }
    }

    @Test func `Tweak changes the request just before the fetch, and the clause behind it wins`() throws {
        let runs = Atomic(0)
        try expect(
            [105, 104], OrderBy(.descending(\.testNumber)),
            Tweak { request in
                runs.add(1, ordering: .relaxed)
                request.fetchLimit = 2
            })
        #expect(runs.load(ordering: .relaxed) == stacks.count)
        try expect([101], Tweak { $0.filter = \.testEntityID != 102 }, Where(\.testEntityID < 103))
        try expect([], Where(\.testEntityID == 101), Tweak { $0.filter = Filter(false) })
    }

    @Test func `Tweak sets pending changes, faults, subentities, and batches`() throws {
        for stack in stacks {
            try stack.performAndWait { transaction throws in
                transaction.create(Into<Sample>()).testEntityID = 106
                try transaction.fetchOne(From<Sample>(), Where(\.testEntityID == 101))?.testNumber = 50
                let all = try transaction.fetchCount(From<Sample>())
                let saved = try transaction.fetchCount(
                    From<Sample>(), Tweak { $0.includesPendingChanges = false })
                #expect(all == 6 && saved == 5)
                let stored = try transaction.fetchAll(
                    From<Sample>(), Where(\.testNumber == 1), Tweak { $0.includesPendingChanges = false })
                #expect(stored.map(\.testEntityID) == [101] && stored[0].testNumber == 50)
                try transaction.deleteAll(From<Sample>(), Where(\.testEntityID == 106))
                transaction.delete(stored)
            }
            try stack.read { view throws in
                let faults = try view.fetchAll(From<Sample>(), Tweak { $0.returnsObjectsAsFaults = true })
                #expect(faults.map(\.isFault) == [true, true, true, true])
                let batch = try view.fetchAll(From<Sample>(), Tweak { $0.fetchBatchSize = 2 })
                #expect(batch.map(\.testEntityID) == [102, 103, 104, 105])
            }
        }
        let zoo = DataStack(model: try ManagedObjectModel(Animal.self, Dog.self), logger: QuietLogger())
        try zoo.addStorageAndWait(SQLiteStore(fileURL: scratch.file("Zoo.sqlite")))
        let memory = DataStack(model: try ManagedObjectModel(Animal.self, Dog.self), logger: QuietLogger())
        try memory.addInMemoryStorage()
        for stack in [zoo, memory] {
            try stack.performAndWait { transaction throws in
                transaction.create(Into<Animal>()).name = "cat"
                transaction.create(Into<Dog>()).name = "dog"
            }
            let exact = Tweak<Animal> { $0.includesSubentities = false }
            #expect(try stack.fetchAll(From<Animal>(), as: \.name) == ["cat", "dog"])
            #expect(try stack.fetchAll(From<Animal>(), exact, as: \.name) == ["cat"])
            #expect(try stack.fetchCount(From<Animal>(), exact) == 1)
            let notCow = Where<Animal>(\.name != "cow")
            #expect(try stack.fetchAll(From<Animal>(), notCow, exact, as: \.name) == ["cat"])
            try stack.performAndWait { transaction throws in
                transaction.create(Into<Dog>()).name = "puppy"
                let names = try transaction.fetchAll(From<Animal>(), exact).map(\.name)
                #expect(names == ["cat"])
            }
        }
    }

    @Test func `clauses may follow From as a chain`() throws {
        for stack in stacks {
            let from = From<Sample>().where(\.testNumber > 1).orderBy(.descending(\.testNumber))
                .tweak { $0.fetchLimit = 2 }
            #expect(try stack.fetchAll(from, as: \.testEntityID) == [105, 104])
            #expect(try stack.fetchCount(From<Sample>().where("testNumber > %d", 2)) == 3)
        }
    }

    @Test func `a clause that cannot be translated is an error of the call, with its place`() throws {
        for stack in stacks {
            let error = #expect(throws: StackError.self) {
                try stack.fetchCount(From<Sample>(), Where("testNumber >"))
            }
            guard case .fetch(.format(_, let offset, _)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(offset == 12)
            #expect(throws: StackError.self) { try stack.fetchCount(From<Sample>(), Where("nothing == 1")) }
            #expect(throws: StackError.fetch(.unknownKey(entity: "TestEntity1", key: "nothing"))) {
                try stack.fetchAll(From<Sample>(), OrderBy(.ascending("nothing")), as: \.testEntityID)
            }
        }
    }

    @Test func `filters and orders find what plain SQL finds, on random rows`() throws {
        let stack = stacks[1]
        try stack.performAndWait { transaction throws in
            var state: UInt64 = 42
            func next(_ bound: UInt64) -> Int64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int64((state >> 33) % bound)
            }
            for id in 1000..<1300 {
                let object = transaction.create(Into<Sample>())
                object.testEntityID = Int64(id)
                object.testNumber = next(4) == 0 ? nil : next(20)
                object.testBoolean = next(2) == 0
                object.testString = next(5) == 0 ? nil : "\(next(10))"
            }
        }
        let path = scratch.file("A.sqlite").path
        let cases: [(Where<Sample>, OrderBy<Sample>, String)] = [
            (
                Where(\.testNumber > 7), OrderBy(.descending(\.testNumber), .ascending(\.testEntityID)),
                "ZTESTNUMBER > 7 ORDER BY ZTESTNUMBER DESC, ZTESTENTITYID"
            ),
            (
                Where("testNumber > 7 AND testBoolean == 1"),
                OrderBy(.ascending("testString"), .descending("testEntityID")),
                "ZTESTNUMBER > 7 AND ZTESTBOOLEAN = 1 ORDER BY ZTESTSTRING, ZTESTENTITYID DESC"
            ),
            (
                !Where(\.testNumber > 7), OrderBy(.ascending(\.testEntityID)),
                "ZTESTNUMBER <= 7 OR ZTESTNUMBER IS NULL ORDER BY ZTESTENTITYID"
            ),
            (
                Where("testString", isMemberOf: ["1", "2"]) || Where("testNumber", isEqualTo: nil),
                OrderBy(.ascending(\.testEntityID)),
                "ZTESTSTRING IN ('1', '2') OR ZTESTNUMBER IS NULL ORDER BY ZTESTENTITYID"
            ),
        ]
        for (filter, order, sql) in cases {
            let found = try stack.fetchAll(From<Sample>(), filter, order, as: \.testEntityID)
            let wanted = try shell(
                "sqlite3 '\(path)' \"SELECT ZTESTENTITYID FROM ZTESTENTITY1 WHERE \(sql)\"")
            #expect(found.map { "\($0)\n" }.joined() == wanted, "\(sql)")
            #expect(found.count > 10)
        }
    }
}

class Animal: ManagedObject {
    @Attribute var name: String
}

final class Dog: Animal {
    @Attribute var tricks: Int64
}
