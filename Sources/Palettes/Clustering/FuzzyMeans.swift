/// Fuzzy c-means: every point belongs to all centers, more to the nearer ones.
///
/// Where k-means has many answers that are nearly as good, of which the next best wins when the picture
/// changes a little, this has few: docs/measurements/PALETTES.md, "Steady".
///
/// - Source: J. C. Bezdek, "Pattern recognition with fuzzy objective function algorithms", 1981.
struct FuzzyMeans {
    /// How fast a point's share of a center falls with its distance, which + - * / and square roots can tell.
    enum Edges {
        /// With the fourth power: Bezdek's exponent m = 1.5.
        case soft
        /// With the eighth, m = 1.25: nearer to k-means.
        case sharp
    }

    private(set) var centers: [SIMD4<Float>]
    private let edges: Edges
    /// The objective to minimize, of the centers before the last pass.
    private(set) var error: Double = .infinity

    init(startingAt centers: [SIMD4<Float>], _ edges: Edges = .soft) {
        (self.centers, self.edges) = (centers, edges)
    }

    /// The best of many starts, with soft edges.
    ///
    /// All starts are followed on few points, which costs little; what they come to is tried on all points,
    /// and the most promising of it goes on until it stands still. So what is found is the best answer there
    /// is, whichever the picture's form makes the nearest.
    ///
    /// - Parameters:
    ///   - count: at least 1.
    ///   - points: at least one, of a ``ColorField`` of ``ColorField/pitch``.
    static func best(_ count: Int, of points: ColorPoints) -> FuzzyMeans {
        let merged = points.merged(pitch: 1.6 * ColorField.pitch)
        let coarse = merged.count < 2 * count ? points : merged
        var dice = Dice()
        var found = (0..<40).map { start in
            var means = FuzzyMeans(startingAt: Self.start(start, count, over: coarse, &dice).centers)
            means.run(over: coarse, tolerance: 1e-2, limit: 20)
            return means
        }
        found.sort { $0.error < $1.error }
        for (passes, most) in [(2, 6), (15, 2)] {
            found = distinct(found, most: found.count)
            for index in found.indices { found[index].run(over: points, tolerance: 1e-4, limit: passes) }
            found.sort { $0.error < $1.error }
            found.removeLast(max(0, found.count - most))
        }
        // A start that is behind by more than this never becomes the best.
        found = distinct(found, most: 2).filter { $0.error < found[0].error * 1.002 }
        for index in found.indices { found[index].run(over: points, tolerance: 1e-4, limit: 150) }
        return best(of: found, points)
    }

    /// The best of many starts, with sharp edges, where k-means goes on: of those starts that k-means likes
    /// best a few passes each, and the most promising ones until they stand still.
    ///
    /// - Parameters:
    ///   - count: at least 1.
    ///   - points: at least one.
    static func bestSharp(_ count: Int, of points: ColorPoints) -> FuzzyMeans {
        var dice = Dice()
        var rough = (0..<24).map { start in
            var rough = Self.start(start, count, over: points, &dice)
            rough.run(over: points, tolerance: 1e-2, limit: 6)
            return (means: rough, error: rough.error(over: points))
        }
        rough.sort { $0.error < $1.error }
        var found = rough.prefix(12).map { rough in
            var means = FuzzyMeans(startingAt: rough.means.centers, .sharp)
            means.run(over: points, tolerance: 1e-4, limit: 6)
            return means
        }
        found.sort { $0.error < $1.error }
        found = distinct(found, most: 4)
        for index in found.indices { found[index].run(over: points, tolerance: 3e-4, limit: 40) }
        return best(of: found, points)
    }

    /// The first one splits the points, the others take some by chance.
    private static func start(
        _ index: Int, _ count: Int, over points: ColorPoints, _ dice: inout Dice
    ) -> KMeans {
        index == 0 ? KMeans(splitting: points, into: count) : KMeans(scattering: count, over: points, &dice)
    }

    private static func best(of found: [FuzzyMeans], _ points: ColorPoints) -> FuzzyMeans {
        found.min { $0.error < $1.error } ?? FuzzyMeans(startingAt: [points.point(0)])
    }

    /// The first of them, those left out that are about where a better one is: they would come to the same.
    private static func distinct(_ found: [FuzzyMeans], most: Int) -> [FuzzyMeans] {
        var kept: [FuzzyMeans] = []
        for means in found.prefix(most) {
            let isKnown = kept.contains { other in
                means.centers.allSatisfy { center in
                    other.centers.contains { squaredDistance($0, center) < near * near }
                }
            }
            if !isKnown { kept.append(means) }
        }
        return kept
    }

    /// Half of what can be seen.
    private static let near: Float = 0.01

    /// Runs passes until no center moves more than `tolerance`, or `limit` passes.
    mutating func run(over points: ColorPoints, tolerance: Float, limit: Int) {
        for _ in 0..<limit {
            let sums: [SIMD4<Double>]
            (sums, error) = Self.pass(centers, over: points, edges)
            var largestMove: Float = 0
            for (index, sum) in sums.enumerated() where sum.w > 0 {
                let mean = SIMD4<Float>(SIMD4(sum.x, sum.y, sum.z, 0) / sum.w)
                largestMove = max(largestMove, squaredDistance(mean, centers[index]))
                centers[index] = mean
            }
            if largestMove <= tolerance * tolerance { return }
        }
    }
}
