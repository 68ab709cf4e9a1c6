import Foundation
import Glibc
import TestSupport
import Testing

@testable import ManagedObjects

/// 0-17: each type at its ends, on every store.
@Suite(.everyStore) struct AttributeTypeTests {
    private func context() throws -> ManagedObjectContext {
        ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Measure.self)))
    }

    private static let big = Data((0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    /// Three rows: the least of each type, the most, and what is odd.
    static func fillWithEnds(_ context: isolated ManagedObjectContext) {
        let ends: [@Sendable (Measure) -> Void] = [
            { row in
                (row.short, row.middle, row.long) = (.min, .min, .min)
                (row.double, row.float, row.flag) = (-0.0, -.greatestFiniteMagnitude, false)
                row.price = Decimal(string: "-99999999999999999999999999999999999999")
                (row.page, row.text) = (URL(string: "https://example.org/a?b=%C3%A9#c"), "")
                (row.date, row.data) = (Date(timeIntervalSince1970: -62_135_596_800), Data())
            },
            { row in
                (row.short, row.middle, row.long) = (.max, .max, .max)
                (row.double, row.float) = (.greatestFiniteMagnitude, .leastNonzeroMagnitude)
                row.price = Decimal(string: "12345678901234567890.123456789012345678")
                (row.page, row.text) = (
                    URL(fileURLWithPath: "/a b"), "a\nb \u{1F3A8}\u{1F469}\u{200D}\u{1F680}"
                )
                (row.date, row.data) = (Date(timeIntervalSince1970: 253_402_300_799), big)
                (row.flag, row.place) = (true, Spot(name: "Ghent", turns: [0.1, .infinity]))
                row.words = ["", "\u{E9}", "red"]
            },
            { row in (row.double, row.float, row.price) = (.nan, .nan, Decimal(string: "0.1")) },
        ]
        for (number, fill) in ends.enumerated() {
            let row = context.insert(Measure.self)
            row.number = Int64(number)
            fill(row)
        }
    }

    @Test func `each type is stored and read back equal at its ends`() throws {
        let model = try ManagedObjectModel(Measure.self), kind = StoreKind.current
        let url = StoreKind.folder.appending(path: "\(UUID().uuidString).\(kind)")
        func open() throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: kind.type, at: kind == .memory ? nil : url)
            return coordinator
        }
        var coordinator = try open()
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            Self.fillWithEnds(context)
            try context.save()
        }
        // What the file has, not what is kept in memory of it.
        if kind != .memory {
            try coordinator.close()
            coordinator = try open()
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context throws -> Void in
            let big = Self.big
            let rows = try context.fetch(FetchRequest<Measure>(sortedBy: .ascending(\.number)))
            #expect(rows.map(\.short) == [.min, .max, nil])
            #expect(rows.map(\.middle) == [.min, .max, nil])
            #expect(rows.map(\.long) == [.min, .max, nil])
            #expect(rows[0].double == 0 && rows[1].double == .greatestFiniteMagnitude)
            #expect(rows[0].double?.sign == (StoreKind.current == .sqlite ? .plus : .minus))
            #expect(rows[2].double?.isNaN == true && rows[2].float?.isNaN == true)
            #expect(rows[0].float == -.greatestFiniteMagnitude && rows[1].float == .leastNonzeroMagnitude)
            #expect(rows.map(\.flag) == [false, true, nil])
            #expect(
                rows.map { $0.price?.description } == [
                    "-99999999999999999999999999999999999999", "12345678901234567890.123456789012345678",
                    "0.1",
                ])
            #expect(
                rows.map { $0.page?.absoluteString } == [
                    "https://example.org/a?b=%C3%A9#c", "file:///a%20b", nil,
                ])
            #expect(rows.map(\.text) == ["", "a\nb \u{1F3A8}\u{1F469}\u{200D}\u{1F680}", nil])
            #expect(rows.map { $0.date?.timeIntervalSince1970 } == [-62_135_596_800, 253_402_300_799, nil])
            #expect(rows.map(\.data) == [Data(), big, nil])
            #expect(rows.map(\.place) == [nil, Spot(name: "Ghent", turns: [0.1, .infinity]), nil])
            #expect(rows[1].words?.map { Array($0.utf8) } == ["", "\u{E9}", "red"].map { Array($0.utf8) })
        }
    }

    /// 4-5: saved where the day has begun already, read where it has not.
    @Test func `a date is the same instant wherever it is saved and read`() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder(), model = try ManagedObjectModel(Measure.self)
            let url = folder.url.appending(path: "a.sqlite"),
                instant = Date(timeIntervalSince1970: 1_706_711_400)
            func open(in zone: String) throws -> PersistentStoreCoordinator {
                try #require(TimeZone(identifier: zone) != nil, "tzdata is not installed")
                #expect(unsafe setenv("TZ", zone, 1) == 0)
                tzset()
                NSTimeZone.resetSystemTimeZone()
                #expect(NSTimeZone.system.identifier == zone)
                let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.addPersistentStore(ofType: .sqlite, at: url)
                return coordinator
            }
            let east = try open(in: "Pacific/Kiritimati")
            try ManagedObjectContext(persistentStoreCoordinator: east).performAndWait { context in
                context.insert(Measure.self).date = instant
                try context.save()
            }
            try east.close()
            let west = try open(in: "America/Los_Angeles")
            let read = try ManagedObjectContext(persistentStoreCoordinator: west).performAndWait { context in
                try context.fetch(FetchRequest<Measure>()).map(\.date)
            }
            try west.close()
            #expect(read == [instant])
            // Seconds since 2001 in UTC, whoever looks.
            #expect(try shell("sqlite3 '\(url.path)' 'SELECT ZDATE FROM ZMEASURE'") == "728404200\n")
        }
    }

    @Test func `decimals are sorted and compared by value, whatever they are stored as`() throws {
        let texts = [
            "-12345678901234567890.5", "-3.25", "-3.2", "0", "0.1", "0.10000000000000000000000001", "2", "10",
            "9007199254740993", "9007199254740993.5", "12345678901234567890123456789012345678",
        ]
        let numbers = texts.compactMap { Decimal(string: $0) }
        try context().performAndWait { context throws -> Void in
            for (index, number) in numbers.enumerated().reversed() {
                let row = context.insert(Measure.self)
                (row.number, row.price) = (Int64(index), number)
            }
            context.insert(Measure.self).number = 99
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let rows = try context.fetch(FetchRequest<Measure>(sortedBy: .ascending(\.price)))
                #expect(rows.map { $0.price?.description } == [nil] + texts)
                for number in numbers {
                    let below = try context.count(FetchRequest<Measure>(\.price < number))
                    #expect(below == numbers.count { $0 < number })
                    let same = try context.count(FetchRequest<Measure>(\.price == number))
                    #expect(same == 1)
                    let above = try context.count(
                        FetchRequest<Measure>(try Filter(format: "price >= %@", number)))
                    #expect(above == numbers.count { $0 >= number })
                }
                // By hand: -12345678901234567890.5, -3.25, and -3.2 are below -1.5.
                let negative = #Predicate<Measure> { $0.price! < -1.5 }
                #expect(try context.count(FetchRequest<Measure>(Filter(negative))) == 3)
                let small = try context.count(
                    FetchRequest<Measure>(try Filter(format: "price BETWEEN {0, 2}")))
                #expect(small == 4)
            }
        }
    }

    @Test func `a decimal and a URL go by name, as themselves`() throws {
        try context().performAndWait { context throws -> Void in
            let row = try context.insert(entityNamed: "Measure")
            let price = try #require(Decimal(string: "1.005")), page = try #require(URL(string: "a:b"))
            try row.setValue(price, forKey: "price")
            try row.setValue(page, forKey: "page")
            #expect(throws: FetchError.wrongType(entity: "Measure", key: "page", type: "String")) {
                try row.setValue("a:b", forKey: "page")
            }
            try context.save()
            context.refresh(row, mergeChanges: false)
            let (priceBack, pageBack) = try (row.value(forKey: "price"), row.value(forKey: "page"))
            #expect(priceBack as? Decimal == price && pageBack as? URL == page)
            try row.setValue(7, forKey: "price")
            let seven = try row.value(forKey: "price") as? Decimal
            #expect(seven == 7)
        }
    }

    @Test func `a text with NUL is an error that names object and property`() throws {
        try context().performAndWait { context throws -> Void in
            let row = context.insert(Measure.self)
            row.text = "a\0b"
            #expect(throws: StoreError.textWithNUL(row.objectID, property: "text")) { try context.save() }
        }
    }

    @Test func `NaN is equal to itself and above all numbers, in SQL as in memory`() throws {
        try context().performAndWait { context throws -> Void in
            for value in [Double.nan, 1, -.infinity, .infinity] {
                context.insert(Measure.self).double = value
            }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let rows = try context.fetch(FetchRequest<Measure>(sortedBy: .ascending(\.double)))
                #expect(rows.map { $0.double?.description } == ["-inf", "1.0", "inf", "nan"])
                let same = try context.count(FetchRequest<Measure>(\.double == Double.nan))
                let above = try context.count(FetchRequest<Measure>(\.double > 0))
                #expect(same == 1 && above == 3)
            }
        }
    }

    @Test func `a list in a default transformable is a keyed archive`() throws {
        try context().performAndWait { context throws -> Void in
            let row = context.insert(Measure.self)
            row.words = ["red", "green"]
            try context.save()
            context.reset()
            let again = try #require(context.fetch(FetchRequest<Measure>()).first)
            let data = try #require(again.value(forKey: "words") as? Data)
            #expect(data.starts(with: Data("bplist00".utf8)))
            let classes: [AnyClass] = [NSArray.self, NSString.self]
            let list = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? NSArray
            #expect(list?.count == 2 && (list?.object(at: 1) as? String) == "green")
            #expect(again.words == ["red", "green"])
        }
    }

    @Test func `what keeps all digits as a number is one in the column, and the rest is read by others`()
        throws
    {
        func column(_ text: String) throws -> StoredValue {
            DecimalKey.column(DecimalKey.key(try #require(Decimal(string: text))))
        }
        #expect(try column("42").isIdentical(to: .int(42)))
        #expect(try column("-0.25").isIdentical(to: .double(-0.25)))
        #expect(try column("0.1").isIdentical(to: .double(0.1)))
        #expect(try column("0.12345678901234567890") == .blob(Data("0.1234567890123456789".utf8)))
    }

    @Test(
        arguments: [
            [], [0x7F], [0x81], [0x7F, 0xFF], [0x81, 0x40], [0x81, 0x40, 0], [0x90, 1, 2, 3],
            [0x81, 0x40, 1, 0],
            [0x81, 0x40, 1, 11],
        ] as [[UInt8]])
    func `bytes that no decimal has read as zero`(bytes: [UInt8]) {
        #expect(Decimal(storedValue: .blob(Data(bytes))) == 0)
    }

    @Test func `a stored number that does not fit reads as zero`() {
        for value in [Int64.min, -32_769, 32_768, 65_536 + 7, .max] {
            #expect(Int16(storedValue: .int(value)) == 0, "\(value)")
        }
        #expect([-32_768, 32_767].map { Int16(storedValue: .int($0)) } == [.min, .max])
    }

    @Test func `what is no number is no decimal, and what is no URL is the root`() {
        #expect(Decimal.nan.storedValue == .null && Decimal(storedValue: .null) == 0)
        #expect(URL(storedValue: .null) == URL(fileURLWithPath: "/"))
        #expect(URL(storedValue: .text("")) == URL(fileURLWithPath: "/"))
    }

    private enum Size: Int16, AttributeEnumeration { case small = 1, large = 2 }

    @Test func `a raw value of no case is the first case`() {
        #expect([1, 2, 0, 3].map { Size(storedValue: .int($0)) } == [.small, .large, .small, .small])
        #expect(Size(storedValue: .null) == .small)
    }

    @Test func `a message shows 80 characters of a text, and that there are more`() {
        let text = String(repeating: "\u{E9}", count: 80)
        #expect(StoredValue.text(text).shortDescription == "\"\(text)\"")
        #expect(StoredValue.text(text + "!").shortDescription == "\"\(text)…\"")
    }

    @Test func `a scan hands over attributes as they are stored, in order, and nothing unsaved`() throws {
        let blobs: [[UInt8]?] = [Array(1...16), Array(1...15), Array(1...17), [], nil, Array(0...15)]
        let found: [(bytes: [UInt8], isNull: Bool, holds: Bool, low: UInt64?, long: Int64)]
        found = try context().performAndWait { context in
            for (number, blob) in blobs.enumerated() {
                let row = context.insert(Measure.self)
                (row.number, row.data) = (Int64(number), blob.map { Data($0) })
                row.long = number == 1 ? nil : Int64(number) * -5
            }
            try context.save()
            context.insert(Measure.self).number = -1
            var found: [(bytes: [UInt8], isNull: Bool, holds: Bool, low: UInt64?, long: Int64)] = []
            let request = FetchRequest<Measure>(\.number < 5, sortedBy: .descending(\.number))
            try context.scan(request, \.data, \.long) { row in
                found.append(
                    (
                        row.bytes(0), row.isNull(0), row.holds(Array(1...16), at: 0), row.words(0)?.low,
                        row.int(1)
                    ))
            }
            return found
        }
        #expect(found.map(\.bytes) == [[], [], Array(1...17), Array(1...15), Array(1...16)])
        #expect(found.map(\.isNull) == [true, false, false, false, false])
        #expect(found.map(\.holds) == [false, false, false, false, true])
        #expect(found.map(\.low) == [nil, nil, nil, nil, 0x090A_0B0C_0D0E_0F10])
        #expect(found.map(\.long) == [-20, -15, -10, 0, 0])
    }
}

final class Measure: ManagedObject {
    @Attribute var number: Int64 = 0
    @Attribute var short: Int16?
    @Attribute var middle: Int32?
    @Attribute var long: Int64?
    @Attribute var double: Double?
    @Attribute var float: Float?
    @Attribute var price: Decimal?
    @Attribute var flag: Bool?
    @Attribute var text: String?
    @Attribute var page: URL?
    @Attribute var date: Date?
    @Attribute var data: Data?
    @Attribute(transformer: CodableTransformer<Spot>.self) var place: Spot?
    @Attribute(transformer: ArchiveTransformer<[String]>.self) var words: [String]?
}

struct Spot: CodableValue, Equatable {
    var name: String
    var turns: [Double]
    static var placeholder: Spot { Spot(name: "", turns: []) }
}
