import Foundation
import MoodyModel
import Palettes
import Testing

@testable import MoodyGallery

/// The files that the page saves of a palette: the same bytes as the command writes, in every format that
/// both know, over hundreds of palettes with odd names.
@Suite struct SwatchTwinTests {
    private static let node = ["/usr/bin/node", "/usr/bin/nodejs", "/usr/local/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private static let formats: [SwatchFormat] = [.ase, .aco, .svg]

    private static let templates = ["css", "gpl", "scss", "tailwind", "tokens"]

    private static func palettes() -> [NamedPalette] {
        var random = SearchTwinTests.Generator(state: 77)
        let names =
            SearchTwinTests.Odd.all.names + [
                "", ".", ".jpg", "a*b*/c.jpg", "--x--.png", "12.jpg",
                String(repeating: "ä", count: 300) + ".jpg",
                String(repeating: "🌊", count: 140) + ".jpg", String(repeating: "x", count: 254) + "🌊.jpg",
                "\u{202e}gpj.exe", "line\nbreak.jpg", "\u{fffe}.jpg", "a.b.c.jpeg",
                "O'Brien & \"Söhne\" <1>.tif", String(repeating: "y", count: 90),
                String(repeating: "z", count: 91),
            ]
        return (0..<300).map { number in
            let count = number % 20 == 0 ? 17 + number / 20 : Int(random.next() % 9)
            let weights = (0..<count).map { _ in Double(1 + random.next() % (number % 3 == 0 ? 100_000 : 50))
            }
            let sum = weights.reduce(0, +)
            let entries = weights.map { weight in
                let any = { UInt8(truncatingIfNeeded: random.next()) }
                return Palette.Entry(
                    color: RGB(red: any(), green: any(), blue: any()),
                    share: (weight / sum * 1e6).rounded() / 1e6,
                    displayP3: number % 4 == 0 ? DisplayP3(red: any(), green: any(), blue: any()) : nil)
            }
            return NamedPalette(name: names[number % names.count], palette: Palette(entries: entries))
        }
    }

    @Test(.enabled(if: node != nil, "no node here"))
    func `the page saves the bytes that the command writes`() throws {
        let palettes = Self.palettes()
        let exam = JSON.array(
            try palettes.map { palette in
                let colors = palette.palette.entries.map {
                    JSON.object([
                        ("hex", .string($0.color.hex)), ("share", .real($0.share)),
                        ("name", .string($0.color.name)),
                        ("p3", $0.displayP3.map { .string($0.css) } ?? .null),
                    ])
                }
                var files = Self.formats.map { ($0.rawValue, $0.bytes(of: [palette])) }
                var lists = HexLists()
                files.append(("hex", Array(lists.next(palette.palette).utf8)))
                for format in Self.templates {
                    files.append((format, Array(try TemplateSwatchTests.text(format, [palette]).utf8)))
                }
                return .object([
                    ("name", .string(palette.name)), ("swatches", .array(colors)),
                    (
                        "files",
                        .object(files.map { ($0, .string(Data($1).base64EncodedString())) })
                    ),
                ])
            })
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "swatches-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(exam.text.utf8).write(to: file)
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(Self.node))
        process.arguments = [
            "-e", String(decoding: GalleryPage.searchScript, as: UTF8.self) + Self.examiner, file.path,
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(
            text == "\(palettes.count * (Self.formats.count + Self.templates.count + 1)) files\n",
            "\(text.prefix(2_000))")
    }

    private static let examiner = """
        ;{
        let count = 0;
        const cases = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
        for (const {name, swatches, files: wanted} of cases) {
          for (const [kind, base64] of Object.entries(wanted)) {
            const mine = Buffer.from(fileOf({name, swatches}, kind)), its = Buffer.from(base64, 'base64');
            count++;
            if (mine.equals(its)) continue;
            const at = mine.findIndex((byte, place) => byte !== its[place]);
            console.log(`${kind} of ${JSON.stringify(name)} at ${at}: \
            ${mine.subarray(at - 20, at + 40)} is not \
        ${its.subarray(at - 20, at + 40)}`);
          }
        }
        console.log(`${count} files`);
        }
        """
}
