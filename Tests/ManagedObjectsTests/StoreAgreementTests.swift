import Foundation
import Testing

@testable import ManagedObjects

/// What every kind of store answers alike.
@Suite(.everyStore) struct StoreAgreementTests {
    class Base: ManagedObject {
        @Attribute var code: Int64
        override class var uniquenessConstraints: [[String]] { [["code"]] }
    }

    final class Sub: Base {
        @Attribute var word: String?
        override class var uniquenessConstraints: [[String]] { [["word"]] }
    }

    final class Sibling: Base {
        @Attribute var word: String?
    }

    private func save(_ codes: [(isSub: Bool, code: Int64, word: String?)]) throws -> StoreError? {
        let model = try ManagedObjectModel(Base.self, Sub.self, Sibling.self)
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        return try context.performAndWait { context in
            for (isSub, code, word) in codes {
                if isSub {
                    let sub = context.insert(Sub.self)
                    (sub.code, sub.word) = (code, word)
                } else {
                    let sibling = context.insert(Sibling.self)
                    (sibling.code, sibling.word) = (code, word)
                }
            }
            do {
                try context.save()
                return nil
            } catch let error as StoreError { return error }
        }
    }

    @Test func `a uniqueness constraint binds what inherits it, also between sub-entities`() throws {
        #expect(try save([(true, 1, "a"), (true, 2, "b"), (false, 3, "a"), (false, 4, "a")]) == nil)
        guard case .notUnique(_, ["code"], [.int(1)])? = try save([(true, 1, "a"), (true, 1, "b")]) else {
            Issue.record("two of one code")
            return
        }
        guard case .notUnique(_, ["code"], _)? = try save([(true, 1, "a"), (false, 1, "b")]) else {
            Issue.record("two siblings of one code")
            return
        }
        #expect(
            try save([(true, 1, "a"), (true, 2, "a")])
                == .notUnique(entity: "Sub", properties: ["word"], values: [.text("a")]))
    }

    @Test func `rows that are asked for twice come once`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let id = try context.performAndWait { context in
            let country = Country.insert(into: context, code: 1, name: "Peru")
            try context.save()
            return country.objectID
        }
        #expect(try coordinator.rows([id, id, id]).count == 1)
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try other.performAndWait { context in
            let country = try #require(try context.existingObject(with: id) as? Country)
            #expect(country.code == 1)
            try context.mergeChanges(from: SaveNotification(updatedObjectIDs: [id, id]))
            #expect(country.code == 1)
        }
    }

    /// SQLite compares a whole number with a fraction exactly; 2^53 + 1 is the first that no `Double` is.
    @Test func `whole numbers and fractions are compared without rounding`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            let numbers: [Int64] = [
                .min, -9_007_199_254_740_993, 9_007_199_254_740_992, 9_007_199_254_740_993, .max,
            ]
            for number in numbers { context.insert(Song.self).stars = number }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for (format, wanted) in [
                    ("stars > 9007199254740992.0", [9_007_199_254_740_993, .max]),
                    ("stars == 9007199254740992.0", [9_007_199_254_740_992]),
                    ("stars < -9007199254740992.0", [.min, -9_007_199_254_740_993]),
                    ("stars < 9223372036854775808.0", numbers), ("stars >= 9223372036854775808.0", []),
                    ("stars >= -9223372036854775808.0", numbers),
                    ("stars IN {9007199254740992.0, 0.5}", [9_007_199_254_740_992]),
                    ("stars BETWEEN {9007199254740994.0, 1e300}", [.max]),
                ] as [(String, [Int64])] {
                    let filter = try Filter<Song>(format: format)
                    let request = FetchRequest(filter, sortedBy: .ascending(\.stars))
                    let found = try context.fetch(request).map(\.stars)
                    #expect(found == wanted, "\(format), saved: \(isSaved)")
                }
            }
        }
    }

    @Test func `an object of another entity with the same key is another object`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            let song = context.insert(Song.self), playlist = context.insert(Playlist.self)
            song.playlist = playlist
            let binder = context.insert(Binder.self)
            try context.save()
            for isChanged in [false, true] {
                if isChanged { song.name = "b" }
                for (format, argument, wanted) in [
                    ("SELF == %@", song, 1), ("SELF == %@", playlist, 0), ("SELF != %@", playlist, 1),
                    ("SELF IN %@", [playlist, binder], 0), ("SELF IN %@", [playlist, song], 1),
                    ("playlist == %@", playlist, 1), ("playlist == %@", song, 0),
                    ("playlist IN %@", [song, binder], 0), ("playlist != %@", binder, 1),
                    ("%@ == playlist", binder, 0), ("NOT playlist IN %@", [binder], 1),
                ] as [(String, Any, Int)] {
                    let filter = try Filter<Song>(format: format, argument)
                    let count = try context.count(FetchRequest<Song>(filter))
                    #expect(count == wanted, "\(format) \(argument)")
                }
            }
        }
    }

    @Test func `a set is a list of values`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            for stars: Int64 in 0..<4 { context.insert(Song.self).stars = stars }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for some in [[], [2], [0, 3], [0, 1, 2, 3]] as [Set<Int64>] {
                    let filter = try Filter<Song>(format: "stars IN %@", some)
                    let found = try context.fetch(FetchRequest(filter)).map(\.stars)
                    #expect(Set(found) == some && found.count == some.count)
                }
            }
        }
    }

    @Test func `every text contains the empty one, whatever letters count as equal`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            for name in ["", "a"] { context.insert(Song.self).name = name }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for options in ["", "[c]", "[d]", "[cd]"] {
                    for word in ["CONTAINS", "BEGINSWITH", "ENDSWITH"] {
                        let filter = try Filter<Song>(format: "name \(word)\(options) ''")
                        let count = try context.count(FetchRequest<Song>(filter))
                        #expect(count == 2, "\(word)\(options)")
                    }
                }
            }
        }
    }

    @Test func `a sum beyond the whole numbers goes on as a fraction`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            for stars in [Int64.max, .min, 0] { context.insert(Song.self).stars = stars }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for (format, count) in [
                    ("stars + 1 > 0", 2), ("stars - 1 < 0", 2), ("stars * 2 > 9223372036854775807", 1),
                ] {
                    let found = try context.count(FetchRequest<Song>(try Filter(format: format)))
                    #expect(found == count, "\(format), saved: \(isSaved)")
                }
            }
        }
    }

    @Test func `a date is read with and without its zone and parts of seconds`() throws {
        try emptyContext().performAndWait { context throws -> Void in
            Mood.insert(into: context, title: "half", date: Date(timeIntervalSinceReferenceDate: 86_400.5))
            Mood.insert(into: context, title: "whole", date: day(1))
            for (text, title) in [
                ("2001-01-02T00:00:00.5Z", "half"), ("2001-01-02T00:00:00.5", "half"),
                ("2001-01-02T00:00:00Z", "whole"), ("2001-01-02T00:00:00", "whole"), ("2001-01-02", "whole"),
                ("2001-01-02T01:00:00+01:00", "whole"),
            ] {
                let filter = try Filter<Mood>(format: "date == '\(text)'")
                let found = try context.fetch(FetchRequest(filter)).map(\.title)
                #expect(found == [title], "\(text)")
            }
        }
    }

    @Test func `metadata that are the store's own cannot be set`() throws {
        let coordinator = try emptyCoordinator(testModel())
        for key in ["NSStoreModelVersionHashes", "NSStoreUUID", "_NSAutoVacuumLevel"] {
            for value in ["x", nil] {
                #expect(throws: StoreError.reservedMetadata(key)) {
                    try coordinator.setMetadata([key: value, "mine": "1"])
                }
            }
        }
        #expect(try coordinator.allMetadataOfFirstStore().isEmpty)
        try coordinator.setMetadata(["mine": "1"])
        #expect(try coordinator.metadata("mine") == "1")
    }

    /// NaN, infinities, a text of a byte order mark alone, through the file of a store that has one.
    @Test func `numbers that are none and texts that look empty come back`() throws {
        let model = try ManagedObjectModel(OddValue.self)
        let kind = StoreKind.current, url = StoreKind.folder.appending(path: "\(UUID().uuidString).\(kind)")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: kind.type, at: kind == .memory ? nil : url)
        let numbers = [Double.nan, .infinity, -.infinity]
        let texts = ["\u{FEFF}", "\u{FEFF}a", "a\u{FEFF}", "\u{FEFF}\u{1}"]
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            for (index, text) in texts.enumerated() {
                let object = context.insert(OddValue.self)
                (object.int64, object.text) = (Int64(index), text)
                (object.double, object.float) = (numbers[index % 3], Float(numbers[index % 3]))
                object.date = Date(timeIntervalSinceReferenceDate: numbers[index % 3])
            }
            try context.save()
        }
        var again = coordinator
        if kind != .memory {
            try coordinator.close()
            again = PersistentStoreCoordinator(managedObjectModel: model)
            try again.addPersistentStore(ofType: kind.type, at: url)
        }
        try ManagedObjectContext(persistentStoreCoordinator: again).performAndWait { context throws -> Void in
            let objects = try context.fetch(FetchRequest<OddValue>(sortedBy: .ascending(\.int64)))
            #expect(objects.map { Array(($0.text ?? "").utf8) } == texts.map { Array($0.utf8) })
            for (index, object) in objects.enumerated() {
                let wanted = numbers[index % 3].bitPattern
                #expect(object.double?.bitPattern == wanted)
                #expect(object.float.map { Double($0).bitPattern } == wanted)
                #expect(object.date?.timeIntervalSinceReferenceDate.bitPattern == wanted)
            }
        }
    }

    /// Searches by unique values and by relationships, which a memory store has indexes of, beside one that
    /// looks at every row: the same with a term in front that no index knows.
    @Test func `searches by index find what looking at every row finds`() throws {
        let model = try ManagedObjectModel(
            Mood.self, Country.self, Swatch.self, Base.self, Sub.self, Sibling.self)
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            for code: Int64 in 0..<6 {
                let object = code % 2 == 0 ? context.insert(Sub.self) : context.insert(Sibling.self)
                object.code = code
                (object as? Sub)?.word = code < 4 ? "w\(code)" : nil
            }
            try context.save()
            let germany = try #require(try context.fetch(FetchRequest<Country>(\.code == 276)).first)
            func check<Object: ManagedObject>(
                _ type: Object.Type, _ format: String, _ arguments: Any?..., count: Int,
                in context: isolated ManagedObjectContext
            ) throws {
                let plain = try Filter<Object>(format: format, arguments: arguments)
                let blind = try Filter<Object>(
                    format: "(FALSEPREDICATE OR (\(format))) AND TRUEPREDICATE", arguments: arguments)
                let found = try context.fetch(FetchRequest<Object>(plain)).map(\.objectID)
                #expect(try context.fetch(FetchRequest<Object>(blind)).map(\.objectID) == found, "\(format)")
                #expect(found.count == count, "\(format)")
            }
            try check(Base.self, "code == 3", count: 1, in: context)
            try check(Base.self, "3 == code", count: 1, in: context)
            try check(Sub.self, "code == 3", count: 0, in: context)
            try check(Sub.self, "code == 2", count: 1, in: context)
            try check(Base.self, "code IN {1, 2, 9}", count: 2, in: context)
            try check(Sub.self, "word == 'w2' AND code == 2", count: 1, in: context)
            try check(Sub.self, "word == 'w2' AND code == 4", count: 0, in: context)
            try check(Sub.self, "word == nil", count: 1, in: context)
            try check(Base.self, "code == 3.0", count: 1, in: context)
            try check(Mood.self, "country == %@", germany, count: 3, in: context)
            try check(Mood.self, "country == %@ AND rating > 2", germany, count: 2, in: context)
            try check(Mood.self, "country == nil", count: 1, in: context)
            try check(Mood.self, "country IN %@", [germany], count: 3, in: context)
            try check(Country.self, "SELF == %@", germany, count: 1, in: context)
            try check(Swatch.self, "mood.country == %@", germany, count: 3, in: context)
        }
    }
}

@Suite struct MemoryTablesTests {
    /// What left no row behind leaves no entry in an index either: counted by what is reachable.
    @Test func `a memory store keeps nothing of rows that are gone`() throws {
        let model = try ManagedObjectModel(Seat.self, Mood.self, Country.self, Swatch.self)
        let seat = try #require(model.entity(named: "Seat")),
            swatch = try #require(model.entity(named: "Swatch"))
        let mood = try #require(swatch.slot(of: "mood"))
        var tables = MemoryTables(model)
        let empty = "\(tables)".count
        for key in 1...500 as ClosedRange<Int64> {
            var values = [StoredValue](repeating: .null, count: seat.slots.count)
            values[try #require(seat.slot(of: "number"))] = .int(key)
            tables.put(.init(entity: seat, version: 1, values: values), root: seat.rootIndex, key: key)
            var other = [StoredValue](repeating: .null, count: swatch.slots.count)
            other[mood] = .id(ManagedObjectID(.of(EntityName("Mood"), in: "s"), key: key))
            tables.put(.init(entity: swatch, version: 1, values: other), root: swatch.rootIndex, key: key)
            tables.put(nil, root: seat.rootIndex, key: key)
            tables.put(nil, root: swatch.rootIndex, key: key)
        }
        // The text of the tables, indexes and all: the names of the two indexes, and no entry in them.
        #expect("\(tables)".count < empty + 1_000)
    }
}

extension PersistentStoreCoordinator {
    fileprivate func allMetadataOfFirstStore() throws -> [String: String] {
        try stores[0].allMetadata().compactMapValues(\.text)
    }
}

/// One attribute of each kind that has odd values.
final class OddValue: ManagedObject {
    @Attribute var int64: Int64?
    @Attribute var double: Double?
    @Attribute var float: Float?
    @Attribute var text: String?
    @Attribute var date: Date?
    @Attribute var data: Data?
}
