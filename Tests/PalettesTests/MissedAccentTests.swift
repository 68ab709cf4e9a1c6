import Testing

@testable import Palettes

/// What is an accent that a palette lacks, and what makes room for it. Lightness, chroma and hue are those
/// of Oklab's published matrices.
@Suite struct MissedAccentTests {
    /// Lightness 0.35, 0.5, 0.65 and 0.8, chroma 0.08, hue 145.
    private static let greens = ["#1b451e", "#456f46", "#709c71", "#9ecc9e"].map { RGB(hex: $0)! }
    /// Lightness 0.75, chroma 0.17, hue 60.
    private static let orange = RGB(hex: "#fa8f19")!

    private static func cells(_ colors: [(RGB, Int)]) -> ColorCells {
        var workspace = PaletteWorkspace()
        let sample = PixelSample(colors.flatMap { Array(repeating: $0.0, count: $0.1) })
        return ColorCells(counting: [sample], levels: .even, using: &workspace)
    }

    /// Whether a palette misses a color of so many of 10,000 pixels, the others of which it has.
    private static func misses(_ color: RGB, _ count: Int, palette: [RGB] = greens) -> Bool {
        let others = palette.map { ($0, (10_000 - count) / palette.count) }
        let entries = palette.map { Palette.Entry(color: $0, share: 1 / Double(palette.count)) }
        return MissedAccent(entries, of: cells(others + [(color, count)])) != nil
    }

    @Test func `an accent has more than a five-hundredth of the picture`() {
        #expect(Self.misses(Self.orange, 22) && !Self.misses(Self.orange, 18))
    }

    @Test func `a palette of three colors has no room`() {
        #expect(!Self.misses(Self.orange, 200, palette: Array(Self.greens.prefix(3))))
    }

    /// Lightness 0.430 and 0.470; chroma 0.0846 and 0.0955.
    @Test(arguments: [("#901e21", false), ("#9e2c2c", true), ("#d6a177", false), ("#dba06f", true)])
    func `an accent is light and strong`(hex: String, isOne: Bool) throws {
        #expect(try Self.misses(#require(RGB(hex: hex)), 200) == isOne)
    }

    /// From orange's hue of 60 degrees: 87 is 27 away, 93 is 33; what has next to no chroma has no hue.
    @Test(arguments: [("#a48c54", false), ("#a08e54", true), ("#808080", true)])
    func `no color of the palette has its hue`(hex: String, isOne: Bool) throws {
        let palette = try Self.greens.prefix(3) + [#require(RGB(hex: hex))]
        #expect(Self.misses(Self.orange, 200, palette: Array(palette)) == isOne)
    }

    /// What a palette of these shares becomes, with two of 100 pixels orange.
    private static func replaced(_ colors: [(String, Int)]) throws -> [String] {
        let colors = try colors.map { try (#require(RGB(hex: $0)), $1) }
        let cells = cells(colors + [(orange, 200)])
        let entries = colors.map { Palette.Entry(color: $0.0, share: Double($0.1) / 9_800) }
        let accent = try #require(MissedAccent(entries, of: cells))
        return accent.replacingOne(of: entries, in: cells).map(\.color.hex)
    }

    @Test func `the rarer of two close colors of one hue makes room`() throws {
        let others = [("#25467d", 2_000), ("#131713", 1_800)], orange = Self.orange.hex
        // Hues of 145 and 127 degrees.
        #expect(
            try Self.replaced([("#3b723e", 4_000), ("#5c7632", 2_000)] + others)
                == ["#3b723e", orange, "#25467d", "#131713"])
        #expect(
            try Self.replaced([("#3b723e", 2_000), ("#5c7632", 4_000)] + others)
                == [orange, "#5c7632", "#25467d", "#131713"])
    }

    /// Hues of 145 and 123 degrees; a color of hardly any chroma beside one that has some.
    @Test(arguments: ["#61752e", "#607160"])
    func `colors of two hues, and a gray beside a color, both stay`(hex: String) throws {
        let palette = ["#3b723e", hex, "#25467d", "#131713"]
        #expect(try Self.replaced(zip(palette, [4_000, 2_000, 2_000, 1_800]).map { ($0, $1) }) == palette)
    }

    /// Orange stands nearer to a red than the greens to each other.
    @Test func `colors that are no closer than the accent is to any stay`() throws {
        let palette = ["#1b451e", "#9ecc9e", "#d05a5a", "#25467d"]
        #expect(try Self.replaced(palette.map { ($0, 2_450) }) == palette)
    }
}
