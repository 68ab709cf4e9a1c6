extension KMeans {
    /// The best centres we can find: as good as hundreds of random starts, at the price of a few.
    ///
    /// On the coarse points, clusters are split one at a time, each time the one whose halves lie furthest
    /// apart for their weight. Then, while it helps, one centre is taken from where it is missed least and put
    /// where splitting gains most: the move that Lloyd's passes alone can never make, and the reason for
    /// nearly all bad local minima. The result is finished on the middle and the fine points.
    ///
    /// - Parameters:
    ///   - count: 1...``PaletteSize/limit``, and no more than there are fine points.
    ///   - pyramid: what to cluster.
    /// - Returns: centres settled on the fine points.
    static func best(_ count: Int, in pyramid: ColorPyramid) -> KMeans {
        let first = pyramid.levels.firstIndex { $0.count >= 300 } ?? pyramid.levels.count - 1
        let points = pyramid.levels[first]
        var kmeans = KMeans(startingAt: [.zero])
        kmeans.run(over: points, tolerance: 1e-3, limit: 2)
        while kmeans.centers.count < min(count, points.count) {
            kmeans.split(over: points)
        }
        kmeans.relocate(over: points)
        for points in pyramid.levels[first...] { kmeans.run(over: points, tolerance: 3e-4, limit: 40) }
        return kmeans
    }

    /// Splits the cluster that gains most, then lets all centres settle a little.
    private mutating func split(over points: ColorPoints) {
        let shapes = ClusterShape.measure(self, over: points)
        let widest = shapes.indices.max { shapes[$0].gain < shapes[$1].gain }!
        var centers = self.centers
        centers[widest] = shapes[widest].halves.0
        centers.append(shapes[widest].halves.1)
        self = KMeans(startingAt: centers)
        run(over: points, tolerance: 2e-3, limit: 8)
    }

    /// Moves single centres to better places until none of the likeliest moves lowers the error.
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
    /// One centre in the place of two, and all settled again.
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
