import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

/// The index gives what a look at all gives: over a store of 1,200 moods of many colors.
@Suite struct MoodFinderTests {
    private static func stack(at url: URL?) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        if let url { try stack.addStorage(sqlite: url) } else { try stack.addInMemoryStorage() }
        try SwatchIndex.upkeep.run(in: stack)
        let rows = SearchTwinTests.rows
        try stack.performAndWait { transaction in
            for (index, row) in rows.enumerated() {
                let facts = CaptureInfo(
                    taken: CivilDate(
                        year: 2019, month: index % 12 + 1, day: index % 28 + 1, second: index % 60),
                    offset: nil, source: .original, width: 3, height: 2)
                try transaction.importPhoto(
                    "\(index).jpg", in: "/p", number: index, of: row.swatches, facts)
            }
        }
        return stack
    }

    @Test func `what the index finds is what a look at all finds, at any limit`() throws {
        try withStoreFile(Self.stack) { stack in
            var checked = 0
            for color in [
                "#808080", "#36c", "#000", "#fff", "#3f7f9f", "#306080", "#123456", "#4e6f85",
                "rgb(200 40 30)",
            ] {
                for (within, share) in [(2.0, 0.0), (10, 0), (20, 0), (10, 0.3)] {
                    var finder = MoodFinder(query: color, within: within, share: share)
                    let all = try finder.find(in: stack)
                    for limit in [1, 50, 5_000] {
                        finder.limit = limit
                        let found = try finder.find(in: stack)
                        let isSame = found == Array(all.prefix(limit))
                        #expect(
                            isSame,
                            """
                            \(color) within \(within), share \(share), \(limit): \(found.count) of \
                            \(min(limit, all.count)), missing \
                            \(Set(all.prefix(limit)).subtracting(found).count)
                            """
                        )
                        checked += found.count
                    }
                }
            }
            #expect(checked > 1_000)
        }
    }

    @Test func `shares of what is nearly one color count together, also beside a word`() throws {
        func harbours(at url: URL) throws -> DataStack {
            let stack = DataStack(model: try .moody())
            try stack.addStorage(sqlite: url)
            try SwatchIndex.upkeep.run(in: stack)
            try stack.performAndWait { transaction in
                let facts = CaptureInfo(
                    taken: CivilDate(year: 2019, month: 1, day: 1), offset: nil, source: .original, width: 3,
                    height: 2)
                for (number, blues) in [["#3366cc", "#3a6ad0"], ["#3366cc"]].enumerated() {
                    let rest = 1 - Double(blues.count) * 0.12
                    try transaction.importPhoto(
                        "harbour \(number).jpg", in: "/p", number: number,
                        of: blues.map { ($0, 0.12) } + [("#808080", rest)], facts)
                }
            }
            return stack
        }
        try withStoreFile(harbours) { stack in
            for (share, count) in [(0.1, 2), (0.2, 1), (0.25, 0)] {
                for query in ["#36c", "#36c harbour", "#36c #808080"] {
                    let found = try MoodFinder(query: query, share: share, limit: 9).find(in: stack)
                    #expect(found.count == count, "\(query) \(share)")
                }
            }
        }
    }

    /// What a list leaves out a search leaves out, and finds as many as it was asked for all the same.
    @Test func `moods that are to be deleted are not found, and others stand in their place`() throws {
        let stack = try Self.stack(at: nil)
        let before = try MoodFinder(query: "#306080", limit: 40).find(in: stack)
        let gone = Array(before.prefix(20))
        try stack.performAndWait { transaction in
            for id in gone {
                try transaction.edit(Mood.self, id: id)?.setValue(Date(), forKey: "markedForDeletionDate")
            }
        }
        let all = try MoodFinder(query: "#306080").find(in: stack)
        let after = try MoodFinder(query: "#306080", limit: 40).find(in: stack)
        #expect(after.count == 40 && after == Array(all.prefix(40)))
        #expect(after.prefix(20) == before.dropFirst(20) && Set(after).isDisjoint(with: gone))
        // So does a search that leaves out some by itself.
        var finder = MoodFinder(query: "#306080", limit: 37)
        finder.excepts = Set(after.prefix(3))
        #expect(try finder.find(in: stack) == Array(after.dropFirst(3)))
    }

    @Test func `a store in memory fetches by lists of cells`() throws {
        let stack = try Self.stack(at: nil)
        try stack.reader.performAndWait { context in
            let all = try context.fetchValues(FetchRequest<Swatch>(), \.hueBin, \.mood?.row)
            let cells = Array(Set(all.map(\.0)).sorted().prefix(160))
            let some = try context.fetchValues(
                FetchRequest<Swatch>(#Predicate { cells.contains($0.hueBin) }), \.hueBin, \.mood?.row)
            #expect(some.count == all.count { cells.contains($0.0) })
            let ids = Array(Set(all.compactMap { $0.1?.id }))
            #expect(try context.objects(Mood.self, with: ids).count == ids.count)
        }
    }

    @Test func `photos like one leave it out`() throws {
        let stack = try Self.stack(at: nil)
        let ids = try stack.reader.performAndWait { try $0.fetchObjectIDs(FetchRequest<Mood>()) }
        let own = try #require(ids.dropFirst(4).first)
        var palette: Palette?
        try MoodList.forEach(of: [own], in: stack) { palette = $0.first?.palette }
        var finder = MoodFinder(query: "", likes: [try #require(palette)], limit: 10)
        let withOwn = try finder.find(in: stack)
        finder.excepts = [own]
        let others = try finder.find(in: stack)
        #expect(withOwn.first == own && !others.contains(own))
        #expect(others.prefix(9) == withOwn.dropFirst().prefix(9))
    }

    @Test func `a search that fails names what no photo has, not what none may have`() throws {
        let stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
        try SwatchIndex.upkeep.run(in: stack)
        let facts = CaptureInfo(
            taken: CivilDate(year: 2020, month: 1, day: 1), offset: nil, source: .original, width: 3,
            height: 2)
        try stack.performAndWait { transaction in
            try transaction.importPhoto("a.jpg", in: "/p", number: 1, of: [("#0000ff", 1)], facts)
        }
        for (query, failing) in [
            ("not blue qqq", "qqq"), ("qqq not blue", "qqq"), ("blue qqq", "qqq"), ("-blue", nil),
        ] {
            let finder = MoodFinder(query: query)
            let found = try finder.find(in: stack), told = try finder.failing(in: stack)
            #expect(found.isEmpty && told == failing, "\(query)")
        }
    }

    @Test func `words that are no colors are told, with what they may be`() {
        let texts = MoodFinder(query: "teal purpel harbour 2019-06").texts
        #expect(texts.map(\.text) == ["purpel", "harbour"])
        #expect(texts.map(\.suggestion) == ["purple", nil])
    }

    /// CIEDE2000 takes some grays for near to strong colors of the opposite hue; an index that goes by boxes
    /// must not miss one.
    @Test func `strong colors find grays by the index as by a look at all`() throws {
        try withStoreFile(Self.stack) { stack in
            var checked = 0
            for color in [
                "#ff00ff", "#e02a78", "#d95970", "#0000ff", "#2020e0", "#6e7d7f", "#8b9593", "#777",
            ] {
                for within in [10.0, 20, 30, 60] {
                    var finder = MoodFinder(query: color, within: within)
                    let all = try finder.find(in: stack)
                    finder.limit = 5_000
                    let found = try finder.find(in: stack)
                    #expect(found == all, "\(color) within \(within): \(found.count) of \(all.count)")
                    checked += found.count
                }
            }
            #expect(checked > 1_000, "\(checked)")
        }
    }

    @Test func `what is farther away is the nearest of the rest, by the index as by a look at all`() throws {
        try withStoreFile(Self.stack) { stack in
            let (ids, moods) = try SearchMood.all(of: MoodList().request, in: stack)
            var some = 0
            for color in ["#ff00ff", "#e02a78", "#00ff00", "#ffff00", "terracotta", "#0000ff #ff0000"] {
                for within in [1.0, 3, 5, 10] {
                    let finder = MoodFinder(query: color, within: within, limit: 50)
                    let near = try finder.find(in: stack)
                    let farther = try finder.findFarther(than: near, in: stack)
                    let test = SearchTwinTests.Case(query: color, within: within, share: 0, like: nil)
                    let found = SearchTwinTests.found(test, in: moods)
                    let wanted = SearchTwinTests.farther(test, found, in: moods).map { ids[$0] }
                    #expect(farther == wanted, "\(color) within \(within)")
                    #expect(farther.count <= 12 && Set(farther).isDisjoint(with: near))
                    some += farther.count
                    var fewer = finder
                    for limit in near.count...near.count + 3 where limit < 50 {
                        fewer.limit = limit
                        let some = try fewer.findFarther(than: near, in: stack)
                        #expect(some == Array(wanted.prefix(limit - near.count)), "\(color), \(limit)")
                    }
                }
            }
            #expect(some > 50, "\(some)")
        }
    }

    @Test func `a country is found, in any part of a search`() throws {
        let stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
        try SwatchIndex.upkeep.run(in: stack)
        try stack.performAndWait { transaction in
            for (number, latitude) in [52.5, 48.85].enumerated() {
                var facts = CaptureInfo(
                    taken: CivilDate(year: 2020, month: 1, day: 1), offset: nil, source: .original, width: 3,
                    height: 2)
                (facts.latitude, facts.longitude) = (latitude, number == 0 ? 13.4 : 2.35)
                try transaction.importPhoto(
                    "\(number).jpg", in: "/p", number: number, of: [("#008080", 1)], facts)
            }
        }
        for limit in [nil, 10] {
            let found = try ["germany", "france", "teal germ", "germany not teal", "spain"].map {
                try MoodFinder(query: $0, limit: limit).find(in: stack).count
            }
            #expect(found == [1, 1, 1, 0, 0])
        }
    }
}
