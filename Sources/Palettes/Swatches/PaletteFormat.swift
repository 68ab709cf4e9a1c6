/// Palettes as text, for files and for standard output. Pure functions; what they write ends without a
/// newline.
public enum PaletteFormat {
    /// "#3366cc", one a line, largest share first.
    public static func hex(_ palette: Palette) -> String {
        palette.entries.map(\.color.hex).joined(separator: "\n")
    }

    /// CSS's `oklch(62.80% 0.258 29.2)`: lightness, chroma, hue in degrees; grays have the hue `none`.
    public static func oklch(_ color: Oklab) -> String {
        let chroma = Int((max(0, color.chroma) * 1_000).rounded())
        let tenths = Int((color.hue * 10).rounded()) % 3_600
        let hue = chroma == 0 ? "none" : "\(tenths / 10).\(tenths % 10)"
        let thousandths = "\(1_000 + chroma % 1_000)".dropFirst()
        return "oklch(\(hundredths(max(0, color.lightness) * 100))% \(chroma / 1_000).\(thousandths) \(hue))"
    }

    /// CSS's `hsl(220 60% 50%)`, to a tenth, which gives each channel back.
    package static func hsl(_ color: RGB) -> String {
        let channels = [color.red, color.green, color.blue].map { Int($0) }
        let most = channels.max() ?? 0
        let least = channels.min() ?? 0
        let range = most - least
        let sum = most + least
        var hue = 0.0
        if range > 0 {
            let (red, green, blue) = (channels[0], channels[1], channels[2])
            let turn =
                most == red ? (green - blue, 0) : most == green ? (blue - red, 120) : (red - green, 240)
            hue = Double(turn.0) / Double(range) * 60 + Double(turn.1)
            if hue < 0 { hue += 360 }
        }
        let saturation = range == 0 ? 0 : Double(range) / Double(sum > 255 ? 510 - sum : sum) * 100
        return "hsl(\(tenths(hue)) \(tenths(saturation))% \(tenths(Double(sum) / 5.1))%)"
    }

    /// Lightness, a, and b under D65: `43.11 12.43 -58.32`.
    package static func lab(_ color: Lab) -> String {
        [color.lightness, color.a, color.b].map { fixed($0, digits: 2) }.joined(separator: " ")
    }

    /// A channel as 0...1, with five digits, which give it back.
    package static func unit(_ channel: UInt8) -> String {
        if channel == 0 || channel == 255 { return channel == 0 ? "0" : "1" }
        return "0." + "\(100_000 + (Int(channel) * 200_000 + 255) / 510)".dropFirst()
    }

    /// A share as "41.2 %".
    package static func share(_ share: Double) -> String { percent(share) }

    /// A number with that many digits behind its point.
    package static func fixed(_ number: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let rounded = Int((abs(number) * Double(scale)).rounded())
        let sign = number < 0 && rounded > 0 ? "-" : ""
        return "\(sign)\(rounded / scale)." + "\(scale + rounded % scale)".dropFirst()
    }

    /// To a tenth, without one where it is 0.
    private static func tenths(_ number: Double) -> String {
        let text = fixed(number, digits: 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
