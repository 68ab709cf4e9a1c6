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

    /// Each block is its type, its length, and its payload; ase-util counts groups' ends as blocks, too.
    @Test func `each group of an ASE ends before the next begins`() {
        let bytes = SwatchFormat.ase.bytes(of: two)
        func number(_ at: Int, _ size: Int) -> Int { bytes[at..<at + size].reduce(0) { $0 << 8 | Int($1) } }
        var types: [Int] = [], at = 12
        while at < bytes.count {
            types.append(number(at, 2))
            at += 6 + number(at + 2, 4)
        }
        #expect(types == [0xC001, 1, 1, 0xC002, 0xC001, 1, 1, 0xC002])
        #expect(at == bytes.count && number(8, 4) == types.count)
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

    /// A section's number of colors has two bytes.
    @Test(arguments: [65_535, 65_536]) func `an ACO has at most 65,535 colors`(count: Int) {
        let entry = Palette.Entry(color: RGB(hex: "#ff0000")!, share: 1)
        let palette = Palette(entries: Array(repeating: entry, count: count))
        let bytes = SwatchFormat.aco.bytes(of: [NamedPalette(name: "a", palette: palette)])
        // Each color has ten bytes, and 12 more with its name: a length and "red" with a 0.
        #expect(bytes.count == 4 + 65_535 * 10 + 4 + 65_535 * 22)
        let second = 4 + 65_535 * 10
        #expect(bytes[..<4] == [0, 1, 0xFF, 0xFF] && bytes[second..<second + 4] == [0, 2, 0xFF, 0xFF])
    }

    /// Unicode 16, 9.1: all characters that change the direction of a line, and those that end one.
    @Test func `no name turns a line round or ends it, in an SVG`() {
        let marks =
            Array(0x202A...0x202E) + Array(0x2066...0x2069) + [
                0x200E, 0x200F, 0x061C, 0x2028, 0x2029, 0x85, 0x0A, 0x0D, 0, 0x09, 0x1F, 0x7F, 0x80, 0x9F,
            ]
        for mark in marks.compactMap({ Unicode.Scalar(UInt32($0)) }) {
            let palette = NamedPalette(name: "a\(Character(mark))b", palette: red.palette)
            let lines = Self.text(.svg, [palette])
            let plain = Self.text(.svg, [NamedPalette(name: "a b", palette: red.palette)])
            #expect(lines == plain, "U+\(String(mark.value, radix: 16))")
        }
    }

    /// XML 1.0, 2.2: neither is a character, and no reference to one is allowed either.
    @Test(arguments: ["\u{FFFE}", "\u{FFFF}"])
    func `a name in an SVG has only characters of XML`(character: String) {
        let text = Self.text(.svg, [NamedPalette(name: "a\(character)b", palette: red.palette)])
        #expect(text.contains("<title>a\u{FFFD}b</title>"))
    }

    /// XML 1.0, 2.4.
    @Test func `a name in an SVG is text`() {
        let text = Self.text(.svg, [NamedPalette(name: "a & b < \"c\" > d.jpg", palette: red.palette)])
        #expect(text.contains("<title>a &amp; b &lt; &quot;c&quot; &gt; d.jpg</title>"))
    }

    /// A strip is 960 wide, and no color has less than 3 % of it.
    @Test(arguments: [(95, false), (96, true)])
    func `a hex stands on a color that is wide enough for it`(width: Int, isShown: Bool) {
        let share = (Double(width) - 28.8) / (960 - 2 * 28.8)
        let palette = Self.palette([("#ff0000", 1 - share), ("#0000ff", share)])
        let text = Self.text(.svg, [NamedPalette(name: "a", palette: palette)])
        #expect(text.contains("width=\"\(width)\" height=\"240\" fill=\"#0000ff\""))
        #expect(text.contains(">#0000ff</text>") == isShown && text.contains(">#ff0000</text>"))
    }

    /// PNG 1.2, 4.1.1: the height stands at byte 20.
    @Test(arguments: [(1, 96), (101, 101 * 96), (200, 200 * 96), (201, 201 * 8)])
    func `up to 200 palettes have a strip each, more have a line each`(count: Int, height: Int) {
        let png = SwatchFormat.png.bytes(of: Array(repeating: red, count: count))
        #expect(png[20..<24].reduce(0) { $0 << 8 | Int($1) } == height)
    }

    /// Prints the runs of colors of every eighth row; each of the seven below it must be the same.
    private static let reader = """
        import struct, sys, zlib
        data = sys.stdin.buffer.read()
        width, height = struct.unpack(">2I", data[16:24])
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
            if kind == b"IDAT": packed += body
            at += 12 + size
        raw, line = zlib.decompress(packed), 3 * width + 1
        assert len(raw) == height * line
        for y in range(0, height, 8):
            rows = {raw[line * row:line * (row + 1)] for row in range(y, y + 8)}
            assert len(rows) == 1
            row, runs = rows.pop(), []
            assert row[0] == 0
            for x in range(width):
                color = row[3 * x + 1:3 * x + 4].hex()
                if runs and runs[-1][0] == color: runs[-1][1] += 1
                else: runs.append([color, 1])
            print(*(f"#{color}:{count}" for color, count in runs))
        """

    private static func runs(_ png: [UInt8]) throws -> [String] {
        let process = Process(), input = Pipe(), output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", reader]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        // A pipe holds 64 KiB: Python reads all before it writes.
        try input.fileHandleForWriting.write(contentsOf: Data(png))
        try input.fileHandleForWriting.close()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Read by Python's zlib: of every byte a channel may have, and of every width of a color.
    @Test func `a picture of strips has the colors of its palettes, each as wide as its share`() throws {
        let channels = (0...255).map { RGB(red: $0, green: 255 - $0, blue: $0 ^ 0x55).hex }
        let plain = channels.map { NamedPalette(name: "a", palette: Self.palette([($0, 1)])) }
        #expect(try Self.runs(SwatchFormat.png.bytes(of: plain)) == channels.map { "\($0):640" })
        // No color has less than 3 % of the 640 pixels.
        let widths = Array(20...620)
        let pairs = widths.map { width in
            let share = (Double(width) - 19.2) / (640 - 2 * 19.2)
            return NamedPalette(
                name: "a", palette: Self.palette([("#112233", share), ("#ddeeff", 1 - share)]))
        }
        #expect(
            try Self.runs(SwatchFormat.png.bytes(of: pairs))
                == widths.map {
                    "#112233:\($0) #ddeeff:\(640 - $0)"
                })
    }

    @Test func `a card has each color in a square of its own, and the photo without steps`() {
        let hexes = ["#ff0000", "#00ff00", "#0000ff"]
        let card = ShareCard(Self.palette(hexes.map { ($0, 1 / 3.0) }), aspect: 1, shape: .portrait)
        let photo = ShareCard.Pixels(
            width: 2, height: 2, rgb: [0, 0, 0, 100, 0, 0, 200, 0, 0, 255, 0, 0].map { UInt8($0) })
        let drawn = card.drawn(with: photo)
        func pixel(_ x: Int, _ y: Int) -> ArraySlice<UInt8> {
            drawn.rgb[(y * drawn.width + x) * 3..<(y * drawn.width + x) * 3 + 3]
        }
        let below = card.strip.y + card.strip.height
        for hex in hexes {
            let color = RGB(hex: hex)!, channels = [color.red, color.green, color.blue]
            let count = (below..<drawn.height).reduce(0) { sum, y in
                sum + (0..<drawn.width).count { pixel($0, y).elementsEqual(channels) }
            }
            #expect(count == 22 * 22, "\(hex)")
        }
        // The corners are the photo's, and in the middle lies their mean.
        let frame = card.photo, right = frame.x + frame.width - 1, bottom = frame.y + frame.height - 1
        #expect(pixel(frame.x, frame.y).first == 0 && pixel(right, frame.y).first == 100)
        #expect(pixel(frame.x, bottom).first == 200 && pixel(right, bottom).first == 255)
        let middle = Int(pixel(frame.x + frame.width / 2, frame.y + frame.height / 2).first ?? 0)
        #expect(abs(middle - 139) <= 2, "\(middle)")
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

    /// PNG, 11.2.2: width and height are the first eight bytes of IHDR; no PNG is without pixels.
    @Test func `a picture of a palette without colors is white paper`() throws {
        for palettes in [[], [NamedPalette(name: "none", palette: Palette(entries: []))]] {
            let png = SwatchFormat.png.bytes(of: palettes)
            #expect(Array(png[16..<24]) == [0, 0, 2, 128, 0, 0, 0, 96])
            #expect(Set(try Self.runs(png)) == ["#ffffff:640"])
        }
    }

    @Test(arguments: SwatchFormat.allCases)
    func `hostile names stay text, and no palette is no trouble`(format: SwatchFormat) {
        let text = Self.text(format, Self.hostile)
        if !format.isBinary { #expect(!text.contains("\u{202E}") && !text.contains("\r")) }
        // What would end a comment, or be an element, does not stand where it could.
        if format == .svg { #expect(!text.contains("<script")) }
        #expect(!format.bytes(of: []).isEmpty)
        #expect(!format.bytes(of: [NamedPalette(name: "clear.png", palette: Palette(entries: []))]).isEmpty)
    }

    @Test func `a picture of strips says whose it is`() {
        #expect(PaletteCard.isPNG(SwatchFormat.png.bytes(of: two)))
        #expect(!PaletteCard.isPNG(Array(SwatchFormat.png.bytes(of: two).dropFirst())))
        #expect(!PaletteCard.isPNG([]))
    }
}
