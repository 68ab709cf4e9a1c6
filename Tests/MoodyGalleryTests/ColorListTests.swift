import Foundation
import Palettes
import Testing

@testable import MoodyGallery

@Suite struct ColorListTests {
    private static let named = NamedPalette(
        name: "a.jpg",
        palette: Palette(entries: [
            Palette.Entry(color: RGB(red: 0x33, green: 0x66, blue: 0xCC), share: 0.75),
            Palette.Entry(color: RGB(red: 0xFF, green: 0xEE, blue: 0x00), share: 0.25),
        ]))

    private func list(_ text: String) throws -> [String] {
        try ColorList(Array(text.utf8)).entries.map { "\($0.name)=\($0.color.hex)" }
    }

    @Test func `the swatch files that moody writes are read back`() throws {
        let expected = Self.named.palette.entries.map(\.color)
        for format in [SwatchFormat.ase, .aco] {
            let read = try ColorList(format.bytes(of: [Self.named]))
            #expect(read.entries.map(\.color) == expected && read.notes.isEmpty)
            #expect(read.entries.map(\.name) == Self.named.palette.entries.map(\.color.name))
        }
        for format in ["gpl", "tokens"] {
            let text = try TemplateSwatchTests.text(format, [Self.named])
            #expect(try ColorList(Array(text.utf8)).entries.map(\.color) == expected)
        }
    }

    @Test(arguments: [
        ("name,hex\nSky,#3366cc\nSun,FFEE00\n", ["Sky=#3366cc", "Sun=#ffee00"]),
        ("\"Sky \"\"blue\"\"\";#3366cc\r\nSun;#fe0", ["Sky \"blue\"=#3366cc", "Sun=#ffee00"]),
        (
            "Floss,Description,Red,Green,Blue\n310,Black,0,0,0\n321,Red,199,43,59",
            ["310 Black=#000000", "321 Red=#c72b3b"]
        ),
        ("Name\tL\ta\tb\nWhite\t100\t0\t0\nRed\t53.23\t80.11\t67.22", ["White=#ffffff", "Red=#ff0000"]),
        ("#3366cc", ["=#3366cc"]), ("363732,53d8fb", ["=#363732", "=#53d8fb"]),
        ("{\"Sky\":\"#36c\",\"n\":3}", ["Sky=#3366cc"]),
        ("[{\"name\":\"Sky\",\"hex\":\"#3366cc\"}]", ["Sky=#3366cc"]),
        ("GIMP Palette\nName: x\nColumns: 2\n# c\n 51 102 204\tSky blue\n", ["Sky blue=#3366cc"]),
    ])
    func `tables, JSON, and GPL have names and colors`(text: String, colors: [String]) throws {
        #expect(try list(text) == colors)
        // With a mark of byte order, and in UTF-16.
        #expect(try list("\u{FEFF}" + text) == colors)
        let units = "\u{FEFF}\(text)".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(try ColorList(units).entries.count == colors.count)
    }

    @Test func `a line without a color is a note`() throws {
        let read = try ColorList(Array("name,hex\nSky,#36c\nSea,blue-ish\n".utf8))
        #expect(read.notes == ["line 3: neither a hex, nor r, g, b, nor L, a, b"])
    }

    @Test(arguments: [
        ("[{\"name\":\"Sky\",\"rgb\":[1,2,3]},{\"name\":\"Sun\",\"hex\":\"#fe0\"}]", ["[0] (Sky): no hex"]),
        ("{\"colors\":[{\"hex\":\"blue\"},{\"hex\":\"#36c\"}]}", ["colors[0]: no hex"]),
        ("{\"Sky\":\"#36c\",\"Sea\":\"#12\"}", ["Sea: #12 is no hex"]),
        (
            "{\"a\":{\"Sky\":{\"$type\":\"color\",\"$value\":{\"colorSpace\":\"oklch\"}},\"b\":\"#fff\"}}",
            ["a.Sky: no hex"]
        ),
        ("{\"name\":\"Mine\",\"colors\":[{\"name\":\"Sky\",\"hex\":\"#36c\"}]}", []),
    ])
    func `a color of JSON without a hex is a note with its place`(text: String, notes: [String]) throws {
        #expect(try ColorList(Array(text.utf8)).notes == notes)
    }

    /// Lab of ASE and ACO is of D50: ColorAide 8.13.1 has lab(50 40 20) as #b95857.
    @Test func `Lab of Adobe's files is of D50`() {
        #expect(RGB(Lab(d50: Lab(lightness: 50, a: 40, b: 20))).hex == "#b95857")
        #expect(RGB(Lab(d50: Lab(lightness: 100, a: 0, b: 0))) == .white)
    }

    @Test func `what is no list is refused, and cut files have what is whole`() throws {
        for bytes in [
            [], Array("hello\nworld\n".utf8), [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10], Array("{\"a\":1".utf8),
        ] {
            #expect(throws: ColorList.Failure.self) { try ColorList(bytes) }
        }
        #expect(throws: ColorList.Failure.noColor) { try ColorList(Array("{\"a\":1}".utf8)) }
        for format in [SwatchFormat.ase, .aco] {
            let bytes = format.bytes(of: [Self.named])
            for end in 0..<bytes.count {
                if let read = try? ColorList(Array(bytes[..<end])) { #expect(read.entries.count <= 2) }
            }
        }
    }

    /// 37 files of other programs' tests, in the folder of shared data.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MOODY_DATA"] != nil, "no MOODY_DATA"))
    func `the swatch files of other programs are read`() throws {
        let root = URL(fileURLWithPath: ProcessInfo.processInfo.environment["MOODY_DATA"] ?? "")
            .appending(path: "color-reference/swatch-files")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var read = 0
        for case let file as URL in files where ["ase", "aco"].contains(file.pathExtension) {
            do {
                let list = try ColorList(Array(try Data(contentsOf: file)))
                read += list.entries.isEmpty ? 0 : 1
            } catch ColorList.Failure.noColor {
                // Folders without colors, and CMYK alone.
            }
        }
        #expect(read > 10)
    }

    /// Beside the plainest search, over 30,000 colors.
    @Test func `the nearest name is that of a plain loop, and the first of two`() throws {
        var random = SearchTwinTests.Generator(state: 9)
        func color() -> RGB {
            RGB(
                red: UInt8(truncatingIfNeeded: random.next()),
                green: UInt8(truncatingIfNeeded: random.next()),
                blue: UInt8(truncatingIfNeeded: random.next()))
        }
        for count in [1, 30, 300] {
            let colors = (0..<count).map { _ in color() } + [color()]
            let table = (colors + colors).enumerated().map { "\($0),\($1.hex)" }.joined(separator: "\n")
            let names = NearestNames(try ColorList(Array("name,hex\n\(table)".utf8)))
            let labs = colors.map { Lab($0) }
            for _ in 0..<10_000 {
                let wanted = color()
                let lab = Lab(wanted)
                let distances = labs.map { lab.difference(to: $0) }
                let least = distances.min() ?? 0
                let found = try #require(names.match(wanted))
                #expect(found.distance == least)
                #expect(found.name == distances.firstIndex(of: least).map { String($0) })
            }
        }
    }

    /// Red outside sRGB: its Lab counts, not the color that is shown for it.
    @Test func `Lab of a file is compared as Lab`() throws {
        let text = "name,L,a,b\nFar,53.23,110,90\nRed,53.23,80.11,67.22"
        let names = NearestNames(try ColorList(Array(text.utf8)))
        let match = try #require(names.match(RGB(red: 255, green: 0, blue: 0)))
        #expect(match.name == "Red" && match.distance < 0.1)
    }

    @Test func `a template has the names of the list, as text of strangers`() throws {
        let list = try ColorList(Array("name,hex\n$(id) blue,#3366cc\n".utf8))
        var photo = TemplatePhoto(name: "a.jpg", palette: Self.named.palette)
        photo.names = NearestNames(list)
        let template = try TemplateFormat(
            Array("{{#colors}}{{name}};{{near}};{{{near}}} {{/colors}}".utf8), name: "t", ending: "conf")
        #expect(
            try template.text([photo], .dark)
                == "_(id) blue;_(id) blue;$(id) blue _(id) blue;_(id) blue;$(id) blue ")
        photo.names = nil
        #expect(try template.text([photo], .dark).hasPrefix("\(photo.palette.entries[0].color.name);; "))
    }
}
