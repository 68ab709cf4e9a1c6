internal import Glibc

/// sRGB's transfer curve as tables.
///
/// - Source: IEC 61966-2-1:1999, 5.2: the two pieces meet at 0.04045 (stored) and 0.0031308 (light).
enum SRGBCurve {
    /// Light, 0...1, of each stored value.
    static let light: [Float] = (0..<256).map { Float(light(Double($0) / 255)) }

    /// Stored value of light in 4,096 steps, 0...1. The steps are fine enough for every stored value to occur
    /// but the few darkest, which light sums hardly ever hit.
    static let stored: [UInt8] = (0...4095).map { UInt8(stored(Double($0) / 4095) * 255 + 0.5) }

    static func light(_ stored: Double) -> Double {
        stored <= 0.04045 ? stored / 12.92 : pow((stored + 0.055) / 1.055, 2.4)
    }

    static func stored(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// The sRGB value, 0...255, of each of `count` evenly spaced values that were stored as light ^ `gamma`.
    static func table(gamma: Double, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(stored(pow(Double($0) / Double(count - 1), 1 / gamma)) * 255 + 0.5) }
    }
}
