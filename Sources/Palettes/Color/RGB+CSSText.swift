extension RGB {
    /// Reads what CSS writes colors as: `#36c`, `#3366cc`, `rgb(51 102 204)`, `hsl(220 60% 50%)`, `oklch(0.53
    /// 0.17 262)`, with spaces or commas; and `3366cc`, if one of the six is a letter, and `36c`, if there
    /// are a letter and a digit. Lower case. Nil for anything else; what lies outside sRGB is cut to it,
    /// channel by channel.
    ///
    /// - Source: CSS Color 4, sections 5, 7 and 9.4.
    public init?(cssText text: String) {
        if let open = text.firstIndex(of: "("), text.hasSuffix(")") {
            let inside = text[text.index(after: open)...].dropLast()
            guard let color = Self.function(text[..<open], inside) else { return nil }
            self = color
            return
        }
        let hasLetter = text.utf8.contains { $0 >= UInt8(ascii: "a") }
        let hasDigit = text.utf8.contains { (48...57).contains($0) }
        let isBare = hasLetter && (text.utf8.count == 6 || text.utf8.count == 3 && hasDigit)
        guard text.hasPrefix("#") || isBare, let color = RGB(hex: text) else { return nil }
        self = color
    }

    private static func function(_ name: Substring, _ arguments: Substring) -> RGB? {
        let texts = arguments.split { $0.unicodeScalars.allSatisfy { $0 == "," || $0.isSpace } }
        let parts = texts.compactMap(Part.init)
        guard texts.count == 3, parts.count == 3 else { return nil }
        switch name {
        case "rgb":
            let channels = parts.map { Self.channel($0.value(percentOf: 255) / 255) }
            return RGB(red: channels[0], green: channels[1], blue: channels[2])
        case "hsl":
            let saturation = parts[1].number / 100, lightness = parts[2].number / 100
            func light(_ n: Double) -> Double {
                let k = (n + turned(parts[0].number) / 30).truncatingRemainder(dividingBy: 12)
                return lightness - saturation * min(lightness, 1 - lightness) * max(-1, min(k - 3, 9 - k, 1))
            }
            return RGB(red: channel(light(0)), green: channel(light(8)), blue: channel(light(4)))
        case "oklch":
            let chroma = parts[1].value(percentOf: 0.4), turn = direction(parts[2].number)
            return RGB(
                Oklab(lightness: parts[0].value(percentOf: 1), a: chroma * turn.cosine, b: chroma * turn.sine)
            )
        default: return nil
        }
    }

    private static func channel(_ value: Double) -> UInt8 {
        UInt8((255 * min(1, max(0, value))).rounded(.toNearestOrAwayFromZero))
    }

    /// A number with or without a percent sign; `none` is 0, and `deg` means nothing.
    private struct Part {
        var number: Double, isPercent: Bool

        init?(_ text: Substring) {
            var text = text == "none" ? "0" : text
            if text.hasSuffix("deg") { text = text.dropLast(3) }
            isPercent = text.hasSuffix("%")
            if isPercent { text = text.dropLast() }
            // CSS has no number that ends with its point.
            let digits = text.hasPrefix("-") ? text.dropFirst() : text
            let allowed =
                digits.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 } && digits.last != "."
            guard allowed, let number = Double(text), number.isFinite else { return nil }
            self.number = number
        }

        func value(percentOf whole: Double) -> Double { isPercent ? number / 100 * whole : number }
    }
}

extension Unicode.Scalar {
    /// Whether it stands between words of a query: what JavaScript and Unicode call white space, a mark of
    /// byte order, and a space of no width.
    public var isSpace: Bool { properties.isWhitespace || self == "\u{FEFF}" || self == "\u{200B}" }
}

/// An angle as 0..<360 degrees.
private func turned(_ degrees: Double) -> Double {
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    return rest < 0 ? rest + 360 : rest
}

/// Cosine and sine of an angle in degrees.
func direction(_ degrees: Double) -> (cosine: Double, sine: Double) {
    let half = Double.pi / 2, full = turned(degrees)
    let x = (full > 180 ? full - 360 : full) / 180 * .pi
    let sine = x > half ? sine(.pi - x) : x < -half ? -Palettes.sine(.pi + x) : Palettes.sine(x)
    return (Palettes.sine(half - abs(x)), sine)
}
