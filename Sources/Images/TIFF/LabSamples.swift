#if TIFF
/// Makes sRGB of CIELAB as TIFF stores it. Its white is D50, as ICC's, and becomes sRGB's.
///
/// - Source: TIFF 6.0, section 23; Adobe PageMaker 6.0 Technical Notes (ICCLab); CIE 15:2004, 8.2.1 for L* a*
///   b*; XYZ of D50 to linear sRGB, adapted by Bradford's matrix, as the ICC's sRGB profiles have it.
struct LabSamples {
    let isWide: Bool
    /// a and b are numbers with a sign; else they lie above 128 of 255.
    let isSigned: Bool
    /// Samples a pixel; those behind the third are left out.
    let count: Int

    /// R G B 255 of a row.
    func pixels(_ bytes: [UInt8], width: Int) -> [UInt8] {
        let size = isWide ? 2 : 1, stored = SRGBCurve.stored
        var pixels = [UInt8](repeating: 255, count: width * 4)
        for x in 0..<min(width, bytes.count / (count * size)) {
            let light = LabSamples.light(lightness(bytes, x), axis(bytes, x, 1), axis(bytes, x, 2))
            for channel in 0..<3 {
                pixels[x * 4 + channel] = stored[Int(min(max(light[channel], 0), 1) * 4095 + 0.5)]
            }
        }
        return pixels
    }

    private func value(_ bytes: [UInt8], _ x: Int, _ sample: Int) -> Int {
        let at = x * count + sample
        return isWide ? bytes.number(at: at * 2, 2, bigEndian: UInt16(1).bigEndian == 1) : Int(bytes[at])
    }

    /// 0...100.
    private func lightness(_ bytes: [UInt8], _ x: Int) -> Float {
        Float(value(bytes, x, 0)) / (isWide ? 655.35 : 2.55)
    }

    /// -128...128.
    private func axis(_ bytes: [UInt8], _ x: Int, _ sample: Int) -> Float {
        let value = value(bytes, x, sample), unit: Float = isWide ? 256 : 1
        if !isSigned { return Float(value) / unit - 128 }
        return Float(isWide ? Int(Int16(truncatingIfNeeded: value)) : Int(Int8(truncatingIfNeeded: value)))
            / unit
    }

    private static func light(_ lightness: Float, _ a: Float, _ b: Float) -> SIMD3<Float> {
        func cube(_ t: Float) -> Float { t > 6.0 / 29 ? t * t * t : (t - 4.0 / 29) * 108 / 841 }
        let y = (lightness + 16) / 116
        let (x, z) = (0.9642 * cube(y + a / 500), 0.8249 * cube(y - b / 200))
        let luminance = cube(y)
        return SIMD3(3.1338561, -0.9787684, 0.0719453) * x + SIMD3(-1.6168667, 1.9161415, -0.2289914)
            * luminance
            + SIMD3(-0.4906146, 0.0334540, 1.4052427) * z
    }
}
#endif
