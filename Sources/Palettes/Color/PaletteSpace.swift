/// The space in which palettes are found: Oklab with its color axes stretched and with CIELAB's straight
/// foot.
///
/// Unchanged, Oklab holds lightness to be more important against color than people do, by every measure we
/// tried; and its cube root is so steep at black that #000000 and #020202, which nobody can tell apart, are
/// as far apart as two plain grays twenty levels from each other, so that a night scene would get a palette
/// of blacks. Where CIELAB takes a straight line instead of the root, so does this. The numbers:
/// docs/measurements/PALETTES.md.
///
/// A point is (lightness, s a, s b, 0): lightness is 0.138...1, and Oklab's for all but the darkest colors.
enum PaletteSpace {
    /// How much longer the color axes are than Oklab's.
    static let chromaScale: Float = 2

    /// Points of eight colors given as linear light.
    @inline(__always)
    static func points(
        _ r: SIMD8<Float>, _ g: SIMD8<Float>, _ b: SIMD8<Float>
    ) -> (x: SIMD8<Float>, y: SIMD8<Float>, z: SIMD8<Float>) {
        let l = footed(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
        let m = footed(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
        let s = footed(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
        return (
            0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            chromaScale * (1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s),
            chromaScale * (0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)
        )
    }

    static func point(_ color: RGB) -> SIMD4<Float> {
        let light = SIMD4<Float>(color.linear)
        let point = points(
            SIMD8(repeating: light.x), SIMD8(repeating: light.y), SIMD8(repeating: light.z))
        return SIMD4(point.x[0], point.y[0], point.z[0], 0)
    }

    /// The color at a point, as linear light; a little outside 0...1 where the point is outside sRGB.
    static func linear(_ point: SIMD4<Float>) -> SIMD4<Double> {
        let lightness = Double(point.x)
        let a = Double(point.y) / Double(chromaScale), b = Double(point.z) / Double(chromaScale)
        return Oklab.linear(
            l: unfooted(lightness + 0.3963377774 * a + 0.2158037573 * b),
            m: unfooted(lightness - 0.1055613458 * a - 0.0638541728 * b),
            s: unfooted(lightness - 0.0894841775 * a - 1.2914855480 * b))
    }

    /// CIE 15's replacement for the cube root: a straight line up to 216/24389.
    private static func footed(_ t: SIMD8<Float>) -> SIMD8<Float> {
        cubeRoot(t).replacing(with: t * 7.787037 + 0.13793103, where: t .<= 0.008856452)
    }

    private static func unfooted(_ root: Double) -> Double {
        root > 6.0 / 29 ? root * root * root : (root - 4.0 / 29) * (108.0 / 841)
    }
}
