/// Weighted points in the space where palettes are found, laid out for ``KMeans``.
///
/// The space is Oklab with both colour axes stretched, moved so that the points' mean is its origin. Then the
/// error of a set of centres follows from the sums alone, without losing digits to a distant origin.
struct ColorPoints {
    /// Coordinates, eight points to a block, one array an axis.
    private(set) var x: [SIMD8<Float>] = [], y: [SIMD8<Float>] = [], z: [SIMD8<Float>] = []
    /// (w x, w y, w z, w) of each point; the last block is filled up with zeros, which move no centre.
    private(set) var moments: [SIMD4<Float>] = []
    /// Points, without the padding.
    let count: Int
    /// The sum of all weights.
    let weight: Double
    /// The weighted sum of the squared lengths: the error of one centre at the origin.
    let squares: Double

    var blockCount: Int { x.count }

    /// - Parameter points: coordinates and weight; the weights add up to about 1.
    init(_ points: [SIMD4<Float>]) {
        count = points.count
        let blocks = (points.count + 7) / 8
        x = Array(repeating: .zero, count: blocks)
        y = x
        z = x
        moments = Array(repeating: .zero, count: blocks * 8)
        var weight = 0.0, squares = 0.0
        for (index, point) in points.enumerated() {
            x[index / 8][index % 8] = point.x
            y[index / 8][index % 8] = point.y
            z[index / 8][index % 8] = point.z
            moments[index] = SIMD4(point.x * point.w, point.y * point.w, point.z * point.w, point.w)
            let p = SIMD4<Double>(point)
            weight += p.w
            squares += p.w * (p.x * p.x + p.y * p.y + p.z * p.z)
        }
        self.weight = weight
        self.squares = squares
    }

    func point(_ index: Int) -> SIMD4<Float> {
        SIMD4(x[index / 8][index % 8], y[index / 8][index % 8], z[index / 8][index % 8], moments[index].w)
    }
}
