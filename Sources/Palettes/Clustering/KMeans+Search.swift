extension KMeans {
    /// The best centers we can find: as good as hundreds of random starts, at the price of a few.
    ///
    /// On the coarse points, clusters are split one at a time, each time the one whose halves lie furthest
    /// apart for their weight. Then, while it helps, one center is taken from where it is missed least and
    /// put where splitting gains most: the move that Lloyd's passes alone can never make, and the reason for
    /// nearly all bad local minima. The result is finished on the middle and the fine points.
    ///
    /// - Parameters:
    ///   - count: 1...``PaletteSize/limit``, and no more than there are fine points.
    ///   - pyramid: what to cluster.
    /// - Returns: centers settled on the fine points.
    static func best(_ count: Int, in pyramid: ColorPyramid) -> KMeans {
        let first = searchLevel(of: pyramid)
        let points = pyramid.levels[first]
        var found = [KMeans(splitting: points, into: count)]
        if count > 2 {
            var dice = Dice()
            let isCrowded = pyramid.levels[0].effectiveCount < 40
            for _ in 0..<(isCrowded ? 4 : 1) { found.append(KMeans(scattering: count, over: points, &dice)) }
        }
        for index in found.indices { found[index].relocate(over: points) }
        found.sort { $0.error(over: points) < $1.error(over: points) }
        var best = found[0]
        for (level, points) in pyramid.levels.enumerated() where level >= first {
            best.run(over: points, tolerance: 3e-4, limit: 40)
            // On the points the search was made on, second best may be what is best on finer ones.
            if level == first + 1, found.count > 1 {
                found[1].run(over: points, tolerance: 3e-4, limit: 40)
                if found[1].error(over: points) < best.error(over: points) { best = found[1] }
            }
        }
        return best
    }

    /// The coarsest level that still shows the picture's clusters, unless searching there would take too
    /// long.
    private static func searchLevel(of pyramid: ColorPyramid) -> Int {
        var level = 0
        while level + 1 < pyramid.levels.count, pyramid.levels[level].effectiveCount < 40,
            pyramid.levels[level + 1].count < 2_500
        {
            level += 1
        }
        return level
    }

    /// Splits one cluster after the other, each time the one that gains most.
    init(splitting points: ColorPoints, into count: Int) {
        self.init(startingAt: [.zero])
        run(over: points, tolerance: 1e-3, limit: 2)
        while centers.count < min(count, points.count) { split(over: points) }
    }

    /// Takes points for centers, each with a chance that grows with its share of the error: k-means++ (Arthur
    /// and Vassilvitskii 2007).
    init(scattering count: Int, over points: ColorPoints, _ dice: inout Dice) {
        var masses = points.weights
        var centers: [SIMD4<Float>] = []
        while centers.count < min(count, points.count) {
            let center = points.point(Self.chosen(masses, dice.fraction()))
            for block in masses.indices {
                let dx = points.x[block] - center.x, dy = points.y[block] - center.y,
                    dz = points.z[block] - center.z
                let mass = (dx * dx + dy * dy + dz * dz) * points.weights[block]
                let isNearer = mass .< masses[block]
                masses[block] = centers.isEmpty ? mass : masses[block].replacing(with: mass, where: isNearer)
            }
            centers.append(center)
        }
        self.init(startingAt: centers)
    }

    /// The point at a fraction of all mass; one without any never, if there is another.
    private static func chosen(_ masses: [SIMD8<Float>], _ fraction: Float) -> Int {
        var total: Float = 0
        for mass in masses { total += sum(mass) }
        var target = fraction * total, last = 0
        for block in masses.indices {
            let mass = sum(masses[block])
            if mass == 0 { continue }
            last = block
            if target < mass { break }
            target -= mass
        }
        var chosen = last * 8
        for lane in 0..<8 where masses[last][lane] > 0 {
            chosen = last * 8 + lane
            target -= masses[last][lane]
            if target < 0 { break }
        }
        return chosen
    }

    /// Lanes added in an order that no processor changes.
    @inline(__always)
    private static func sum(_ lanes: SIMD8<Float>) -> Float {
        let four = lanes.lowHalf + lanes.highHalf, two = four.lowHalf + four.highHalf
        return two.x + two.y
    }

    /// Splits the cluster that gains most, then lets all centers settle a little.
    private mutating func split(over points: ColorPoints) {
        let shapes = ClusterShape.measure(self, over: points)
        let widest = shapes.indices.max { shapes[$0].gain < shapes[$1].gain }!
        var centers = self.centers
        centers[widest] = shapes[widest].halves.0
        centers.append(shapes[widest].halves.1)
        self = KMeans(startingAt: centers)
        run(over: points, tolerance: 2e-3, limit: 8)
    }

    /// Moves single centers to better places until none of the likeliest moves lowers the error.
    private mutating func relocate(over points: ColorPoints) {
        run(over: points, tolerance: 1e-3, limit: 30)
        var error = self.error(over: points)
        search: for _ in 0..<(2 * centers.count) {
            let shapes = ClusterShape.measure(self, over: points)
            for move in Self.likelyMoves(shapes).prefix(6) {
                var centers = self.centers
                centers[move.to] = shapes[move.to].halves.0
                centers[move.from] = shapes[move.to].halves.1
                var moved = KMeans(startingAt: centers)
                moved.run(over: points, tolerance: 1e-3, limit: 3)
                // The first passes gain most: what is far off after them will not come near.
                if moved.error(over: points) > error * 1.03 { continue }
                moved.run(over: points, tolerance: 1e-3, limit: 30)
                let movedError = moved.error(over: points)
                if movedError < error * 0.9999 {
                    (self, error) = (moved, movedError)
                    continue search
                }
            }
            return
        }
    }

    /// Moves by what they promise, best first: the gain of the split less the price of the removal.
    private static func likelyMoves(_ shapes: [ClusterShape]) -> [(from: Int, to: Int)] {
        var moves: [(from: Int, to: Int, promise: Float)] = []
        for from in shapes.indices {
            for to in shapes.indices where to != from {
                moves.append((from, to, shapes[to].gain - shapes[from].removalCost))
            }
        }
        moves.sort { ($0.promise, $1.from, $1.to) > ($1.promise, $0.from, $0.to) }
        return moves.map { ($0.from, $0.to) }
    }
}

extension KMeans {
    /// Merges two centers into one, and settles all again.
    func merging(_ first: Int, _ second: Int, over points: ColorPoints) -> KMeans {
        var centers = self.centers
        let sum = sums[first] + sums[second]
        if sum.w > 0 {
            centers[first] = SIMD4(Float(sum.x / sum.w), Float(sum.y / sum.w), Float(sum.z / sum.w), 0)
        }
        centers.remove(at: second)
        var merged = KMeans(startingAt: centers)
        merged.run(over: points, tolerance: 2e-4, limit: 40)
        return merged
    }
}

/// Random numbers that are equal in every run: SplitMix64 (Steele, Lea and Flood 2014) from a fixed seed.
struct Dice {
    private var state: UInt64 = 2_007

    init() {}

    /// 0..<1, in steps of 2^-24.
    mutating func fraction() -> Float {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Float((z ^ (z >> 31)) >> 40) / 16_777_216
    }
}
