extension Palette {
    /// How many colors a picture needs: the fewest whose mean error is below the limit, at least 1 and at
    /// most 12; fewer when the next color would be too much like another.
    ///
    /// The error is that of area mode, the mean distance in ``PaletteSpace``; the limit of 0.045 is about
    /// twice what is just noticeable. Colors are too much alike below a CIEDE2000 difference of 7.
    ///
    /// - Returns: the size, with the error and the smallest difference it leaves.
    static func fittingSize(_ cells: ColorCells) -> (count: Int, error: Double, difference: Double?) {
        let pyramid = ColorPyramid(area: cells)
        var fitting = (count: 1, error: 0.0, difference: Double?.none)
        for count in 1...12 {
            let kmeans = KMeans.best(count, in: pyramid)
            let colors = kmeans.centers.map { Entry(point: $0 + pyramid.origin) }
            let pair = closestPair(colors)
            if let pair, pair.difference < 7 { break }
            fitting = (count, kmeans.error(over: pyramid.finest).squareRoot(), pair?.difference)
            if fitting.error <= 0.045 { break }
        }
        return fitting
    }
}
