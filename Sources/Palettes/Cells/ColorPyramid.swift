/// Colors at three resolutions: the search begins on few points and ends on all of them.
struct ColorPyramid {
    /// From coarse to fine. A coarse point is the mean, in the space searched, of the fine ones in it.
    let levels: [ColorPoints]
    /// How far the space was moved: add it to a point to get one of ``PaletteSpace``.
    let origin: SIMD4<Float>

    /// Every cell by its area, at 4, 5 and 6 bits a channel.
    init(area cells: ColorCells) {
        origin = Self.mean(of: cells)
        let fine = Self.points(cells, origin: origin)
        let middle = MergedCells(fine.moments, numbers: cells.numbers, levels: 1)
        let coarse = MergedCells(middle.moments, numbers: middle.numbers, levels: 1)
        levels = [ColorPoints(coarse.points), ColorPoints(middle.points), fine]
    }

    var finest: ColorPoints { levels[levels.count - 1] }

    /// The mean point of the picture.
    private static func mean(of cells: ColorCells) -> SIMD4<Float> {
        var mean = SIMD4<Double>.zero
        for index in 0..<cells.count {
            mean += SIMD4<Double>(cells.point(index)) * (cells.weights[index] / cells.weight)
        }
        return SIMD4<Float>(mean)
    }

    /// All cells by their area, around `origin`.
    private static func points(_ cells: ColorCells, origin: SIMD4<Float>) -> ColorPoints {
        ColorPoints(
            x: cells.x.map { $0 - origin.x }, y: cells.y.map { $0 - origin.y },
            z: cells.z.map { $0 - origin.z },
            weights: cells.weights.map { Float($0 / cells.weight) })
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
