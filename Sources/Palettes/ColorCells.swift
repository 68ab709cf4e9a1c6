/// The occupied cells of a ``ColorHistogram`` as colours: what every later step works on.
struct ColorCells {
    /// Octree numbers, rising.
    private(set) var numbers: [Int] = []
    /// Mean red, green, blue (0...255) and weight of each cell. The weights are those of the histogram.
    private(set) var means: [SIMD4<Double>] = []
    /// Oklab of the means: lightness, a, b; the fourth lane is 0.
    private(set) var oklab: [SIMD4<Float>] = []
    /// The sum of all weights.
    private(set) var weight = 0.0

    var count: Int { numbers.count }

    init(_ histogram: ColorHistogram) {
        numbers.reserveCapacity(histogram.occupied)
        means.reserveCapacity(histogram.occupied)
        histogram.forEachCell { number, sums in
            let weight = Double(sums.w)
            numbers.append(number)
            means.append(
                SIMD4(Double(sums.x) / weight, Double(sums.y) / weight, Double(sums.z) / weight, weight))
            self.weight += weight
        }
        convert()
    }

    private init() {}

    /// The cells for which `isWanted` holds, by index.
    func filter(_ isWanted: (Int) -> Bool) -> ColorCells {
        var kept = ColorCells()
        for index in 0..<count where isWanted(index) {
            kept.numbers.append(numbers[index])
            kept.means.append(means[index])
            kept.oklab.append(oklab[index])
            kept.weight += means[index].w
        }
        return kept
    }

    /// The 8-bit colour nearest to a cell's mean. When all its pixels are alike it is theirs.
    func color(_ index: Int) -> RGB {
        let mean = means[index]
        return RGB(
            red: UInt8(mean.x.rounded()), green: UInt8(mean.y.rounded()), blue: UInt8(mean.z.rounded()))
    }
}

extension ColorCells {
    /// Oklab of all means, eight at a time: the matrices and roots of ``Oklab/init(_:)`` in Float, from
    /// channels that lie between two entries of the transfer table.
    private mutating func convert() {
        oklab = Array(repeating: .zero, count: count)
        for start in stride(from: 0, to: count, by: 8) {
            var r = SIMD8<Float>(), g = r, b = r
            let lanes = min(8, count - start)
            for lane in 0..<lanes {
                let mean = means[start + lane]
                r[lane] = light(mean.x)
                g[lane] = light(mean.y)
                b[lane] = light(mean.z)
            }
            let l = cubeRoot(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
            let m = cubeRoot(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
            let s = cubeRoot(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
            let lightness = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s
            let greenRed = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s
            let blueYellow = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s
            for lane in 0..<lanes {
                oklab[start + lane] = SIMD4(lightness[lane], greenRed[lane], blueYellow[lane], 0)
            }
        }
    }
}

/// Linear light of a channel between two 8-bit values, along the straight line.
private func light(_ channel: Double) -> Float {
    let index = min(Int(channel), 254)
    let low = linearLight[index]
    return Float(low + (channel - Double(index)) * (linearLight[index + 1] - low))
}
