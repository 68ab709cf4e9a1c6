import Foundation
import Palettes
import Testing

import MoodyModel
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

    struct Case { let query: String, within: Double, share: Double, like: Int? }
    static let cases =
        queries.map { Case(query: $0, within: 10, share: 0, like: nil) }
        + ["#36c", "teal", "rust", "dark red"].flatMap { query in
            [3.0, 20, 35].map { Case(query: query, within: $0, share: 0.1, like: nil) }
        }
        + [0, 17, 400, 999].map { Case(query: "", within: 10, share: 0, like: $0) }

    struct Row {
        let swatches: [(hex: String, share: Double)], texts: [String], day: Int32

        var mood: SearchMood {
            SearchMood(
                swatches: swatches.map { SearchSwatch(RGB(hex: $0.hex)!, share: $0.share) }, texts: texts,
                day: day)
        }
    }

    /// A thousand moods: colours near the ones that are asked for, greys, and any; names of every kind.
    static let rows: [Row] = {
        var random = Generator(state: 1_000)
        let names = [
            "Harbour", "DarkIvy", "IMG_0012", "red door", "redwood", "Ångström_3", "夜の東京", "HTMLPage",
            "Straße", "blue",
            "Ελλάδα", "e\u{301}te\u{301}", "x-ray.v2", "ﬁne",
        ]
        return (0..<1_000).map { index in
            let count = Int(random.next() % 7)
            let weights = (0..<count).map { _ in Double(1 + random.next() % 1000) },
                sum = weights.reduce(0, +)
            let swatches = weights.map { weight in
                let any = UInt32(truncatingIfNeeded: random.next() & 0xFF_FFFF), near = random.next() % 3
                let grey = any & 0xFF
                let code =
                    near == 0
                    ? any : near == 1 ? grey << 16 | grey << 8 | (grey ^ 3) : (any & 0x1F_1F1F) &+ 0x30_6080
                let hex = String(code & 0xFF_FFFF, radix: 16)
                return ("#" + String(repeating: "0", count: 6 - hex.count) + hex, rounded(weight / sum, 1e6))
            }
            let name = names[Int(random.next() % UInt64(names.count))]
            return Row(
                swatches: swatches, texts: ["\(name) \(index).jpg", index % 3 == 0 ? "Canon EOS 5D" : ""],
                day: index % 9 == 0 ? 0 : 20_190_000 + Int32(index % 12 + 1) * 100 + Int32(index % 28 + 1))
        }
    }()

    static func found(_ test: Case, in moods: [SearchMood]) -> [Int] {
        var terms = SearchTerm.all(in: test.query)
        if let like = test.like { terms.append(SearchTerm(like: moods[like].swatches)) }
        return MoodSearch(terms: terms, within: test.within, share: test.share).matches(in: moods).map(
            \.index)
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
                        .object([
                            ("query", .string(test.query)), ("within", .real(test.within)),
                            ("share", .real(test.share)),
                            ("like", test.like.map { .number(Int64($0)) } ?? .null),
                            ("found", .array(found(test, in: moods).map { .number(Int64($0)) })),
                        ])
                    })
            ),
        ])
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
        process.arguments = ["-e", script + Self.examiner, exam.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text == "\(Self.cases.count) cases\n", "\(text)")
    }

    private static let examiner = """
        ;{
        const exam = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
        learn(exam.words);
        const all = collect(gather(exam.moods.map(({swatches}) => swatches.flatMap(({hex, share}) => [hex, \
        share])), 2),
          at => exam.moods[at].texts, at => exam.moods[at].day);
        readColors(all.swatches);
        for (const {query, within, share, like, found} of exam.cases) {
          const terms = parse(query);
          if (like !== null) terms.push({text: '', like: paletteLike(all.swatches, like)});
          const mine = find(terms, all, {within, share});
          if (mine.join() !== found.join()) {
            const at = mine.findIndex((index, place) => index !== found[place]);
            console.log(`${query} ${within} ${like}: ${mine.length} of ${found.length}, at ${at}: \
            ${mine[at]}, not ${found[at]}`);
          }
        }
        console.log(`${exam.cases.length} cases`);
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
