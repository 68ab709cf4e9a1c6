extension Image {
    /// The picture with its longer side at `longSide`, the other in proportion; never larger than it is.
    ///
    /// Catmull-Rom over as many source pixels as one new pixel covers, in linear light, alpha-weighted: a
    /// fine black-and-white pattern becomes the grey the eye sees from afar, and transparent pixels lend no
    /// colour.
    ///
    /// - Parameter longSide: pixels, at least 1.
    /// - Returns: a picture of at most that size; itself when it is no larger.
    /// - Complexity: O(*w h* + source pixels read a new pixel * new pixels).
    public func resized(longSide: Int) -> Image {
        guard longSide >= 1, longSide < max(width, height) else { return self }
        let scale = Double(longSide) / Double(max(width, height))
        let newWidth = max(1, Int((Double(width) * scale).rounded()))
        let newHeight = max(1, Int((Double(height) * scale).rounded()))
        let columns = ResizingTaps(from: width, to: newWidth),
            rows = ResizingTaps(from: height, to: newHeight)
        let opaque = isOpaque

        // Rows read so far, a ring just long enough for the taps of one new row. An even number of pixels
        // each: two go through together.
        let depth = rows.width + 1, stride = (width + 1) / 2 * 2
        var ring = [SIMD4<Float>](repeating: .zero, count: depth * stride)
        var line = [SIMD4<Float>](repeating: .zero, count: stride)
        let table = SRGBCurve.stored, stored = table.span
        var read = 0
        var output = [UInt8](repeating: 0, count: newWidth * newHeight * 4)
        for y in 0..<newHeight {
            let first = rows.first[y]
            while read < first + rows.width {
                readLight(row: read, into: &ring, at: read % depth * stride, opaque: opaque)
                read += 1
            }
            let starts = (0..<rows.width).map { (first + $0) % depth * stride }
            rows.add(ring, startingAt: starts, of: y, to: &line)
            let sums = line.span
            var bytes = output.mutableSpan, at = y * newWidth * 4
            for x in 0..<newWidth {
                Image.store(columns.value(sums, of: x), stored, to: &bytes, at: at, opaque: opaque)
                at &+= 4
            }
        }
        return Image(checkedWidth: newWidth, height: newHeight, rgba: output)
    }

    /// Whether no pixel lets anything through.
    var isOpaque: Bool {
        let pixels = rgba.span
        var least = SIMD16<UInt8>(repeating: 255), at = 0
        while at + 16 <= pixels.count {
            // SAFETY: checked against the span's bounds; any bytes are numbers.
            least &= unsafe pixels.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self)
            at += 16
        }
        var alpha = least[3] & least[7] & least[11] & least[15]
        while at < pixels.count {
            alpha &= pixels[at + 3]
            at += 4
        }
        return alpha == 255
    }

    /// Light times alpha, and alpha, 0...1.
    private func readLight(row: Int, into ring: inout [SIMD4<Float>], at start: Int, opaque: Bool) {
        let table = SRGBCurve.light, light = table.span
        let pixels = rgba.span.extracting(row * width * 4..<(row + 1) * width * 4)
        var ring = ring.mutableSpan, at = 0
        for x in start..<start + width {
            let color = SIMD4(
                light[Int(pixels[at])], light[Int(pixels[at &+ 1])], light[Int(pixels[at &+ 2])], 1)
            ring[x] = opaque ? color : color * (Float(pixels[at &+ 3]) / 255)
            at &+= 4
        }
    }

    /// Writes light times alpha, and alpha, as four stored bytes.
    ///
    /// - Parameters:
    ///   - output: the bytes are 0, as transparent black has them.
    ///   - opaque: alpha is 1 but for rounding.
    @inline(__always)
    private static func store(
        _ sum: SIMD4<Float>, _ table: Span<UInt8>, to output: inout MutableSpan<UInt8>, at: Int, opaque: Bool
    ) {
        let alpha = opaque ? 1 : min(max(sum.w, 0), 1)
        guard alpha > 0 else { return }
        let place = steps(alpha == 1 ? sum : sum / sum.w)
        output[at] = table[Int(place.x)]
        output[at &+ 1] = table[Int(place.y)]
        output[at &+ 2] = table[Int(place.z)]
        output[at &+ 3] = opaque ? 255 : UInt8(alpha * 255 + 0.5)
    }

    /// Light in 4,096 steps, 0...1 as 0...4095, what lies beyond at the ends.
    @inline(__always)
    private static func steps(_ light: SIMD4<Float>) -> SIMD4<UInt32> {
        // `clamped` and conversions lane by lane are calls of generic code, slower than everything else here.
        var place = light * 4095
        place.replace(with: 0, where: place .< 0)
        place.replace(with: 4095, where: place .> 4095)
        // A float of 2^23 and more has no fraction: adding it rounds, and the low bits are the number.
        // SAFETY: 16 bytes each, and any bits are numbers.
        return unsafe unsafeBitCast(place + 8_388_608, to: SIMD4<UInt32>.self) & 4095
    }
}
