extension Palette {
    /// The palette of cells, of which there is at least one.
    init(cells: ColorCells, options: PaletteOptions) {
        let asked: Int
        switch options.size {
        case .colors(let count): asked = min(max(count, 1), PaletteSize.limit)
        case .auto: asked = 5
        }
        var colors: [RGB]
        switch options.mode {
        case .area: colors = areaColors(asked, of: cells)
        case .representative: colors = representativeColors(asked, of: cells)
        }
        self.init(entries: Self.counted(colors, in: cells))
        if entries.count < asked {
            notes.append(
                "\(entries.count) of \(asked) colors: the picture has no more that can be told apart")
        }
    }

    /// Gives every cell to the nearest color, and sorts by what each got.
    static func counted(_ colors: [RGB], in cells: ColorCells) -> [Entry] {
        let centers = colors.map { color in
            let oklab = Oklab(color)
            return ColorPyramid.stretched(
                SIMD4(Float(oklab.lightness), Float(oklab.a), Float(oklab.b), 0))
        }
        var weights = [Double](repeating: 0, count: colors.count)
        for index in 0..<cells.count {
            let point = ColorPyramid.stretched(cells.oklab[index])
            var nearest = Float.infinity, winner = 0
            for (label, center) in centers.enumerated() {
                let distance = squaredDistance(point, center)
                if distance < nearest { (nearest, winner) = (distance, label) }
            }
            weights[winner] += cells.means[index].w
        }
        return zip(colors, weights)
            .filter { $0.1 > 0 }
            .map { Entry(color: $0.0, share: $0.1 / cells.weight) }
            .sorted { ($0.share, $1.color.code) > ($1.share, $0.color.code) }
    }
}

/// The least CIEDE2000 difference at which two colours of a palette count as two.
let leastDifference = 2.3

func areaColors(_ count: Int, of cells: ColorCells) -> [RGB] {
    let pyramid = ColorPyramid(cells, weights: cells.means.map(\.w))
    var kmeans = KMeans.best(min(count, cells.count), in: pyramid)
    while true {
        let colors = kmeans.centers.map { RGB(pyramid.oklab($0)) }
        guard let (first, second) = alikePair(colors) else { return colors }
        kmeans = kmeans.merging(first, second, over: pyramid.fine)
    }
}

func representativeColors(_ count: Int, of cells: ColorCells) -> [RGB] {
    let pyramid = ColorPyramid(cells, weights: cells.means.map { $0.w.squareRoot() })
    var kmeans = KMeans.best(min(count, cells.count), in: pyramid)
    while true {
        let colors = kmeans.centers.map { center in
            let nearest = (0..<cells.count).min {
                squaredDistance(ColorPyramid.stretched(cells.oklab[$0]) - pyramid.origin, center)
                    < squaredDistance(ColorPyramid.stretched(cells.oklab[$1]) - pyramid.origin, center)
            }!
            return cells.color(nearest)
        }
        guard let (first, second) = alikePair(colors) else { return colors }
        kmeans = kmeans.merging(first, second, over: pyramid.fine)
    }
}

/// The two colours that are most alike, if they are closer than ``leastDifference``.
func alikePair(_ colors: [RGB]) -> (Int, Int)? {
    let labs = colors.map { Lab($0) }
    var closest = leastDifference, pair: (Int, Int)?
    for first in labs.indices {
        for second in labs.indices where second > first {
            let difference = labs[first].difference(to: labs[second])
            if difference < closest { (closest, pair) = (difference, (first, second)) }
        }
    }
    return pair
}
