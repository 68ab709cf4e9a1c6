/// Which source pixels make each new pixel along one axis, and with what weight.
struct ResizingTaps {
    /// Source pixels a new pixel has; the same for all, so that the loops are plain.
    let width: Int
    /// The first of them, one a new pixel.
    private(set) var first: [Int] = []
    /// `width` weights a new pixel, summing to 1.
    private(set) var weights: [Float] = []

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
            weights.append(contentsOf: taps.map { Float($0) })
        }
    }

    private static func cubic(_ distance: Double) -> Double {
        let x = abs(distance)
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
    }

    /// Writes a line's new pixels to `output[at...]`.
    func apply(to line: [SIMD4<Float>], into output: inout [SIMD4<Float>], at: Int) {
        let line = line.span, weights = weights.span, first = first.span
        var output = output.mutableSpan
        for pixel in first.indices {
            let taps = line.extracting(first[pixel]..<first[pixel] &+ width)
            let share = weights.extracting(pixel &* width..<(pixel &+ 1) &* width)
            // Two sums, so that one addition need not wait for the other.
            var sum = SIMD4<Float>.zero, other = SIMD4<Float>.zero, tap = 0
            while tap &+ 1 < width {
                sum += taps[tap] * share[tap]
                other += taps[tap &+ 1] * share[tap &+ 1]
                tap &+= 2
            }
            if tap < width { sum += taps[tap] * share[tap] }
            output[at + pixel] = sum + other
        }
    }

    /// Adds up lines by the weights of a new one.
    ///
    /// - Parameters:
    ///   - lines: one after the other.
    ///   - starts: where each line begins, ``width`` of them.
    ///   - pixel: the new line.
    ///   - sums: as long as a line.
    func add(
        _ lines: [SIMD4<Float>], rowsAt starts: [Int], of pixel: Int, to sums: inout [SIMD4<Float>]
    ) {
        let share = weights.span.extracting(pixel * width..<(pixel + 1) * width), starts = starts.span
        let lines = lines.span
        var output = sums.mutableSpan
        for x in output.indices {
            var sum = lines[starts[0] &+ x] * share[0]
            for tap in 1..<width { sum += lines[starts[tap] &+ x] * share[tap] }
            output[x] = sum
        }
    }
}
