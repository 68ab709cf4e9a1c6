extension Palette {
    /// The least CIEDE2000 difference at which two colors of a palette count as two.
    static let leastDifference = 2.3

    /// The means of the clusters that k-means finds; fewer than `count` when some could not be told apart.
    static func areaColors(_ count: Int, of cells: ColorCells) -> [Entry] {
        let pyramid = ColorPyramid(area: cells)
        var kmeans = KMeans.best(count, in: pyramid)
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
