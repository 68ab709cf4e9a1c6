/// What is shown of clusters: of each the mean of its core, the tenth of its area nearest to the place looked
/// for.
///
/// A cluster's mean is grayer and nearer to the others than anything that people would pick in it, so that
/// place lies a little further out, and away from colors much like it. A core is in the picture; other than
/// the nearest cell or the fullest it moves little when the picture changes a little.
struct ClusterCores {
    private let centers: [SIMD4<Float>]
    private let cells: ColorCells
    /// The cells of each cluster.
    private var members: [[Int]]

    /// How much further from the middle of all colors, and how much more colorful, than its cluster's mean a
    /// color is looked for.
    private static let spread: Float = 1.1, chromaBoost: Float = 1.4
    /// The part of a cluster's area that is its core.
    private static let core: Float = 0.1
    /// What lies further from the core's mean than this, in ``PaletteSpace``, is another color that is in the
    /// core by chance: the red door at a gray street's edge.
    private static let reach: Float = 0.12
    /// Shown colors that are nearer to each other are looked for further apart, a few times.
    private static let distance: Float = 0.13, rounds = 4

    /// - Parameter centers: of ``PaletteSpace``.
    /// - Complexity: O(cells x centers).
    init(_ centers: [SIMD4<Float>], of cells: ColorCells) {
        (self.centers, self.cells) = (centers, cells)
        members = Array(repeating: [], count: centers.count)
        let labels = KMeans.labels(cells.x, cells.y, cells.z, centers: centers)
        for index in 0..<cells.count { members[Int(labels[index / 8][index % 8])].append(index) }
    }

    /// Returns a color for each center.
    ///
    /// - Parameter middle: of all colors.
    func colors(around middle: SIMD4<Float>) -> [Palette.Entry] {
        var positions = centers.map { center in
            (middle + (center - middle) * Self.spread) * SIMD4(1, Self.chromaBoost, Self.chromaBoost, 0)
        }
        var shown = centers.indices.map { core(of: $0, at: positions[$0]) }
        for _ in 0..<Self.rounds {
            let moves = Self.moves(apart: shown)
            if moves.allSatisfy({ $0 == .zero }) { break }
            for (index, move) in moves.enumerated() where move != .zero {
                positions[index] += move
                shown[index] = core(of: index, at: positions[index])
            }
        }
        return centers.indices.map { index in
            let color = meanColor(of: index, at: positions[index]) ?? Palette.Entry(point: shown[index]).color
            return Palette.Entry(color: color, share: 0)
        }
    }

    /// How far each color is to be looked for from those too near to it.
    private static func moves(apart shown: [SIMD4<Float>]) -> [SIMD4<Float>] {
        shown.indices.map { index in
            var move = SIMD4<Float>.zero
            for other in shown where other != shown[index] {
                let offset = shown[index] - other, apart = squaredDistance(shown[index], other).squareRoot()
                if apart < distance, apart > 1e-4 { move += offset * (0.5 * (distance - apart) / apart) }
            }
            return move
        }
    }

    /// The mean of the core nearest to a place; the center when the cluster has no cell: its points are means
    /// of cells that are all nearer to others.
    private func core(of cluster: Int, at position: SIMD4<Float>) -> SIMD4<Float> {
        var sum = SIMD4<Float>.zero
        for (index, weight) in coreCells(of: cluster, at: position) {
            sum += Self.moment(cells.point(index), weight)
        }
        return sum.w > 0 ? sum / sum.w : centers[cluster]
    }

    /// The core's mean as a picture has means, of the channels: what consists of grays has a gray mean.
    private func meanColor(of cluster: Int, at position: SIMD4<Float>) -> RGB? {
        var sum = SIMD4<Float>.zero
        for (index, weight) in coreCells(of: cluster, at: position) {
            sum += Self.moment(cells.means[index], weight)
        }
        guard sum.w > 0 else { return nil }
        let mean = sum / sum.w
        return RGB(
            red: UInt8(mean.x.rounded()), green: UInt8(mean.y.rounded()), blue: UInt8(mean.z.rounded()))
    }

    /// The cells of the core that are like its mean, by how much they count.
    private func coreCells(of cluster: Int, at position: SIMD4<Float>) -> [(index: Int, weight: Float)] {
        let nearest = nearestCells(of: cluster, to: position)
        var sum = SIMD4<Float>.zero
        for (index, weight) in nearest { sum += Self.moment(cells.point(index), weight) }
        guard sum.w > 0 else { return [] }
        let mean = sum / sum.w
        let like = nearest.compactMap { index, weight -> (index: Int, weight: Float)? in
            let likeness = 1 - squaredDistance(cells.point(index), mean) / (Self.reach * Self.reach)
            return likeness > 0 ? (index, weight * likeness) : nil
        }
        return like.isEmpty ? nearest : like
    }

    private static func moment(_ point: SIMD4<Float>, _ weight: Float) -> SIMD4<Float> {
        SIMD4(point.x, point.y, point.z, 1) * weight
    }

    /// The core's cells with what of them is in it: of the last one a part.
    private func nearestCells(of cluster: Int, to position: SIMD4<Float>) -> [(index: Int, weight: Float)] {
        let members = members[cluster]
        let keys = members.map { squaredDistance(cells.point($0), position).bitPattern }
        var area: Float = 0
        // Floats that are not negative are in the order of their bits: a cell's class is its distance to 6 %.
        var classes = [Float](repeating: 0, count: 4096)
        for (member, key) in zip(members, keys) {
            let weight = cells.shares[member]
            area += weight
            classes[Int(key >> 19)] += weight
        }
        var rest = area * Self.core, last = 0
        while last < 4095, classes[last] < rest {
            rest -= classes[last]
            last += 1
        }
        var core: [(index: Int, weight: Float)] = [], edge: [(key: UInt32, index: Int)] = []
        for (member, key) in zip(members, keys) {
            let position = Int(key >> 19)
            if position < last {
                core.append((member, cells.shares[member]))
            } else if position == last {
                edge.append((key, member))
            }
        }
        edge.sort { ($0.key, $0.index) < ($1.key, $1.index) }
        for (_, index) in edge where rest > 0 {
            let weight = min(cells.shares[index], rest)
            core.append((index, weight))
            rest -= weight
        }
        return core
    }
}
