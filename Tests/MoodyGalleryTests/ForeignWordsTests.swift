import Foundation
import Palettes
import Testing

@testable import MoodyGallery

/// Color words against what a person saw in 131 wallpapers; Fixtures/README.md says how that came about.
@Suite struct ForeignWordsTests {
    private struct Table: Decodable {
        struct Word: Decodable {
            let seen: Set<String>, perhaps: Set<String>
        }
        struct Swatch: Decodable {
            let color: RGB, share: Double

            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                color = try #require(RGB(hex: try values.decode(String.self)))
                share = try values.decode(Double.self)
            }
        }
        let photos: [String: [Swatch]]
        let words: [String: Word]
    }

    /// Of one word.
    private struct Score {
        /// The part of what was seen that is found.
        let recall: Double
        /// Of as many of the first as were seen: the part that was, in doubt a miss, and with those left out.
        let precision: Double, sure: Double
    }

    private static func scores() throws -> [Score] {
        let url = try #require(
            Bundle.module.url(forResource: "Fixtures/foreign-words", withExtension: "json"))
        let table = try JSONDecoder().decode(Table.self, from: try Data(contentsOf: url))
        let names = table.photos.keys.sorted()
        let moods = names.map { name in
            let swatches = table.photos[name, default: []].map { SearchSwatch($0.color, share: $0.share) }
            return SearchMood(swatches: swatches, texts: [], day: 0)
        }
        return table.words.map { word, seen in
            let found = MoodSearch(terms: SearchTerm.all(in: word)).matches(in: moods).map { names[$0.index] }
            func part(_ some: some Sequence<String>) -> Double {
                Double(some.count { seen.seen.contains($0) }) / Double(seen.seen.count)
            }
            return Score(
                recall: part(found), precision: part(found.prefix(seen.seen.count)),
                sure: part(found.filter { !seen.perhaps.contains($0) }.prefix(seen.seen.count)))
        }
    }

    /// The means of docs/PAGE.md, rounded down to a hundredth.
    @Test func `words find what was seen, and it comes first`() throws {
        let scores = try Self.scores(), count = Double(scores.count)
        #expect(scores.count == 15)
        #expect(scores.reduce(0) { $0 + $1.recall } / count >= 0.94)
        #expect(scores.reduce(0) { $0 + $1.precision } / count >= 0.71)
        #expect(scores.reduce(0) { $0 + $1.sure } / count >= 0.82)
    }
}
