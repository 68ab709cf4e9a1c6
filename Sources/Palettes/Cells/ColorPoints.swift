/// Weighted points in the space where palettes are found, laid out for ``KMeans``.
///
/// The space is ``PaletteSpace``, moved so that the points' mean is about its origin. Then
/// the error of a set of centers follows from the sums alone, without losing digits to a distant origin.
struct ColorPoints {
    /// Coordinates, eight points to a block, one array an axis.
    let x: [SIMD8<Float>], y: [SIMD8<Float>], z: [SIMD8<Float>]
    /// Weights, likewise; what the last block has to spare weighs 0.
    let weights: [SIMD8<Float>]
    /// (w x, w y, w z, w) of each point; those that fill up the last block are zeros and move no center.
    let moments: [SIMD4<Float>]
    /// Points, without the padding.
    let count: Int
    /// The weighted sum of the squared lengths: the error of one center at the origin.
    let squares: Double

    /// As many points as there would be if all had the same weight: a few heavy ones count as few.
    let effectiveCount: Double

    var blockCount: Int { x.count }

    /// Takes coordinates in blocks, and one weight a point, which add up to about 1.
    init(x: [SIMD8<Float>], y: [SIMD8<Float>], z: [SIMD8<Float>], weights: [Float]) {
        (self.x, self.y, self.z) = (x, y, z)
        count = weights.count
        var squares = 0.0, crowding = 0.0
        var moments: [SIMD4<Float>] = [], blocks: [SIMD8<Float>] = []
        moments.reserveCapacity(x.count * 8)
        blocks.reserveCapacity(x.count)
        for block in x.indices {
            let x = x[block], y = y[block], z = z[block]
            var weight = SIMD8<Float>()
            for lane in 0..<min(8, weights.count - block * 8) { weight[lane] = weights[block * 8 + lane] }
            blocks.append(weight)
            let wx = x * weight, wy = y * weight, wz = z * weight
            let square = wx * x + wy * y + wz * z
            for lane in 0..<8 {
                moments.append(SIMD4(wx[lane], wy[lane], wz[lane], weight[lane]))
                squares += Double(square[lane])
            }
        }
        self.moments = moments
        self.weights = blocks
        self.squares = squares
        for weight in weights { crowding += Double(weight * weight) }
        effectiveCount = crowding > 0 ? 1 / crowding : 0
    }

    /// - Parameter points: coordinates and weight; the weights add up to about 1.
    init(_ points: [SIMD4<Float>]) {
        var x: [SIMD8<Float>] = [], y = x, z = x
        for start in stride(from: 0, to: points.count, by: 8) {
            var px = SIMD8<Float>(), py = px, pz = px
            for lane in 0..<min(8, points.count - start) {
                let point = points[start + lane]
                px[lane] = point.x
                py[lane] = point.y
                pz[lane] = point.z
            }
            x.append(px)
            y.append(py)
            z.append(pz)
        }
        self.init(x: x, y: y, z: z, weights: points.map { $0.w })
    }

    /// Those that round to the same node of a grid taken together: their means, in the order of the first of
    /// each.
    ///
    /// - Parameter pitch: between two nodes.
    func merged(pitch: Float) -> ColorPoints {
        let nodes = Nodes(pitch: pitch, of: self)
        var rows = [UInt32](repeating: .max, count: nodes.count), sums: [SIMD4<Float>] = []
        for index in 0..<count {
            let node = nodes.index(of: index)
            if rows[node] == .max {
                rows[node] = UInt32(sums.count)
                sums.append(moments[index])
            } else {
                sums[Int(rows[node])] += moments[index]
            }
        }
        return ColorPoints(
            sums.filter { $0.w > 0 }.map { SIMD4($0.x / $0.w, $0.y / $0.w, $0.z / $0.w, $0.w) })
    }

    /// A point and its weight.
    func point(_ index: Int) -> SIMD4<Float> {
        SIMD4(x[index / 8][index % 8], y[index / 8][index % 8], z[index / 8][index % 8], moments[index].w)
    }
}

/// The node of a grid that each point is nearest to, in a box of nodes around all.
private struct Nodes {
    private let indices: [SIMD8<Int32>]
    let count: Int

    init(pitch: Float, of points: ColorPoints) {
        let (x, y, z) = (Axis(points.x, pitch), Axis(points.y, pitch), Axis(points.z, pitch))
        indices = x.nodes.indices.map { (x.nodes[$0] &* y.count &+ y.nodes[$0]) &* z.count &+ z.nodes[$0] }
        count = Int(x.count) * Int(y.count) * Int(z.count)
    }

    func index(of point: Int) -> Int { Int(indices[point / 8][point % 8]) }

    private struct Axis {
        /// From 0.
        let nodes: [SIMD8<Int32>]
        let count: Int32

        init(_ positions: [SIMD8<Float>], _ pitch: Float) {
            let nodes = positions.map { position in
                // A float of 1.5 * 2^23 and more has no fraction: adding it rounds, to even, and the low bits
                // are the number.
                // SAFETY: same size, and every bit pattern is an integer.
                unsafe unsafeBitCast(position / pitch + 12_582_912, to: SIMD8<Int32>.self)
            }
            var least = SIMD8<Int32>(repeating: .max), most = SIMD8<Int32>(repeating: .min)
            for node in nodes {
                least.replace(with: node, where: node .< least)
                most.replace(with: node, where: node .> most)
            }
            let first = least.min()
            self.nodes = nodes.map { $0 &- first }
            count = most.max() &- first &+ 1
        }
    }
}
