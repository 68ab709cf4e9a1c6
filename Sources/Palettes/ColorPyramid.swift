/// The same colours at three resolutions: the search begins on few points and ends on all of them.
struct ColorPyramid {
    /// Cells of 4, 5 and 6 bits a channel. A coarse point is the mean, in the space searched, of the fine
    /// ones in it.
    let coarse: ColorPoints, middle: ColorPoints, fine: ColorPoints
    /// How far the space was moved: add it to a point to get (lightness, s a, s b).
    let origin: SIMD4<Float>

    /// How much longer Oklab's colour axes are taken than its lightness.
    ///
    /// Unscaled, Oklab holds lightness to be more important than people do, by every measure we tried:
    /// see docs/PALETTES.md.
    static let chromaScale: Float = 2

    /// - Parameters:
    ///   - cells: at least one.
    ///   - weights: one a cell, none negative, not all 0.
    init(_ cells: ColorCells, weights: [Double]) {
        let total = weights.reduce(0, +)
        var mean = SIMD4<Double>.zero
        for index in 0..<cells.count {
            mean += SIMD4<Double>(Self.stretched(cells.oklab[index])) * (weights[index] / total)
        }
        origin = SIMD4<Float>(mean)
        var fine: [SIMD4<Float>] = []
        fine.reserveCapacity(cells.count)
        for index in 0..<cells.count {
            var point = Self.stretched(cells.oklab[index]) - origin
            point.w = Float(weights[index] / total)
            fine.append(point)
        }
        self.fine = ColorPoints(fine)
        middle = ColorPoints(Self.merged(fine, cells.numbers, levels: 1))
        coarse = ColorPoints(Self.merged(fine, cells.numbers, levels: 2))
    }

    static func stretched(_ oklab: SIMD4<Float>) -> SIMD4<Float> {
        oklab * SIMD4(1, chromaScale, chromaScale, 0)
    }

    /// The Oklab colour at a point of the space.
    func oklab(_ point: SIMD4<Float>) -> Oklab {
        let p = SIMD4<Double>(point + origin)
        return Oklab(
            lightness: p.x, a: p.y / Double(Self.chromaScale), b: p.z / Double(Self.chromaScale))
    }

    /// Takes together the points whose cell is the same `levels` levels up the octree: runs, since numbers rise.
    private static func merged(
        _ points: [SIMD4<Float>], _ numbers: [Int], levels: Int
    ) -> [SIMD4<Float>] {
        var merged: [SIMD4<Float>] = []
        var sum = SIMD4<Float>.zero
        for index in points.indices {
            let point = points[index]
            sum += SIMD4(point.x * point.w, point.y * point.w, point.z * point.w, point.w)
            let isLast = index + 1 == points.count
            if isLast || numbers[index + 1] >> (3 * levels) != numbers[index] >> (3 * levels) {
                if sum.w > 0 {
                    merged.append(SIMD4(sum.x / sum.w, sum.y / sum.w, sum.z / sum.w, sum.w))
                }
                sum = .zero
            }
        }
        return merged
    }
}
