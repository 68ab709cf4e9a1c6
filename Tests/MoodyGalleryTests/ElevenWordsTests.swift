import Foundation
import Palettes
import Testing

@testable import MoodyGallery

/// Eleven basic words against what two people saw in forty photos; Fixtures/README.md says how that came
/// about.
@Suite struct ElevenWordsTests {
    private struct Table: Decodable {
        struct Word: Decodable {
            let seen: [String], perhaps: [String]
        }
        let photos: [String: [[Cell]]]
        /// One table a reader.
        let readers: [[String: Word]]

        /// What both saw; and what one of them saw, or took for possible.
        func agreed(_ word: String) throws -> Word {
            let all = try readers.map { try #require($0[word]) }
            let seen = all.dropFirst().reduce(Set(all[0].seen)) { $0.intersection($1.seen) }
            let any = all.reduce(Set<String>()) { $0.union($1.seen).union($1.perhaps) }
            return Word(seen: seen.sorted(), perhaps: any.subtracting(seen).sorted())
        }
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

    /// How many of what was seen are found, how many are not, and how many others are found.
    private static func count(_ word: String, _ wanted: Table.Word, _ names: [String], _ moods: [SearchMood])
        -> (right: Int, missed: [String], wrong: [String])
    {
        let search = MoodSearch(terms: SearchTerm.all(in: word))
        let found = Set(search.matches(in: moods).map { names[$0.index] }), seen = Set(wanted.seen)
        return (
            found.intersection(seen).count, seen.subtracting(found).sorted(),
            found.subtracting(seen).subtracting(wanted.perhaps).sorted()
        )
    }

    @Test
    func `each word finds nine of ten photos that have its color, and at most one of ten that have not`()
        throws
    {
        let (table, names, moods) = try Self.table()
        #expect(names.count == 40 && table.readers.count == 2 && table.readers[0].count == 11)
        for word in table.readers[0].keys.sorted() {
            let wanted = try table.agreed(word)
            let (right, missed, wrong) = Self.count(word, wanted, names, moods)
            #expect(!wanted.seen.isEmpty && Set(wanted.seen).isSubset(of: names))
            #expect(Double(right) >= 0.9 * Double(wanted.seen.count), "\(word) misses \(missed)")
            // One photo of nine is more than a tenth, and no less than one.
            #expect(
                Double(right) >= 0.9 * Double(right + wrong.count) || wrong.count == 1,
                "\(word) finds \(wrong)")
        }
    }

    /// The first reader saw fewer colors than the survey's people would name: borders that were drawn by hand
    /// fitted that reader. 0.83 of what the survey's words find is what the first reader saw, 0.98 of the
    /// second's.
    @Test(arguments: [(0, 0.8), (1, 0.95)])
    func `all words together find what each reader saw`(reader: Int, precision: Double) throws {
        let (table, names, moods) = try Self.table()
        var right = 0, missed: [String] = [], wrong: [String] = []
        for (word, wanted) in table.readers[reader].sorted(by: { $0.key < $1.key }) {
            let one = Self.count(word, wanted, names, moods)
            right += one.right
            missed += one.missed.map { "\(word): \($0)" }
            wrong += one.wrong.map { "\(word): \($0)" }
        }
        #expect(Double(right) >= 0.95 * Double(right + missed.count), "missed \(missed)")
        #expect(Double(right) >= precision * Double(right + wrong.count), "found \(wrong)")
    }

    @Test(arguments: [
        ("purple", "Apple iPhone 5.jpg"), ("yellow", "Nikon Coolpix 775.jpg"),
        ("red", "Picture_0B_by_freespace.jpg"), ("blue", "ng-32703.jpg"),
        ("black", "Canon PowerShot S40 (2).jpg"),
    ])
    func `most of a color comes first`(word: String, name: String) throws {
        let (_, names, moods) = try Self.table()
        #expect(
            MoodSearch(terms: SearchTerm.all(in: word)).matches(in: moods).first.map { names[$0.index] }
                == name)
    }
}
