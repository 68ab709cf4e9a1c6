extension Palette {
    /// The least CIEDE2000 difference at which two colors of a palette count as two.
    static let leastDifference = 2.3
    /// How much more the error of the shrunk picture's answer may be than that of the best one.
    private static let guideTolerance = 1.01

    /// The means of the clusters that k-means finds; fewer than `count` when some could not be told apart.
    ///
    /// - Parameter guide: cells of the picture shrunk, which chance has no part in. k-means often has several answers
    ///   that are nearly as good, and a sample of the pixels makes now this and now that one the best: so the
    ///   answer nearest to the shrunk picture's is taken, unless another is better by a hundredth.
    static func areaColors(_ count: Int, of cells: ColorCells, guide: ColorCells? = nil) -> [Entry] {
        let pyramid = ColorPyramid(area: cells)
        var kmeans = KMeans.best(count, in: pyramid)
        if let guide {
            let plain = ColorPyramid(area: guide), found = KMeans.best(count, in: plain)
            var guided = KMeans(startingAt: found.centers.map { $0 + plain.origin - pyramid.origin })
            guided.run(over: pyramid.finest, tolerance: 2e-4, limit: 60)
            let bound = kmeans.error(over: pyramid.finest) * guideTolerance
            if guided.centers.count == kmeans.centers.count, guided.error(over: pyramid.finest) <= bound {
                kmeans = guided
            }
        }
        while true {
            let colors = kmeans.centers.map { Entry(point: $0 + pyramid.origin) }
            guard let pair = closestPair(colors), pair.difference < leastDifference else { return colors }
            kmeans = kmeans.merging(pair.first, pair.second, over: pyramid.finest)
        }
    }

    /// The two colors that are most alike, and their CIEDE2000 difference; nil for fewer than two.
    static func closestPair(_ colors: [Entry]) -> (first: Int, second: Int, difference: Double)? {
        let labs = colors.map { Lab($0.color) }
        var closest: (first: Int, second: Int, difference: Double)?
        for first in labs.indices {
            for second in labs.indices where second > first {
                let difference = labs[first].difference(to: labs[second])
                if difference < closest?.difference ?? .infinity { closest = (first, second, difference) }
            }
        }
        return closest
    }
}
