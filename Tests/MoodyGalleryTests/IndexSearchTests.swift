import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

/// Words, names, several colors and photos like one, by the index: what a look at all moods finds, over
/// random palettes and random searches.
@Suite struct IndexSearchTests {
    /// The moods of the twin's exam with their names, and 700 that are worth as much to any color as each
    /// other: more than are looked up one by one.
    private static func stack(at url: URL) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: url)
        try SwatchIndex.upkeep.run(in: stack)
        let alike = (0..<700).map { (index: Int) -> SearchTwinTests.Row in
            // The files of some are newer than any photo.
            let day = index % 10 == 0 ? 0 : 20_200_000 + Int32(index % 12 + 1) * 100 + Int32(index % 28 + 1)
            return SearchTwinTests.Row(
                swatches: [("#101010", 0.7), ("#2f6f70", 0.3)], texts: ["Night \(index).jpg", ""], day: day)
        }
        try stack.performAndWait { transaction in
            for (index, row) in (SearchTwinTests.rows + alike).enumerated() {
                try insert(row, index, into: transaction)
            }
            // Of the photos that lists show all lie in one folder; this one does not.
            let facts = CaptureInfo(
                taken: CivilDate(year: 2020, month: 2, day: 2), offset: nil, source: .original, width: 3,
                height: 2)
            try transaction.importPhoto(
                "gone.jpg", in: "/elsewhere", number: 100_000, of: [("#2f6f70", 1)], facts)
            try transaction.fetchOne(FetchRequest<Mood>(\.photo?.folder == Data("/elsewhere".utf8)))?
                .setValue(Date(), forKey: "markedForDeletionDate")
        }
        // What lists leave out: of both kinds, also among the best.
        let ids = try stack.reader.performAndWait { try $0.fetchObjectIDs(FetchRequest<Mood>()) }
        try stack.performAndWait { transaction in
            for index in stride(from: 3, to: ids.count, by: 9) {
                try transaction.edit(Mood.self, id: ids[index])?
                    .setValue(Date(), forKey: "markedForDeletionDate")
            }
        }
        return stack
    }

    private static func insert(_ row: SearchTwinTests.Row, _ index: Int, into transaction: Transaction) throws
    {
        let day = Day(row.day) ?? Day(year: 2021, month: index % 12 + 1)
        let facts = CaptureInfo(
            taken: CivilDate(year: day.year, month: day.month, day: day.day, second: index % 5), offset: nil,
            source: row.day == 0 ? .fileTime : .original, width: 3, height: 2,
            camera: row.texts[1].isEmpty ? nil : row.texts[1])
        // Below a folder with the names of colors and months, which is that of all.
        try transaction.importPhoto(
            row.texts[0], in: "/teal/june/\(index % 2 == 0 ? "even" : "gray Odd")", number: index,
            of: row.swatches, facts)
    }

    private struct Case {
        var query: String, within: Double, share: Double, limit: Int, isLike: Bool
    }

    private static func cases(_ count: Int) -> [Case] {
        var random = SearchTwinTests.Generator(state: 15)
        func pick<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }
        let regions = ColorWords.regions.keys.sorted(), modifiers = ColorWords.modifiers.keys.sorted()
        let names = ColorWords.names.keys.sorted()
        let texts = [
            "harbour", "ivy", "red", "wood", "canon", "2019", "2020-06", "june", "img 0012", "even", "gre",
            "odd",
            "straße", "東京", "ångström", "night", "jun", "nothing",
        ]
        return (0..<count).map { _ in
            let terms = (0..<1 + random.next() % 3).map { _ -> String in
                switch random.next() % 7 {
                case 0, 1: pick(regions)
                case 2: pick(modifiers) + " " + pick(regions)
                case 3: pick(names)
                case 4: pick(["#36c", "#808080", "3f7f9f", "rgb(20 20 20)", "oklch(0.5 0.1 200)", "#306080"])
                case 5: pick(texts)
                default: pick(modifiers)
                }
            }
            return Case(
                query: terms.joined(separator: pick([" ", ", "])), within: pick([2, 10, 10, 20]),
                share: pick([0, 0, 0, 0.3]), limit: pick([1, 50, 50, 2_000]), isLike: random.next() % 20 == 0)
        }
    }

    @Test func `what the index finds is what a look at all finds, whatever is asked`() throws {
        try withStoreFile(Self.stack) { stack in
            let (ids, moods) = try SearchMood.all(of: MoodList().request, in: stack)
            #expect(ids.count > 1_400 && ids.count < 1_700)
            var full = 0, some = 0
            // Names of the folder of all: not of those only that lists leave out.
            let folders = ["teal", "june", "even", "blue june"].map {
                Case(query: $0, within: 10, share: 0, limit: 2_000, isLike: false)
            }
            for (number, test) in (Self.cases(24) + folders).enumerated() {
                var finder = MoodFinder(
                    query: test.isLike && number % 2 == 0 ? "" : test.query, within: test.within,
                    share: test.share,
                    limit: test.limit)
                if test.isLike {
                    finder.likes = [try #require(moods[number...].first { !$0.swatches.isEmpty }).palette]
                }
                let all = finder.search.matches(in: moods).prefix(test.limit).map { ids[$0.index] }
                let found = try finder.find(in: stack), isSame = found == Array(all)
                #expect(isSame, "\(test): \(found.count), not \(all.count)")
                if all.count == test.limit { full += 1 }
                if !all.isEmpty && all.count < test.limit { some += 1 }
            }
            #expect(full > 2 && some > 2, "\(full), \(some)")
        }
    }

    /// Four palettes with each channel moved: as many photos as are searched by the index, of which hundreds
    /// are like any.
    private static func stackOfLike(at url: URL) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: url)
        try SwatchIndex.upkeep.run(in: stack)
        var random = SearchTwinTests.Generator(state: 4)
        let facts = CaptureInfo(
            taken: CivilDate(year: 2020, month: 2, day: 2), offset: nil, source: .original, width: 3,
            height: 2)
        let palettes = (0..<4).map { _ in (0..<15).map { _ in Int(random.next() % 256) } }
        let rows = (0..<1_200).map { number in
            palettes[number % 4].map { UInt8(min(255, max(0, $0 + Int(random.next() % 41) - 20))) }
        }
        try stack.performAndWait { transaction in
            for (number, row) in rows.enumerated() {
                let swatches = [0.4, 0.25, 0.15, 0.12, 0.08].enumerated().map { index, share in
                    (
                        hex: RGB(red: row[index * 3], green: row[index * 3 + 1], blue: row[index * 3 + 2])
                            .hex,
                        share: share
                    )
                }
                try transaction.importPhoto("\(number).jpg", in: "/p", number: number, of: swatches, facts)
            }
        }
        return stack
    }

    @Test func `photos like one are those that a look at all finds, near and far`() throws {
        try withStoreFile(Self.stackOfLike) { stack in
            let (ids, moods) = try SearchMood.all(of: MoodList().request, in: stack)
            var found = 0
            for (number, limit) in [1, 3, 10, 50, 50, 3_000].enumerated() {
                for within in [4.0, 10, 20] {
                    var finder = MoodFinder(query: "", within: within, limit: limit)
                    finder.likes = [moods[number * 97].palette]
                    let all = finder.search.matches(in: moods).prefix(limit).map { ids[$0.index] }
                    let some = try finder.find(in: stack)
                    #expect(some == Array(all), "\(number), \(within): \(some.count), not \(all.count)")
                    found += some.count
                }
            }
            #expect(found > 500)
        }
    }

    /// Two colors, each moved away in steps: one color is read where the other is too far away for the first
    /// look, and yet what is farther may be worth more.
    private static func stackOfPairs(at url: URL) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: url)
        try SwatchIndex.upkeep.run(in: stack)
        let facts = CaptureInfo(
            taken: CivilDate(year: 2020, month: 2, day: 2), offset: nil, source: .original, width: 3,
            height: 2)
        try stack.performAndWait { transaction in
            for number in 0..<1_200 {
                let (one, other) = (UInt8(number % 24), UInt8(number / 24 * 2))
                try transaction.importPhoto(
                    "\(number).jpg", in: "/p", number: number,
                    of: [
                        (RGB(red: 200, green: 60 + one, blue: 60).hex, 0.8),
                        (RGB(red: 60, green: 60 + other, blue: 200).hex, 0.2),
                    ], facts)
            }
        }
        return stack
    }

    @Test func `what one color says of a photo is not taken for what all say`() throws {
        try withStoreFile(Self.stackOfPairs) { stack in
            let (ids, moods) = try SearchMood.all(of: MoodList().request, in: stack)
            for (place, within) in [(0, 6.0), (500, 10), (1_199, 20)] {
                for limit in stride(from: 10, through: 400, by: 15) {
                    var finder = MoodFinder(query: "", within: within, limit: limit)
                    finder.likes = [moods[place].palette]
                    let all = finder.search.matches(in: moods).prefix(limit).map { ids[$0.index] }
                    let some = try finder.find(in: stack), isSame = some == Array(all)
                    #expect(isSame, "\(limit), \(within): \(some.count), not \(all.count)")
                }
            }
        }
    }

    /// Of 650 that are worth as much the newest come first, and none that lists leave out.
    @Test func `those that are worth as much come by their days`() throws {
        try withStoreFile(Self.stack) { stack in
            let found = try MoodFinder(query: "night black", limit: 60).find(in: stack)
            try stack.reader.performAndWait { context in
                let moods = try context.objects(Mood.self, with: found)
                let isInOrder = zip(moods, moods.dropFirst()).allSatisfy {
                    ($0.day, $0.date) >= ($1.day, $1.date)
                }
                #expect(moods.count == 60 && isInOrder)
                #expect(moods.allSatisfy { $0.markedForDeletionDate == nil })
                #expect(moods.first?.day == 20_201_228)
            }
        }
    }
}

extension SearchMood {
    fileprivate var palette: Palette {
        Palette(
            entries: swatches.map {
                Palette.Entry(
                    color: RGB(Oklab(lightness: $0.lightness, a: $0.a, b: $0.b)), share: $0.share)
            })
    }
}
