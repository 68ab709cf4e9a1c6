import TestSupport
import Testing

@testable import Palettes

@Suite struct ColorVisionTests {
    @Test func `colors look as colour-science has them`() throws {
        #expect(referenceVision.count == 60)
        for reference in referenceVision {
            let colors = try [reference.first, reference.second].map { try #require(RGB(hex: $0)) }
            let seen = colors.map { reference.vision.seen($0, severity: Double(reference.tenths) / 10) }
            #expect(abs(seen[0].difference(to: seen[1]) - reference.difference) < 0.001)
        }
    }

    @Test func `without severity all see the same, and between tenths as on a line`() {
        var random = SplitMix64(seed: 5)
        for vision in ColorVision.allCases {
            for _ in 0..<200 {
                let color = RGB.random(using: &random)
                #expect(vision.seen(color, severity: 0) == Lab(color))
                // Gray is gray to everybody.
                let gray = RGB(red: color.red, green: color.red, blue: color.red)
                #expect(vision.seen(gray, severity: 1).difference(to: Lab(gray)) < 0.01)
                let near = vision.seen(color, severity: 0.34).difference(
                    to: vision.seen(color, severity: 0.36))
                #expect(near < 1.5)
            }
        }
    }

    /// gka/palettes#22: a protan cannot tell them, though they are told apart otherwise.
    @Test func `a pair that passes for all but protans is named for them`() throws {
        let check = PaletteCheck([RGB(hex: "#ececec")!, RGB(hex: "#f9eaea")!])
        #expect(check.pairs.map(\.vision) == [.protan, .deutan, .normal])
        #expect(abs(check.pairs[0].difference - 0.96) < 0.01 && check.pairs[0].isAlike)
        #expect(abs(check.pairs[2].difference - 6.65) < 0.01 && !check.pairs[2].isAlike)
        #expect(check.apart == [0])
    }

    /// gka/palettes#16: what is near for everybody is said once, and of nobody in particular.
    @Test func `a pair that is alike for all is named once`() {
        let check = PaletteCheck([RGB(hex: "#336699")!, RGB(hex: "#346799")!, RGB(hex: "#ffcc00")!])
        #expect(check.pairs.count == 1 && check.pairs[0].vision == .normal && check.pairs[0].isAlike)
        #expect(check.apart == [0, 2])
    }

    @Test func `one color and none are no trouble`() {
        #expect(PaletteCheck([]).apart.isEmpty)
        #expect(PaletteCheck([.black]).apart == [0])
        #expect(PaletteCheck(Array(repeating: .black, count: 100)).apart == [0])
    }

    /// By all subsets.
    @Test func `the set of colors that stay apart is a largest one`() {
        var random = SplitMix64(seed: 6)
        for count in 2...10 {
            for _ in 0..<10 {
                let hue = Double.random(in: 0..<360, using: &random)
                let colors = (0..<count).map { _ in
                    LightnessChromaHue(
                        lightness: .random(in: 0.3...0.9, using: &random),
                        chroma: .random(in: 0...0.2, using: &random),
                        hue: hue + .random(in: 0...90, using: &random)
                    ).color
                }
                let check = PaletteCheck(colors)
                let pairs = check.pairs.map { [$0.first, $0.second] }
                let largest = (0..<1 << count).filter { set in
                    pairs.allSatisfy { set >> $0[0] & 1 == 0 || set >> $0[1] & 1 == 0 }
                }.map(\.nonzeroBitCount).max()
                #expect(check.apart.count == largest)
                #expect(pairs.allSatisfy { !check.apart.contains($0[0]) || !check.apart.contains($0[1]) })
            }
        }
    }

    @Test func `sixty-four colors take no second`() {
        var random = SplitMix64(seed: 7)
        let start = ContinuousClock.now
        _ = PaletteCheck((0..<64).map { _ in .random(using: &random) })
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `text that can be read is named with its ratio`() {
        let check = PaletteCheck([.white, .black, RGB(hex: "#767676")!])
        #expect(check.contrasts.map(\.level) == ["AAA", "AA", "AA"])
        #expect(check.contrasts[0] == PaletteCheck.Contrast(text: 0, ground: 1, ratio: 21))
        // WCAG's own example of the lightest gray on white: 4.54.
        #expect(check.contrasts.contains { $0.text == 0 && abs($0.ratio - 4.54) < 0.01 })
    }

    /// With a kind of cones missing they would look alike without their lightness.
    @Test func `a theme's red and green are told apart by protans and deutans`() {
        for (_, theme) in ThemeLawTests.themes {
            for vision in [ColorVision.protan, .deutan] {
                let red = vision.seen(theme[.red], severity: 1)
                #expect(red.difference(to: vision.seen(theme[.green], severity: 1)) >= 10)
            }
        }
    }
}
