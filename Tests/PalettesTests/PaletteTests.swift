import TestSupport
import Testing

@testable import Palettes

@Suite struct PaletteTests {
    static let modes = PaletteMode.allCases

    static func options(_ count: Int, _ mode: PaletteMode) -> PaletteOptions {
        var options = PaletteOptions()
        options.size = .colors(count)
        options.mode = mode
        return options
    }

    @Test(
        arguments: modes,
        ["#000000", "#ffffff", "#808080", "#313788", "#ff0000", "#0000ff", "#010203", "#fefdfc"])
    func `a solid picture gives that very color, all of it`(mode: PaletteMode, hex: String) throws {
        let color = try #require(RGB(hex: hex))
        for pixels in [1, 7, 4_096] {
            let palette = Palette([PixelSample(color, count: pixels)], options: Self.options(5, mode))
            #expect(palette.entries == [Palette.Entry(color: color, share: 1)])
            #expect(palette.notes == ["1 of 5 colors: the picture has no more that can be told apart"])
        }
    }

    /// The tenth of the picture that is nearest to its middle: grays, and a little red that is no gray.
    @Test func `the color shown is not tinged by another that lies as near by chance`() {
        let parts: [(String, Int)] = [
            ("#000000", 4_700), ("#ffffff", 4_390), ("#808080", 760), ("#b03040", 150),
        ]
        let pixels = parts.flatMap { Array(repeating: RGB(hex: $0.0)!, count: $0.1) }
        let shown = Palette([PixelSample(pixels)], options: Self.options(1, .representative)).entries[0].color
        #expect(shown == RGB(hex: "#808080"))
    }

    @Test(arguments: modes)
    func `random solid colors come back exactly`(mode: PaletteMode) {
        var random = SplitMix64(seed: 31), workspace = PaletteWorkspace()
        for _ in 0..<300 {
            let color = RGB.random(using: &random)
            let palette = Palette(
                [PixelSample(color, count: 3)], options: Self.options(1, mode), using: &workspace)
            #expect(palette.entries.map(\.color) == [color])
            #expect(palette.notes == [])
        }
    }

    @Test(arguments: modes)
    func `two colors give two, with their shares`(mode: PaletteMode) {
        let red = RGB(red: 200, green: 20, blue: 30), blue = RGB(red: 10, green: 20, blue: 200)
        let pixels = Array(repeating: red, count: 300) + Array(repeating: blue, count: 100)
        let palette = Palette([PixelSample(pixels)], options: Self.options(5, mode))
        #expect(palette.entries.map(\.color) == [red, blue])
        #expect(palette.entries.map(\.share) == [0.75, 0.25])
        #expect(palette.notes == ["2 of 5 colors: the picture has no more that can be told apart"])
    }

    /// A street of two grays with a red door, and what a camera makes of the door's edge.
    @Test(arguments: [(60, 140), (90, 170), (70, 180), (40, 200)])
    func `with few colors to show, those shown are in the picture`(dark: UInt8, bright: UInt8) {
        let door = RGB(red: 190, green: 30, blue: 35)
        let grays = [RGB(red: dark, green: dark, blue: dark), RGB(red: bright, green: bright, blue: bright)]
        var pixels = Array(repeating: grays[0], count: 59_800) + Array(repeating: grays[1], count: 39_600)
        pixels += Array(repeating: door, count: 500)
        for step in 1...20 {
            func mixed(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8((Int(a) * step + Int(b) * (21 - step)) / 21) }
            let gray = grays[0]
            let edge = RGB(
                red: mixed(door.red, gray.red), green: mixed(door.green, gray.green),
                blue: mixed(door.blue, gray.blue))
            pixels += Array(repeating: edge, count: 5)
        }
        for count in 2...3 {
            let palette = Palette([PixelSample(pixels)], options: Self.options(count, .representative))
            for entry in palette.entries {
                let nearest = (grays + [door]).map { Lab($0).difference(to: Lab(entry.color)) }.min()
                #expect(nearest ?? 100 < 3, "\(count): \(entry.color) \(entry.share)")
            }
        }
    }

    @Test(arguments: modes)
    func `a gray ramp gives grays, as many as asked for`(mode: PaletteMode) {
        let ramp = (0...255).map { RGB(red: UInt8($0), green: UInt8($0), blue: UInt8($0)) }
        for count in [1, 2, 5, 8, 16] {
            let palette = Palette([PixelSample(ramp)], options: Self.options(count, mode))
            #expect(palette.entries.count == count)
            for entry in palette.entries {
                #expect(entry.color.red == entry.color.green && entry.color.green == entry.color.blue)
            }
        }
    }

    @Test(arguments: modes)
    func `nothing to see gives no colors, and says why`(mode: PaletteMode) {
        let transparent = PixelSample(rgba: [10, 20, 30, 0, 40, 50, 60, 0])
        for samples in [[], [PixelSample(rgba: [])], [transparent], [PixelSample(rgba: [1, 2, 3])]] {
            let palette = Palette(samples, options: Self.options(5, mode))
            #expect(palette.entries == [])
            #expect(palette.notes == ["every pixel is transparent"])
        }
    }

    @Test(arguments: modes)
    func `alpha is weight, not color`(mode: PaletteMode) {
        let sample = PixelSample(rgba: [255, 0, 0, 51, 0, 0, 255, 204, 0, 255, 0, 0])
        let palette = Palette([sample], options: Self.options(5, mode))
        #expect(palette.entries.map(\.color.hex) == ["#0000ff", "#ff0000"])
        #expect(palette.entries.map(\.share) == [0.8, 0.2])
    }

    @Test(arguments: modes)
    func `samples count by their weights, however many pixels they have`(mode: PaletteMode) {
        let red = RGB(red: 200, green: 20, blue: 30), blue = RGB(red: 10, green: 20, blue: 200)
        let palette = Palette(
            [
                PixelSample(Array(repeating: red, count: 1_000), weight: 1),
                PixelSample(Array(repeating: blue, count: 10), weight: 3), PixelSample([], weight: 5),
                PixelSample(Array(repeating: .white, count: 10), weight: 0),
            ], options: Self.options(5, mode))
        #expect(palette.entries.map(\.color) == [blue, red])
        #expect(abs(palette.entries[0].share - 0.75) < 0.001)
    }

    @Test(arguments: modes)
    func `any pixels give shares that add up to 1, largest first, and colors that can be told apart`(
        mode: PaletteMode
    ) {
        for seed in 1...40 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let pixels = clouds(
                .random(in: 1...12, using: &random), pixels: .random(in: 1...3_000, using: &random),
                noise: .random(in: 0...60, using: &random), seed: seed)
            let count = Int.random(in: 1...32, using: &random)
            let palette = Palette([PixelSample(pixels)], options: Self.options(count, mode))
            let shares = palette.entries.map(\.share)
            #expect((1...count).contains(shares.count), "seed \(seed)")
            #expect(abs(shares.reduce(0, +) - 1) < 1e-12, "seed \(seed)")
            #expect(shares == shares.sorted(by: >) && shares.allSatisfy { $0 > 0 }, "seed \(seed)")
            #expect((Palette.closestPair(palette.entries)?.difference ?? 99) >= 2.3, "seed \(seed)")
            #expect(palette.notes.isEmpty == (shares.count == count), "seed \(seed)")
        }
    }

    @Test(arguments: modes)
    func `the order of the pixels does not matter`(mode: PaletteMode) {
        var pixels = clouds(6, pixels: 5_000, noise: 40, seed: 5)
        let palette = Palette([PixelSample(pixels)], options: Self.options(6, mode))
        var random = SplitMix64(seed: 6)
        pixels.shuffle(using: &random)
        #expect(Palette([PixelSample(pixels)], options: Self.options(6, mode)) == palette)
        #expect(Palette([PixelSample(pixels.reversed())], options: Self.options(6, mode)) == palette)
    }

    @Test(arguments: modes)
    func `every pixel twice changes nothing`(mode: PaletteMode) {
        let pixels = clouds(6, pixels: 3_000, noise: 40, seed: 8)
        let once = Palette([PixelSample(pixels)], options: Self.options(5, mode))
        #expect(Palette([PixelSample(pixels + pixels)], options: Self.options(5, mode)) == once)
    }

    @Test(arguments: modes)
    func `a workspace that has served other pictures changes nothing`(mode: PaletteMode) {
        var workspace = PaletteWorkspace()
        for seed in 1...8 as ClosedRange<UInt64> {
            let sample = PixelSample(clouds(Int(seed), pixels: 4_000, noise: Int(seed) * 8, seed: seed))
            let options = Self.options(5, mode)
            #expect(
                Palette([sample], options: options, using: &workspace) == Palette([sample], options: options))
        }
        #expect(workspace.slots.allSatisfy { $0 == 0 })
        #expect(workspace.recent.allSatisfy { $0 == .zero })
    }

    @Test func `sizes outside 1...32 are brought inside`() {
        let pixels = clouds(30, pixels: 3_000, noise: 90, seed: 9)
        #expect(Palette([PixelSample(pixels)], options: Self.options(0, .area)).entries.count == 1)
        #expect(Palette([PixelSample(pixels)], options: Self.options(-5, .area)).entries.count == 1)
        #expect(Palette([PixelSample(pixels)], options: Self.options(99, .area)).entries.count == 32)
    }
}
