/// A color in CIELAB under D65 light, the space CIEDE2000 is defined in.
///
/// `lightness` 0...100; `a` and `b` about -128...128. Matrix and white: CSS Color 4, "sRGB to XYZ", as
/// fractions, so that white is L 100, a 0, b 0 to the last digits. Files that hold Lab (ASE, Photoshop) mean
/// D50: not these numbers.
public struct Lab: Hashable, Sendable {
    public var lightness: Double, a: Double, b: Double

    public init(lightness: Double, a: Double, b: Double) {
        self.lightness = lightness
        self.a = a
        self.b = b
    }

    public init(_ rgb: RGB) { self.init(linear: rgb.linear) }

    /// - Parameter light: red, green, blue as linear light, 0...1.
    init(linear light: SIMD4<Double>) {
        let r = light.x, g = light.y, b = light.z
        let x = 506752.0 / 1228815 * r + 87881.0 / 245763 * g + 12673.0 / 70218 * b
        let y = 87098.0 / 409605 * r + 175762.0 / 245763 * g + 12673.0 / 175545 * b
        let z = 7918.0 / 409605 * r + 87881.0 / 737289 * g + 1001167.0 / 1053270 * b
        let fx = stretched(x / (0.3127 / 0.3290)), fy = stretched(y)
        let fz = stretched(z / ((1 - 0.3127 - 0.3290) / 0.3290))
        self.init(lightness: 116 * fy - 16, a: 500 * (fx - fy), b: 200 * (fy - fz))
    }
}

/// CIE 15's cube root with a straight foot.
private func stretched(_ t: Double) -> Double {
    t > 216.0 / 24389 ? cubeRoot(t) : (24389.0 / 27 * t + 16) / 116
}
