extension Palette {
    /// The least CIEDE2000 difference at which two colors of a palette count as two.
    static let leastDifference = 2.3

    /// The means of the clusters that k-means settles on from the answer of ``FuzzyMeans``; fewer than
    /// `count` when some could not be told apart.
    ///
    /// k-means alone finds an answer that is better by a thousandth, and among answers nearly as good takes
    /// another one when the picture changes a little. Few passes: many would lead to those again.
    static func areaColors(_ count: Int, of cells: ColorCells) -> [Entry] {
        let pyramid = ColorPyramid(area: cells), points = pyramid.finest
        // The origin's fourth lane is 0: weights stay.
        let field = ColorField(area: cells, variance: points.squares).points.map { $0 - pyramid.origin }
        let fuzzy = FuzzyMeans.bestSharp(count, of: ColorPoints(field))
        var kmeans = KMeans(startingAt: fuzzy.centers)
        kmeans.run(over: points, tolerance: 3e-4, limit: 3)
        while true {
            let colors = kmeans.centers.map { Entry(point: $0 + pyramid.origin) }
            guard let pair = closestPair(colors), pair.difference < leastDifference else { return colors }
            kmeans = kmeans.merging(pair.first, pair.second, over: points)
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
