import TestSupport
import Testing

@testable import Palettes

@Suite struct OptionsTests {
    static let red = RGB(red: 200, green: 20, blue: 30), blue = RGB(red: 10, green: 20, blue: 200)
    static let grey = RGB(red: 128, green: 128, blue: 128)

    private func palette(
        _ colors: [(RGB, Int)], ignoring: Set<PaletteIgnore> = [], background: RGB? = nil
    ) -> Palette {
        var options = PaletteOptions()
        options.ignore = ignoring
        options.background = background
        return Palette(
            [PixelSample(colors.flatMap { Array(repeating: $0.0, count: $0.1) })], options: options)
    }

    @Test(arguments: [
        (PaletteIgnore.white, RGB.white), (.black, RGB.black), (.grey, Self.grey), (.grey, RGB.black),
        (.white, RGB(red: 250, green: 251, blue: 249)), (.black, RGB(red: 12, green: 10, blue: 9)),
    ])
    func `white, black and grey are left out when asked, and the note says how much`(
        kind: PaletteIgnore, color: RGB
    ) {
        let palette = palette([(color, 600), (Self.red, 300), (Self.blue, 100)], ignoring: [kind])
        #expect(palette.entries.map(\.color) == [Self.red, Self.blue])
        #expect(palette.entries.map(\.share) == [0.75, 0.25])
        #expect(palette.notes.first == "ignored \(kind.rawValue): 60.0 %")
    }

    /// Pairs on both sides of each bound; lightness and chroma by Oklab's published matrices with CIELAB's
    /// foot: white above 0.95 and below 0.03 (0.9521, 0.9491; 0.0292, 0.0305), black below 0.22 and 0.04
    /// (0.2178, 0.2221; 0.0394, 0.0418), gray below 0.02 (0.0192, 0.0207).
    @Test(arguments: [
        (PaletteIgnore.white, RGB(red: 239, green: 239, blue: 239), RGB(red: 238, green: 238, blue: 238)),
        (.white, RGB(red: 255, green: 250, blue: 228), RGB(red: 255, green: 250, blue: 227)),
        (.black, RGB(red: 26, green: 26, blue: 26), RGB(red: 27, green: 27, blue: 27)),
        (.black, RGB(red: 0, green: 8, blue: 31), RGB(red: 0, green: 8, blue: 32)),
        (.grey, RGB(red: 128, green: 128, blue: 115), RGB(red: 128, green: 128, blue: 114)),
    ])
    func `what counts as white, black and grey ends where the documentation says`(
        kind: PaletteIgnore, out: RGB, stays: RGB
    ) {
        let blue = RGB(red: 10, green: 20, blue: 200)
        #expect(palette([(out, 500), (blue, 500)], ignoring: [kind]).entries.map(\.color) == [blue])
        let both = palette([(stays, 600), (blue, 400)], ignoring: [kind])
        #expect(both.entries.map(\.color) == [stays, blue])
        #expect(!both.notes.contains { $0.hasPrefix("ignor") })
    }

    /// 10 x 10 pixels: a border of one white pixel, inside it 32 gray ones and 32 red ones.
    @Test func `shares of all that is ignored are of the whole picture`() throws {
        var pixels: [RGB] = []
        for y in 0..<10 {
            for x in 0..<10 {
                let isInside = (1...8).contains(x) && (1...8).contains(y)
                pixels.append(isInside ? (x % 2 == 0 ? Self.grey : Self.red) : .white)
            }
        }
        var sample = PixelSample(pixels)
        sample.width = 10
        var options = PaletteOptions()
        options.ignore = [.border, .grey]
        #expect(
            Palette([sample], options: options).notes.prefix(2) == [
                "ignored border: 36.0 %", "ignored grey: 32.0 %",
            ])
    }

    /// White and black are grays, too.
    @Test func `what is left out for two reasons counts once, for the first`() {
        let colors = [(RGB.white, 400), (.black, 100), (Self.grey, 300), (Self.red, 200)]
        #expect(
            palette(colors, ignoring: [.grey, .black, .white], background: .white).notes.prefix(3) == [
                "ignored white: 40.0 %", "ignored black: 10.0 %", "ignored grey: 30.0 %",
            ])
    }

    @Test func `what is not asked for stays`() {
        let palette = palette([(.white, 600), (.black, 300), (Self.red, 100)], ignoring: [.white])
        #expect(palette.entries.map(\.color) == [.black, Self.red])
    }

    @Test func `the background and what looks like it are left out`() {
        let near = RGB(red: 126, green: 129, blue: 128)
        let palette = palette([(Self.grey, 400), (near, 100), (Self.red, 500)], background: Self.grey)
        #expect(palette.entries.map(\.color) == [Self.red])
        #expect(palette.notes.first == "ignored the background #808080: 50.0 %")
    }

    /// CIEDE2000 from #808080: 4.70 of #8d8d8d, 5.05 of #8e8e8e.
    @Test func `what looks like the background ends at a difference of 5`() {
        let near = RGB(red: 141, green: 141, blue: 141), far = RGB(red: 142, green: 142, blue: 142)
        #expect(
            palette([(near, 500), (Self.red, 500)], background: Self.grey).entries.map(\.color) == [Self.red])
        #expect(palette([(far, 600), (Self.red, 400)], background: Self.grey).entries[0].color == far)
    }

    @Test func `a picture of which nothing is left keeps its full palette and says so`() {
        let palette = palette([(.white, 500), (.black, 500)], ignoring: [.white, .black])
        #expect(palette.entries.count == 2)
        #expect(palette.notes.first == "ignoring white, black leaves nothing: all pixels counted")
    }

    /// A picture of 40 x 30 with bars: `rows` above and below, `columns` on the sides.
    private func framed(rows: Int, columns: Int, noise: Int) -> [RGB] {
        var random = SplitMix64(seed: 3)
        return (0..<1_200).map { index in
            let x = index % 40, y = index / 40
            if y < rows || y >= 30 - rows || x < columns || x >= 40 - columns {
                let value = UInt8(8 + Int.random(in: -noise...noise, using: &random))
                return RGB(red: value, green: value, blue: value)
            }
            return (x + y) % 3 == 0 ? Self.red : Self.blue
        }
    }

    @Test(arguments: [(4, 0), (0, 5), (3, 3), (12, 0)])
    func `bars are found to the row, with noise in them`(rows: Int, columns: Int) {
        let sample = PixelSample(framed(rows: rows, columns: columns, noise: 4), width: 40)
        let border = Border(of: sample.rgba, width: 40)
        #expect([border.top, border.bottom, border.left, border.right] == [rows, rows, columns, columns])
        var options = PaletteOptions()
        options.ignore = [.border]
        let palette = Palette([sample], options: options)
        #expect(Set(palette.entries.map(\.color)) == [Self.red, Self.blue])
        #expect(palette.notes.first?.hasPrefix("ignored border: ") == true)
    }

    /// Rows of 50 pixels, of which one is 2 %.
    @Test(arguments: [(0, 4), (1, 4), (2, 0)])
    func `a line is a border's as long as 98 of 100 of its pixels are`(odd: Int, depth: Int) {
        let pixels = (0..<50 * 20).map { index in
            let (x, y) = (index % 50, index / 50)
            if (4..<16).contains(y) { return (x + y) % 3 == 0 ? Self.red : Self.blue }
            return (20..<20 + odd).contains(x) ? Self.red : RGB.black
        }
        let border = Border(of: PixelSample(pixels).rgba, width: 50)
        #expect([border.top, border.bottom, border.left, border.right] == [depth, depth, 0, 0])
    }

    /// 45 % of 30 rows are 13.5, of 40 columns 18.
    @Test func `bars take at most 45 of 100 rows or columns on each side`() {
        let flat = Border(of: PixelSample(framed(rows: 14, columns: 0, noise: 0)).rgba, width: 40)
        #expect([flat.top, flat.bottom, flat.left, flat.right] == [13, 13, 0, 0])
        let tall = Border(of: PixelSample(framed(rows: 0, columns: 19, noise: 0)).rgba, width: 40)
        #expect([tall.top, tall.bottom, tall.left, tall.right] == [0, 0, 18, 18])
    }

    /// White above and below, black on the sides, both of another alpha in the last case.
    @Test func `bars on the sides end at those above and below, and have one alpha`() {
        func border(_ alpha: (Int) -> UInt8) -> [Int] {
            let rgba = (0..<40 * 30).flatMap { index -> [UInt8] in
                let (x, y) = (index % 40, index / 40)
                if y < 4 || y >= 26 { return [255, 255, 255, alpha(x)] }
                if x < 5 || x >= 35 { return [0, 0, 0, 255] }
                return [(x + y) % 3 == 0 ? 200 : 10, 20, 30, 255]
            }
            let border = Border(of: rgba, width: 40)
            return [border.top, border.bottom, border.left, border.right]
        }
        #expect(border { _ in 255 } == [4, 4, 5, 5])
        #expect(border { $0 < 20 ? 255 : 100 } == [0, 0, 0, 0])
    }

    /// 36 of 100 pixels are a black border, 32 more are black: of the pixels without a place 32 are to stay.
    @Test func `of pixels without a place as many of the border's color are left as lie inside`() throws {
        let picture = (0..<100).map { index in
            let (x, y) = (index % 10, index / 10)
            return (1...8).contains(x) && (1...8).contains(y) && (x + y) % 2 == 0 ? Self.red : RGB.black
        }
        var options = PaletteOptions()
        options.ignore = [.border]
        options.mode = .area
        let palette = Palette([PixelSample(picture, width: 10), PixelSample(picture)], options: options)
        let black = try #require(palette.entries.first { $0.color == .black })
        #expect(abs(black.share - 0.5) < 0.01)
    }

    @Test func `colors of one share stand in the order of their values, whatever came first`() {
        for colors in [[(Self.red, 50), (Self.blue, 50)], [(Self.blue, 50), (Self.red, 50)]] {
            #expect(palette(colors).entries.map(\.color) == [Self.blue, Self.red])
        }
    }

    @Test func `a picture without bars, or of one color, keeps all or most of itself`() {
        var options = PaletteOptions()
        options.ignore = [.border]
        let plain = framed(rows: 0, columns: 0, noise: 0)
        #expect(Palette([PixelSample(plain, width: 40)], options: options) == Palette([PixelSample(plain)]))
        let solid = Palette(
            [PixelSample(rgba: PixelSample(Self.red, count: 100).rgba, width: 10)], options: options)
        #expect(solid.entries.map(\.color) == [Self.red])
        #expect(solid.entries.map(\.share) == [1])
        for size in [1, 2, 3] {
            let tiny = PixelSample(rgba: PixelSample(Self.red, count: size).rgba, width: size)
            #expect(Palette([tiny], options: options).entries.count == 1)
        }
    }

    @Test func `pixels without a place lose the border's color too`() {
        var options = PaletteOptions()
        options.ignore = [.border]
        let picture = framed(rows: 6, columns: 0, noise: 2)
        let palette = Palette([PixelSample(picture, width: 40), PixelSample(picture)], options: options)
        #expect(Set(palette.entries.map(\.color)) == [Self.red, Self.blue])
    }

    @Test(arguments: [1, 2, 3, 5, 7])
    func `auto finds as many colors as there are plain ones`(count: Int) {
        let plain = [
            Self.red, Self.blue, RGB.white, RGB.black, RGB(red: 20, green: 160, blue: 60), Self.grey,
            RGB(red: 240, green: 200, blue: 40),
        ].prefix(count)
        var options = PaletteOptions()
        options.size = .auto
        for mode in PaletteMode.allCases {
            options.mode = mode
            let palette = Palette(
                [PixelSample(plain.flatMap { Array(repeating: $0, count: 50) })], options: options)
            #expect(Set(palette.entries.map(\.color)) == Set(plain))
            let words = count == 1 ? "1 color fits" : "\(count) colors fit"
            #expect(palette.notes.first?.hasPrefix("\(words): mean error 0.0") == true)
            #expect(palette.notes.first?.contains("smallest difference") == (count > 1))
        }
    }

    /// 27 colors that nobody takes for each other, of which each has as much.
    @Test func `auto finds twelve colors at most`() {
        let levels: [UInt8] = [0, 128, 255]
        let colors = levels.flatMap { red in
            levels.flatMap { green in levels.map { RGB(red: red, green: green, blue: $0) } }
        }
        var options = PaletteOptions()
        options.size = .auto
        let palette = Palette(
            [PixelSample(colors.flatMap { Array(repeating: $0, count: 100) })], options: options)
        #expect(palette.notes.first?.hasPrefix("12 colors fit: ") == true)
    }

    /// CIEDE2000 of 7.6: more than 7, and further apart than one color's error may be.
    @Test func `auto tells colors apart from a difference of 7 on`() {
        let colors = [RGB(red: 68, green: 32, blue: 130), RGB(red: 23, green: 35, blue: 167)]
        var options = PaletteOptions()
        (options.size, options.mode) = (.auto, .area)
        let palette = Palette(
            [PixelSample(colors.flatMap { Array(repeating: $0, count: 100) })], options: options)
        #expect(Set(palette.entries.map(\.color)) == Set(colors))
        #expect(palette.notes.first?.contains("smallest difference 7.6") == true)
    }

    @Test func `palettes are written as hex`() {
        let palette = palette([(Self.red, 588), (Self.blue, 412)])
        #expect(PaletteFormat.hex(palette) == "#c8141e\n#0a14c8")
        #expect(PaletteFormat.hex(Palette(entries: [])) == "")
    }

    /// ColorAide 8.13.1: red is oklch(0.62796 0.25768 29.234), gray has no chroma.
    @Test func `oklch has lightness, chroma and hue as CSS writes them`() {
        #expect(PaletteFormat.oklch(Oklab(RGB(red: 255, green: 0, blue: 0))) == "oklch(62.80% 0.258 29.2)")
        #expect(PaletteFormat.oklch(Oklab(.white)) == "oklch(100.00% 0.000 none)")
        #expect(PaletteFormat.oklch(Oklab(.black)) == "oklch(0.00% 0.000 none)")
        #expect(PaletteFormat.oklch(Oklab(lightness: 0.5, a: 0, b: 0.001)) == "oklch(50.00% 0.001 90.0)")
    }

    @Test(arguments: [(-0.00001, "0.0"), (0.00001, "0.0"), (-0.0001, "359.9"), (0.0001, "0.1")])
    func `a hue is below 360 degrees, however it is rounded`(b: Double, hue: String) {
        #expect(PaletteFormat.oklch(Oklab(lightness: 0.5, a: 0.1, b: b)) == "oklch(50.00% 0.100 \(hue))")
    }

    @Test func `twelve colors that nobody takes for each other are all of a palette as large as fits`() {
        let colors = [
            "#000000", "#ffffff", "#777777", "#ff0000", "#00ff00", "#0000ff", "#00ffff", "#ff00ff", "#ffff00",
            "#ff8000",
            "#006400", "#640000",
        ].map { RGB(hex: $0)! }
        for mode in PaletteMode.allCases {
            var options = PaletteOptions()
            (options.size, options.mode) = (.auto, mode)
            let pixels = colors.flatMap { Array(repeating: $0, count: 500) }
            let palette = Palette([PixelSample(pixels)], options: options)
            #expect(Set(palette.entries.map(\.color)) == Set(colors), "\(mode): \(palette.notes)")
        }
    }
}
