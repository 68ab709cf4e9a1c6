import Testing

@testable import Palettes

@Suite struct DisplayP3Tests {
    /// sRGB's primaries in Display P3, from CSS Color 4's sample code (`color.js` 0.5): 0.9175 0.2003 0.1386,
    /// 0.4584 0.9853 0.2983, 0 0 0.9596.
    @Test(arguments: [
        (RGB(red: 255, green: 0, blue: 0), [234, 51, 35]),
        (RGB(red: 0, green: 255, blue: 0), [117, 251, 76]),
        (RGB(red: 0, green: 0, blue: 255), [0, 0, 245]),
        (RGB(red: 255, green: 255, blue: 255), [255, 255, 255]),
    ])
    func `sRGB's primaries are where others find them in Display P3`(color: RGB, numbers: [Int]) {
        let wide = DisplayP3(linearSRGB: color.linear)
        #expect([wide.red, wide.green, wide.blue].map(Int.init) == numbers)
    }

    @Test func `a color is written as CSS wants it`() {
        #expect(DisplayP3(red: 255, green: 0, blue: 128).css == "color(display-p3 1.0000 0.0000 0.5020)")
    }

    /// Half P3's red, which sRGB cuts to its own, half a gray that both have.
    @Test(arguments: PaletteMode.allCases)
    func `a color outside sRGB keeps its value, one inside has none`(mode: PaletteMode) throws {
        let grey: [UInt8] = [120, 120, 120, 255], red: [UInt8] = [255, 0, 0, 255]
        let pixels =
            Array(repeatElement(red, count: 60).joined()) + Array(repeatElement(grey, count: 40).joined())
        var options = PaletteOptions()
        options.mode = mode
        var palette = Palette([PixelSample(rgba: pixels)], options: options)
        let before = palette
        palette.findWideColors(WidePixels(srgb: pixels, displayP3: pixels), mode: mode)
        #expect(palette.entries.map(\.color) == before.entries.map(\.color))
        #expect(palette.entries.map(\.displayP3) == [DisplayP3(red: 255, green: 0, blue: 0), nil])
        // sRGB's red, said in Display P3, is not outside sRGB.
        let inside = Array(repeatElement([234, 51, 35, 255] as [UInt8], count: 60).joined()) + pixels[240...]
        palette = before
        palette.findWideColors(WidePixels(srgb: pixels, displayP3: inside), mode: mode)
        #expect(palette == before)
    }

    @Test(arguments: PaletteMode.allCases)
    func `a picture of one pixel has its color outside sRGB`(mode: PaletteMode) {
        let red: [UInt8] = [255, 0, 0, 255]
        var palette = Palette([PixelSample(rgba: red)], options: PaletteOptions())
        palette.findWideColors(WidePixels(srgb: red, displayP3: red), mode: mode)
        #expect(palette.entries.map(\.displayP3) == [DisplayP3(red: 255, green: 0, blue: 0)])
    }

    private static let red = RGB(red: 255, green: 0, blue: 0)

    /// A palette of red alone, and pixels that are red in sRGB: how many, their alpha, red in Display P3.
    private static func wideRed(_ pixels: [(Int, UInt8, [UInt8])]) -> DisplayP3? {
        var wide = WidePixels(srgb: [], displayP3: [])
        for (count, alpha, color) in pixels {
            for _ in 0..<count {
                wide.srgb += [255, 0, 0, alpha]
                wide.displayP3 += color + [alpha]
            }
        }
        var palette = Palette(entries: [.init(color: red, share: 1)])
        palette.findWideColors(wide, mode: .area)
        return palette.entries[0].displayP3
    }

    @Test func `pixels count by their alpha, veils not at all`() {
        let wide: [UInt8] = [255, 0, 0], inside: [UInt8] = [234, 51, 35]
        let some = Self.wideRed([(10, 255, wide), (50, 255, inside)])
        #expect(some != nil && some != DisplayP3(red: 255, green: 0, blue: 0))
        #expect(Self.wideRed([(50, 51, wide), (50, 255, inside)]) == some)
        #expect(Self.wideRed([(900, 12, wide), (100, 255, inside)]) == nil)
        #expect(Self.wideRed([(900, 13, wide), (100, 255, inside)]) != nil)
    }

    /// (230, 60, 50) is some 0.1 from red in the space of palettes, where 0.06 is alike.
    @Test func `a representative color is as wide as the pixels like it, an area's as all of its pixels`()
        throws
    {
        let other = RGB(red: 230, green: 60, blue: 50)
        let srgb: [UInt8] = [255, 0, 0, 255, 230, 60, 50, 255]
        let inside = DisplayP3(linearSRGB: other.linear)
        let wide: [UInt8] = [255, 0, 0, 255, inside.red, inside.green, inside.blue, 255]
        var found: [PaletteMode: DisplayP3] = [:]
        for mode in PaletteMode.allCases {
            var palette = Palette(entries: [.init(color: Self.red, share: 1)])
            palette.findWideColors(WidePixels(srgb: srgb, displayP3: wide), mode: mode)
            found[mode] = palette.entries[0].displayP3
        }
        #expect(found[.representative] == DisplayP3(red: 255, green: 0, blue: 0))
        #expect(try #require(found[.area]).red < 255)
    }

    /// One and a half steps of 8 bits beyond 1: ((256.5 / 255 + 0.055) / 1.055) ^ 2.4 = 1.01343.
    @Test func `less than one and a half steps outside of sRGB is rounding`() {
        #expect(isOutsideSRGB(SIMD4(1.0137, 0.5, 0.5, 0)) && !isOutsideSRGB(SIMD4(1.0133, 0.5, 0.5, 0)))
        #expect(isOutsideSRGB(SIMD4(0.5, 0.5, 1.0137, 0)) && isOutsideSRGB(SIMD4(0.5, -0.0006, 0.5, 0)))
        #expect(!isOutsideSRGB(SIMD4(0.5, -0.0004, 0.5, 0)))
    }
}
