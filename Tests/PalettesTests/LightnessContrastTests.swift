import TestSupport
import Testing

@testable import Palettes

@Suite struct LightnessContrastTests {
    /// The eight values that APCA 0.0.98G-4g publishes for its implementers.
    static let published: [(text: String, ground: String, contrast: Double)] = [
        ("#888", "#fff", 63.056469930209424), ("#fff", "#888", -68.54146436644962),
        ("#000", "#aaa", 58.146262578561334), ("#aaa", "#000", -56.24113336839742),
        ("#123", "#def", 91.66830811481631), ("#def", "#123", -93.06770049484275),
        ("#123", "#444", 8.32326136957393), ("#444", "#123", -7.526878460278154),
    ]

    @Test(arguments: published)
    func `lightness contrast is what its authors publish`(
        pair: (text: String, ground: String, contrast: Double)
    ) throws {
        let text = try #require(RGB(hex: pair.text))
        let ground = try #require(RGB(hex: pair.ground))
        #expect(abs(text.lightnessContrast(on: ground) - pair.contrast) < 1e-9)
    }

    @Test func `contrast and Oklch are coloraide's`() throws {
        #expect(referenceContrasts.count == 60)
        for pair in referenceContrasts {
            let first = try #require(RGB(hex: pair.first))
            let second = try #require(RGB(hex: pair.second))
            // ColorAide has more digits of the luminances of red, green, and blue.
            #expect(abs(first.contrast(with: second) / pair.ratio - 1) < 5e-4)
            let color = LightnessChromaHue(first)
            #expect(abs(color.lightness - pair.oklch[0]) < 1e-6)
            #expect(abs(color.chroma - pair.oklch[1]) < 1e-6)
            // The hue of a gray is noise.
            if pair.oklch[1] > 1e-4 { #expect(abs(color.turn(from: pair.oklch[2])) < 0.01) }
        }
    }

    @Test func `powers are the C library's to thirteen digits`() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<20_000 {
            let base = Double.random(in: 1e-9...1, using: &random)
            let exponent = Double.random(in: 0.3...2.5, using: &random)
            let expected = libraryPower(base, exponent)
            #expect(abs(power(base, exponent) - expected) <= 1e-13 * max(expected, 1e-6))
        }
        #expect(power(0, 0.5) == 0)
        #expect(power(1, 2.4) == 1)
    }

    @Test func `a color inside sRGB comes back from lightness, chroma, and hue`() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<5_000 {
            let color = RGB.random(using: &random)
            #expect(LightnessChromaHue(color).color == color)
        }
    }

    @Test func `a color outside sRGB keeps its hue and lightness, and loses chroma`() {
        for hue in stride(from: 0.0, to: 360, by: 7) {
            for lightness in [0.3, 0.5, 0.7, 0.9] {
                let color = LightnessChromaHue(lightness: lightness, chroma: 0.4, hue: hue).color
                let back = LightnessChromaHue(color)
                #expect(abs(back.lightness - lightness) < 0.006)
                // 8 bits: a step of a channel turns a pale color by some degrees.
                #expect(abs(back.turn(from: hue)) < 0.3 / back.chroma)
                // On the border: more chroma would cut a channel.
                let light = color.linear
                #expect(min(light.x, light.y, light.z) < 0.002 || max(light.x, light.y, light.z) > 0.99)
            }
        }
    }
}
