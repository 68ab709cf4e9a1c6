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

        // Rows narrowed so far, a ring just long enough for the taps of one new row.
        let depth = rows.width + 1
        var ring = [SIMD4<Float>](repeating: .zero, count: depth * newWidth)
        var line = [SIMD4<Float>](repeating: .zero, count: width)
        var sums = [SIMD4<Float>](repeating: .zero, count: newWidth)
        var narrowed = 0
        var output = [UInt8](repeating: 0, count: newWidth * newHeight * 4)
        for y in 0..<newHeight {
            let first = rows.first[y]
            while narrowed < first + rows.width {
                readLight(row: narrowed, into: &line, opaque: opaque)
                columns.apply(to: line, into: &ring, at: (narrowed % depth) * newWidth)
                narrowed += 1
            }
            let starts = (0..<rows.width).map { (first + $0) % depth * newWidth }
            rows.add(ring, rowsAt: starts, of: y, to: &sums)
            Image.store(sums, to: &output, at: y * newWidth * 4, opaque: opaque)
        }
        return Image(checkedWidth: newWidth, height: newHeight, rgba: output)
    }

    private var isOpaque: Bool {
        var least: UInt8 = 255
        for at in stride(from: 3, to: rgba.count, by: 4) { least = min(least, rgba[at]) }
        return least == 255
    }

    /// Light times alpha, and alpha, 0...1.
    private func readLight(row: Int, into line: inout [SIMD4<Float>], opaque: Bool) {
        let table = SRGBCurve.light, light = table.span
        let pixels = rgba.span.extracting(row * width * 4..<(row + 1) * width * 4)
        var output = line.mutableSpan
        var at = 0
        for x in output.indices {
            let color = SIMD4(
                light[Int(pixels[at])], light[Int(pixels[at &+ 1])], light[Int(pixels[at &+ 2])], 1)
            output[x] = opaque ? color : color * (Float(pixels[at &+ 3]) / 255)
            at &+= 4
        }
    }

    /// Writes light times alpha as stored bytes.
    ///
    /// - Parameters:
    ///   - output: the bytes from `start` on are 0, as transparent black has them.
    ///   - opaque: alpha is 1 but for rounding.
    private static func store(
        _ sums: [SIMD4<Float>], to output: inout [UInt8], at start: Int, opaque: Bool
    ) {
        let table = SRGBCurve.stored, stored = table.span
        var bytes = output.mutableSpan, at = start
        for sum in sums {
            let alpha = opaque ? 1 : min(max(sum.w, 0), 1)
            if alpha > 0 {
                let place = steps(alpha == 1 ? sum : sum / sum.w)
                bytes[at] = stored[Int(place.x)]
                bytes[at &+ 1] = stored[Int(place.y)]
                bytes[at &+ 2] = stored[Int(place.z)]
                bytes[at &+ 3] = opaque ? 255 : UInt8(alpha * 255 + 0.5)
            }
            at &+= 4
        }
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
