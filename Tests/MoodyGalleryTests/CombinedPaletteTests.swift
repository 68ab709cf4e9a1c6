import MoodyGallery
import Palettes
import Testing

@Suite struct CombinedPaletteTests {
    private static func palette(_ colors: [(UInt8, UInt8, UInt8, Double)]) -> Palette {
        Palette(
            entries: colors.map {
                Palette.Entry(color: RGB(red: $0.0, green: $0.1, blue: $0.2), share: $0.3)
            })
    }

    /// A strip of 256 pixels has one for each color, however small its share.
    @Test func `a small color of a photo is in the palette of all`() {
        var combined = CombinedPalette()
        combined.add(Self.palette([(200, 30, 30, 0.9995), (20, 20, 220, 0.0005)]))
        var options = PaletteOptions()
        options.size = .colors(2)
        let entries = combined.palette(options).entries
        #expect(entries.map(\.color.hex) == ["#c81e1e", "#1414dc"])
        #expect(abs(entries[0].share - 256.0 / 257) < 1e-3)
    }

    @Test func `each photo counts the same, each color with its share`() {
        var combined = CombinedPalette()
        combined.add(Self.palette([(200, 30, 30, 1)]))
        combined.add(Self.palette([(200, 30, 30, 0.5), (20, 20, 220, 0.5)]))
        var options = PaletteOptions()
        options.size = .colors(2)
        let shares = combined.palette(options).entries.map(\.share)
        #expect(shares.count == 2 && abs(shares[0] - 0.75) < 1e-3 && abs(shares[1] - 0.25) < 1e-3)
    }

    @Test func `without palettes there is no color`() {
        #expect(CombinedPalette().palette(PaletteOptions()).entries.isEmpty)
    }
}
