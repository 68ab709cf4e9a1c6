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

    @Test func `a style sheet says wide colors to screens that have them, and no others`() {
        let red = RGB(red: 255, green: 0, blue: 0)
        var palette = Palette(entries: [
            .init(color: red, share: 0.6, displayP3: DisplayP3(red: 255, green: 0, blue: 0)),
            .init(color: .black, share: 0.4),
        ])
        #expect(
            PaletteFormat.css(palette).split(separator: "\n").suffix(5) == [
                "@media (color-gamut: p3) {", ":root {",
                "  --color-1: color(display-p3 1.0000 0.0000 0.0000);",
                "}", "}",
            ])
        palette.entries[0].displayP3 = nil
        #expect(!PaletteFormat.css(palette).contains("@media"))
    }
}
