import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

/// The page of a store and `moody find` in that store: the same photos in the same order, the farther ones
/// and those of the same worth included.
@Suite struct PageTwinTests {
    private static let node = ["/usr/bin/node", "/usr/bin/nodejs", "/usr/local/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private static let queries = [
        "teal", "green", "red", "grey", "white", "black", "blue", "dark red", "pastel", "muted", "vivid",
        "#ff00ff", "#e02a78", "#0000ff", "#00ff00", "#ffff00", "#6e7d7f", "#8b9593", "#808080", "#101010",
        "terracotta", "ocean blue", "hotpink", "36c", "rgb(200 40 30)", "teal or navy", "not green",
        "blue -grey",
        "teal blue", "black and white", "harbour", "night", "june", "2019-06", "2020", "canon", "canon blue",
        "#123456 #654321", "ivy", "ΟΔΟΣ", "strasse",
    ]

    /// A thousand moods: every third has its day from its file alone, and many are worth as much as others.
    private static func stack(at url: URL) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: url)
        try SwatchIndex.upkeep.run(in: stack)
        try stack.performAndWait { transaction in
            for (index, row) in SearchTwinTests.rows.enumerated() {
                let facts = CaptureInfo(
                    taken: CivilDate(
                        year: 2019 + index % 3, month: index % 12 + 1, day: index % 28 + 1,
                        second: index % 7),
                    offset: nil, source: index % 3 == 0 ? .fileTime : .original, width: 3, height: 2,
                    camera: row.texts[1].isEmpty ? nil : row.texts[1])
                let swatches = index % 5 == 0 ? [(hex: "#2f6f70", share: 1.0)] : row.swatches
                // Names with what no file may be called are left to SearchTwinTests.
                let name = row.texts[0].split(separator: "/").joined(separator: "_")
                try transaction.importPhoto(name, in: "/p", number: index, of: swatches, facts)
            }
        }
        return stack
    }

    @Test(.enabled(if: node != nil, "no node here"))
    func `a page finds what the command finds in the same store, in the same order`() throws {
        try withStoreFile(Self.stack) { stack in
            var rows: [MoodRow] = []
            try MoodList().forEachRow(in: stack, PagePrivacy()) { rows += $0.map(\.0) }
            let sorted = Section.sorted(rows)
            #expect(sorted.count == 1_000)
            var found = 0, farther = 0
            let cases = try (Self.queries.map { ($0, 10.0) } + Self.queries.map { ($0, 2) }).map {
                query, within in
                let finder = MoodFinder(query: query, within: within, limit: 10_000)
                let near = try finder.find(in: stack), far = try finder.findFarther(than: near, in: stack)
                found += near.count
                farther += far.count
                return JSON.array([
                    .string(query), .real(within), .array(near.map { .number($0.key) }),
                    .array(far.map { .number($0.key) }),
                ])
            }
            #expect(found > 3_000 && farther > 30, "\(found), \(farther)")
            let exam = FileManager.default.temporaryDirectory.appendingPathComponent(
                "page-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: exam) }
            var text = "{\"cases\":\(JSON.array(cases).text),\"data\":"
            PageData.write(sorted, .beside) { text += $0.text }
            try Data((text + "}").utf8).write(to: exam)
            #expect(try Self.run(exam) == "\(2 * Self.queries.count) queries\n")
        }
    }

    private static func run(_ exam: URL) throws -> String {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(node))
        process.arguments = [
            "-e", String(decoding: GalleryPage.searchScript, as: UTF8.self) + examiner, exam.path,
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    /// A search by words alone stands in the page's order, which is that of the days.
    private static let examiner = """
        ;{
        const {cases, data} = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
        learn(data.words);
        const all = collect(gather(data.rows.map(row => row[5]), 4),
            mood => [data.rows[mood][4], data.rows[mood][7]],
          mood => data.rows[mood][11] === data.undated ? '' : data.rows[mood][2]);
        const ids = list => list.map(mood => data.rows[mood][0]);
        for (const [query, within, near, far] of cases) {
          const terms = parse(query), settings = {within, share: 0}, found = find(terms, all, settings);
          for (const term of terms.filter(term => term.isColor && !term.not)) {
            const bare = found.find(mood => colorWorth(term, all, mood, settings) > 0
              && !hitsOf([term], all, mood, settings).size);
            if (bare !== undefined) console.log(`${query}: ${ids([bare])} shows nothing of it`);
          }
          const mine = [ids(found), ids(findFarther(terms, all, settings, found))];
          [near, far].forEach((wanted, at) => {
            if (mine[at].join() === wanted.join()) return;
            const differs = mine[at].findIndex((id, place) => id !== wanted[place]);
            console.log(`${query}: ${mine[at].length}, not ${wanted.length}; \
            at ${differs} ${mine[at][differs]}, not \
        ${wanted[differs]}`);
          });
        }
        console.log(`${cases.length} queries`);
        }
        """
}
