internal import CLanes

extension Image {
    /// The picture with its longer side at `longSide`, the other in proportion; never larger than it is.
    ///
    /// Catmull-Rom over as many source pixels as one new pixel covers, in linear light, alpha-weighted: a
    /// fine black-and-white pattern becomes the gray the eye sees from afar, and transparent pixels lend no
    /// color.
    ///
    /// - Parameter longSide: pixels, at least 1.
    /// - Returns: a picture of at most that size; itself when it is no larger.
    /// - Complexity: O(*w h* + source pixels read a new pixel * new pixels).
    public func resized(longSide: Int) -> Image {
        guard longSide >= 1, longSide < max(width, height) else { return self }
        let scale = Double(longSide) / Double(max(width, height))
        let newWidth = max(1, Int((Double(width) * scale).rounded()))
        let newHeight = max(1, Int((Double(height) * scale).rounded()))
        var light = LightRows(
            self, columns: ResizingTaps(from: width, to: newWidth),
            rows: ResizingTaps(from: height, to: newHeight))
        var output = [UInt8](repeating: 0, count: newWidth * newHeight * 4)
        for y in 0..<newHeight {
            light.move(to: y)
            var bytes = output.mutableSpan
            light.store(to: &bytes, at: y * newWidth * 4)
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
}

/// Rows of a picture's light, resized downwards.
private struct LightRows {
    private let image: Image
    private let taps: ResizingTaps, columns: ResizingTaps
    private let isOpaque: Bool
    /// Numbers a row: four a pixel, light times alpha of red, green and blue, 0...1, and alpha; and some
    /// zeros, as a pixel's taps are read four at a time, up to three behind the row's end. A multiple of 32.
    private let stride: Int
    /// Rows read so far: a ring just long enough for the taps of one new row, and where in it to begin.
    private var ring: [Float], read = 0
    private let depth: Int
    /// The new row, and the same resized across.
    private var line: [Float], output: [Float]
    /// Each of the columns' weights four times, for the four numbers of a pixel.
    private let weights: [Float]

    init(_ image: Image, columns: ResizingTaps, rows: ResizingTaps) {
        (self.image, self.columns, taps) = (image, columns, rows)
        isOpaque = image.isOpaque
        stride = (image.width + 3 + 7) / 8 * 32
        depth = taps.count
        ring = [Float](repeating: 0, count: depth * stride)
        line = [Float](repeating: 0, count: stride)
        output = [Float](repeating: 0, count: (columns.first.count + 1) / 2 * 8)
        weights = columns.weights.flatMap { [$0, $0, $0, $0] }
    }

    /// Makes the new row `y`; they come from top to bottom.
    mutating func move(to y: Int) {
        let first = taps.first[y]
        while read < first + taps.count {
            readRow()
            read += 1
        }
        let (rows, taps, stride, depth) = (ring, taps, stride, depth), ring = rows.span
        let starts = (0..<taps.count).map { (first + $0) % depth * stride }
        let weights = taps.weights.span.extracting(y * taps.width..<(y + 1) * taps.width)
        precondition(starts.allSatisfy { $0 >= 0 && $0 + stride <= ring.count } && line.count == stride)
        var output = line.mutableSpan, x = 0
        while x < stride {
            var a = SIMD8<Float>.zero, b = a, c = a, d = a
            for tap in starts.indices {
                // SAFETY: 32 numbers of each row, of which a row has a multiple.
                let weight = weights[tap], at = starts[tap] &+ x
                unsafe a += ring.uncheckedEight(at) * weight
                unsafe b += ring.uncheckedEight(at &+ 8) * weight
                unsafe c += ring.uncheckedEight(at &+ 16) * weight
                unsafe d += ring.uncheckedEight(at &+ 24) * weight
            }
            output.store(SIMD16(lowHalf: a, highHalf: b), at: x)
            output.store(SIMD16(lowHalf: c, highHalf: d), at: x &+ 16)
            x &+= 32
        }
    }

    private mutating func readRow() {
        let light = SRGBCurve.light, pixels = image.rgba, width = image.width
        let (first, start) = (read * width * 4, read % depth * stride), isOpaque = isOpaque
        precondition(first + width * 4 <= pixels.count && start + stride <= ring.count && light.count == 256)
        precondition(width * 4 <= stride)
        // SAFETY: the row's pixels and its numbers lie inside, as was looked at above; a byte is below 256.
        unsafe pixels.withUnsafeBufferPointer { pixels in
            unsafe light.withUnsafeBufferPointer { light in
                unsafe ring.withUnsafeMutableBufferPointer { ring in
                    guard var pixel = pixels.baseAddress, let light = light.baseAddress,
                        let output = ring.baseAddress
                    else { return }
                    unsafe pixel += first
                    let numbers = unsafe UnsafeMutableRawPointer(output + start)
                    for x in 0..<width {
                        let colors = unsafe SIMD4(
                            light[Int(pixel[0])], light[Int(pixel[1])], light[Int(pixel[2])], 1)
                        let alpha: Float = unsafe isOpaque ? 1 : Float(pixel[3]) / 255
                        unsafe numbers.storeBytes(
                            of: colors * alpha, toByteOffset: x &* 16, as: SIMD4<Float>.self)
                        unsafe pixel += 4
                    }
                }
            }
        }
    }

    /// Writes the new row resized across, as four stored bytes a pixel.
    ///
    /// - Parameter bytes: they are 0, as transparent black has them.
    mutating func store(to bytes: inout MutableSpan<UInt8>, at start: Int) {
        resizeAcross()
        let table = SRGBCurve.stored, stored = table.span, count = columns.first.count
        precondition(start + count * 4 <= bytes.count && stored.count == 4096)
        for x in 0..<(isOpaque ? 0 : count) { divideByAlpha(x) }
        let positions = output.span
        for pair in Swift.stride(from: 0, to: count, by: 2) {
            // Light in 4,096 steps, 0...1 as 0...4095, what lies beyond at the ends.
            let two = positions.eight(pair * 4), steps = lanes_rounded(two * 4095, 4095)
            for pixel in 0..<min(2, count - pair) {
                let at = start &+ (pair &+ pixel) &* 4, lane = pixel &* 4
                if !isOpaque, two[lane &+ 3] <= 0 { continue }
                // SAFETY: looked at above; steps are below 4,096.
                unsafe bytes[unchecked: at] = stored[unchecked: Int(steps[lane])]
                unsafe bytes[unchecked: at &+ 1] = stored[unchecked: Int(steps[lane &+ 1])]
                unsafe bytes[unchecked: at &+ 2] = stored[unchecked: Int(steps[lane &+ 2])]
                unsafe bytes[unchecked: at &+ 3] = isOpaque ? 255 : UInt8(two[lane &+ 3] * 255 + 0.5)
            }
        }
    }

    /// Light as it is without alpha, and alpha cut to 0...1.
    private mutating func divideByAlpha(_ x: Int) {
        let alpha = output[4 * x + 3]
        output[4 * x + 3] = min(max(alpha, 0), 1)
        guard alpha > 0, alpha < 1 else { return }
        for channel in 0..<3 { output[4 * x + channel] /= alpha }
    }

    /// Sums over the taps, four of them side by side.
    private mutating func resizeAcross() {
        let columns = columns, count = columns.first.count, width = columns.width
        precondition(weights.count == count * width * 4 && output.count >= count * 4)
        // They do not go down.
        precondition((columns.first.first ?? 0) >= 0)
        precondition(((columns.first.last ?? 0) + width) * 4 <= line.count)
        let (row, shares) = (line, weights), line = row.span, weights = shares.span
        let firsts = columns.first.span
        var output = output.mutableSpan
        for x in 0..<count {
            // SAFETY: looked at above: every pixel's taps lie in the row, and its weights where they should.
            let taps = unsafe firsts[unchecked: x] &* 4, start = x &* width &* 4
            var low = SIMD8<Float>.zero, high = low, tap = 0
            while tap < width &* 4 {
                unsafe low += line.uncheckedEight(taps &+ tap) * weights.uncheckedEight(start &+ tap)
                unsafe high +=
                    line.uncheckedEight(taps &+ tap &+ 8) * weights.uncheckedEight(start &+ tap &+ 8)
                tap &+= 16
            }
            let two = low + high
            unsafe output.storeUnchecked(two.lowHalf + two.highHalf, at: x &* 4)
        }
    }
}
