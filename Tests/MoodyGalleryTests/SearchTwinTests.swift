import Foundation
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

/// The command's search and the page's: two programs, one answer. `scripts/browser-test` asks Chromium the
/// same.
@Suite struct SearchTwinTests {
    private static let node = ["/usr/bin/node", "/usr/bin/nodejs", "/usr/local/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private static let queries = [
        "teal", "purple", "yellow", "dark red", "pastel", "grey", "gray", "light blue", "vivid orange",
        "brown", "warm",
        "ocean blue", "terracotta", "rust", "cream", "sage", "midnight blue", "coral", "forest green", "#36c",
        "3366cc",
        "rgb(51 102 204)", "oklch(0.6 0.1 200)", "hsl(20 50% 50%)", "#808080", "#000", "#fff", "teal orange",
        "red green blue", "harbour", "blue harbour", "june", "2019-06", "2019", "img", "0012", "ivy",
        "ångström", "red",
        "canon pink", "neon", "muted purple", "cool dark", "no such thing", "", "dark grey", "white black",
        "夜", "straße", "wood", "arbour",
    ]

    /// Strong colors, and grays whose hue is opposite to theirs.
    private static let strongAndGrey = [
        "#ff00ff", "#e02a78", "#d95970", "#0000ff", "#00ff00", "#ff0000", "#ffff00", "#00ffff", "#6e7d7f",
        "#686f6e", "#8b9593", "#808080", "#7f7f80", "#cedde2",
    ]

    /// Odd queries and names, which node and Chromium read as well.
    struct Odd: Decodable {
        let queries: [String], names: [String]

        static let all: Odd = {
            let url = Bundle.module.url(forResource: "Fixtures/odd-searches", withExtension: "json")!
            return try! JSONDecoder().decode(Odd.self, from: Data(contentsOf: url))
        }()
    }

    struct Case { let query: String, within: Double, share: Double, like: Int? }
    static let cases =
        (queries + Odd.all.queries).map { Case(query: $0, within: 10, share: 0, like: nil) }
        + (["#36c", "teal", "rust", "dark red"] + strongAndGrey).flatMap { query in
            [3.0, 20, 35].map { Case(query: query, within: $0, share: $0 == 20 ? 0 : 0.1, like: nil) }
        }
        + strongAndGrey.map { Case(query: $0, within: 10, share: 0, like: nil) }
        + [0, 17, 400, 999, 5, 6, 7, 8].map { Case(query: "", within: 10, share: 0, like: $0) }
        + [17, 400].map { Case(query: "blue", within: 20, share: 0, like: $0) }

    struct Row {
        let swatches: [(hex: String, share: Double)], texts: [String], day: Int32

        var mood: SearchMood {
            SearchMood(
                swatches: swatches.map { SearchSwatch(RGB(hex: $0.hex)!, share: $0.share) }, texts: texts,
                day: day)
        }
    }

    /// A thousand moods: colors near the ones that are asked for, grays, and any; names of every kind.
    static let rows: [Row] = {
        var random = Generator(state: 1_000)
        let names =
            [
                "Harbour", "DarkIvy", "IMG_0012", "red door", "redwood", "Ångström_3", "夜の東京", "HTMLPage",
                "Straße", "blue",
                "Ελλάδα", "e\u{301}te\u{301}", "x-ray.v2", "ﬁne",
            ] + Odd.all.names
        return (0..<1_000).map { index in
            let count = Int(random.next() % 7)
            let weights = (0..<count).map { _ in Double(1 + random.next() % 1000) },
                sum = weights.reduce(0, +)
            let swatches = weights.map { weight in
                let any = UInt32(truncatingIfNeeded: random.next() & 0xFF_FFFF), near = random.next() % 4
                let grey = any & 0xFF
                let code =
                    switch near {
                    case 0: any
                    case 1: grey << 16 | grey << 8 | (grey ^ 3)
                    case 2: (any & 0x1F_1F1F) &+ 0x30_6080
                    // Grays of every hue, up to 15 from gray.
                    default: (any & 0x0F_0F0F) &+ (16 + grey * 7 / 8 & 0xF0) * 0x01_0101
                    }
                let hex = String(code & 0xFF_FFFF, radix: 16)
                return ("#" + String(repeating: "0", count: 6 - hex.count) + hex, rounded(weight / sum, 1e6))
            }
            let name = names[Int(random.next() % UInt64(names.count))]
            return Row(
                swatches: swatches, texts: ["\(name) \(index).jpg", index % 3 == 0 ? "Canon EOS 5D" : ""],
                day: index % 9 == 0 ? 0 : 20_190_000 + Int32(index % 12 + 1) * 100 + Int32(index % 28 + 1))
        }
    }()

    static func search(_ test: Case, in moods: [SearchMood]) -> MoodSearch {
        var terms = SearchTerm.all(in: test.query)
        if let like = test.like {
            terms.append(SearchTerm(like: moods[like].swatches, clause: (terms.last?.clause ?? -1) + 1))
        }
        return MoodSearch(terms: terms, within: test.within, share: test.share)
    }

    static func found(_ test: Case, in moods: [SearchMood]) -> [Int] {
        search(test, in: moods).matches(in: moods).map(\.index)
    }

    /// The next nearest, where few are near.
    static func farther(_ test: Case, _ found: [Int], in moods: [SearchMood]) -> [Int] {
        guard found.count < MoodSearch.enough, let farther = search(test, in: moods).farther else {
            return []
        }
        let known = Set(found)
        return Array(
            farther.matches(in: moods).map(\.index).filter { !known.contains($0) }.prefix(
                MoodSearch.enough - found.count))
    }

    /// A query as it was understood.
    private static func understood(_ query: String) -> JSON {
        .array(
            SearchTerm.all(in: query).map { term in
                .array([
                    .string(term.text), .string(term.typed), .bool(term.isColor), .bool(term.isNegated),
                    .number(Int64(term.clause)), .array(term.words.map { .string($0) }),
                    .bool(term.isDate),
                ])
            })
    }

    /// What the other twin needs: words, moods, cases with the answers.
    static func exam() -> JSON {
        let moods = rows.map(\.mood)
        return .object([
            ("words", SearchTable.json),
            (
                "moods",
                .array(
                    rows.map { row in
                        .object([
                            (
                                "swatches",
                                .array(
                                    row.swatches.map {
                                        .object([("hex", .string($0.hex)), ("share", .real($0.share))])
                                    })
                            ),
                            ("texts", .array(row.texts.map { .string($0) })),
                            ("day", .string(Day(row.day)?.iso ?? "")),
                        ])
                    })
            ),
            (
                "cases",
                .array(
                    cases.map { test in
                        let found = found(test, in: moods)
                        return .object([
                            ("query", .string(test.query)), ("within", .real(test.within)),
                            ("share", .real(test.share)),
                            ("like", test.like.map { .number(Int64($0)) } ?? .null),
                            ("found", .array(found.map { .number(Int64($0)) })),
                            (
                                "farther",
                                .array(farther(test, found, in: moods).map { .number(Int64($0)) })
                            ),
                        ])
                    })
            ),
            (
                "queries",
                .array((queries + Odd.all.queries).map { .array([.string($0), understood($0)]) })
            ),
            (
                "names",
                .array(
                    Odd.all.names.map { name in
                        .array([.string(name), .array(SearchText.words(name).map { .string($0) })])
                    })
            ),
            (
                "suggestions",
                .array(
                    (misspelled + noColors).map { word in
                        .array([.string(word), ColorWords.suggestion(for: word).map { .string($0) } ?? .null])
                    })
            ),
            ("percents", .array((0...10_000).map { .string(percent(Double($0) / 10_000)) })),
            ("months", .array((1...12).map { .string(Day(year: 2020, month: $0).monthName) })),
            ("colors", .array(pairs(4_000))),
        ])
    }

    /// Words for colors with a letter left out, doubled, changed, or in another place.
    private static let misspelled: [String] = {
        var random = Generator(state: 3)
        let words = (ColorWords.regions.keys.sorted() + ColorWords.modifiers.keys.sorted())
        return words.flatMap { word in
            (0..<4).map { kind in
                var letters = Array(word)
                let at = Int(random.next() % UInt64(letters.count - 1))
                switch kind {
                case 0: letters.remove(at: at)
                case 1: letters.insert(letters[at], at: at)
                case 2: letters[at] = "x"
                default: letters.swapAt(at, at + 1)
                }
                return String(letters)
            }
        }
    }()

    /// Words of names, three steps and more from any color, and some fewer.
    private static let noColors = [
        "harbour", "img", "tree", "mountain", "gallery", "landscape", "portrait", "velvet", "borealis",
        "sunset",
        "lavnedre", "trkuoise", "burgendi", "gren", "blackboard", "whitewash", "0012", "", "olives", "marine",
        "pinkish", "greenery", "bluebird", "yellowstone", "redwood", "violin", "magnets", "cyanide",
    ]

    /// Two colors, their Oklab and CIELAB, CIEDE2000 and the distance between them.
    private static func pairs(_ count: Int) -> [JSON] {
        var random = Generator(state: 8)
        return (0..<count).map { number in
            let any = { UInt8(truncatingIfNeeded: random.next()) }
            let one = RGB(red: any(), green: any(), blue: any())
            let level = any()
            let other =
                number % 3 == 0
                ? RGB(red: level, green: level ^ (any() & 7), blue: level ^ (any() & 7))
                : RGB(red: any(), green: any(), blue: any())
            let (ok, lab, second) = (Oklab(one), Lab(one), Lab(other))
            return .array(
                [.string(one.hex), .string(other.hex)]
                    + [
                        ok.lightness, ok.a, ok.b, lab.lightness, lab.a, lab.b, lab.difference(to: second),
                        lab.distance(to: second),
                    ].map { .real($0) })
        }
    }

    @Test func `words that are spelled wrongly are told what they may be`() {
        for (word, meant) in [("purpel", "purple"), ("tael", "teal"), ("mutd", "muted"), ("yelow", "yellow")]
        {
            #expect(ColorWords.suggestion(for: word) == meant)
        }
        // "ocean blue" is two words of a search.
        for word in ["img", "harbour", "0012", "夜", "oceanblue"] {
            #expect(ColorWords.suggestion(for: word) == nil, "\(word)")
        }
        // Of a letter wrong most words are found again.
        let words = ColorWords.regions.keys.sorted() + ColorWords.modifiers.keys.sorted()
        let right = zip(Self.misspelled, words.flatMap { Array(repeating: $0, count: 4) }).count {
            ColorWords.suggestion(for: $0) == $1
        }
        #expect(right > Self.misspelled.count / 2, "\(right) of \(Self.misspelled.count)")
    }

    @Test func `the cases find something, and not everything`() throws {
        let moods = Self.rows.map(\.mood)
        let counts = Self.cases.map { Self.found($0, in: moods).count }
        #expect(counts.filter { $0 > 0 && $0 < 1_000 }.count > 45)
        if let path = ProcessInfo.processInfo.environment["MOODY_SEARCH"] {
            try Data(Self.exam().text.utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    @Test(.enabled(if: node != nil, "no node here; scripts/browser-test asks Chromium the same"))
    func `the page's script finds the same photos in the same order`() throws {
        let exam = FileManager.default.temporaryDirectory.appendingPathComponent(
            "exam-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: exam) }
        try Data(Self.exam().text.utf8).write(to: exam)
        let script = String(decoding: GalleryPage.searchScript, as: UTF8.self)
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(Self.node))
        process.arguments = ["-e", script + (try Self.examine) + Self.examiner, exam.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let wanted =
            "\(Self.cases.count) cases, \((Self.queries + Odd.all.queries).count) queries, "
            + "\(Odd.all.names.count) names, "
            + "\((Self.misspelled + Self.noColors).count) suggestions, 4000 colors\n"
        #expect(text == wanted, "\(text)")
    }

    private static var examine: String {
        get throws {
            let url = try #require(Bundle.module.url(forResource: "Fixtures/examine", withExtension: "js"))
            return try String(contentsOf: url, encoding: .utf8)
        }
    }

    /// Says what differs, and how much was compared. Chromium runs the same function (scripts/browser-test).
    private static let examiner = """
        ;{
        const exam = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
        for (const line of examine(exam)) console.log(line);
        }
        """

    struct Generator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}
