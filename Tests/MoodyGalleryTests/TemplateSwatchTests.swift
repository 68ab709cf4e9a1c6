import Foundation
import Palettes
import Testing

@testable import MoodyGallery

/// The swatch files that are templates.
@Suite struct TemplateSwatchTests {
    private static func palette(_ colors: [(String, Double)]) -> Palette {
        Palette(entries: colors.map { Palette.Entry(color: RGB(hex: $0.0)!, share: $0.1) })
    }

    private let red = NamedPalette(
        name: "one.jpg", palette: TemplateSwatchTests.palette([("#ff0000", 1)]))
    private let two = [
        NamedPalette(
            name: "Harbour 1.jpg",
            palette: TemplateSwatchTests.palette([("#1f4e78", 0.75), ("#e8a33c", 0.25)])),
        NamedPalette(
            name: "harbour-1.png",
            palette: TemplateSwatchTests.palette([("#102030", 0.99), ("#ffffff", 0.01)])),
    ]
    private static let hostile = hostileNames.map {
        NamedPalette(name: $0, palette: palette([("#336699", 0.5), ("#ffffff", 0.5)]))
    }

    static func text(_ format: String, _ palettes: [NamedPalette]) throws -> String {
        let shipped = try #require(ShippedTemplate.named(format))
        return try shipped.format.text(
            palettes.map { TemplatePhoto(name: $0.name, palette: $0.palette) }, .dark)
    }

    private static func css(_ palette: Palette, selector: String = ":root") throws -> String {
        var photo = TemplatePhoto(name: "a.jpg", palette: palette)
        photo.selector = selector
        return try #require(ShippedTemplate.named("css")).format.text([photo], .dark)
    }

    @Test func `a style sheet has a rule with a property per color`() throws {
        let palette = Self.palette([("#c8141e", 0.588), ("#0a14c8", 0.412)])
        #expect(
            try Self.css(palette) == """
                /* palettes by moody */

                /* a.jpg */
                :root {
                  --color-1: #c8141e;  /* \(palette.entries[0].color.name), 58.8 % */
                  --color-2: #0a14c8;  /* \(palette.entries[1].color.name), 41.2 % */
                }

                """)
    }

    @Test func `a name cannot end the comment of a style sheet`() throws {
        let css = try Self.text(
            "css", [NamedPalette(name: "a*/ body{} /*.jpg", palette: Self.palette([("#336699", 1)]))])
        #expect(css.contains("\n/* a\\2a / body\\7b } /\\2a .jpg */\n:root {\n"))
        #expect(css.components(separatedBy: "*/").count == 4)
    }

    @Test func `no name turns a line round or ends it`() throws {
        let marks =
            Array(0x202A...0x202E) + Array(0x2066...0x2069) + [
                0x200E, 0x200F, 0x061C, 0x2028, 0x2029, 0x85, 0x0A, 0x0D, 0, 0x09, 0x1F, 0x7F, 0x80, 0x9F,
            ]
        for mark in marks.compactMap({ Unicode.Scalar(UInt32($0)) }) {
            for format in ["css", "gpl", "scss", "tailwind"] {
                let odd = try Self.text(
                    format, [NamedPalette(name: "a\(Character(mark))b", palette: red.palette)])
                let plain = try Self.text(format, [NamedPalette(name: "a b", palette: red.palette)])
                #expect(odd == plain, "U+\(String(mark.value, radix: 16)) in \(format)")
            }
        }
    }

    @Test func `hostile names stay text, and no palette is no trouble`() throws {
        for format in ["css", "tailwind"] {
            // Each comment is closed once, at the end of its line.
            let comments = try Self.text(format, Self.hostile).split(separator: "\n").filter {
                $0.contains("/*")
            }
            #expect(comments.allSatisfy { $0.hasSuffix("*/") && $0.components(separatedBy: "*/").count == 2 })
        }
        let gpl = try Self.text("gpl", Self.hostile).split(separator: "\n")
        #expect(gpl.allSatisfy { $0.utf8.count < 1024 })
        // Each line is a comment, a variable, or a part of a map.
        let scss = try Self.text("scss", Self.hostile).split(separator: "\n")
        #expect(
            scss.allSatisfy { line in
                ["//", "$", "  1: $", "  2: $", ");"].contains { line.hasPrefix($0) }
            })
        let clear = NamedPalette(name: "clear.png", palette: Palette(entries: []))
        for format in ["css", "gpl", "scss", "tailwind", "tokens"] {
            #expect(try !Self.text(format, []).isEmpty)
            #expect(try !Self.text(format, [clear]).isEmpty)
        }
    }

    @Test func `a GPL is what GIMP's loader takes`() throws {
        let lines = try Self.text("gpl", two).split(separator: "\n")
        #expect(lines[0] == "GIMP Palette" && lines[1].hasPrefix("Name: ") && lines[2] == "Columns: 2")
        #expect(lines.contains(" 31  78 120\t\(RGB(hex: "#1f4e78")!.name)"))
        #expect(lines.filter { $0.hasPrefix("#") } == ["# Harbour 1.jpg", "# harbour-1.png"])
    }

    @Test func `a GPL has the name of its palette, of several none`() throws {
        for (palettes, line) in [([red], "Name: moody: one.jpg"), (two, "Name: moody"), ([], "Name: moody")] {
            #expect(try Self.text("gpl", palettes).split(separator: "\n")[1] == line)
        }
    }

    @Test(arguments: [(1, 1), (16, 16), (17, 17), (32, 32), (33, 32)])
    func `a GPL has as many columns as colors, up to 32`(count: Int, columns: Int) throws {
        let colors = (0..<count).map { ("#0000" + String(16 + $0, radix: 16), 1 / Double(count)) }
        let many = NamedPalette(name: "a", palette: Self.palette(colors))
        for palettes in [[many, red], [red, many]] {
            let lines = try Self.text("gpl", palettes).split(separator: "\n")
            #expect(lines.contains { $0 == "Columns: \(columns)" })
        }
    }

    @Test func `tokens are ASCII alone`() throws {
        let named = NamedPalette(name: "a\u{7F}\u{1F30A}\"\\.jpg", palette: red.palette)
        let text = try Self.text("tokens", [named])
        #expect(text.contains(#""$description": "a\u007f\ud83c\udf0a\"\\.jpg""#))
        #expect(text.utf8.allSatisfy { $0 == 10 || (0x20..<0x7F).contains($0) })
    }

    @Test func `style sheets have a variable a color`() throws {
        let scss = try Self.text("scss", two), tailwind = try Self.text("tailwind", two)
        #expect(scss.contains("$harbour-1-1: #1f4e78;") && scss.contains("$harbour-1-2-1: #102030;"))
        #expect(scss.contains("$harbour-1-palette: (\n  1: $harbour-1-1,\n  2: $harbour-1-2,\n);"))
        #expect(tailwind.contains("@theme {\n  /* Harbour 1.jpg */\n  --color-harbour-1-1: #1f4e78;"))
    }

    /// Two photos of one name, names that end in numbers, and one that ends as the names of maps do.
    @Test(arguments: [
        ["a/IMG_1.png", "b/IMG_1.png"], ["beach.png", "beach-2.png"], ["beach-2.png", "beach.png"],
        ["a.jpg", "a-palette.jpg", "a-palette-1.jpg", "a-1.jpg", "a.jpg"],
    ])
    func `no variable of a style sheet is set twice`(names: [String]) throws {
        let palette = Self.palette((1...5).map { ("#00000\($0)", 0.2) })
        let text = try Self.text("scss", names.map { NamedPalette(name: $0, palette: palette) })
        let variables = text.split(separator: "\n").filter { $0.hasPrefix("$") }.map {
            $0.prefix { $0 != ":" }
        }
        #expect(variables.count == 6 * names.count && Set(variables).count == variables.count)
    }

    @Test func `tokens give back each channel`() throws {
        for value in 0...255 {
            let hex = RGB(red: UInt8(value), green: 0, blue: 255).hex
            let text = try Self.text("tokens", [NamedPalette(name: "a", palette: Self.palette([(hex, 1)]))])
            let inside = text.split(separator: "[")[1].split(separator: ",")[0]
            #expect(
                (Double(inside)! * 255).rounded() == Double(value)
                    && abs(Double(inside)! * 255 - Double(value)) < 0.002)
            #expect(text.contains("\"hex\": \"\(hex)\""))
        }
    }

    @Test func `tokens have shares to six digits`() throws {
        let palette = Self.palette([("#ff0000", 0.87654321), ("#0000ff", 0.12345679)])
        let text = try Self.text("tokens", [NamedPalette(name: "a", palette: palette)])
        #expect(text.contains("\"share\": 0.876543 ") && text.contains("\"share\": 0.123457 "))
    }

    @Test func `tokens are JSON that gives back each name`() throws {
        let bytes = Data(try Self.text("tokens", Self.hostile).utf8)
        let file = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        let names = file.values.compactMap { ($0 as? [String: Any])?["$description"] as? String }
        #expect(names.sorted() == Self.hostile.map(\.name).sorted())
        #expect(names.contains { $0.contains("\\") } && names.contains { $0.contains("\"") })
    }

    @Test func `wide colors are said of the same elements as the others`() throws {
        let palette = Palette(entries: [
            .init(color: .black, share: 0.6),
            .init(color: RGB(hex: "#ff0000")!, share: 0.4, displayP3: DisplayP3(red: 255, green: 0, blue: 0)),
        ])
        let lines = try Self.css(palette, selector: ".card").split(separator: "\n")
        #expect(lines.count { $0 == ".card {" } == 2 && !lines.contains(":root {"))
        #expect(lines.contains("  --color-2: color(display-p3 1.0000 0.0000 0.0000);"))
    }

    @Test func `a style sheet says wide colors to screens that have them, and no others`() throws {
        let red = RGB(red: 255, green: 0, blue: 0)
        var palette = Palette(entries: [
            .init(color: red, share: 0.6, displayP3: DisplayP3(red: 255, green: 0, blue: 0)),
            .init(color: .black, share: 0.4),
        ])
        #expect(
            try Self.css(palette).split(separator: "\n").suffix(5) == [
                "@media (color-gamut: p3) {", ":root {",
                "  --color-1: color(display-p3 1.0000 0.0000 0.0000);",
                "}", "}",
            ])
        palette.entries[0].displayP3 = nil
        #expect(try !Self.css(palette).contains("@media"))
    }

    @Test func `shares are rounded to a tenth of a percent`() throws {
        let css = try Self.css(Self.palette([("#c8141e", 2.0 / 3), ("#0a14c8", 1.0 / 3)]))
        #expect(css.contains(", 66.7 % */") && css.contains(", 33.3 % */"))
    }
}

/// Names that would end a text, a comment, or a line, run a command, or be an element.
let hostileNames = [
    "*/ } :root { --x: url(evil) } /*.jpg", "</title><script>alert(1)</script>.jpg", "a\nb\r\n#c\td.jpg",
    "\u{202E}gpj.exe", "\"quote' \\.jpg", "$ref {x.y}.jpg", String(repeating: "ü", count: 900),
    "夜の東京.jpg", "", "🎨.jpg", "$(rm -rf ~).jpg", "`id`.jpg", "\"];os.execute(\"x\")--.jpg", "'; id; '.jpg",
    "]]os.exit()--[[.jpg", "\\", "a\\", "-->x<!--.svg", "{{photo.path}}.jpg", "a\"\u{301}b'\u{301}.jpg",
    "#{pane}.jpg",
    "key: [1, 2] # no.jpg",
]
