/// The same colors at three resolutions: the search begins on few points and ends on all of them.
struct ColorPyramid {
    /// From coarse to fine. A coarse point is the mean, in the space searched, of the fine ones in it.
    let levels: [ColorPoints]
    /// How far the space was moved: add it to a point to get (lightness, s a, s b).
    let origin: SIMD4<Float>

    /// How much longer Oklab's color axes are taken than its lightness.
    ///
    /// Unscaled, Oklab holds lightness to be more important than people do, by every measure we tried:
    /// see docs/PALETTES.md.
    static let chromaScale: Float = 2

    /// Every cell by its area, at 4, 5 and 6 bits a channel.
    init(area cells: ColorCells) {
        origin = Self.mean(of: cells)
        let (x, y, z) = Self.space(cells, origin: origin)
        let fine = ColorPoints(x: x, y: y, z: z, weights: cells.weights.map { Float($0 / cells.weight) })
        let middle = MergedCells(fine.moments, numbers: cells.numbers, levels: 1)
        let coarse = MergedCells(middle.moments, numbers: middle.numbers, levels: 1)
        levels = [ColorPoints(coarse.points), ColorPoints(middle.points), fine]
    }

    /// Cells of 5 bits a channel, and 4, each by the root of its area times its color's pull.
    ///
    /// The root makes a small subject count beside a large ground; the pull, 0.05 + chroma, again under the
    /// root, makes colors count more than greys. Both were chosen by what people pick: docs/PALETTES.md.
    init(attention cells: ColorCells) {
        origin = Self.mean(of: cells)
        let (x, y, z) = Self.space(cells, origin: origin)
        let fine = ColorPoints(x: x, y: y, z: z, weights: cells.weights.map { Float($0 / cells.weight) })
        var middle = MergedCells(fine.moments, numbers: cells.numbers, levels: 1)
        var total: Float = 0
        for index in middle.moments.indices {
            let moments = middle.moments[index]
            let a = moments.y / moments.w + origin.y, b = moments.z / moments.w + origin.z
            let chroma = (a * a + b * b).squareRoot() / Self.chromaScale
            let weight = (moments.w * (0.05 + chroma)).squareRoot()
            middle.moments[index] = moments * (weight / moments.w)
            total += weight
        }
        for index in middle.moments.indices { middle.moments[index] /= total }
        let coarse = MergedCells(middle.moments, numbers: middle.numbers, levels: 1)
        levels = [ColorPoints(coarse.points), ColorPoints(middle.points)]
    }

    var finest: ColorPoints { levels[levels.count - 1] }

    /// The mean color of the picture, stretched.
    private static func mean(of cells: ColorCells) -> SIMD4<Float> {
        var mean = SIMD4<Double>.zero
        for index in 0..<cells.count {
            mean += SIMD4<Double>(cells.oklab(index)) * (cells.weights[index] / cells.weight)
        }
        return stretched(SIMD4<Float>(mean))
    }

    /// The cells' coordinates in the space, in blocks, the last filled up with zeros.
    static func space(
        _ cells: ColorCells, origin: SIMD4<Float>
    ) -> (x: [SIMD8<Float>], y: [SIMD8<Float>], z: [SIMD8<Float>]) {
        var x = cells.lightness, y = cells.a, z = cells.b
        for block in x.indices {
            x[block] -= origin.x
            y[block] = y[block] * chromaScale - origin.y
            z[block] = z[block] * chromaScale - origin.z
        }
        let last = x.count - 1
        for spare in 0..<(x.count * 8 - cells.count) {
            x[last][7 - spare] = 0
            y[last][7 - spare] = 0
            z[last][7 - spare] = 0
        }
        return (x, y, z)
    }

    static func stretched(_ oklab: SIMD4<Float>) -> SIMD4<Float> {
        oklab * SIMD4(1, chromaScale, chromaScale, 0)
    }

    static func stretched(_ color: Oklab) -> SIMD4<Float> {
        stretched(SIMD4(Float(color.lightness), Float(color.a), Float(color.b), 0))
    }

    /// The Oklab color at a point of the space.
    func oklab(_ point: SIMD4<Float>) -> Oklab {
        let p = SIMD4<Double>(point + origin)
        return Oklab(
            lightness: p.x, a: p.y / Double(Self.chromaScale), b: p.z / Double(Self.chromaScale))
    }
}

/// Cells taken together that are one cell some levels up the octree: runs, since their numbers rise.
private struct MergedCells {
    /// (w x, w y, w z, w) of each cell.
    var moments: [SIMD4<Float>] = []
    private(set) var numbers: [UInt32] = []

    init(_ moments: [SIMD4<Float>], numbers: [UInt32], levels: UInt32) {
        for index in numbers.indices {
            let number = numbers[index] &>> (3 &* levels)
            if self.numbers.last == number {
                self.moments[self.moments.count - 1] += moments[index]
            } else {
                self.numbers.append(number)
                self.moments.append(moments[index])
            }
        }
    }

    /// The means, with their weights.
    var points: [SIMD4<Float>] {
        moments.map { SIMD4($0.x / $0.w, $0.y / $0.w, $0.z / $0.w, $0.w) }
    }
}
