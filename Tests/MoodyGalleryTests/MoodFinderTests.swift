import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

/// The index gives what a look at all gives: over a store of 1,200 moods of many colours.
@Suite struct MoodFinderTests {
    private static func stack(at url: URL?) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        if let url { try stack.addStorage(sqlite: url) } else { try stack.addInMemoryStorage() }
        try SwatchIndex.rebuild(in: stack)
        let rows = SearchTwinTests.rows
        try stack.performAndWait { transaction in
            for (index, row) in rows.enumerated() {
                let facts = PhotoFacts(
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
        var finder = MoodFinder(query: "", like: palette, limit: 10)
        let withOwn = try finder.find(in: stack)
        finder.except = own
        let others = try finder.find(in: stack)
        #expect(withOwn.first == own && !others.contains(own))
        #expect(others.prefix(9) == withOwn.dropFirst().prefix(9))
    }

    @Test func `words that are no colours are told`() {
        #expect(MoodFinder(query: "teal purpel harbour").texts == ["purpel", "harbour"])
    }
}
