import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

/// Searches in packed colors: what a look at all moods finds, whatever has happened to the store since its
/// pages were made.
@Suite struct PageSearchTests {
    private typealias Generator = SearchTwinTests.Generator

    private static let facts = CaptureInfo(
        taken: CivilDate(year: 2020, month: 2, day: 2), offset: nil, source: .original, width: 3, height: 2)
    private static let queries = [
        "teal", "muted", "dark", "grey", "black", "dark teal", "#36c", "ocean blue", "teal orange",
        "red blue green", "#808080 brown", "neon", "pastel pink", "white black",
    ]

    private static func palette(_ random: inout Generator) -> [(hex: String, share: Double)] {
        let grays = random.next() % 3 == 0
        let weights = (0..<random.next() % 7).map { _ in Double(1 + random.next() % 1_000) }
        let sum = weights.reduce(0, +)
        return weights.map { weight in
            let any = random.next(), red = UInt8(any & 0xFF)
            let (green, blue) = grays ? (red, red ^ 3) : (UInt8(any >> 8 & 0xFF), UInt8(any >> 16 & 0xFF))
            return (RGB(red: red, green: green, blue: blue).hex, weight / sum)
        }
    }

    private static func stack(at url: URL) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: url)
        return stack
    }

    private static func filled(at url: URL) throws -> DataStack {
        let stack = try stack(at: url)
        try SwatchIndex.upkeep.run(in: stack)
        var random = Generator(state: 8)
        try put(0..<1_100, into: stack, &random)
        try ColorPages.fill(in: stack, size: 256)
        return stack
    }

    private static func put(_ numbers: Range<Int>, into stack: DataStack, _ random: inout Generator) throws {
        let palettes = numbers.map { _ in palette(&random) }
        try stack.performAndWait { transaction in
            for (number, palette) in zip(numbers, palettes) {
                let name = "\(number % 9 == 0 ? "teal" : "a")\(number).jpg"
                try transaction.importPhoto(
                    name, in: "/p/\(number % 4)", number: number, of: palette, facts)
            }
        }
    }

    /// The number of searches that found something.
    private func compare(_ stack: DataStack, _ what: String) throws -> Int {
        let (ids, moods) = try SearchMood.all(of: MoodList().request, in: stack)
        var found = 0
        for (number, query) in (Self.queries + Array(repeating: "", count: 2)).enumerated() {
            for (limit, share) in [(number % 7 + 1, 0), (40, number % 3 == 0 ? 0.4 : 0)] {
                var finder = MoodFinder(query: query, share: share, limit: limit)
                if query.isEmpty {
                    let other = moods[(number * 30)...].first { $0.swatches.count > 1 }
                    finder.likes = [try #require(other).palette]
                }
                let all = finder.search.matches(in: moods).prefix(limit).map { ids[$0.index] }
                let some = try finder.find(in: stack), isSame = some == Array(all)
                #expect(isSame, "\(what), \(query) \(limit): \(some.count), not \(all.count)")
                found += all.isEmpty ? 0 : 1
            }
        }
        return found
    }

    private func pages(_ stack: DataStack) throws -> Int {
        var count = 0
        try stack.coordinator.scanPages { _ in count += 1 }
        return count
    }

    @Test func `what was changed since its page was made is found as it is`() throws {
        try withStoreFile(Self.filled) { stack in
            #expect(try pages(stack) > 8)
            #expect(try compare(stack, "new") > 25)
            var random = Generator(state: 9)
            let ids = try stack.read { try $0.fetchObjectIDs(FetchRequest<Mood>()) }
            try stack.performAndWait { transaction in
                for (at, id) in ids.enumerated() where at % 5 < 2 {
                    guard let mood = transaction.edit(Mood.self, id: id) else { continue }
                    if at % 5 == 0 { transaction.delete(mood) } else { mood.mark(forDeletion: Date()) }
                }
            }
            #expect(try compare(stack, "deleted") > 25)
            // Other colors, and others behind them: read from rows, then from pages.
            try Self.put(0..<500, into: stack, &random)
            try Self.put(1_100..<1_250, into: stack, &random)
            #expect(try compare(stack, "changed") > 25)
            let before = try pages(stack)
            try ColorPages.fill(in: stack, size: 256)
            #expect(try pages(stack) > before)
            #expect(try compare(stack, "packed") > 25)
            try SwatchIndex.upkeep.run(in: stack)
            #expect(try pages(stack) < before / 4)
            #expect(try compare(stack, "anew") > 25)
        }
    }

    @Test func `two processes pack one store, and neither packs what the other has`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString).moody")
        defer { try? FileManager.default.removeItem(at: url) }
        let (one, other) = (try Self.filled(at: url), try Self.stack(at: url))
        var random = Generator(state: 10)
        for round in 0..<4 {
            try Self.put(2_000 + round * 300..<2_150 + round * 300, into: one, &random)
            try Self.put(2_150 + round * 300..<2_300 + round * 300, into: other, &random)
            try ColorPages.fill(in: round % 2 == 0 ? one : other, size: 200)
            try ColorPages.fill(in: round % 2 == 0 ? other : one, size: 90)
        }
        var swatches = 0
        try ColorPages.forEach(in: other) { page in
            swatches += page.numbers.dropFirst(2).count { $0 & ColorPage.isMood == 0 }
        }
        #expect(try other.read { try $0.fetchCount(FetchRequest<Swatch>()) } == swatches)
        #expect(try !one.coordinator.addPage(Data(), upTo: 1 << 40, after: 3))
        #expect(try compare(one, "one") > 25)
        #expect(try compare(other, "other") > 25)
        try one.close()
        try other.close()
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
