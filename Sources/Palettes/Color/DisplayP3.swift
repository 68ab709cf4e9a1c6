/// A color in Display P3, 8 bits a channel: sRGB's curve and white, wider primaries.
public struct DisplayP3: Hashable, Sendable {
    /// Gamma-encoded, 0...255.
    public var red: UInt8, green: UInt8, blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// CSS Color 4's `color(display-p3 0.9176 0.2003 0.1386)`: 0...1, four digits.
    public var css: String {
        let parts = [red, green, blue].map { channel in
            let digits = "\(10_000 + (Int(channel) * 20_000 + 255) / 510)"
            return "\(digits.first == "2" ? 1 : 0).\(digits.dropFirst())"
        }
        return "color(display-p3 \(parts.joined(separator: " ")))"
    }
}

extension DisplayP3 {
    /// Linear sRGB light; outside 0...1 where the color lies outside sRGB.
    ///
    /// - Source: SMPTE EG 432-1 (primaries), IEC 61966-2-1 (sRGB); both D65, so one matrix.
    var linearSRGB: SIMD4<Double> {
        let light = RGB(red: red, green: green, blue: blue).linear
        return SIMD4(
            1.2249401 * light.x - 0.2249404 * light.y, -0.0420569 * light.x + 1.0420571 * light.y,
            -0.0196376 * light.x - 0.0786361 * light.y + 1.0982735 * light.z, 0)
    }

    /// The inverse, to the nearest color inside Display P3, channel by channel.
    init(linearSRGB light: SIMD4<Double>) {
        let encoded = RGB(
            linear: SIMD4(
                0.8224621 * light.x + 0.1775380 * light.y, 0.0331941 * light.x + 0.9668058 * light.y,
                0.0170827 * light.x + 0.0723974 * light.y + 0.9105199 * light.z, 0))
        self.init(red: encoded.red, green: encoded.green, blue: encoded.blue)
    }
}

/// Linear sRGB light of a color that sRGB does not have, by more than one and a half steps of 8 bits: less is
/// rounding.
func isOutsideSRGB(_ light: SIMD4<Double>) -> Bool {
    let least = min(light.x, light.y, light.z), most = max(light.x, light.y, light.z)
    return least < -0.0005 || most > 1.0135
}
