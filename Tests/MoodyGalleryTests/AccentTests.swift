import Palettes
import Testing

@testable import MoodyGallery

@Suite struct AccentTests {
    private static func accent(_ palette: [(String, Double)]) throws -> Accent? {
        Accent(try palette.map { SearchSwatch(try #require(RGB(hex: $0.0)), share: $0.1) })
    }

    struct Remembered: Sendable {
        let palette: String, family: String
    }

    /// Palettes of the shared photos as `moody extract` prints them, and what people remember of the
    /// pictures.
    static let remembered: [Remembered] = [
        // The shop at night under a neon tube.
        Remembered(palette: "#221f16 72 #417162 11 #814411 6 #c88f5a 6 #57ac9d 5", family: "Teal"),
        // The kingfisher before green leaves.
        Remembered(palette: "#151f15 78 #565727 12 #998e36 6 #036689 3 #b3aeaf 2", family: "Blue"),
        // The red bowl on gray stone.
        Remembered(palette: "#9e9c9a 39 #d52801 26 #890801 20 #322f2f 12 #dbb076 3", family: "Red"),
        // Scabious before leaves.
        Remembered(palette: "#2f2c1f 34 #c8bfa6 22 #747244 21 #b284b7 16 #5b346d 7", family: "Purple"),
        Remembered(palette: "#6994c8 40 #a2c7eb 28 #d4cdc4 27 #8d8d95 5", family: "Blue"),
    ]

    @Test(arguments: remembered)
    func `a photo goes by the color that it is remembered by`(photo: Remembered) throws {
        let words = photo.palette.split(separator: " ").map(String.init)
        let palette = try stride(from: 0, to: words.count, by: 2).map { at in
            (words[at], try #require(Double(words[at + 1])) / 100)
        }
        let found = try #require(try Self.accent(palette))
        #expect(found.family == photo.family, "by \(palette[found.index].0)")
    }

    @Test func `grays have none, and one strong color is it`() throws {
        #expect(try Self.accent([("#151515", 0.7), ("#bfbfbf", 0.3)]) == nil)
        #expect(try Self.accent([]) == nil)
        #expect(try Self.accent([("#808080", 0.99), ("#c9353e", 0.01)])?.index == 1)
    }

    @Test func `the families go round the circle once, and each hue is in one`() throws {
        let ends = Accent.families.map(\.end)
        #expect(ends == ends.sorted() && ends.last == 360)
        // sRGB's primaries and what is between them, where Oklab has them.
        let wheel = [
            ("#ff0000", "Red"), ("#ff8000", "Orange and brown"), ("#ffe000", "Yellow"), ("#00c000", "Green"),
            ("#00b0a0", "Teal"), ("#0060ff", "Blue"), ("#a020f0", "Purple"), ("#ff40a0", "Pink"),
        ]
        for (hex, family) in wheel { #expect(try Self.accent([(hex, 1)])?.family == family, "\(hex)") }
    }

    @Test func `the bar has words for what a collection has, each in its strongest color`() throws {
        var row = MoodRow.sample()
        row.swatches = [
            .init(red: 0x9E, green: 0x9C, blue: 0x9A, share: 0.5),
            .init(red: 0x89, green: 0x08, blue: 1, share: 0.3),
            .init(red: 0xD5, green: 0x28, blue: 1, share: 0.2),
        ]
        let entries = ColorBar(of: [row]).entries
        #expect(entries.map(\.word) == ["red", "grey"])
        #expect(entries.map(\.hex) == ["#d52801", "#9e9c9a"])
        #expect(ColorBar(of: []).entries.isEmpty)
    }
}
