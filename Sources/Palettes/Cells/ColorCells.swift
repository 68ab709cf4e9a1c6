internal import CLanes

/// The occupied cells of a ``ColorHistogram`` as colors: what every later step works on.
struct ColorCells {
    /// Octree numbers, rising.
    private(set) var numbers: [UInt32] = []
    /// Mean red, green and blue (0...255) of each cell; the fourth lane is 0.
    private(set) var means: [SIMD4<Float>] = []
    /// How much of the picture is in each cell, in the histogram's unit.
    private(set) var weights: [Double] = []
    /// Points of the means in ``PaletteSpace``, eight to a block, one array an axis; what the last block has
    /// to spare is black.
    private(set) var x: [SIMD8<Float>] = [], y: [SIMD8<Float>] = [], z: [SIMD8<Float>] = []
    /// The sum of all weights.
    private(set) var weight = 0.0
    /// ``weights`` of which all are 1.
    private(set) var shares: [Float] = []

    var count: Int { numbers.count }

    init(_ histogram: ColorHistogram) {
        let count = histogram.numbers.count
        numbers.reserveCapacity(count)
        means.reserveCapacity(count)
        weights.reserveCapacity(count)
        histogram.forEachCell { number, sums in
            numbers.append(number)
            means.append(Self.mean(SIMD4(Double(sums.x), Double(sums.y), Double(sums.z), Double(sums.w))))
            weights.append(Double(sums.w))
        }
        convert()
    }

    private init() {}

    init(counting samples: [PixelSample], levels: ColorLevels, using workspace: inout PaletteWorkspace) {
        if samples.count == 1, samples[0].weight > 0, samples[0].pixelCount <= SortedPixels.limit {
            self.init(SortedPixels(samples[0].rgba, levels: levels))
            return
        }
        var histogram = ColorHistogram(samples, levels: levels, using: &workspace)
        self.init(histogram)
        histogram.release(to: &workspace)
    }

    /// Of a few pixels: the same cells as a histogram of them has.
    init(_ pixels: SortedPixels) {
        numbers = pixels.numbers
        means = pixels.sums.map { Self.mean(SIMD4(Double($0.x), Double($0.y), Double($0.z), Double($0.w))) }
        weights = pixels.sums.map { Double($0.w) }
        convert()
    }

    /// - Parameter sums: red, green and blue times alpha, and alpha. Below 2^53, or of a solid color, they
    /// come out exact: the same quotient in every channel.
    private static func mean(_ sums: SIMD4<Double>) -> SIMD4<Float> {
        SIMD4<Float>(SIMD4(sums.x, sums.y, sums.z, 0) / sums.w)
    }

    /// The cells for which `isWanted` holds, by index.
    func filter(_ isWanted: (Int) -> Bool) -> ColorCells {
        var kept = ColorCells()
        for index in 0..<count where isWanted(index) {
            kept.numbers.append(numbers[index])
            kept.means.append(means[index])
            kept.weights.append(weights[index])
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

    /// A cell in ``PaletteSpace``.
    func point(_ index: Int) -> SIMD4<Float> {
        SIMD4(x[index / 8][index % 8], y[index / 8][index % 8], z[index / 8][index % 8], 0)
    }

    /// Works out what follows from the means and the weights.
    private mutating func convert() {
        for weight in weights { self.weight += weight }
        let whole = weight
        shares = weights.map { Float($0 / whole) }
        let blocks = (count + 7) / 8
        x.reserveCapacity(blocks)
        y.reserveCapacity(blocks)
        z.reserveCapacity(blocks)
        let table = lightAndRise
        for start in stride(from: 0, to: count, by: 8) {
            var red = SIMD8<Float>(), green = red, blue = red
            for lane in 0..<min(8, count - start) {
                let mean = means[start + lane]
                red[lane] = mean.x
                green[lane] = mean.y
                blue[lane] = mean.z
            }
            let points = PaletteSpace.points(light(red, table), light(green, table), light(blue, table))
            x.append(points.x)
            y.append(points.y)
            z.append(points.z)
        }
    }
}

/// Linear light of channels between two 8-bit values, along the straight line.
@inline(__always)
private func light(_ channel: SIMD8<Float>, _ table: [SIMD2<Float>]) -> SIMD8<Float> {
    let values = lanes_truncated(channel, 255)
    var low = SIMD8<Float>(), rise = low
    for lane in 0..<8 {
        let entry = table[Int(values[lane])]
        low[lane] = entry.x
        rise[lane] = entry.y
    }
    return low + (channel - lanes_floats(values)) * rise
}

/// Linear light of each channel value, and how much more the next one has.
private let lightAndRise: [SIMD2<Float>] = (0..<256).map { value in
    SIMD2(Float(linearLight[value]), Float(linearLight[min(value + 1, 255)] - linearLight[value]))
}
