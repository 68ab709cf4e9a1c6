extension PixelSample {
    /// Whether three quarters of what varies in these pixels vary within the pixels of a shrunk picture of
    /// them.
    package func isFinePattern(besides shrunk: PixelSample) -> Bool { variance > 4 * shrunk.variance }

    /// The variances of red, green and blue together; of large pictures those of some of the pixels.
    package var variance: Double {
        // Whole numbers, which are exact.
        var sums = SIMD4<UInt64>.zero, squareSums = sums
        let step = pixelCount > 65_536 ? 13 : 1, bytes = unsafe rgba.span.bytes
        for pixel in stride(from: 0, to: pixelCount, by: step) {
            // SAFETY: checked against the span's bounds; any bytes are numbers.
            var color = SIMD4<UInt32>(
                truncatingIfNeeded: unsafe bytes.unsafeLoadUnaligned(
                    fromByteOffset: pixel &* 4, as: SIMD4<UInt8>.self))
            let alpha = color.w
            color.w = 1
            let weighted = color &* alpha
            sums &+= SIMD4(truncatingIfNeeded: weighted)
            squareSums &+= SIMD4(truncatingIfNeeded: weighted &* color)
        }
        let sum = SIMD4<Double>(sums), squares = SIMD4<Double>(squareSums)
        guard sum.w > 0 else { return 0 }
        let mean = sum / sum.w, spread = squares / sum.w - mean * mean
        return spread.x + spread.y + spread.z
    }

    /// The picture with its longer side at `longSide`, each pixel the mean of the area it covers; itself when
    /// it is no larger, or its pixels have no places.
    ///
    /// Plain means of the 8-bit values, weighted by alpha, in integers: a picture that is flipped or turned
    /// gives the same pixels in other places, and one of twice the size, or saved with other losses, nearly
    /// the same.
    ///
    /// - Parameter longSide: pixels, at least 1.
    /// - Complexity: O(pixels).
    func shrunk(longSide: Int) -> PixelSample {
        guard let width, width > 0, case let height = pixelCount / width, height > 0,
            max(width, height) > longSide, max(width, height) <= 65_535
        else { return self }
        let long = max(width, height)
        let newWidth = max(1, (2 * width * longSide + long) / (2 * long))
        let newHeight = max(1, (2 * height * longSide + long) / (2 * long))
        let columns = AreaTaps(from: width, to: newWidth), rows = AreaTaps(from: height, to: newHeight)
        var line = [SIMD4<UInt32>](repeating: .zero, count: newWidth)
        var sums = [SIMD4<UInt64>](repeating: .zero, count: newWidth)
        var output = [UInt8](repeating: 0, count: newWidth * newHeight * 4)
        var done = -1
        for y in 0..<newHeight {
            for index in sums.indices { sums[index] = .zero }
            for row in rows.first[y]...rows.last[y] {
                if row != done {
                    columns.add(rgba.span.extracting(row * width * 4..<(row + 1) * width * 4), into: &line)
                    done = row
                }
                let share = UInt64(rows.share(of: row, in: y))
                for index in sums.indices {
                    sums[index] &+= SIMD4<UInt64>(truncatingIfNeeded: line[index]) &* share
                }
            }
            Self.store(sums, area: Double(width * height), to: &output, at: y * newWidth * 4)
        }
        let scale = SIMD2(Float(newWidth) / Float(width), Float(newHeight) / Float(height))
        let resolution = Resolution(light: resolution.light * scale, color: resolution.color * scale)
        return PixelSample(rgba: output, weight: weight, width: newWidth, resolution: resolution)
    }

    /// Writes sums of color times alpha, and of alpha, as bytes.
    private static func store(
        _ sums: [SIMD4<UInt64>], area: Double, to output: inout [UInt8], at start: Int
    ) {
        var at = start
        for sum in sums {
            if sum.w > 0 {
                // Sums are below 2^53.
                let exact = SIMD4<Double>(sum), color = exact / exact.w + 0.5
                output[at] = UInt8(color.x)
                output[at + 1] = UInt8(color.y)
                output[at + 2] = UInt8(color.z)
                output[at + 3] = UInt8(max(1, exact.w / area + 0.5))
            }
            at += 4
        }
    }
}

/// Which pixels a new one covers along one axis. In units of which a pixel has as many as there are new ones,
/// and a new one as many as there are pixels, every edge is a whole number.
struct AreaTaps {
    /// Pixels there are, and that there will be.
    let source: Int, target: Int
    /// The first and the last pixel that each new one covers, at least in part.
    let first: [Int], last: [Int]

    init(from source: Int, to target: Int) {
        (self.source, self.target) = (source, target)
        first = (0..<target).map { $0 * source / target }
        last = (0..<target).map { (($0 + 1) * source - 1) / target }
    }

    /// How much of a new pixel one covers.
    func share(of pixel: Int, in new: Int) -> Int {
        min((pixel + 1) * target, (new + 1) * source) - max(pixel * target, new * source)
    }

    /// How much of each pixel that a new one covers is covered by it, for all new ones.
    func shares() -> [[Int]] {
        (0..<target).map { new in (first[new]...last[new]).map { share(of: $0, in: new) } }
    }

    /// Sums up a row's colors times alpha, and alpha, by what each new pixel covers.
    func add(_ pixels: Span<UInt8>, into line: inout [SIMD4<UInt32>]) {
        var output = line.mutableSpan
        for x in output.indices {
            let first = first[x], last = last[x]
            var sum = weighted(pixels, first) &* UInt32(truncatingIfNeeded: share(of: first, in: x))
            if last > first {
                var whole = SIMD4<UInt32>.zero
                for pixel in first + 1..<last { whole &+= weighted(pixels, pixel) }
                sum &+= whole &* UInt32(truncatingIfNeeded: target)
                sum &+= weighted(pixels, last) &* UInt32(truncatingIfNeeded: share(of: last, in: x))
            }
            output[x] = sum
        }
    }

    @inline(__always)
    private func weighted(_ pixels: Span<UInt8>, _ pixel: Int) -> SIMD4<UInt32> {
        let at = pixel &* 4, alpha = UInt32(pixels[at &+ 3])
        return SIMD4(UInt32(pixels[at]), UInt32(pixels[at &+ 1]), UInt32(pixels[at &+ 2]), 1) &* alpha
    }
}
