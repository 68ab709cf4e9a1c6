import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

/// The index gives what a look at all gives: over a store of 1,200 moods of many colours.
@Suite struct MoodFinderTests {
    private static func stack() throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
        try SwatchIndex.rebuild(in: stack)
        let rows = SearchTwinTests.rows
        try stack.performAndWait { transaction in
            for (index, row) in rows.enumerated() {
                let entries = row.swatches.map { Palette.Entry(color: RGB(hex: $0.hex)!, share: $0.share) }
                let facts = PhotoFacts(
                    taken: CivilDate(
                        year: 2019, month: index % 12 + 1, day: index % 28 + 1, second: index % 60),
                    offset: nil, source: .original, width: 3, height: 2)
                let mood = MoodSource(
                    palette: Palette(entries: entries), request: PaletteRequest(PaletteOptions()),
                    facts: facts,
                    thumbnail: Data(), preview: nil)
                let name = "\(index).jpg"
                let source = PhotoSource(
                    place: PhotoPlace(folder: Data("/p".utf8), name: Data(name.utf8), path: "/p/" + name),
                    file: PhotoFile(size: 1, mtimeNs: 1, inode: 1), contentHash: nil, seen: Date(),
                    result: .kept(mood))
                _ = try transaction.importUniqueObject(Photo.self, from: source)
            }
        }
        return stack
    }

    @Test func `what the index finds is what a look at all finds, at any limit`() throws {
        let stack = try Self.stack()
        var checked = 0
        for color in [
            "#808080", "#36c", "#000", "#fff", "#3f7f9f", "#306080", "#123456", "#4e6f85", "rgb(200 40 30)",
        ] {
            for within in [2.0, 10] {
                let all = try MoodFinder(query: color, within: within).find(in: stack)
                for limit in [1, 50, 5_000] {
                    let found = try MoodFinder(query: color, within: within, limit: limit).find(in: stack)
                    let isSame = found == Array(all.prefix(limit))
                    if !isSame, let lost = Array(all.prefix(limit)).first(where: { !found.contains($0) }) {
                        try stack.reader.performAndWait { context in
                            let mood = try context.objects(Mood.self, with: [lost])[0]
                            print(
                                "LOST", color, within, lost, mood.day, mood.date, mood.colors.map(\.hex),
                                mood.shares, mood.swatches.map { ($0.hueBin, $0.share, $0.l) })
                        }
                    }
                    #expect(
                        isSame,
                        "\(color) within \(within), \(limit): \(found.count) of \(min(limit, all.count)), missing \(Set(all.prefix(limit)).subtracting(found).count)"
                    )
                    checked += found.count
                }
            }
        }
        #expect(checked > 1_000)
    }

    @Test func `photos like one leave it out`() throws {
        let stack = try Self.stack()
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
