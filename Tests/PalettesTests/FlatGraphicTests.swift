import TestSupport
import Testing

@testable import Palettes

/// Which pixels of drawings count: those of areas, lines and small print, and not what mixes two areas.
@Suite struct FlatGraphicTests {
    private static let red: [UInt8] = [200, 20, 30, 255], white: [UInt8] = [255, 255, 255, 255]
    private static let pink: [UInt8] = [228, 138, 142, 255], clear: [UInt8] = [0, 0, 0, 0]

    /// Rows of pixels, by their places.
    private static func picture(_ width: Int, _ height: Int, _ color: (Int, Int) -> [UInt8]) -> [UInt8] {
        (0..<width * height).flatMap { color($0 % width, $0 / width) }
    }

    /// The alpha of a pixel after the edges were cleared.
    private static func alpha(_ graphic: FlatGraphic, _ width: Int, _ x: Int, _ y: Int) -> UInt8 {
        graphic.rgba[(y * width + x) * 4 + 3]
    }

    /// A dot breaks four of 361 squares: eight leave 91 % alike, eleven 88 %.
    @Test(arguments: [(8, true), (11, false)])
    func `nine of ten squares of a flat graphic are alike`(dots: Int, isFlat: Bool) {
        let rgba = Self.picture(20, 20) { x, y in
            let isDot = x % 4 == 2 && y % 4 == 2 && x / 4 + y / 4 * 5 < dots
            return isDot ? [UInt8(x), UInt8(y), 7, 255] : Self.white
        }
        #expect((FlatGraphic(rgba, width: 20) != nil) == isFlat)
    }

    @Test func `what is clear makes no picture flat`() {
        var random = SplitMix64(seed: 5)
        let rgba = Self.picture(40, 40) { x, y in
            (10..<20).contains(x) && (10..<20).contains(y)
                ? [UInt8.random(in: 0...255, using: &random), 9, 9, 255] : Self.clear
        }
        #expect(FlatGraphic(rgba, width: 40) == nil)
        #expect(FlatGraphic(Self.picture(40, 40) { _, _ in Self.clear }, width: 40) == nil)
    }

    /// Red and white with one pink column between them, and a red dot far from the edge.
    @Test func `a mix of two areas and a lone dot go, a line stays`() throws {
        let rgba = Self.picture(60, 60) { x, y in
            if (x, y) == (50, 40) { return Self.red }
            if x == 50, y < 20 { return Self.red }
            return x < 20 ? Self.red : x == 20 ? Self.pink : Self.white
        }
        let graphic = try #require(FlatGraphic(rgba, width: 60))
        #expect((0..<60).allSatisfy { Self.alpha(graphic, 60, 20, $0) == 0 })
        #expect(Self.alpha(graphic, 60, 50, 40) == 0)
        #expect((0..<20).allSatisfy { Self.alpha(graphic, 60, 50, $0) == 255 })
        #expect(Self.alpha(graphic, 60, 19, 5) == 255 && Self.alpha(graphic, 60, 21, 5) == 255)
    }

    /// Between grays of 100 and 107 a column is a line of its own, between 100 and 108 a mix.
    @Test(arguments: [(UInt8(107), true), (108, false)])
    func `areas less than eight levels apart have no mix between them`(level: UInt8, stays: Bool) throws {
        let rgba = Self.picture(40, 40) { x, _ in
            let grey: UInt8 = x < 20 ? 100 : x == 20 ? 104 : level
            return [grey, grey, grey, 255]
        }
        let graphic = try #require(FlatGraphic(rgba, width: 40))
        #expect((0..<40).allSatisfy { (Self.alpha(graphic, 40, 20, $0) > 0) == stays })
    }

    /// A second sample, of pixels without places, has edges of its own.
    @Test func `of an area palette edges count in no sample`() {
        let rgba = Self.picture(60, 60) { x, _ in x < 20 ? Self.red : x == 20 ? Self.pink : Self.white }
        var options = PaletteOptions()
        options.mode = .area
        let samples = [PixelSample(rgba: rgba, width: 60), PixelSample(rgba: rgba)]
        let palette = Palette(samples, options: options)
        #expect(palette.entries.map(\.color.hex) == ["#ffffff", "#c8141e"])
        #expect(abs(palette.entries[0].share - 39.0 / 59) < 1e-9)
    }

    /// The frame's pixels go, and the rows of what is left lie under each other again.
    @Test func `a picture in a frame has the palette that it has without`() {
        let inner = Self.picture(200, 150) { x, y in
            [UInt8(x), UInt8(y), UInt8((x * 7 + y * 3) % 90), 255]
        }
        let framed = Self.picture(223, 160) { x, y in
            let isInside = (10..<210).contains(x) && (5..<155).contains(y)
            let at = ((y - 5) * 200 + x - 10) * 4
            return isInside ? Array(inner[at..<at + 4]) : Self.white
        }
        var options = PaletteOptions()
        options.ignore = [.border]
        let resolution = PixelSample.Resolution(light: SIMD2(0.5, 0.5), color: SIMD2(1, 1))
        let palettes = [(framed, 223), (inner, 200)].map { rgba, width in
            Palette([PixelSample(rgba: rgba, width: width, resolution: resolution)], options: options)
        }
        #expect(palettes[0].entries == palettes[1].entries && palettes[0].entries.count == 5)
        #expect(palettes[0].notes == ["ignored border: 15.9 %"])
    }
}
