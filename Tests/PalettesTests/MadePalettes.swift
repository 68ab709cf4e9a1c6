import TestSupport

@testable import Palettes

/// Palettes as no photo has them, and as photos do: gray, of one hue, black, white, primaries, 1...32 colors.
func madePalettes(_ count: Int, seed: UInt64) -> [Palette] {
    var random = SplitMix64(seed: seed)
    let corners = (0..<8).map { code in
        RGB(red: code & 1 > 0 ? 255 : 0, green: code & 2 > 0 ? 255 : 0, blue: code & 4 > 0 ? 255 : 0)
    }
    var palettes = corners.map { Palette(entries: [Palette.Entry(color: $0, share: 1)]) }
    palettes.append(Palette(entries: []))
    palettes.append(
        Palette(entries: corners.map { Palette.Entry(color: $0, share: 1.0 / Double(corners.count)) }))
    while palettes.count < count {
        let number = Int.random(in: 1...32, using: &random)
        let kind = Int.random(in: 0..<6, using: &random)
        let hue = Double.random(in: 0..<360, using: &random)
        var shares = (0..<number).map { _ in Double.random(in: 0.001...1, using: &random) }
        if kind == 5 { shares[0] = 50 }
        let sum = shares.reduce(0, +)
        let entries = shares.map { share -> Palette.Entry in
            var color = RGB.random(using: &random)
            switch kind {
            case 0: color = RGB(red: color.red, green: color.red, blue: color.red)
            case 1:
                color =
                    LightnessChromaHue(
                        lightness: .random(in: 0...1, using: &random),
                        chroma: .random(in: 0...0.3, using: &random), hue: hue
                    ).color
            case 2: color = RGB(red: color.red / 8, green: color.green / 8, blue: color.blue / 8)
            case 3:
                color = RGB(
                    red: 255 - color.red / 8, green: 255 - color.green / 8, blue: 255 - color.blue / 8)
            case 4: color = corners.randomElement(using: &random)!
            default: break
            }
            return Palette.Entry(color: color, share: share / sum)
        }
        palettes.append(Palette(entries: entries.sorted { $0.share > $1.share }))
    }
    return palettes
}
