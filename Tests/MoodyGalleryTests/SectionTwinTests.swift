import Foundation
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

/// The sections, their colors and the color bar of a live page: what an exported page of the same rows has.
@Suite struct SectionTwinTests {
    private static let node = ["/usr/bin/node", "/usr/bin/nodejs", "/usr/local/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Photos of `months` months, on average as many a month: by months, seasons, years, decades, or all
    /// together; some of them known by their files alone, some of no day.
    private static func rows(months: Int, each: Double, seed: UInt64) -> [MoodRow] {
        var random = SearchTwinTests.Generator(state: seed)
        func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let colors = (0..<60).map { _ in (0..<3).map { _ in UInt8(below(256)) } }
        // Grays and what is nearly black are as many.
        let grays = (0..<20).map { UInt8($0 * 13) }.map { [$0, $0, $0 | 1] }
        let days = (0..<max(3, Int(Double(months) * each))).map { _ -> Int32 in
            let month = 12 * 2025 - below(months)
            return Int32(month / 12 * 10_000 + (month % 12 + 1) * 100 + 1 + below(28))
        }
        let rows = (days.sorted(by: >) + [0]).enumerated().map { index, day in
            let swatches = (0..<below(6)).map { _ in
                let color = below(2) == 0 ? colors[below(60)] : grays[below(20)]
                return MoodRow.Swatch(
                    red: color[0], green: color[1], blue: color[2], share: Double(below(1_000)) / 1_000)
            }
            var row = MoodRow(
                id: Int64(index), name: "a.jpg", path: "", day: day, width: 3, height: 2, swatches: swatches,
                thumbnail: [])
            row.isDated = below(9) > 0
            return row
        }
        return Section.sorted(rows)
    }

    @Test(.enabled(if: node != nil, "no node here"))
    func `a live page has the sections and colors of an exported page`() throws {
        let shapes: [(months: Int, each: Double)] = [
            (1, 9), (24, 9), (24, 3), (60, 0.9), (240, 0.2), (900, 0.1), (1_200, 0.01), (2, 1),
        ]
        var exams: [String] = [], spans = Set<String>()
        // In another order, of which no month begins twice.
        let odd = [20_110_601, 20_040_101, 20_110_101].map { MoodRow.sample(day: $0) }
        let all = shapes.enumerated().map { number, shape in
            Self.rows(months: shape.months, each: shape.each, seed: UInt64(number))
        }
        for rows in all + [odd] {
            spans.formUnion(Section.all(of: rows).map { $0.title.replacing(/[0-9]+/, with: "n") })
            var data = ""
            PageData.write(rows, .beside) { data += $0.text }
            let bar = ColorBar(of: rows).entries.map { JSON.array([.string($0.word), .string($0.hex)]) }
            exams.append("{\"data\":\(data),\"bar\":\(JSON.array(bar).text)}")
        }
        // Months, seasons inside of a year and over its end, years, decades, and all together.
        for title in ["June n", "June to August n", "December n to February n", "n", "n to n", "Undated"] {
            #expect(spans.contains(title), "\(title)")
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "parts-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("[\(exams.joined(separator: ","))]".utf8).write(to: file)
        let process = Process(), output = Pipe()
        process.executableURL = URL(filePath: try #require(Self.node))
        let scripts = [
            GalleryPage.searchScript, EmbeddedFile.bytes("sections.js"), Array(Self.examiner.utf8),
        ]
        process.arguments = ["-e", String(decoding: scripts.flatMap(\.self), as: UTF8.self), file.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "\(shapes.count + 1) pages\n", "\(text.prefix(2_000))")
    }

    /// What sections.js takes from the page around it, and the comparison.
    private static let examiner = """
        ;
        var swatches, nameAt, photos, data;
        const exams = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
        exams.forEach((exam, number) => {
          data = exam.data;
          learn(data.words);
          const {rows} = data, say = (what, mine, its) => {
            if (JSON.stringify(mine) !== JSON.stringify(its)) {
              console.log(`page ${number}: ${what} ${JSON.stringify(mine)} is not ${JSON.stringify(its)}`);
            }
          };
          swatches = gather(rows.map(row => row[5]), 4);
          readColors(swatches);
          nameAt = rows.flatMap(row => row[5].filter((_, at) => at % 4 === 2));
          photos = rows;
          const parts = sectionsByDate(rows.map(row => row[11] === data.undated ? '' : row[2]));
          say('titles', parts.map(({title, hasYears}) => [title, hasYears ? 1 : 0]),
            data.sections.map(([title, , hasYears]) => [title, hasYears]));
          say('places', parts.flatMap(({begin, end}, at) => Array(end - begin).fill(at)),
            rows.map(row => row[11]));
          parts.forEach(({title, begin, end}, at) => say(title,
            monthPalette(begin, end).map(([hex, share, name]) => [hex, Math.round(share * 1e4) / 1e4, name]),
            data.sections[at]?.[1]));
          say('bar', barWords.flatMap(barOf), exam.bar);
        });
        console.log(`${exams.length} pages`);
        """
}
