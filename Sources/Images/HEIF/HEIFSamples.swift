#if HEIF
internal import CImage

/// Makes R G B A of a picture in planes, row by row.
///
/// Color that is stored at half the sides is repeated.
///
/// - Source: ITU-T H.273, 8.3 (matrix coefficients, equations 38 to 46; ranges, 20 to 31).
struct HEIFSamples {
    /// Light's weights in luma: 1 - red - blue is green's. Nil: the planes are green, blue and red
    /// themselves.
    private let weights: (red: Float, blue: Float)?
    /// The offset of luma and chroma samples, then the factor that scales them to 0...255.
    private let lumaStart: Float, lumaFactor: Float, colorStart: Float, colorFactor: Float
    private let isWide: Bool

    /// - Parameters:
    ///   - matrix: of H.273.
    ///   - depth: bits a sample.
    /// - Returns: nil for a matrix that is not known here.
    init?(matrix: Int, isFullRange: Bool, depth: Int) {
        guard (8...16).contains(depth) else { return nil }
        switch matrix {
        case 0: weights = nil
        case 1: weights = (0.2126, 0.0722)
        case 4: weights = (0.30, 0.11)
        // Missing values are those of most files.
        case 2, 3, 5, 6: weights = (0.299, 0.114)
        case 7: weights = (0.212, 0.087)
        case 9: weights = (0.2627, 0.0593)
        default: return nil
        }
        isWide = depth > 8
        let unit = Float(1 << (depth - 8)), most = Float((1 << depth) - 1)
        lumaStart = isFullRange ? 0 : 16 * unit
        lumaFactor = isFullRange ? 255 / most : 255 / (219 * unit)
        colorStart = weights == nil ? lumaStart : Float(1 << (depth - 1))
        colorFactor = weights == nil ? lumaFactor : isFullRange ? 255 / most : 255 / (224 * unit)
    }

    /// Writes pixels of a row: R G B 255 each, from `start` on.
    @unsafe func read(
        _ planes: cimage_planes, row y: Int, columns: Range<Int>, into output: inout MutableSpan<UInt8>,
        at start: Int
    ) {
        let across = unsafe Int(planes.across), down = unsafe Int(planes.down)
        let lumaAt = unsafe y * Int(planes.luma_stride)
        let colorAt = unsafe (down > 0 ? y / down : 0) * Int(planes.color_stride)
        // From light of two of the three to the third: Y = r R + g G + b B.
        let (r, b) = weights ?? (0.299, 0.114)
        let toRed = 2 * (1 - r), toBlue = 2 * (1 - b), g = 1 - r - b
        let blueToGreen = -toBlue * b / g, redToGreen = -toRed * r / g
        var at = start
        for x in columns {
            let luma = unsafe (sample(planes.luma, lumaAt, x) - lumaStart) * lumaFactor
            var color = SIMD4<Float>(luma, luma, luma, 255)
            if across > 0 {
                let blue = unsafe (sample(planes.blue, colorAt, x / across) - colorStart) * colorFactor
                let red = unsafe (sample(planes.red, colorAt, x / across) - colorStart) * colorFactor
                color =
                    weights == nil
                    ? SIMD4(red, luma, blue, 255)
                    : SIMD4(
                        luma + toRed * red, luma + blueToGreen * blue + redToGreen * red,
                        luma + toBlue * blue, 255)
            }
            color += 0.5
            color.replace(with: 0, where: color .< 0)
            color.replace(with: 255, where: color .> 255)
            output[at] = UInt8(color.x)
            output[at &+ 1] = UInt8(color.y)
            output[at &+ 2] = UInt8(color.z)
            output[at &+ 3] = 255
            at &+= 4
        }
    }

    @inline(__always)
    @unsafe private func sample(_ plane: UnsafePointer<UInt8>?, _ row: Int, _ x: Int) -> Float {
        guard let plane = unsafe plane else { return 0 }
        // SAFETY: the caller stays inside the picture, whose planes the decoder has made as large as it says.
        if isWide {
            return unsafe Float(
                UnsafeRawPointer(plane).loadUnaligned(fromByteOffset: row + 2 * x, as: UInt16.self))
        }
        return unsafe Float(plane[row + x])
    }
}
#endif
