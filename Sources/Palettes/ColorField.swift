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
    /// root, makes colors count more than greys. Both were chosen by what people pick: docs/PALETTES.md.
    ///
    /// - Complexity: O(cells + nodes).
    init(attention cells: ColorCells) {
        let grid = Grid(pitch: Self.pitch), moments = grid.moments(of: cells)
        var areas = moments.map { $0.w }
        for step in [grid.axis * grid.axis, grid.axis, 1] { areas = Self.blurred(areas, step: step) }
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

/// Nodes in ``PaletteSpace``, evenly apart.
private struct Grid {
    /// Between two nodes.
    let pitch: Float
    /// The first node, and how many there are: along lightness and the color axes.
    private let first: SIMD4<Float>
    private let lightnesses: Int, greens: Int
    let axis: Int

    /// All that sRGB's colors can reach: the node before the first one, and one to spare behind the last.
    init(pitch: Float) {
        (self.pitch, first) = (pitch, .zero)
        (lightnesses, axis) = (Int(1.1 / pitch) + 2, Int(1.6 / pitch) + 2)
        greens = axis
    }

    /// Those of its nodes that some cells can reach.
    init(pitch: Float, around cells: ColorCells) {
        self.pitch = pitch
        var least = SIMD4<Float>(repeating: .infinity), most = -least
        for index in 0..<cells.count {
            let place = Self.place(cells.point(index), pitch)
            least = pointwiseMin(least, place)
            most = pointwiseMax(most, place)
        }
        first = pointwiseMax(least, .zero).rounded(.down)
        let count = pointwiseMax(most, .zero).rounded(.down) - first + 2
        (lightnesses, greens, axis) = (Int(count.x), Int(count.y), Int(count.z))
    }

    /// A point, counted in nodes.
    private static func place(_ point: SIMD4<Float>, _ pitch: Float) -> SIMD4<Float> {
        SIMD4(point.x / pitch + 1, (point.y + 0.8) / pitch, (point.z + 0.8) / pitch, 0)
    }

    /// (w x, w y, w z, w) by node; the weights add up to 1.
    func moments(of cells: ColorCells) -> [SIMD4<Float>] {
        var moments = [SIMD4<Float>](repeating: .zero, count: lightnesses * greens * axis)
        for index in 0..<cells.count {
            lend(cells.point(index), Float(cells.weights[index] / cells.weight), to: &moments)
        }
        return moments
    }

    private func lend(_ point: SIMD4<Float>, _ weight: Float, to moments: inout [SIMD4<Float>]) {
        let place = Self.place(point, pitch) - first
        // Never out of the grid: sRGB lies well inside.
        let most = SIMD4<Float>(Float(lightnesses - 2), Float(greens - 2), Float(axis - 2), 0)
        let node = pointwiseMin(pointwiseMax(place, .zero), most).rounded(.down), way = place - node
        let start = (Int(node.x) * greens + Int(node.y)) * axis + Int(node.z)
        let moment = SIMD4(point.x, point.y, point.z, 1) * weight
        for corner in 0..<8 {
            let (x, y, z) = (corner & 1, corner >> 1 & 1, corner >> 2)
            let share =
                (x == 1 ? way.x : 1 - way.x) * (y == 1 ? way.y : 1 - way.y) * (z == 1 ? way.z : 1 - way.z)
            if share > 0 { moments[start + (x * greens + y) * axis + z] += moment * share }
        }
    }
}
