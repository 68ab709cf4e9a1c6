import TestSupport
import Testing

@testable import Palettes

/// The colors that a person sees in a picture, and no others.
@Suite struct PeopleSeeTests {
    // MARK: Veils

    private static let ground = RGB(red: 250, green: 248, blue: 251)

    /// A ground with a tenth of specks in four strong colors.
    private static func specks(alpha: UInt8) -> PixelSample {
        let strong = ["#ff5990", "#b83fb8", "#993ac8", "#20c030"].compactMap { RGB(hex: $0) }
        var sample = SteadinessTests.sample(
            (0..<40_000).map { $0 % 10 == 0 ? strong[$0 / 10 % 4] : ground }, width: 200)
        for pixel in stride(from: 0, to: 40_000, by: 10) { sample.rgba[pixel * 4 + 3] = alpha }
        return sample
    }

    @Test(arguments: PaletteMode.allCases, [1, 2, 12] as [UInt8])
    func `pixels below 5 % of alpha are not counted`(mode: PaletteMode, alpha: UInt8) {
        let palette = Palette([Self.specks(alpha: alpha)], options: PaletteTests.options(5, mode))
        #expect(palette.entries == [Palette.Entry(color: Self.ground, share: 1)])
    }

    @Test(arguments: PaletteMode.allCases)
    func `fainter pixels than solid ones are counted from 5 % on`(mode: PaletteMode) {
        let palette = Palette([Self.specks(alpha: 13)], options: PaletteTests.options(5, mode))
        #expect(palette.entries.count > 1)
    }

    @Test func `a picture of veils alone is transparent`() {
        let veil = Self.ground
        var sample = PixelSample(Array(repeating: veil, count: 100))
        for pixel in 0..<100 { sample.rgba[pixel * 4 + 3] = 5 }
        #expect(Palette([sample]).notes == ["every pixel is transparent"])
    }

    // MARK: Edges

    /// A disc on a ground, each drawn smoothly: every pixel is the mean of 8 x 8 points.
    private static func disc(
        _ inside: RGB, on outside: RGB, width: Int, height: Int, radius: Double
    ) -> [RGB] {
        (0..<width * height).map { pixel in
            var covered = 0
            for point in 0..<64 {
                let x = Double(pixel % width) + (Double(point % 8) + 0.5) / 8 - Double(width) / 2
                let y = Double(pixel / width) + (Double(point / 8) + 0.5) / 8 - Double(height) / 2
                covered += x * x + y * y < radius * radius ? 1 : 0
            }
            func mean(_ a: UInt8, _ b: UInt8) -> UInt8 {
                UInt8((Int(a) * covered + Int(b) * (64 - covered) + 32) / 64)
            }
            return RGB(
                red: mean(inside.red, outside.red), green: mean(inside.green, outside.green),
                blue: mean(inside.blue, outside.blue))
        }
    }

    @Test(
        arguments: PaletteMode.allCases,
        [("#e8c890", "#2080a0"), ("#ffffff", "#000000"), ("#d01020", "#10a030")])
    func `the smooth edge of a drawing is no swatch`(mode: PaletteMode, colors: (String, String)) throws {
        let inside = try #require(RGB(hex: colors.0)), outside = try #require(RGB(hex: colors.1))
        let pixels = Self.disc(inside, on: outside, width: 300, height: 200, radius: 70)
        #expect(Set(pixels).count > 10)
        let palette = Palette(
            [SteadinessTests.sample(pixels, width: 300)], options: PaletteTests.options(5, mode))
        #expect(Set(palette.entries.map(\.color)) == [inside, outside])
    }

    @Test func `lines of one pixel on a flat ground are counted`() throws {
        let line = RGB(red: 200, green: 30, blue: 40)
        let pixels = (0..<60_000).map { $0 / 300 % 40 == 20 ? line : Self.ground }
        let palette = Palette(
            [SteadinessTests.sample(pixels, width: 300)], options: PaletteTests.options(5, .representative))
        #expect(Set(palette.entries.map(\.color)) == [line, Self.ground])
    }

    @Test func `a photo on a flat page is counted to its middle`() {
        let photo = SteadinessTests.scene(width: 90, height: 60, seed: 3)
        let pixels = (0..<120_000).map { pixel in
            let x = pixel % 400 - 100, y = pixel / 400 - 100
            return (0..<90).contains(x) && (0..<60).contains(y) ? photo[y * 90 + x] : Self.ground
        }
        let palette = Palette(
            [SteadinessTests.sample(pixels, width: 400)], options: PaletteTests.options(5, .representative))
        #expect(palette.entries.contains { Oklab($0.color).hueIsBetween(210, 280) }, "the sky")
        #expect(palette.entries.contains { Oklab($0.color).hueIsBetween(100, 150) }, "the meadow")
    }

    // MARK: Accents

    /// Moss from dark to light, and in it a square of this color in the shade and in the light.
    private static func moss(star: RGB, perMille: Double) -> [RGB] {
        var random = SplitMix64(seed: 9)
        let (width, height) = (400, 300)
        let side = Int((Double(width * height) * perMille / 1000).squareRoot())
        return (0..<width * height).map { pixel in
            let x = pixel % width, y = pixel / width
            func value(_ channel: Int, _ noise: Int) -> UInt8 { UInt8(min(max(channel + noise, 0), 255)) }
            let noise = Int.random(in: -20...20, using: &random)
            if (150..<150 + side).contains(x), (100..<100 + side).contains(y) {
                let light = side + y - 100
                func lit(_ channel: UInt8) -> UInt8 { value(Int(channel) * light / (2 * side), noise / 2) }
                return RGB(red: lit(star.red), green: lit(star.green), blue: lit(star.blue))
            }
            return RGB(
                red: value(8 + x * 3 / 10, noise), green: value(10 + x * 21 / 50, noise),
                blue: value(5 + x * 2 / 25 + y * 3 / 50, noise))
        }
    }

    private static let orange = RGB(red: 235, green: 150, blue: 25)

    private static func hasOrange(_ palette: Palette) -> Bool {
        palette.entries.contains { Oklab($0.color).hueIsBetween(40, 80) }
    }

    @Test(arguments: [4, 5], [4, 5] as [Double])
    func `a small accent in a hue of its own is kept`(count: Int, perMille: Double) {
        let sample = SteadinessTests.sample(Self.moss(star: Self.orange, perMille: perMille), width: 400)
        let palette = Palette([sample], options: PaletteTests.options(count, .representative))
        #expect(palette.entries.count == count)
        #expect(Self.hasOrange(palette))
    }

    @Test func `the color of a speck is no accent`() {
        let sample = SteadinessTests.sample(Self.moss(star: Self.orange, perMille: 0.3), width: 400)
        #expect(!Self.hasOrange(Palette([sample], options: PaletteTests.options(5, .representative))))
    }

    @Test func `an accent that the palette has already takes no room`() throws {
        let green = RGB(red: 60, green: 190, blue: 50)
        let sample = SteadinessTests.sample(Self.moss(star: green, perMille: 4), width: 400)
        let cells = ColorCells.counting(sample)
        func missed(_ hexes: [String]) -> MissedAccent? {
            let colors = hexes.compactMap { RGB(hex: $0) }.map { Palette.Entry(color: $0, share: 0) }
            return MissedAccent(colors, of: cells)
        }
        #expect(missed(["#285a1e", "#1e3c19", "#3c8223", "#142a16"]) == nil)
        // Of grays alone the green is missed.
        #expect(missed(["#202020", "#404040", "#606060", "#808080"]) != nil)
    }
}

extension Oklab {
    fileprivate func hueIsBetween(_ least: Double, _ most: Double) -> Bool {
        chroma > 0.05 && (least...most).contains(hue)
    }
}

extension ColorCells {
    fileprivate static func counting(_ sample: PixelSample) -> ColorCells {
        var workspace = PaletteWorkspace()
        return ColorCells(counting: [sample], levels: .even, using: &workspace)
    }
}
