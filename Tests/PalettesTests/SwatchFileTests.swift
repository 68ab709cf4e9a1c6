import Foundation
import Testing

@testable import Palettes

@Suite struct SwatchFileTests {
    private static func palette(_ colors: [(String, Double)]) -> Palette {
        Palette(entries: colors.map { Palette.Entry(color: RGB(hex: $0.0)!, share: $0.1) })
    }

    private let red = NamedPalette(name: "one.jpg", palette: SwatchFileTests.palette([("#ff0000", 1)]))
    private let two = [
        NamedPalette(
            name: "Harbour 1.jpg", palette: SwatchFileTests.palette([("#1f4e78", 0.75), ("#e8a33c", 0.25)])),
        NamedPalette(
            name: "harbour-1.png", palette: SwatchFileTests.palette([("#102030", 0.99), ("#ffffff", 0.01)])),
    ]
    private static let hostile = [
        "*/ } :root { --x: url(evil) } /*.jpg", "</title><script>alert(1)</script>.jpg", "a\nb\r\n#c\td.jpg",
        "\u{202E}gpj.exe", "\"quote' \\.jpg", "$ref {x.y}.jpg", String(repeating: "ü", count: 900),
        "夜の東京.jpg", "", "🎨.jpg",
    ].map { NamedPalette(name: $0, palette: palette([("#336699", 0.5), ("#ffffff", 0.5)])) }

    private static func text(_ format: SwatchFormat, _ palettes: [NamedPalette]) -> String {
        String(decoding: format.bytes(of: palettes), as: UTF8.self)
    }

    /// The layout of ase-util's one-color.ase, with a group around it.
    @Test func `an ASE is a group of RGB colors`() {
        let bytes = SwatchFormat.ase.bytes(of: [red])
        let expected: [UInt8] =
            Array("ASEF".utf8) + [0, 1, 0, 0, 0, 0, 0, 3] + [0xC0, 1, 0, 0, 0, 18, 0, 8]
            + "one.jpg".utf16.flatMap { [0, UInt8($0)] } + [0, 0]
            + [0, 1, 0, 0, 0, 28, 0, 4] + "red".utf16.flatMap { [0, UInt8($0)] } + [0, 0] + Array("RGB ".utf8)
            + [0x3F, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2] + [0xC0, 2, 0, 0, 0, 0]
        #expect(bytes == expected)
    }

    /// A name may have 255 UTF-16 units; the emoji has two, of which one would fit.
    @Test(arguments: [SwatchFormat.ase, .aco])
    func `a long name is cut before an emoji that does not fit whole`(format: SwatchFormat) {
        let name = String(repeating: "a", count: 254) + "\u{1F3A8}b"
        var palettes = [NamedPalette(name: name, palette: Self.palette([("#336699", 1)]))]
        if format == .aco { palettes.append(palettes[0]) }
        let bytes = format.bytes(of: palettes)
        let letters = Array(repeating: [0, 0x61] as [UInt8], count: 254).flatMap { $0 }
        let units: [UInt8] = [0, 255] + letters + [0, 0]
        #expect(bytes.count > units.count)
        let isThere = bytes.indices.contains { bytes[$0...].starts(with: units) }
        #expect(isThere)
        #expect(!bytes.indices.dropLast().contains { bytes[$0] == 0xD8 && bytes[$0 + 1] == 0x3C })
    }

    @Test func `an ACO has a section of each version`() {
        let bytes = SwatchFormat.aco.bytes(of: [red])
        let color: [UInt8] = [0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0]
        #expect(
            bytes == [0, 1, 0, 1] + color + [0, 2, 0, 1] + color + [0, 0, 0, 4] + [
                0, 0x72, 0, 0x65, 0, 0x64, 0, 0,
            ])
    }

    @Test func `a GPL is what GIMP's loader takes`() {
        let lines = Self.text(.gpl, two).split(separator: "\n")
        #expect(lines[0] == "GIMP Palette" && lines[1].hasPrefix("Name: ") && lines[2] == "Columns: 2")
        #expect(lines.contains(" 31  78 120\t\(RGB(hex: "#1f4e78")!.name)"))
        #expect(lines.filter { $0.hasPrefix("#") } == ["# Harbour 1.jpg", "# harbour-1.png"])
    }

    @Test(arguments: [(1, 1), (16, 16), (17, 17), (32, 32), (33, 32)])
    func `a GPL has as many columns as colors, up to 32`(count: Int, columns: Int) {
        let colors = (0..<count).map { ("#0000" + String(16 + $0, radix: 16), 1 / Double(count)) }
        let text = Self.text(.gpl, [NamedPalette(name: "a", palette: Self.palette(colors)), red])
        #expect(text.split(separator: "\n").contains { $0 == "Columns: \(columns)" })
    }

    /// Unicode 16, 9.1: all characters that change the direction of a line, and those that end one.
    @Test func `no name turns a line round or ends it, in any format of lines`() {
        let marks =
            Array(0x202A...0x202E) + Array(0x2066...0x2069) + [
                0x200E, 0x200F, 0x061C, 0x2028, 0x2029, 0x85, 0x0A, 0x0D,
            ]
        for mark in marks.compactMap({ Unicode.Scalar(UInt32($0)) }) {
            let palette = NamedPalette(name: "a\(Character(mark))b", palette: red.palette)
            for format in [SwatchFormat.gpl, .scss, .tailwind, .svg] {
                let lines = Self.text(format, [palette]),
                    plain = Self.text(format, [NamedPalette(name: "a b", palette: red.palette)])
                #expect(lines == plain, "U+\(String(mark.value, radix: 16)) in \(format)")
            }
        }
    }

    /// XML 1.0, 2.2: neither is a character, and no reference to one is allowed either.
    @Test(arguments: ["\u{FFFE}", "\u{FFFF}"])
    func `a name in an SVG has only characters of XML`(character: String) {
        let text = Self.text(.svg, [NamedPalette(name: "a\(character)b", palette: red.palette)])
        #expect(text.contains("<title>a\u{FFFD}b</title>"))
    }

    /// PNG 1.2, 4.1.1: the height stands at byte 20.
    @Test(arguments: [(1, 96), (101, 101 * 96), (200, 200 * 96), (201, 201 * 8)])
    func `up to 200 palettes have a strip each, more have a line each`(count: Int, height: Int) {
        let png = SwatchFormat.png.bytes(of: Array(repeating: red, count: count))
        #expect(png[20..<24].reduce(0) { $0 << 8 | Int($1) } == height)
    }

    /// The photo is above, the palette below, and below that nothing.
    @Test(arguments: ShareCard.Shape.allCases) func `a card of many colors keeps its margin`(
        shape: ShareCard.Shape
    ) {
        let colors = (0..<32).map { ("#0000" + String(200 + $0, radix: 16), 1 / 32.0) }
        let card = ShareCard(Self.palette(colors), aspect: 1.5, shape: shape)
        let photo = ShareCard.Pixels(width: 1, height: 1, rgb: [90, 90, 90])
        let drawn = card.drawn(with: photo), row = drawn.width * 3
        func isWhite(_ y: Int) -> Bool { drawn.rgb[y * row..<(y + 1) * row].allSatisfy { $0 == 255 } }
        #expect((drawn.height - 40..<drawn.height).allSatisfy(isWhite) && (0..<40).allSatisfy(isWhite))
        // Three rows of hexes, whose tops are `ShareCard.row` apart.
        let starts = (1..<drawn.height).filter { isWhite($0 - 1) && !isWhite($0) }
        #expect(starts.count == 4, "the photo with its strip, and three rows: \(starts)")
    }

    @Test func `identifiers are made of names, each once`() {
        var identifiers = SwatchIdentifiers()
        let made = ["Harbour 1.jpg", "harbour-1.png", "1.jpg", "", "$x.{y}.z", "夜.jpg", ".hidden"].map {
            identifiers.identifier(for: $0)
        }
        #expect(made == ["harbour-1", "harbour-1-2", "photo-1", "photo", "x-y", "photo-2", "hidden"])
    }

    @Test func `long names are cut, in identifiers and in pictures`() {
        var identifiers = SwatchIdentifiers()
        let made = [48, 49, 300].map {
            identifiers.identifier(for: String(repeating: "n", count: $0) + ".jpg")
        }
        let stem = String(repeating: "n", count: 48)
        #expect(made == [stem, stem + "-2", stem + "-3"])
        for (count, shown) in [
            (90, String(repeating: "é", count: 90)), (91, String(repeating: "é", count: 89) + "…"),
        ] {
            let named = NamedPalette(name: String(repeating: "é", count: count), palette: red.palette)
            #expect(Self.text(.svg, [named]).contains(">\(shown)</text>"))
        }
    }

    @Test func `style sheets have a variable a color`() {
        let scss = Self.text(.scss, two), tailwind = Self.text(.tailwind, two)
        #expect(scss.contains("$harbour-1-1: #1f4e78;") && scss.contains("$harbour-1-2-1: #102030;"))
        #expect(scss.contains("$harbour-1-palette: (\n  1: $harbour-1-1,\n  2: $harbour-1-2,\n);"))
        #expect(tailwind.contains("@theme {\n  /* Harbour 1.jpg */\n  --color-harbour-1-1: #1f4e78;"))
    }

    /// Two photos of one name, names that end in numbers, and one that ends as the names of maps do.
    @Test(arguments: [
        ["a/IMG_1.png", "b/IMG_1.png"], ["beach.png", "beach-2.png"], ["beach-2.png", "beach.png"],
        ["a.jpg", "a-palette.jpg", "a-palette-1.jpg", "a-1.jpg", "a.jpg"],
    ])
    func `no variable of a style sheet is set twice`(names: [String]) {
        let palette = Self.palette((1...5).map { ("#00000\($0)", 0.2) })
        let text = Self.text(.scss, names.map { NamedPalette(name: $0, palette: palette) })
        let variables = text.split(separator: "\n").filter { $0.hasPrefix("$") }.map {
            $0.prefix { $0 != ":" }
        }
        #expect(variables.count == 6 * names.count && Set(variables).count == variables.count)
    }

    @Test func `tokens give back each channel`() {
        for value in 0...255 {
            let hex = RGB(red: UInt8(value), green: 0, blue: 255).hex
            let text = Self.text(.tokens, [NamedPalette(name: "a", palette: Self.palette([(hex, 1)]))])
            let inside = text.split(separator: "[")[1].split(separator: ",")[0]
            #expect(
                (Double(inside)! * 255).rounded() == Double(value)
                    && abs(Double(inside)! * 255 - Double(value)) < 0.002)
            #expect(text.contains("\"hex\": \"\(hex)\""))
        }
    }

    @Test func `tokens are JSON that gives back each name`() throws {
        let bytes = Data(SwatchFormat.tokens.bytes(of: Self.hostile))
        let file = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        let names = file.values.compactMap { ($0 as? [String: Any])?["$description"] as? String }
        #expect(names.sorted() == Self.hostile.map(\.name).sorted())
        #expect(names.contains { $0.contains("\\") } && names.contains { $0.contains("\"") })
    }

    @Test(arguments: SwatchFormat.allCases)
    func `hostile names stay text, and no palette is no trouble`(format: SwatchFormat) {
        let text = Self.text(format, Self.hostile)
        if !format.isBinary { #expect(!text.contains("\u{202E}") && !text.contains("\r")) }
        // What would end a comment, or be an element, does not stand where it could.
        if format == .svg { #expect(!text.contains("<script")) }
        if format == .tailwind {
            // Each comment is closed once, at the end of its line.
            let comments = text.split(separator: "\n").filter { $0.contains("/*") }
            #expect(comments.allSatisfy { $0.hasSuffix("*/") && $0.components(separatedBy: "*/").count == 2 })
        }
        if format == .gpl { #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count < 1024 }) }
        if format == .scss {
            // Each line is a comment, a variable, or a part of a map.
            #expect(
                text.split(separator: "\n").allSatisfy { line in
                    ["//", "$", "  1: $", "  2: $", ");"].contains { line.hasPrefix($0) }
                })
        }
        #expect(!format.bytes(of: []).isEmpty)
        #expect(!format.bytes(of: [NamedPalette(name: "clear.png", palette: Palette(entries: []))]).isEmpty)
    }

    @Test func `a picture of strips says whose it is`() {
        #expect(PaletteCard.isPNG(SwatchFormat.png.bytes(of: two)))
        #expect(!PaletteCard.isPNG(Array(SwatchFormat.png.bytes(of: two).dropFirst())))
        #expect(!PaletteCard.isPNG([]))
    }
}
