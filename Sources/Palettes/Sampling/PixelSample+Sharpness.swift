internal import CLanes

extension PixelSample {
    /// How blurred every overview is, in light and in chroma: twelve times the variance of what one value is
    /// spread over, in pixels squared. About what the blocks of a photo of one or two megapixels do.
    private static let lightSpread: Float = 1.5, colorSpread: Float = 6

    /// The picture blurred by what it is sharper than others.
    ///
    /// A photo of half the size has blocks twice as large beside it, and another palette for that alone: of
    /// what varies within a block nothing is left. So what was read finely is blurred until all are alike
    /// (docs/measurements/PALETTES.md, "Steady"). Means over areas of side b, each held over its area, spread
    /// a value by 2 b^2 / 12; three taps, a, 1 - 2 a, a, along each axis spread it by 2 a more. Chroma,
    /// Cb and Cr of JPEG, more than light.
    ///
    /// A picture that has fewer pixels than overviews have is left as it is: it is looked at pixel by pixel.
    ///
    /// - Complexity: O(pixels).
    var evenlySharp: PixelSample {
        guard let width, width > 0, case let height = pixelCount / width, height > 0, resolution != .pixel
        else { return self }
        let light = Taps(Self.lightSpread, resolution.light), color = Taps(Self.colorSpread, resolution.color)
        let planes = Planes(rgba, width: width, height: height)
        var sharp = self
        var line = [UInt32](repeating: 0, count: planes.stride)
        for y in 0..<height {
            for x in stride(from: 0, to: width, by: 8) {
                let alpha = planes.blurred(.alpha, x: x, y: y, taps: color)
                let lightness =
                    planes.blurred(.light, x: x, y: y, taps: light)
                    / planes.blurred(.alpha, x: x, y: y, taps: light)
                let blue = planes.blurred(.blue, x: x, y: y, taps: color) / alpha
                let red = planes.blurred(.red, x: x, y: y, taps: color) / alpha
                let code =
                    Self.bytes(lightness + 1.402 * red)
                    | Self.bytes(lightness - 0.344_136 * blue - 0.714_136 * red) &<< 8
                    | Self.bytes(lightness + 1.772 * blue) &<< 16
                for lane in 0..<8 { line[x + lane] = code[lane] }
            }
            sharp.setColors(line, at: y * width, count: width)
        }
        return sharp
    }

    private static func bytes(_ values: SIMD8<Float>) -> SIMD8<UInt32> { lanes_truncated(values + 0.5, 255) }

    /// Gives pixels that are not clear other colors; their alpha stays.
    ///
    /// - Parameter codes: red in the lowest byte, then green and blue.
    private mutating func setColors(_ codes: [UInt32], at first: Int, count: Int) {
        for index in 0..<count {
            let at = (first + index) * 4, code = codes[index]
            if rgba[at + 3] == 0 { continue }
            rgba[at] = UInt8(truncatingIfNeeded: code)
            rgba[at + 1] = UInt8(truncatingIfNeeded: code >> 8)
            rgba[at + 2] = UInt8(truncatingIfNeeded: code >> 16)
        }
    }
}

/// Nine taps, of which four and four are alike.
private struct Taps {
    let middle: Float, beside: Float, above: Float, corner: Float

    /// - Parameter resolution: across and down.
    init(_ spread: Float, _ resolution: SIMD2<Float>) {
        let across = Self.outer(spread, resolution.x), down = Self.outer(spread, resolution.y)
        middle = (1 - 2 * across) * (1 - 2 * down)
        corner = across * down
        beside = across * (1 - 2 * down)
        above = (1 - 2 * across) * down
    }

    /// Three taps along an axis are a, 1 - 2 a and a.
    private static func outer(_ spread: Float, _ resolution: Float) -> Float {
        max(0, spread - 2 * resolution * resolution) / 24
    }
}

/// A picture's light and chroma times alpha, and alpha, one after the other.
private struct Planes {
    /// Y, Cb and Cr.
    ///
    /// - Source: JFIF 1.02: ITU-R BT.601 with full range.
    enum Plane: Int { case light, blue, red, alpha }

    /// From one row to the next: beyond its edges a picture goes on as it ends, so that a row has another
    /// pixel at either end, and what eight at once want.
    let stride: Int
    private let height: Int
    private var values: [Float]

    init(_ rgba: [UInt8], width: Int, height: Int) {
        let blocks = (width + 7) / 8
        (stride, self.height) = (8 * blocks + 16, height)
        values = [Float](repeating: 0, count: 4 * stride * height)
        var codes = [UInt32](repeating: 0, count: 8 * blocks)
        for y in 0..<height {
            for x in 0..<width {
                let at = (y * width + x) * 4
                codes[x] =
                    UInt32(rgba[at]) | UInt32(rgba[at + 1]) << 8 | UInt32(rgba[at + 2]) << 16
                    | UInt32(rgba[at + 3]) << 24
            }
            for block in 0..<blocks { store(codes, block, y) }
            for plane in 0..<4 {
                let first = (plane * height + y) * stride + 8
                values[first - 1] = values[first]
                values[first + width] = values[first + width - 1]
            }
        }
    }

    private mutating func store(_ codes: [UInt32], _ block: Int, _ y: Int) {
        var code = SIMD8<UInt32>.zero
        for lane in 0..<8 { code[lane] = codes[8 * block + lane] }
        let red = lanes_floats(code & 255), green = lanes_floats(code &>> 8 & 255)
        let blue = lanes_floats(code &>> 16 & 255), alpha = lanes_floats(code &>> 24)
        let light = 0.299 * red + 0.587 * green + 0.114 * blue
        let first = y * stride + 8 + 8 * block, plane = height * stride
        store(light * alpha, at: first)
        store((blue - light) / 1.772 * alpha, at: first + plane)
        store((red - light) / 1.402 * alpha, at: first + 2 * plane)
        store(alpha, at: first + 3 * plane)
    }

    private mutating func store(_ eight: SIMD8<Float>, at first: Int) {
        for lane in 0..<8 { values[first + lane] = eight[lane] }
    }

    /// Eight pixels from `x` on of a row.
    @inline(__always)
    func blurred(_ plane: Plane, x: Int, y: Int, taps: Taps) -> SIMD8<Float> {
        let first = plane.rawValue * height
        let here = (first + y) * stride + 8 + x
        let up = (first + max(y - 1, 0)) * stride + 8 + x
        let under = (first + min(y + 1, height - 1)) * stride + 8 + x
        precondition(up >= 1 && under + 9 <= values.count)
        return unsafe values.withUnsafeBytes { bytes in
            // SAFETY: the first and the last of nine rows of eight were looked at; any bytes are floats.
            func eight(_ first: Int) -> SIMD8<Float> {
                unsafe bytes.loadUnaligned(fromByteOffset: first * 4, as: SIMD8<Float>.self)
            }
            let sides = (eight(here - 1) + eight(here + 1)) * taps.beside
            let others = (eight(up) + eight(under)) * taps.above
            let falling = eight(up - 1) + eight(under + 1)
            let rising = eight(up + 1) + eight(under - 1)
            return eight(here) * taps.middle + (sides + others) + (falling + rising) * taps.corner
        }
    }
}
