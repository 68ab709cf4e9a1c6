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
        let columns = ResizingTaps(from: width, to: newWidth)
        var light = LightRows(self, taps: ResizingTaps(from: height, to: newHeight))
        var output = [UInt8](repeating: 0, count: newWidth * newHeight * 4)
        for y in 0..<newHeight {
            light.move(to: y)
            var bytes = output.mutableSpan
            light.store(columns, to: &bytes, at: y * newWidth * 4)
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
    private let taps: ResizingTaps
    /// Light times alpha of red, green and blue, 0...1, and alpha where there is any.
    private let channels: Int
    /// From one channel of a row to the next: its width and some zeros, a multiple of 16.
    private let stride: Int
    /// Rows read so far: a ring just long enough for the taps of one new row, and where in it to begin.
    private var ring: [Float], read = 0
    private let depth: Int
    /// The new row.
    private var line: [Float]

    init(_ image: Image, taps: ResizingTaps) {
        (self.image, self.taps) = (image, taps)
        channels = image.isOpaque ? 3 : 4
        // A pixel's taps are read four at a time, up to three behind the row's end.
        stride = (image.width + 3 + 15) / 16 * 16
        depth = taps.count
        ring = [Float](repeating: 0, count: depth * channels * stride)
        line = [Float](repeating: 0, count: channels * stride)
    }

    /// Makes the new row `y`; they come from top to bottom.
    mutating func move(to y: Int) {
        let first = taps.first[y]
        while read < first + taps.count {
            readRow()
            read += 1
        }
        let length = channels * stride
        let starts = (0..<taps.count).map { (first + $0) % depth * length }
        let (rows, taps) = (ring, taps), ring = rows.span
        let weights = taps.weights.span.extracting(y * taps.width..<(y + 1) * taps.width)
        var output = line.mutableSpan, x = 0
        while x < length {
            var sum = SIMD16<Float>.zero
            for tap in starts.indices { sum += ring.sixteen(starts[tap] &+ x) * weights[tap] }
            output.store(sum, at: x)
            x += 16
        }
    }

    private mutating func readRow() {
        let light = SRGBCurve.light, pixels = image.rgba, width = image.width, stride = stride
        let isOpaque = channels == 3, length = channels * stride
        let (first, start) = (read * width * 4, read % depth * length)
        precondition(first + width * 4 <= pixels.count && start + length <= ring.count && light.count == 256)
        // SAFETY: the row's pixels and its channels lie inside, as was looked at above; a byte is below 256.
        unsafe pixels.withUnsafeBufferPointer { pixels in
            unsafe light.withUnsafeBufferPointer { light in
                unsafe ring.withUnsafeMutableBufferPointer { ring in
                    guard var pixel = pixels.baseAddress, let light = light.baseAddress,
                        var output = ring.baseAddress
                    else { return }
                    unsafe pixel += first
                    unsafe output += start
                    for x in 0..<width {
                        let alpha: Float = unsafe isOpaque ? 1 : Float(pixel[3]) / 255
                        unsafe output[x] = light[Int(pixel[0])] * alpha
                        unsafe output[x &+ stride] = light[Int(pixel[1])] * alpha
                        unsafe output[x &+ 2 &* stride] = light[Int(pixel[2])] * alpha
                        if !isOpaque { unsafe output[x &+ 3 &* stride] = alpha }
                        unsafe pixel += 4
                    }
                }
            }
        }
    }

    /// Writes the new row resized across, as four stored bytes a pixel.
    ///
    /// - Parameter output: the bytes are 0, as transparent black has them.
    func store(_ columns: ResizingTaps, to output: inout MutableSpan<UInt8>, at start: Int) {
        let stored = SRGBCurve.stored, count = columns.first.count, isOpaque = channels == 3
        precondition(start + count * 4 <= output.count && columns.weights.count == count * columns.width)
        // They do not go down.
        precondition((columns.first.first ?? 0) >= 0 && (columns.first.last ?? 0) + columns.width <= stride)
        precondition(stored.count == 4096)
        // SAFETY: looked at above: every pixel's taps lie in each channel's part of the row, its weights and
        // bytes where they should. Steps are below 4,096.
        unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe columns.first.withUnsafeBufferPointer { firsts in
                unsafe columns.weights.withUnsafeBufferPointer { weights in
                    unsafe line.withUnsafeBufferPointer { line in
                        unsafe stored.withUnsafeBufferPointer { stored in
                            guard var output = output.baseAddress, let firsts = firsts.baseAddress,
                                var weights = weights.baseAddress, let line = line.baseAddress,
                                let stored = stored.baseAddress
                            else { return }
                            unsafe output += start
                            for x in 0..<count {
                                let taps = unsafe line + firsts[x]
                                let sum = unsafe Self.sum(
                                    taps, weights, count: columns.width, stride: stride, isOpaque: isOpaque)
                                unsafe weights += columns.width
                                let alpha = isOpaque ? 1 : min(max(sum.w, 0), 1)
                                if alpha > 0 {
                                    let place = sum * (isOpaque || alpha == 1 ? 4095 : 4095 / sum.w)
                                    unsafe output[0] = stored[Self.step(place.x)]
                                    unsafe output[1] = stored[Self.step(place.y)]
                                    unsafe output[2] = stored[Self.step(place.z)]
                                    unsafe output[3] = isOpaque ? 255 : UInt8(alpha * 255 + 0.5)
                                }
                                unsafe output += 4
                            }
                        }
                    }
                }
            }
        }
    }

    /// The channels of a new pixel: sums over the taps, four of each side by side.
    @inline(__always)
    private static func sum(
        _ taps: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, count: Int, stride: Int, isOpaque: Bool
    ) -> SIMD4<Float> {
        @inline(__always)
        func four(_ pointer: UnsafePointer<Float>, _ index: Int) -> SIMD4<Float> {
            unsafe UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD4<Float>.self)
        }
        var red = SIMD4<Float>.zero, green = red, blue = red, alpha = red, tap = 0
        while tap < count {
            let share = unsafe four(weights, tap)
            unsafe red += four(taps, tap) * share
            unsafe green += four(taps, tap &+ stride) * share
            unsafe blue += four(taps, tap &+ 2 &* stride) * share
            if !isOpaque { unsafe alpha += four(taps, tap &+ 3 &* stride) * share }
            tap &+= 4
        }
        // Two halves of each sum, then both of all.
        @inline(__always)
        func halves(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
            var low = SIMD4<Float>.zero, high = low
            (low.evenHalf, low.oddHalf) = (a.lowHalf, b.lowHalf)
            (high.evenHalf, high.oddHalf) = (a.highHalf, b.highHalf)
            return low + high
        }
        let one = halves(red, green), other = halves(blue, alpha)
        return SIMD4(lowHalf: one.lowHalf, highHalf: other.lowHalf)
            + SIMD4(lowHalf: one.highHalf, highHalf: other.highHalf)
    }

    /// Light in 4,096 steps, 0...1 as 0...4095, what lies beyond at the ends.
    @inline(__always)
    private static func step(_ place: Float) -> Int {
        // A float of 2^23 and more has no fraction: adding it rounds, and the low bits are the number.
        Int((min(max(place, 0), 4095) + 8_388_608).bitPattern & 4095)
    }
}
