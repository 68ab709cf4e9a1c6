import TestSupport
import Testing

@testable import Palettes

/// Pixels counted into cells, by sorting where they are few and in a table of all cells where they are many.
@Suite struct CountingTests {
    private struct Sums: Equatable { var red = 0, green = 0, blue = 0, alpha = 0 }

    /// Whole numbers in a dictionary.
    private static func counted(_ rgba: [UInt8], _ levels: ColorLevels) -> [UInt32: Sums] {
        var cells: [UInt32: Sums] = [:]
        for at in stride(from: 0, to: rgba.count - 3, by: 4) where rgba[at + 3] > 0 {
            let pixel = rgba[at..<at + 4].map { Int($0) }, bits = levels.octreeBits
            let number = bits[pixel[0]] | bits[256 + pixel[1]] | bits[512 + pixel[2]]
            var sums = cells[number] ?? Sums()
            sums.red += pixel[0] * pixel[3]
            sums.green += pixel[1] * pixel[3]
            sums.blue += pixel[2] * pixel[3]
            sums.alpha += pixel[3]
            cells[number] = sums
        }
        return cells
    }

    @Test(
        arguments: [
            0, 1, 2, 700, SortedPixels.limit - 1, SortedPixels.limit, SortedPixels.limit + 1, 50_000,
        ],
        [true, false])
    func `cells hold the pixels that fall into them, however many there are`(count: Int, isOpaque: Bool) {
        var random = SplitMix64(seed: UInt64(count))
        // Half of them crowd into a few cells, as a sky's do.
        let rgba = (0..<count).flatMap { pixel -> [UInt8] in
            let top: UInt8 = pixel % 2 == 0 ? 255 : 20
            let alpha: UInt8 = isOpaque ? 255 : [0, 1, 128, 255][Int.random(in: 0..<4, using: &random)]
            return (0..<3).map { _ in .random(in: 0...top, using: &random) } + [alpha]
        }
        // Bytes behind the last whole pixel are not read.
        let sample = PixelSample(rgba: rgba + [1, 2, 3])
        var workspace = PaletteWorkspace()
        for _ in 0..<2 {
            let cells = ColorCells(counting: [sample], levels: .even, using: &workspace)
            let wanted = Self.counted(rgba, .even)
            #expect(cells.numbers == wanted.keys.sorted())
            #expect(cells.weight == wanted.values.reduce(0) { $0 + Double($1.alpha) })
            #expect(cells.x.count == (cells.count + 7) / 8)
            var shares: Float = 0
            for (index, number) in cells.numbers.enumerated() {
                let sums = wanted[number] ?? Sums(), alpha = Double(sums.alpha)
                #expect(cells.weights[index] == alpha)
                #expect(cells.shares[index] == Float(alpha / cells.weight))
                let mean = SIMD4(
                    Float(Double(sums.red) / alpha), Float(Double(sums.green) / alpha),
                    Float(Double(sums.blue) / alpha), 0)
                #expect(cells.means[index] == mean)
                shares += cells.shares[index]
            }
            #expect(cells.count == 0 || abs(shares - 1) < 1e-3)
        }
    }

    /// Each color's area goes to the eight nodes around it; how much of the field lies about a node is known
    /// from a plain grid over all of the space, of floats of 64 bits, in which every node's area is blurred
    /// along each axis.
    @Test(arguments: [1, 2, 3])
    func `a field weighs its nodes as a grid over the whole space does`(seed: UInt64) {
        var workspace = PaletteWorkspace()
        let sample = PixelSample(clouds(4, pixels: 3_000, noise: 30, seed: seed))
        let cells = ColorCells(counting: [sample], levels: .even, using: &workspace)
        let pitch = Double(ColorField.pitch), side = 40
        var nodes = [SIMD4<Double>](repeating: .zero, count: side * side * side)
        func index(_ x: Int, _ y: Int, _ z: Int) -> Int { (x * side + y) * side + z }
        for cell in 0..<cells.count {
            let point = SIMD4<Double>(cells.point(cell)), weight = cells.weights[cell] / cells.weight
            let position = [point.x / pitch + 1, (point.y + 0.8) / pitch, (point.z + 0.8) / pitch]
            for corner in 0..<8 {
                var share = 1.0, at: [Int] = []
                for axis in 0..<3 {
                    let node = position[axis].rounded(.down), way = position[axis] - node,
                        isNext = corner >> axis & 1
                    share *= isNext == 1 ? way : 1 - way
                    at.append(Int(node) + isNext)
                }
                nodes[index(at[0], at[1], at[2])] += SIMD4(point.x, point.y, point.z, 1) * weight * share
            }
        }
        var wanted: [SIMD4<Double>] = [], total = 0.0
        for x in 1..<side - 1 {
            for y in 1..<side - 1 {
                for z in 1..<side - 1 where nodes[index(x, y, z)].w > 0 {
                    var area = 0.0
                    for near in 0..<27 {
                        let (dx, dy, dz) = (near / 9 - 1, near / 3 % 3 - 1, near % 3 - 1)
                        let share = [0.25, 0.5, 0.25]
                        area +=
                            share[dx + 1] * share[dy + 1] * share[dz + 1]
                            * nodes[index(x + dx, y + dy, z + dz)].w
                    }
                    let sum = nodes[index(x, y, z)]
                    var point = sum / sum.w
                    let chroma =
                        (point.y * point.y + point.z * point.z).squareRoot()
                        / Double(PaletteSpace.chromaScale)
                    point.w = sum.w * ((0.05 + chroma) / (area + 0.0005)).squareRoot()
                    total += point.w
                    wanted.append(point)
                }
            }
        }
        // Of nodes with next to nothing the floats of 32 bits may know nothing.
        let field = ColorField(attention: cells).points.filter { $0.w > 1e-5 }
        wanted = wanted.filter { $0.w / total > 1e-5 }
        #expect(abs(field.count - wanted.count) < 3 && field.count > 50)
        for point in field {
            let isThere = wanted.contains { other in
                let apart = SIMD4<Double>(point) - SIMD4(other.x, other.y, other.z, other.w / total)
                return max(abs(apart.x), abs(apart.y), abs(apart.z)) < 1e-3
                    && abs(apart.w) < 1e-4 + 0.01 * other.w / total
            }
            #expect(isThere, "\(point)")
        }
    }

    @Test(arguments: [1, 2, 3])
    func `points that round to one node become their mean, in the order of the first of each`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let points = (0..<333).map { _ in
            SIMD4<Float>(
                .random(in: 0...1, using: &random), .random(in: -0.6...0.6, using: &random),
                .random(in: -0.6...0.6, using: &random), .random(in: 0.1...3, using: &random))
        }
        let pitch: Float = 0.25
        var order: [[Int]] = [], sums: [[Int]: SIMD4<Float>] = [:]
        for point in points {
            let node = (0..<3).map { Int((point[$0] / pitch).rounded(.toNearestOrEven)) }
            if sums[node] == nil { order.append(node) }
            sums[node, default: .zero] += SIMD4(point.x, point.y, point.z, 1) * point.w
        }
        let merged = ColorPoints(points).merged(pitch: pitch)
        #expect(merged.count == order.count && order.count > 30)
        for (index, node) in order.enumerated() {
            let sum = sums[node] ?? .zero, point = merged.point(index)
            let mean = SIMD4(sum.x / sum.w, sum.y / sum.w, sum.z / sum.w, sum.w)
            #expect((0..<4).allSatisfy { abs(point[$0] - mean[$0]) < 1e-5 * max(1, sum.w) })
        }
    }
}
