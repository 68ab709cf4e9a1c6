/// 256 signs by which a picture is told from others, whatever its size, quality, and tone: copies of a photo
/// differ in few, other photos in 128 or so.
///
/// They are those of the DCT of the picture's luma as means of 64 x 64 areas, without its mean, in JPEG's
/// zigzag order, the first in the highest bit. All steps are in whole numbers: every machine finds the same,
/// and a mirrored picture has the same bits but for a mask, unless a coefficient is 0, as in drawings.
///
/// - Source: C. Zauner, Implementation and Benchmarking of Perceptual Image Hash Functions, 2010, for hashes
///   by the DCT; ITU-T T.81, figure 5, for the order. PDQ and pHash compare with a median in place of 0.
package struct PictureHash: Hashable, Sendable {
    package let words: SIMD4<UInt64>

    package init(words: SIMD4<UInt64>) { self.words = words }

    /// Nil for other numbers of bytes than 32.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words = SIMD4<UInt64>.zero
        for (index, byte) in bytes.enumerated() {
            words[index / 8] |= UInt64(byte) << (56 - index % 8 * 8)
        }
        self.words = words
    }

    package var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> (56 - $0 % 8 * 8)) }
    }

    /// How many bits differ, 0...256.
    package func distance(to other: PictureHash) -> Int {
        let difference = words ^ other.words
        return difference.x.nonzeroBitCount + difference.y.nonzeroBitCount + difference.z.nonzeroBitCount
            + difference.w.nonzeroBitCount
    }

    /// The hash of the picture seen in a mirror.
    package var mirrored: PictureHash { PictureHash(words: words ^ Self.mirror) }

    private static let mirror = mask { $0.across % 2 == 1 }

    private static func mask(_ isSet: ((across: Int, down: Int)) -> Bool) -> SIMD4<UInt64> {
        var words = SIMD4<UInt64>.zero
        for (bit, place) in CosineTransform.order.enumerated() where isSet(place) {
            words[bit / 64] |= 1 << UInt64(63 - bit % 64)
        }
        return words
    }

    /// The hash of a picture; nil for one that is too plain to be told from others, as a flat drawing is.
    ///
    /// - Parameter sample: with places. What is transparent is gray.
    /// - Complexity: O(pixels).
    package init?(_ sample: PixelSample) {
        guard let means = LumaMeans(sample) else { return nil }
        let coefficients = CosineTransform.coefficients(of: means.values)
        guard coefficients.count(where: { abs($0) > Self.detail }) >= 64 else { return nil }
        words = Self.signs(coefficients)
    }

    private static func signs(_ coefficients: [Double]) -> SIMD4<UInt64> {
        var words = SIMD4<UInt64>.zero
        for (bit, value) in coefficients.enumerated() where value > 0 {
            words[bit / 64] |= 1 << UInt64(63 - bit % 64)
        }
        return words
    }

    /// 2 of an orthonormal transform of 0...255.
    private static let detail = 2.0 * 32 * LumaMeans.scale * CosineTransform.scale * CosineTransform.scale
}

/// The luma of a picture as means of 64 x 64 areas, whatever its shape.
private struct LumaMeans {
    static let side = 64
    /// Steps of a level of 0...255.
    static let scale = 16.0
    /// Row by row, around 0; whole numbers.
    let values: [Double]

    init?(_ sample: PixelSample) {
        guard let width = sample.width, width > 0, sample.pixelCount >= width else { return nil }
        let height = sample.pixelCount / width, side = Self.side
        let columns = AreaTaps(from: width, to: side), rows = AreaTaps(from: height, to: side)
        let pixels = sample.rgba.span
        var line = [UInt64](repeating: 0, count: side)
        var sums = [UInt64](repeating: 0, count: side * side)
        var luma = [UInt64](repeating: 0, count: width)
        var done = -1
        for y in 0..<side {
            for row in rows.first[y]...rows.last[y] {
                if row != done {
                    Self.readLuma(pixels.extracting(row * width * 4..<(row + 1) * width * 4), &luma)
                    columns.sum(luma.span, into: &line)
                    done = row
                }
                Self.add(line.span, times: UInt64(rows.share(of: row, in: y)), to: &sums, at: y * side)
            }
        }
        // A level is 256 in luma, times 255 of alpha.
        let level = Double(width * height) * 255 * 256 / Self.scale
        let means = sums.map { (Double($0) / level).rounded(.down) }
        let mean = (means.reduce(0, +) / Double(means.count)).rounded(.down)
        values = means.map { $0 - mean }
    }

    /// Luma by Rec. 601 times 256, times alpha; what is transparent shows the checkerboard of thumbnails,
    /// gray from afar.
    private static func readLuma(_ pixels: Span<UInt8>, _ luma: inout [UInt64]) {
        var output = luma.mutableSpan
        let bytes = unsafe pixels.bytes
        for x in output.indices {
            // SAFETY: checked against the span's bounds; any bytes are numbers.
            let pixel = SIMD4<UInt32>(
                truncatingIfNeeded: unsafe bytes.unsafeLoadUnaligned(
                    fromByteOffset: x &* 4, as: SIMD4<UInt8>.self))
            let color = pixel.x &* 77 &+ pixel.y &* 150 &+ pixel.z &* 29
            output[x] = UInt64(color &* pixel.w &+ 230 &* 256 &* (255 &- pixel.w))
        }
    }

    private static func add(_ line: Span<UInt64>, times share: UInt64, to sums: inout [UInt64], at start: Int)
    {
        var output = sums.mutableSpan
        for x in line.indices { output[start &+ x] &+= line[x] &* share }
    }
}

extension AreaTaps {
    /// Sums up a row's values by what each new pixel covers.
    fileprivate func sum(_ values: Span<UInt64>, into line: inout [UInt64]) {
        var output = line.mutableSpan
        for x in output.indices {
            let first = first[x], last = last[x]
            var sum = values[first] &* UInt64(truncatingIfNeeded: share(of: first, in: x))
            if last > first {
                var whole: UInt64 = 0
                for pixel in first &+ 1..<last { whole &+= values[pixel] }
                sum &+= whole &* UInt64(truncatingIfNeeded: target)
                sum &+= values[last] &* UInt64(truncatingIfNeeded: share(of: last, in: x))
            }
            output[x] = sum
        }
    }
}

/// The DCT-II of 64 x 64 numbers, as far as hashes need it.
///
/// In numbers of `Double` that are whole, and stay below 2^53: no step rounds.
private enum CosineTransform {
    /// Steps of 1 of a cosine.
    static let scale = 16_384.0
    private static let side = 64
    /// The frequencies of the bits: the first 256 behind the mean along the diagonals, to and fro.
    static let order: [(across: Int, down: Int)] = {
        var order: [(across: Int, down: Int)] = []
        for diagonal in 1..<23 {
            for step in 0...diagonal {
                let down = diagonal % 2 == 0 ? diagonal - step : step
                order.append((diagonal - down, down))
            }
        }
        return Array(order.prefix(256))
    }()
    /// Frequencies along one axis: 23, and one to fill up eight lanes.
    private static let count = 24

    /// By frequency and place in the first half: cos(pi (2 n + 1) k / 128).
    private static let cosines: [Double] = (0..<count).flatMap { k in
        (0..<side / 2).map { n in
            let turn = (2 * n + 1) * k % 256, half = min(turn, 256 - turn)
            let value = sine(Double(64 - half) * .pi / 128)
            return (value * scale).rounded()
        }
    }

    /// Sums of products, 32 `scale`² of an orthonormal transform's, in the order of bits.
    static func coefficients(of values: [Double]) -> [Double] {
        // Eight rows at a time, then eight frequencies: by place, so that lanes lie side by side.
        let down = transformed(values.span, lines: side)
        let both = transformed(down.span, lines: count)
        // The first of each has a weight of half as much in its square.
        return order.map { place in
            let value = both[place.down * count + place.across]
            return place.across == 0 || place.down == 0 ? value * 0.70710678118654757 : value
        }
    }

    /// Transforms the columns of a table with 64 rows, and turns rows and columns round.
    ///
    /// Folded in the middle first, so that what is turned round gives the same numbers, half of them
    /// negative.
    ///
    /// - Parameter lines: the number of columns, a multiple of 8.
    private static func transformed(_ table: Span<Double>, lines: Int) -> [Double] {
        let half = side / 2, cosines = cosines.span
        var result = [Double](repeating: 0, count: lines * count)
        var output = result.mutableSpan
        var folded = [SIMD8<Double>](repeating: .zero, count: side)
        for start in stride(from: 0, to: lines, by: 8) {
            var pairs = folded.mutableSpan
            for n in 0..<half {
                let first = lanes(table, at: n &* lines &+ start)
                let last = lanes(table, at: (side &- 1 &- n) &* lines &+ start)
                pairs[n] = first + last
                pairs[half &+ n] = first - last
            }
            for k in 0..<count {
                var sum = SIMD8<Double>.zero
                let base = k % 2 == 0 ? 0 : half
                for n in 0..<half { sum += pairs[base &+ n] * cosines[k &* half &+ n] }
                for lane in 0..<8 { output[(start &+ lane) &* count &+ k] = sum[lane] }
            }
        }
        return result
    }

    private static func lanes(_ table: Span<Double>, at start: Int) -> SIMD8<Double> {
        var lanes = SIMD8<Double>.zero
        for lane in 0..<8 { lanes[lane] = table[start &+ lane] }
        return lanes
    }
}
