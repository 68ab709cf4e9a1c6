/// Which source pixels make each new pixel along one axis, and with what weight.
struct ResizingTaps {
    /// Source pixels a new pixel has; the same for all, so that the loops are plain.
    let width: Int
    /// The first of them, one a new pixel.
    private(set) var first: [Int] = []
    /// `width` weights a new pixel, summing to 1.
    private var weights: [Float] = []

    /// - Parameters:
    ///   - source: pixels there are.
    ///   - target: pixels wanted, at most `source`.
    /// - Source: E. Catmull and R. Rom, "A class of local interpolating splines", 1974: the cubic with a =
    ///   -1/2, stretched so that its support covers two new pixels on either side.
    init(from source: Int, to target: Int) {
        let scale = Double(source) / Double(target)
        let support = 2 * scale
        width = min(source, Int(support * 2) + 2)
        for pixel in 0..<target {
            let center = (Double(pixel) + 0.5) * scale
            let start = min(max(Int(center - support), 0), source - width)
            var taps = (0..<width).map { ResizingTaps.cubic((Double(start + $0) + 0.5 - center) / scale) }
            let sum = taps.reduce(0, +)
            for tap in taps.indices { taps[tap] /= sum }
            first.append(start)
            weights += taps.map { Float($0) }
        }
    }

    private static func cubic(_ distance: Double) -> Double {
        let x = abs(distance)
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
    }

    /// Adds up lines by the weights of a new one.
    ///
    /// - Parameters:
    ///   - lines: one after the other.
    ///   - starts: where each line begins, ``width`` of them.
    ///   - pixel: the new line.
    ///   - line: the sums; as many as a line has, an even number.
    func add(
        _ lines: [SIMD4<Float>], startingAt starts: [Int], of pixel: Int, to line: inout [SIMD4<Float>]
    ) {
        let weights = weights, lines = lines.span, starts = starts.span
        let share = weights.span.extracting(pixel * width..<(pixel + 1) * width)
        var output = line.mutableSpan
        var x = 0
        while x < output.count {
            var sum = lines.two(starts[0] &+ x) * share[0]
            for tap in 1..<width { sum += lines.two(starts[tap] &+ x) * share[tap] }
            output[x] = sum.lowHalf
            output[x &+ 1] = sum.highHalf
            x &+= 2
        }
    }

    /// A new pixel of a line.
    @inline(__always)
    func value(_ line: Span<SIMD4<Float>>, of pixel: Int) -> SIMD4<Float> {
        let taps = line.extracting(first[pixel]..<first[pixel] &+ width)
        let share = weights.span.extracting(pixel &* width..<(pixel &+ 1) &* width)
        // Two sums, so that one addition need not wait for the other.
        var sum = SIMD4<Float>.zero, other = SIMD4<Float>.zero, tap = 0
        while tap &+ 1 < width {
            sum += taps[tap] * share[tap]
            other += taps[tap &+ 1] * share[tap &+ 1]
            tap &+= 2
        }
        if tap < width { sum += taps[tap] * share[tap] }
        return sum + other
    }
}

extension Span<Float> {
    @inline(__always)
    func eight(_ first: Int) -> SIMD8<Float> {
        // SAFETY: checked against the span's bounds; any bytes are floats.
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: first &* 4, as: SIMD8<Float>.self)
    }
}

extension Span<SIMD4<Float>> {
    @inline(__always)
    fileprivate func two(_ first: Int) -> SIMD8<Float> {
        // SAFETY: checked against the span's bounds; any bytes are floats.
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: first &* 16, as: SIMD8<Float>.self)
    }
}
