extension Palette {
    /// The CIEDE2000 difference that a color put in the place of one too many has from the others, if it can.
    private static let comfortableDifference = 7.0

    /// Colors of the picture that people would pick, fewer than `count` when some could not be told apart.
    ///
    /// The clusters are those of ``FuzzyMeans`` over a ``ColorField`` of `searched`; ``ClusterCores`` chooses
    /// of each the color of `cells` to show. One that is hardly different from another makes room for the one
    /// that is missed most; then one of two that are close for a ``MissedAccent``.
    static func representativeColors(
        _ count: Int, of cells: ColorCells, searching searched: ColorCells
    ) -> [Entry] {
        let colors = clusterColors(count, of: cells, searching: searched)
        return MissedAccent(colors, of: cells)?.replacingOne(of: colors, in: cells) ?? colors
    }

    private static func clusterColors(
        _ count: Int, of cells: ColorCells, searching searched: ColorCells
    ) -> [Entry] {
        let points = ColorPoints(ColorField(attention: searched).points)
        var means = FuzzyMeans.best(count, of: points)
        var colors = shown(means, over: points, of: cells)
        for _ in 0..<(2 * count) {
            guard let pair = closestPair(colors), pair.difference < leastDifference else { return colors }
            var centers = means.centers
            guard let missed = missedPoint(by: colors, except: pair.second, in: points) else { break }
            centers[pair.second] = missed
            var moved = FuzzyMeans(startingAt: centers)
            moved.run(over: points, tolerance: 1e-3, limit: 8)
            let others = shown(moved, over: points, of: cells)
            guard (closestPair(others)?.difference ?? 0) > pair.difference else { break }
            (means, colors) = (moved, others)
        }
        while let pair = closestPair(colors), pair.difference < leastDifference {
            var centers = means.centers
            centers[pair.first] = (centers[pair.first] + centers[pair.second]) / 2
            centers.remove(at: pair.second)
            means = FuzzyMeans(startingAt: centers)
            means.run(over: points, tolerance: 1e-3, limit: 20)
            colors = shown(means, over: points, of: cells)
        }
        return colors
    }

    private static func shown(
        _ means: FuzzyMeans, over points: ColorPoints, of cells: ColorCells
    ) -> [Entry] {
        var middle = SIMD4<Float>.zero
        for moment in points.moments { middle += moment }
        return ClusterCores(means.centers, of: cells).colors(around: middle / middle.w)
    }

    /// The point that adds most to the error and is different from all colors but one.
    private static func missedPoint(
        by colors: [Entry], except left: Int, in points: ColorPoints
    ) -> SIMD4<Float>? {
        var others = colors
        others.remove(at: left)
        let labs = others.map { Lab($0.color) }, centers = others.map { PaletteSpace.point($0.color) }
        var missed: [(error: Float, index: Int)] = []
        for index in 0..<points.count {
            let point = points.point(index)
            var nearest = Float.infinity
            for center in centers { nearest = min(nearest, squaredDistance(point, center)) }
            missed.append((nearest * point.w, index))
        }
        missed.sort { ($0.error, $1.index) > ($1.error, $0.index) }
        for least in [comfortableDifference, leastDifference + 1] {
            for candidate in missed.prefix(400) {
                let point = points.point(candidate.index), lab = Lab(Entry(point: point).color)
                if labs.allSatisfy({ $0.difference(to: lab) > least }) { return point }
            }
        }
        return nil
    }
}
