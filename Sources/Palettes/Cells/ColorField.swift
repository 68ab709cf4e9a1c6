internal import CLanes

/// A picture's colors as a smooth field: what palettes are searched on.
///
/// Every color lends its area to the eight nodes around it of a grid in ``PaletteSpace``, more to the nearer
/// ones. So what moves a color a little, another size or another coding of the photo, changes the field a
/// little; of cells with edges some colors would change the cell, and under the square root below a few rare
/// ones in cells of their own count as much as thousands.
struct ColorField {
    /// (x, y, z, weight): the means of what lies about each node; the weights add up to 1.
    let points: [SIMD4<Float>]

    /// Between two nodes of the grid, where colors are weighed by the attention they get.
    static let pitch: Float = 0.05
    /// Added to areas under the root: what is rarer than that counts by its area.
    private static let rare: Float = 0.0005

    /// Weighs each node by its area.
    ///
    /// The grid is finer than representative mode's: what it blurs is an error of the colors shown. More so
    /// where the colors lie close together.
    ///
    /// - Complexity: O(cells + nodes).
    init(area cells: ColorCells, variance: Double) {
        points = Grid(pitch: variance < 0.004 ? 0.015 : 0.03, around: cells).moments(of: cells)
            .filter { $0.w > 0 }
            .map { SIMD4($0.x / $0.w, $0.y / $0.w, $0.z / $0.w, $0.w) }
    }

    /// Weighs each node by the root of its area times its color's pull.
    ///
    /// The root makes a small subject count beside a large ground; the pull, 0.05 + chroma, again under the
    /// root, makes colors count more than grays. Both were chosen by what people pick:
    /// docs/measurements/PALETTES.md.
    ///
    /// - Complexity: O(cells + nodes).
    init(attention cells: ColorCells) {
        // A node to spare on each side: areas are blurred.
        let grid = Grid(pitch: Self.pitch, around: cells, margin: 1), moments = grid.moments(of: cells)
        var areas = moments.map { $0.w }
        for step in [grid.plane, grid.axis, 1] { areas = Self.blurred(areas, step: step) }
        var points: [SIMD4<Float>] = [], total: Float = 0
        for (node, sum) in moments.enumerated() where sum.w > 0 {
            var point = sum / sum.w
            let chroma = (point.y * point.y + point.z * point.z).squareRoot() / PaletteSpace.chromaScale
            point.w = sum.w * ((0.05 + chroma) / (areas[node] + Self.rare)).squareRoot()
            total += point.w
            points.append(point)
        }
        for index in points.indices { points[index].w /= total }
        self.points = points
    }

    /// Each value halved, and a quarter of it to each neighbor along one axis.
    private static func blurred(_ values: [Float], step: Int) -> [Float] {
        var blurred = values
        for index in step..<values.count - step {
            blurred[index] = 0.5 * values[index] + 0.25 * (values[index - step] + values[index + step])
        }
        return blurred
    }
}

/// Nodes in ``PaletteSpace``, evenly apart: those that some cells can reach.
private struct Grid {
    /// Between two nodes.
    let pitch: Float
    /// The first node, and how many there are: along lightness and the color axes.
    private let first: SIMD4<Float>
    private let lightnesses: Int, greens: Int
    let axis: Int
    /// Nodes of one lightness.
    var plane: Int { greens * axis }

    /// - Parameter margin: nodes to spare on each side.
    init(pitch: Float, around cells: ColorCells, margin: Float = 0) {
        self.pitch = pitch
        let (x, y, z) = (Self.reach(cells.x), Self.reach(cells.y), Self.reach(cells.z))
        let least = Self.gridPoint(SIMD4(x.least, y.least, z.least, 0), pitch)
        let most = Self.gridPoint(SIMD4(x.most, y.most, z.most, 0), pitch)
        first = pointwiseMax(least, .zero).rounded(.down) - margin
        let count = pointwiseMax(most, .zero).rounded(.down) - first + 2 + margin
        (lightnesses, greens, axis) = (Int(count.x), Int(count.y), Int(count.z))
    }

    /// The least and the greatest coordinate; 0 where there is none.
    private static func reach(_ blocks: [SIMD8<Float>]) -> (least: Float, most: Float) {
        guard var least = blocks.first else { return (0, 0) }
        var most = least
        for block in blocks {
            least.replace(with: block, where: block .< least)
            most.replace(with: block, where: block .> most)
        }
        return (least.min(), most.max())
    }

    /// A point, counted in nodes.
    private static func gridPoint(_ point: SIMD4<Float>, _ pitch: Float) -> SIMD4<Float> {
        SIMD4(point.x / pitch + 1, (point.y + 0.8) / pitch, (point.z + 0.8) / pitch, 0)
    }

    /// (w x, w y, w z, w) by node; the weights add up to 1.
    ///
    /// - Complexity: O(cells + nodes).
    func moments(of cells: ColorCells) -> [SIMD4<Float>] {
        var moments = [SIMD4<Float>](repeating: .zero, count: lightnesses * greens * axis)
        for block in cells.x.indices {
            let x = cells.x[block], y = cells.y[block], z = cells.z[block]
            let (lightness, wayX) = Self.node(below: x / pitch + 1 - first.x, of: lightnesses)
            let (green, wayY) = Self.node(below: (y + 0.8) / pitch - first.y, of: greens)
            let (last, wayZ) = Self.node(below: (z + 0.8) / pitch - first.z, of: axis)
            let node =
                (lightness &* UInt32(truncatingIfNeeded: greens) &+ green)
                &* UInt32(truncatingIfNeeded: axis) &+ last
            for lane in 0..<min(8, cells.count - 8 * block) {
                lend(
                    SIMD4(x[lane], y[lane], z[lane], 1) * cells.shares[8 * block + lane], to: &moments,
                    around: Int(node[lane]), SIMD4(wayX[lane], wayY[lane], wayZ[lane], 0))
            }
        }
        return moments
    }

    /// The nodes below eight places along an axis, and how far behind them these are. Never the last node.
    @inline(__always)
    private static func node(
        below position: SIMD8<Float>, of count: Int
    ) -> (node: SIMD8<UInt32>, way: SIMD8<Float>) {
        let node = lanes_truncated(position, Float(count - 2))
        return (node, position - lanes_floats(node))
    }

    /// Adds a moment to the eight nodes around its place, to the nearer ones more of it.
    @inline(__always)
    private func lend(
        _ moment: SIMD4<Float>, to moments: inout [SIMD4<Float>], around node: Int, _ way: SIMD4<Float>
    ) {
        let rest = 1 - way, plane = plane
        let corners = SIMD4(rest.x * rest.y, way.x * rest.y, rest.x * way.y, way.x * way.y)
        let nearer = corners * rest.z, further = corners * way.z
        let nodes = SIMD4(node, node &+ plane, node &+ axis, node &+ plane &+ axis)
        var moments = moments.mutableSpan
        precondition(node >= 0 && node + plane + axis + 1 < moments.count)
        for corner in 0..<4 {
            // SAFETY: none of the eight is behind the one that was looked at.
            unsafe moments[unchecked: nodes[corner]] += moment * nearer[corner]
            unsafe moments[unchecked: nodes[corner] &+ 1] += moment * further[corner]
        }
    }
}
