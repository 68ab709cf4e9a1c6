import DataStacks
import Foundation
import ManagedObjects
import Testing

/// Values straight from the stores: CoreStore's numbers, in memory and in SQLite.
@Suite struct QueryTests {
    private let scratch: Scratch
    private let stacks: [DataStack]

    init() throws {
        scratch = try Scratch()
        let file = try Fixture.emptyStack()
        try file.addStorageAndWait(SQLiteStore(fileURL: scratch.file("A.sqlite")))
        try Fixture.populate(file, nil)
        stacks = [try Fixture.stack(nil), file]
    }

    private func value<Value: SelectValue & Equatable>(
        _ term: SelectTerm<Sample>, _ type: Value.Type, _ clauses: any FetchClause<Sample>...,
        is wanted: Value?, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for stack in stacks {
            var from = From<Sample>()
            for clause in clauses { from = from.tweak { clause.apply(to: &$0) } }
            let found = try stack.queryValue(from, Select<Sample, Value>(term))
            #expect(found == wanted, sourceLocation: sourceLocation)
        }
    }

    @Test func `one value comes as each type that it can be`() throws {
        let first = Where<Sample>(\.testEntityID == 101)
        try value("testBoolean", Bool.self, first, is: true)
        try value("testNumber", Int8.self, first, is: 1)
        try value("testNumber", Int16.self, first, is: 1)
        try value("testNumber", Int32.self, first, is: 1)
        try value("testNumber", Int64.self, first, is: 1)
        try value("testNumber", Int.self, first, is: 1)
        try value("testNumber", Double.self, first, is: 1)
        try value("testNumber", Float.self, first, is: 1)
        try value("testDecimal", Decimal.self, first, is: 1)
        try value("testString", String.self, first, is: "nil:TestEntity1:1")
        try value("testDate", Date.self, first, is: Fixture.date(1, 1))
        try value("testNil", String.self, first, is: nil)
        try value(.attribute(\.testNumber), Int.self, OrderBy(.descending(\.testNumber)), is: 5)
        for stack in stacks {
            let id = try stack.fetchObjectID(From<Sample>(), first)
            let select = Select<Sample, ManagedObjectID>(.objectID)
            #expect(try stack.queryValue(From<Sample>(), select, first) == id?.objectID)
            let reference = Select<Sample, ObjectReference<Sample>>(.objectID)
            #expect(try stack.queryValue(From<Sample>(), reference, first) == id)
        }
    }

    @Test func `a query is in the order of what it does not select`() throws {
        let order = OrderBy<Sample>(.descending(\.testNumber))
        try value("testString", String.self, order, is: "nil:TestEntity1:5")
        try value(.average(\.testNumber), Double.self, order, is: 3)
        try value(
            "testNumber", Int.self, OrderBy(.ascending(\.testBoolean), .descending(\.testEntityID)), is: 4)
        for stack in stacks {
            let rows = try stack.queryAttributes(From<Sample>(), Select("testEntityID"), order)
            #expect(rows.map { $0.value("testEntityID", as: Int.self) } == [105, 104, 103, 102, 101])
            let error = #expect(throws: StackError.self) {
                try stack.queryAttributes(
                    From<Sample>(), Select("testBoolean", .count(\.testNumber)), GroupBy(\.testBoolean), order
                )
            }
            #expect("\(try #require(error))".contains("testNumber, which is not among the results"))
        }
    }

    @Test func `a value of many rows is that of all that match`() throws {
        let some = Where<Sample>(\.testNumber > 1)
        try value(.average(\.testNumber), Double.self, some, is: 3.5)
        try value(.average(\.testNumber), Float.self, some, is: 3.5)
        try value(.average(\.testNumber), Int8.self, some, is: 3)
        try value(.average(\.testNumber), Int.self, some, is: 3)
        try value(.average(\.testNumber), Decimal.self, some, is: 3.5)
        try value(.average("testBoolean"), Bool.self, some, is: true)
        try value(.count(\.testNumber), Int.self, some, is: 4)
        try value(.maximum(\.testNumber), Int.self, some, is: 5)
        try value(.minimum(\.testNumber), Int.self, some, is: 2)
        try value(.sum(\.testNumber), Int.self, some, is: 14)
        try value(.sum("testNumber"), Double.self, some, is: 14)
        try value(.maximum(\.testString), String.self, some, is: "nil:TestEntity1:5")
        try value(.minimum(\.testDate), Date.self, some, is: Fixture.date(1, 2))
    }

    @Test func `a value of another kind, a sum of texts, and one that does not fit are nil`() throws {
        try value(.maximum(\.testString), Int.self, is: nil)
        try value("testString", Date.self, is: nil)
        try value("testNumber", String.self, is: nil)
        try value(.sum(\.testString), Int.self, is: nil)
        try value(.average(\.testString), Double.self, is: nil)
        try value(.count(\.testNil), Int.self, is: 0)
        try value(.maximum(\.testNil), String.self, is: nil)
        try value("testNumber", Int.self, Where(false), is: nil)
        for stack in stacks {
            try stack.performAndWait { transaction throws in
                for id: Int64 in [106, 107] {
                    let object = transaction.create(Into<Sample>())
                    (object.testEntityID, object.testNumber) = (id, Int64.max)
                }
                let object = transaction.create(Into<Sample>())
                (object.testEntityID, object.testNumber) = (108, -2)
            }
        }
        try value(.sum(\.testNumber), Int.self, is: nil)
        try value(.maximum(\.testNumber), Int8.self, is: nil)
        try value(.maximum(\.testNumber), Int64.self, is: Int64.max)
        // As C has it: all but zero is true.
        try value("testNumber", Bool.self, Where<Sample>(\.testEntityID == 108), is: true)
    }

    /// 2^53 + 1 is the first whole number that no `Double` is.
    @Test func `a decimal that is a whole number comes as that number`() throws {
        for stack in stacks {
            try stack.performAndWait { transaction throws in
                for (id, text): (Int64, String) in [
                    (106, "9007199254740993"), (107, "9223372036854775807"), (108, "9223372036854775808"),
                    (109, "-2.75"), (110, "0.1"),
                ] {
                    let object = transaction.create(Into<Sample>())
                    (object.testEntityID, object.testDecimal) = (id, Decimal(string: text))
                }
            }
        }
        func one(_ id: Int64) -> Where<Sample> { Where(\.testEntityID == id) }
        try value("testDecimal", Int64.self, one(106), is: 9_007_199_254_740_993)
        try value(.sum(\.testDecimal), Int64.self, Where(\.testEntityID == 106), is: 9_007_199_254_740_993)
        try value("testDecimal", Int.self, one(107), is: .max)
        try value("testDecimal", Int.self, one(108), is: nil)
        try value("testDecimal", Int8.self, one(109), is: -2)
        try value("testDecimal", Bool.self, one(110), is: true)
        for stack in stacks {
            try stack.performAndWait { transaction throws in
                for number: Int64 in [-2, -3] {
                    let object = transaction.create(Into<Sample>())
                    (object.testEntityID, object.testNumber) = (200, number)
                }
            }
        }
        try value(.average(\.testNumber), Int8.self, one(200), is: -2)
    }

    @Test func `an object's ID has the name that was given to it`() throws {
        for stack in stacks {
            let select = Select<Sample, QueryRow>("testNumber", .objectID(as: "id"))
            let rows = try stack.queryAttributes(From<Sample>(), select, Where(\.testNumber == 2))
            let row = try #require(rows.first)
            #expect(row.names == ["testNumber", "id"] && row["objectID"] == nil)
            let id = try stack.fetchObjectID(From<Sample>(), Where(\.testNumber == 2))?.objectID
            #expect(row["id"] as? ManagedObjectID == id)
        }
    }

    @Test func `a sum of dates is a number of seconds`() throws {
        let seconds = [1, 2].map { Fixture.date(1, $0)?.timeIntervalSinceReferenceDate ?? 0 }
        for stack in stacks {
            let select = Select<Sample, QueryRow>(.sum("testDate", as: "sum"))
            let rows = try stack.queryAttributes(From<Sample>(), select, Where(\.testNumber < 3))
            #expect(rows.map { $0["sum"] as? Double } == [seconds[0] + seconds[1]])
        }
    }

    @Test func `rows of attributes are dictionaries without nulls`() throws {
        for stack in stacks {
            let rows = try stack.queryAttributes(
                From<Sample>(),
                Select(
                    "testBoolean", "testNumber", "testDecimal", "testString", "testDate", "testNil", .objectID
                ),
                Where(\.testNumber > 3), OrderBy(.ascending("testNumber")))
            #expect(rows.count == 2)
            #expect(rows.map { $0["testNumber"] as? Int } == [4, 5])
            #expect(rows[0]["testBoolean"] as? Bool == false && rows[1]["testBoolean"] as? Bool == true)
            #expect(rows[0]["testDecimal"] as? Decimal == 4)
            #expect(rows[0]["testString"] as? String == "nil:TestEntity1:4")
            #expect(rows[0]["testDate"] as? Date == Fixture.date(1, 4))
            #expect(rows[0]["testNil"] == nil && rows[0]["unknown"] == nil)
            #expect(rows[0].value("testNumber", as: Int8.self) == 4)
            #expect(rows[0].value("testNumber", as: String.self) == nil)
            #expect(
                rows[0].dictionary.keys.sorted()
                    == ["objectID", "testBoolean", "testDate", "testDecimal", "testNumber", "testString"])
            let plain = try stack.queryAttributes(
                From<Sample>(), Select("testNumber"), Tweak { $0.fetchLimit = 1 })
            #expect(plain.map(\.dictionary.count) == [1])
        }
    }

    @Test func `groups are counted and summed up, each by its value`() throws {
        for stack in stacks {
            let rows = try stack.queryAttributes(
                From<Sample>(),
                Select("testBoolean", .count(\.testNumber), .sum(\.testNumber), .average(\.testNumber)),
                GroupBy("testBoolean"))
            #expect(rows.map { $0.value("testBoolean", as: Bool.self) } == [false, true])
            #expect(rows.map { $0["count(testNumber)"] as? Int } == [2, 3])
            #expect(rows.map { $0["sum(testNumber)"] as? Int } == [6, 9])
            #expect(rows.map { $0["average(testNumber)"] as? Double } == [3, 3])
            let some = try stack.queryAttributes(
                From<Sample>(),
                Select(.attribute(\.testBoolean, as: "odd"), .maximum(\.testNumber, as: "top")),
                Where(\.testNumber > 1), GroupBy(\.testBoolean), OrderBy(.descending("top")))
            #expect(some.map { $0["odd"] as? Bool } == [true, false])
            #expect(some.map { $0["top"] as? Int } == [5, 4])
        }
    }

    @Test func `aggregates are called by function and key, or by a name of their own`() throws {
        for stack in stacks {
            let rows = try stack.queryAttributes(
                From<Sample>(),
                Select(
                    .average(\.testNumber), .count(\.testNumber), .maximum(\.testNumber),
                    .minimum(\.testNumber),
                    .sum("testNumber"), .average(\.testNumber, as: "a"), .count("testNumber", as: "b"),
                    .maximum(\.testNumber, as: "c"), .minimum("testNumber", as: "d"),
                    .sum(\.testNumber, as: "e")))
            #expect(rows.count == 1)
            let names = ["average", "count", "max", "min", "sum"].map { "\($0)(testNumber)" }
            #expect(rows[0].names == names + ["a", "b", "c", "d", "e"])
            for names in [names, ["a", "b", "c", "d", "e"]] {
                #expect(names.map { rows[0].value($0, as: Double.self) } == [3, 5, 5, 1, 15])
            }
        }
    }

    @Test func `a row says how many members its relationship has`() throws {
        for stack in stacks {
            try stack.performAndWait { transaction throws in
                for (name, friends) in [("Ann", 42), ("Bob", 231), ("Cem", 0)] {
                    let person = transaction.create(Into<Person>())
                    (person.name, person.age) = (name, 30)
                    for _ in 0..<friends { transaction.create(Into<Friendship>()).person = person }
                }
            }
            let rows = try stack.queryAttributes(
                From<Person>(), Select("name", .count("friends")), OrderBy(.ascending("name")))
            #expect(rows.map { $0["count(friends)"] as? Int } == [42, 231, 0])
            #expect(rows.map { $0["name"] as? String } == ["Ann", "Bob", "Cem"])
            let named = try stack.queryAttributes(
                From<Person>(), Select(.count(\.friends, as: "n")), Where(\.name == "Bob"))
            #expect(named.map { $0["n"] as? Int } == [231])
            #expect(
                try stack.queryValue(
                    From<Person>(), Select<Person, Int>(.count(\.friends)), Where(\.name == "Ann"))
                    == 42)
        }
    }

    @Test func `an ungrouped value beside an aggregate and an unknown key are errors of the call`() throws {
        for stack in stacks {
            #expect(throws: StackError.self) {
                try stack.queryAttributes(From<Sample>(), Select("testString", .sum(\.testNumber)))
            }
            #expect(throws: StackError.fetch(.unknownKey(entity: "TestEntity1", key: "nothing"))) {
                try stack.queryAttributes(From<Sample>(), Select("nothing"))
            }
        }
    }

    @Test func `groups are what plain SQL makes of random rows`() throws {
        let stack = stacks[1]
        try stack.performAndWait { transaction throws in
            var state: UInt64 = 7
            func next(_ bound: UInt64) -> Int64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int64((state >> 33) % bound)
            }
            for id in 1000..<1500 {
                let object = transaction.create(Into<Sample>())
                (object.testEntityID, object.testString) = (Int64(id), "\(next(9))")
                object.testNumber = next(6) == 0 ? nil : next(1000)
            }
        }
        let rows = try stack.queryAttributes(
            From<Sample>(),
            Select("testString", .count(\.testNumber), .sum(\.testNumber), .minimum(\.testNumber)),
            Where(\.testEntityID >= 1000), GroupBy("testString"), OrderBy(.ascending("testString")))
        let lines = rows.map { row in
            [
                row["testString"] as? String ?? "", "\(row["count(testNumber)"] as? Int ?? -1)",
                "\(row["sum(testNumber)"] as? Int ?? -1)", "\(row["min(testNumber)"] as? Int ?? -1)",
            ].joined(separator: "|") + "\n"
        }
        let wanted = try shell(
            """
            sqlite3 '\(scratch.file("A.sqlite").path)' 'SELECT ZTESTSTRING, COUNT(ZTESTNUMBER), \
            SUM(ZTESTNUMBER), MIN(ZTESTNUMBER) FROM ZTESTENTITY1 WHERE ZTESTENTITYID >= 1000 \
            GROUP BY ZTESTSTRING ORDER BY ZTESTSTRING'
            """)
        #expect(lines.joined() == wanted)
        #expect(lines.count == 9)
    }

    @Test func `a query follows From as a chain`() throws {
        for stack in stacks {
            let sum = try stack.queryValue(
                From<Sample>().where(\.testNumber > 3).select(Int.self, .sum(\.testNumber)))
            #expect(sum == 9)
            let rows = try stack.queryAttributes(
                From<Sample>().groupBy(\.testBoolean).select("testBoolean", .count(\.testNumber)))
            #expect(rows.map { $0["count(testNumber)"] as? Int } == [2, 3])
        }
    }
}
