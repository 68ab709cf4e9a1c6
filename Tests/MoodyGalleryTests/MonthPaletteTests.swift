import Testing

@testable import MoodyGallery

@Suite struct MonthPaletteTests {
    private func row(_ swatches: [(red: UInt8, green: UInt8, blue: UInt8, share: Double)]) -> MoodRow {
        var row = MoodRow.sample()
        row.swatches = swatches.map { .init(red: $0.red, green: $0.green, blue: $0.blue, share: $0.share) }
        return row
    }

    @Test func `colors that look the same are one, named by the largest`() {
        let palette = MonthPalette(of: [row([(200, 30, 30, 0.6), (0, 0, 0, 0.4)]), row([(204, 32, 30, 1)])])
        #expect(palette.swatches.map(\.hex) == ["#cc201e", "#000000"])
        #expect(palette.swatches.map(\.share) == [1.6, 0.4])
    }

    @Test func `a color of no share is none`() {
        let palette = MonthPalette(of: [row([(255, 0, 0, 1), (0, 0, 255, 0)])])
        #expect(palette.swatches.map(\.hex) == ["#ff0000"])
    }

    @Test func `a strong color stays when grays are many`() {
        let grays = stride(from: 0, through: 250, by: 50).map { (UInt8($0), UInt8($0), UInt8($0), 0.16) }
        let palette = MonthPalette(of: [row(grays + [(255, 0, 0, 0.04)])], count: 5)
        #expect(palette.swatches.count == 5)
        #expect(palette.swatches.first?.hex == "#ff0000")
    }

    @Test func `shadows and grays stand behind colors, however large`() {
        let dark = (UInt8(10), UInt8(8), UInt8(12), 0.6), sky = (UInt8(90), UInt8(140), UInt8(200), 0.25)
        let palette = MonthPalette(of: [row([dark, sky, (200, 120, 40, 0.15)])])
        #expect(palette.swatches.map(\.hex) == ["#5a8cc8", "#c87828", "#0a080c"])
    }

    /// Nearly black, whatever its hue.
    @Test func `a blue that is nearly black is no color`() {
        let palette = MonthPalette(of: [row([(128, 128, 128, 0.7), (0, 0, 56, 0.3)])])
        #expect(palette.swatches.map(\.hex) == ["#808080", "#000038"])
    }

    @Test func `photos without palettes have none`() {
        #expect(MonthPalette(of: [row([]), row([])]).swatches.isEmpty)
        #expect(MonthPalette(of: []).swatches.isEmpty)
    }
}
