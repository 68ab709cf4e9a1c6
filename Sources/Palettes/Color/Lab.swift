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
        self.init(x: x, y: y, z: z)
    }

    /// - Parameter y: luminance, 1 for white under D65.
    private init(x: Double, y: Double, z: Double) {
        let fx = stretched(x / (0.3127 / 0.3290)), fy = stretched(y)
        let fz = stretched(z / ((1 - 0.3127 - 0.3290) / 0.3290))
        self.init(lightness: 116 * fy - 16, a: 500 * (fx - fy), b: 200 * (fy - fz))
    }
}

/// CIE 15's cube root with a straight foot.
private func stretched(_ t: Double) -> Double {
    t > 216.0 / 24389 ? cubeRoot(t) : (24389.0 / 27 * t + 16) / 116
}

extension Lab {
    /// The color of Lab under D50, as Photoshop and ASE mean it, adapted to D65 by Bradford's matrix.
    ///
    /// - Source: CSS Color 4, "D50 to D65".
    public init(d50 lab: Lab) {
        let y = (lab.lightness + 16) / 116
        let white = (x: 0.3457 / 0.3585, z: (1 - 0.3457 - 0.3585) / 0.3585)
        let d50 = (
            x: unstretched(y + lab.a / 500) * white.x, y: unstretched(y),
            z: unstretched(y - lab.b / 200) * white.z
        )
        self.init(
            x: 0.955473421488075 * d50.x - 0.02309845494876471 * d50.y + 0.06325924320057072 * d50.z,
            y: -0.0283697093338637 * d50.x + 1.0099953980813041 * d50.y + 0.021041441191917323 * d50.z,
            z: 0.012314014864481998 * d50.x - 0.020507649298898964 * d50.y + 1.330365926242124 * d50.z)
    }
}

extension RGB {
    /// The nearest color inside sRGB, channel by channel. The inverse of ``Lab/init(_:)``.
    public init(_ lab: Lab) {
        let y = (lab.lightness + 16) / 116
        self.init(
            xyz: unstretched(y + lab.a / 500) * (0.3127 / 0.3290), unstretched(y),
            unstretched(y - lab.b / 200) * ((1 - 0.3127 - 0.3290) / 0.3290))
    }

    /// - Source: CSS Color 4, "XYZ to linear sRGB".
    private init(xyz x: Double, _ y: Double, _ z: Double) {
        self.init(
            linear: SIMD4(
                12831.0 / 3959 * x - 329.0 / 214 * y - 1974.0 / 3959 * z,
                -851781.0 / 878810 * x + 1648619.0 / 878810 * y + 36519.0 / 878810 * z,
                705.0 / 12673 * x - 2585.0 / 12673 * y + 705.0 / 667 * z, 0))
    }
}

/// The inverse of ``stretched(_:)``.
private func unstretched(_ t: Double) -> Double {
    t > 6.0 / 29 ? t * t * t : (116 * t - 16) * 27 / 24389
}
