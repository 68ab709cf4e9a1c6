extension Palette {
    /// How much more colorful than its cluster's mean a color is looked for.
    private static let chromaBoost: Float = 1.15

    /// Colors of the picture near the clusters' means, fewer than `count` when some could not be told apart.
    ///
    /// The clusters are those of ``ColorPyramid/init(attention:)``. Of each, the color shown is the one in the
    /// picture that is nearest to the mean made a little more colorful: averaging has made it greyer than
    /// anything in the cluster.
    static func representativeColors(_ count: Int, of cells: ColorCells) -> [Entry] {
        let pyramid = ColorPyramid(attention: cells)
        var kmeans = KMeans.best(count, in: pyramid)
        while true {
            let colors = shown(kmeans.centers.map { $0 + pyramid.origin }, of: cells)
            guard let pair = closestPair(colors), pair.difference < leastDifference else { return colors }
            kmeans = kmeans.merging(pair.first, pair.second, over: pyramid.finest)
        }
    }

    private static func shown(_ centers: [SIMD4<Float>], of cells: ColorCells) -> [Entry] {
        let (x, y, z) = ColorPyramid.space(cells, origin: .zero)
        let labels = KMeans.labels(x, y, z, centers: centers)
        let wanted = centers.map { $0 * SIMD4(1, chromaBoost, chromaBoost, 0) }
        var nearest = [(distance: Float, index: Int)](repeating: (.infinity, -1), count: centers.count)
        for index in 0..<cells.count {
            let label = Int(labels[index / 8][index % 8])
            let distance = squaredDistance(ColorPyramid.stretched(cells.oklab(index)), wanted[label])
            if distance < nearest[label].distance { nearest[label] = (distance, index) }
        }
        return nearest.filter { $0.index >= 0 }.map { Entry(color: cells.color($0.index), share: 0) }
    }
}
