/// The occupied cells of a ``ColorHistogram`` as colors: what every later step works on.
struct ColorCells {
    /// Octree numbers, rising.
    private(set) var numbers: [UInt32] = []
    /// Mean red, green and blue (0...255) of each cell; the fourth lane is 0.
    private(set) var means: [SIMD4<Float>] = []
    /// How much of the picture is in each cell, in the histogram's unit.
    private(set) var weights: [Double] = []
    /// Oklab of the means, eight to a block, one array an axis; the last block is filled up with zeros.
    private(set) var lightness: [SIMD8<Float>] = [], a: [SIMD8<Float>] = [], b: [SIMD8<Float>] = []
    /// The sum of all weights.
    private(set) var weight = 0.0

    var count: Int { numbers.count }

    init(_ histogram: ColorHistogram) {
        let count = histogram.numbers.count
        numbers.reserveCapacity(count)
        means.reserveCapacity(count)
        weights.reserveCapacity(count)
        histogram.forEachCell { number, sums in
            numbers.append(number)
            // Sums below 2^53, or a solid color, come out exact: the same quotient in every channel.
            let sums = SIMD4<Double>(Double(sums.x), Double(sums.y), Double(sums.z), Double(sums.w))
            means.append(SIMD4<Float>(SIMD4(sums.x, sums.y, sums.z, 0) / sums.w))
            weights.append(sums.w)
        }
        convert()
        for weight in weights { self.weight += weight }
    }

    private init() {}

    /// The cells for which `isWanted` holds, by index.
    func filter(_ isWanted: (Int) -> Bool) -> ColorCells {
        var kept = ColorCells()
        for index in 0..<count where isWanted(index) {
            kept.numbers.append(numbers[index])
            kept.means.append(means[index])
            kept.weights.append(weights[index])
            kept.weight += weights[index]
        }
        kept.convert()
        return kept
    }

    /// The 8-bit color nearest to a cell's mean. When all its pixels are alike it is theirs.
    func color(_ index: Int) -> RGB {
        let mean = means[index]
        return RGB(
            red: UInt8(mean.x.rounded()), green: UInt8(mean.y.rounded()), blue: UInt8(mean.z.rounded()))
    }

    /// Oklab of a cell: lightness, a, b, 0.
    func oklab(_ index: Int) -> SIMD4<Float> {
        SIMD4(lightness[index / 8][index % 8], a[index / 8][index % 8], b[index / 8][index % 8], 0)
    }

    /// Oklab of all means, eight at a time: the matrices and roots of ``Oklab/init(_:)`` in Float, from
    /// channels that lie between two entries of the transfer table.
    private mutating func convert() {
        let blocks = (count + 7) / 8
        lightness.reserveCapacity(blocks)
        a.reserveCapacity(blocks)
        b.reserveCapacity(blocks)
        let table = lightAndRise
        for start in stride(from: 0, to: count, by: 8) {
            var red = SIMD8<Float>(), green = red, blue = red
            for lane in 0..<min(8, count - start) {
                let mean = means[start + lane]
                red[lane] = mean.x
                green[lane] = mean.y
                blue[lane] = mean.z
            }
            let r = light(red, table), g = light(green, table), b = light(blue, table)
            let l = cubeRoot(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
            let m = cubeRoot(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
            let s = cubeRoot(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
            lightness.append(0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s)
            a.append(1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s)
            self.b.append(0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)
        }
    }
}

/// Linear light of channels between two 8-bit values, along the straight line.
@inline(__always)
private func light(_ channel: SIMD8<Float>, _ table: [SIMD2<Float>]) -> SIMD8<Float> {
    var floor = SIMD8<Float>(), low = floor, rise = floor
    for lane in 0..<8 {
        let value = Int32(channel[lane])
        let entry = table[Int(value)]
        floor[lane] = Float(value)
        low[lane] = entry.x
        rise[lane] = entry.y
    }
    return low + (channel - floor) * rise
}

/// Linear light of each channel value, and how much more the next one has.
private let lightAndRise: [SIMD2<Float>] = (0..<256).map { value in
    SIMD2(Float(linearLight[value]), Float(linearLight[min(value + 1, 255)] - linearLight[value]))
}
