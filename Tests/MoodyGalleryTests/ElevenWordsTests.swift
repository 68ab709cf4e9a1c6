import Foundation
import Palettes
import Testing

@testable import MoodyGallery

/// Eleven basic words against a table that was written by looking at forty photos.
@Suite struct ElevenWordsTests {
    private struct Table: Decodable {
        struct Word: Decodable { let seen: [String], perhaps: [String] }
        let photos: [String: [[Cell]]]
        let words: [String: Word]
    }

    private enum Cell: Decodable {
        case hex(String), share(Double)
        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                self = .hex(text)
            } else {
                self = .share(try value.decode(Double.self))
            }
        }
        var color: RGB? { if case .hex(let text) = self { RGB(hex: text) } else { nil } }
        var share: Double? { if case .share(let share) = self { share } else { nil } }
    }

    private static func table() throws -> (Table, names: [String], moods: [SearchMood]) {
        let url = try #require(
            Bundle.module.url(forResource: "Fixtures/eleven-words", withExtension: "json"))
        let table = try JSONDecoder().decode(Table.self, from: try Data(contentsOf: url))
        let names = table.photos.keys.sorted()
        let moods = try names.map { name in
            let palette = try #require(table.photos[name])
            return SearchMood(
                swatches: try palette.map {
                    SearchSwatch(try #require($0[0].color), share: try #require($0[1].share))
                },
                texts: [], day: 0)
        }
        return (table, names, moods)
    }

    @Test
    func `each word finds nine of ten photos that have its colour, and at most one of ten that have not`()
        throws
    {
        let (table, names, moods) = try Self.table()
        #expect(names.count == 40 && table.words.count == 11)
        for (word, wanted) in table.words.sorted(by: { $0.key < $1.key }) {
            let search = MoodSearch(terms: SearchTerm.all(in: word))
            let found = Set(search.matches(in: moods).map { names[$0.index] })
            let seen = Set(wanted.seen), right = found.intersection(seen)
            let wrong = found.subtracting(seen).subtracting(wanted.perhaps)
            #expect(seen.isSubset(of: names) && !seen.isEmpty)
            #expect(
                Double(right.count) >= 0.9 * Double(seen.count), "\(word) misses \(seen.subtracting(found))")
            #expect(Double(right.count) >= 0.9 * Double(right.count + wrong.count), "\(word) finds \(wrong)")
        }
    }

    @Test(arguments: [
        ("purple", "Canon PowerShot G11.jpg"), ("yellow", "Nikon Coolpix 775.jpg"),
        ("red", "Picture_0B_by_freespace.jpg"), ("blue", "ng-32703.jpg"),
        ("black", "Canon PowerShot S40 (2).jpg"),
    ])
    func `most of a colour comes first`(word: String, name: String) throws {
        let (_, names, moods) = try Self.table()
        #expect(
            MoodSearch(terms: SearchTerm.all(in: word)).matches(in: moods).first.map { names[$0.index] }
                == name)
    }
}
