/// Which source pixels make each new pixel along one axis, and with what weight.
struct ResizingTaps {
    /// Source pixels a new pixel has; the same for all, so that the loops are plain.
    let count: Int
    /// Weights a new pixel has, a multiple of four: those behind ``count`` are 0.
    let width: Int
    /// The first source pixel, one a new pixel: they do not go down, and from each there are ``count``.
    private(set) var first: [Int] = []
    /// ``width`` weights a new pixel, summing to 1.
    private(set) var weights: [Float] = []

    /// - Parameters:
    ///   - source: pixels there are.
    ///   - target: pixels wanted, at most `source`.
    /// - Source: E. Catmull and R. Rom, "A class of local interpolating splines", 1974: the cubic with a =
    ///   -1/2, stretched so that its support covers two new pixels on either side.
    init(from source: Int, to target: Int) {
        let scale = Double(source) / Double(target)
        let support = 2 * scale
        let count = min(source, Int(support * 2) + 2)
        self.count = count
        width = (count + 3) / 4 * 4
        first.reserveCapacity(target)
        weights.reserveCapacity(target * width)
        var taps = [Double](repeating: 0, count: count)
        for pixel in 0..<target {
            let center = (Double(pixel) + 0.5) * scale
            let start = min(max(Int(center - support), 0), source - count)
            var sum = 0.0
            for tap in 0..<count {
                taps[tap] = ResizingTaps.cubic((Double(start + tap) + 0.5 - center) / scale)
                sum += taps[tap]
            }
            first.append(start)
            for tap in 0..<width { weights.append(tap < count ? Float(taps[tap] / sum) : 0) }
        }
    }

    private static func cubic(_ distance: Double) -> Double {
        let x = abs(distance)
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
    }
}

extension Span<Float> {
    @inline(__always)
    func eight(_ first: Int) -> SIMD8<Float> {
        // SAFETY: checked against the span's bounds; any bytes are floats.
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: first &* 4, as: SIMD8<Float>.self)
    }

    /// As ``eight(_:)``, of which the caller knows that they are inside.
    @unsafe
    @inline(__always)
    func uncheckedEight(_ first: Int) -> SIMD8<Float> {
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: first &* 4, as: SIMD8<Float>.self)
    }
}

extension MutableSpan<Float> {
    /// Four numbers, of which the caller knows that there is room for them.
    @unsafe
    @inline(__always)
    mutating func storeUnchecked(_ four: SIMD4<Float>, at first: Int) {
        unsafe withUnsafeMutableBufferPointer { numbers in
            guard let start = numbers.baseAddress else { return }
            unsafe UnsafeMutableRawPointer(start + first).storeBytes(of: four, as: SIMD4<Float>.self)
        }
    }

    @inline(__always)
    mutating func store(_ values: SIMD16<Float>, at first: Int) {
        // SAFETY: checked against the span's bounds; any bytes are floats.
        var bytes = unsafe mutableBytes
        bytes.storeBytes(of: values, toByteOffset: first &* 4, as: SIMD16<Float>.self)
    }
}
