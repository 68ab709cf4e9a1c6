extension Palette {
    /// How much more colorful than its cluster's mean a color is looked for.
    private static let chromaBoost: Float = 1.15
    /// The CIEDE2000 difference that representative colors keep from each other where the picture allows it.
    private static let comfortableDifference = 7.0

    /// Colors of the picture near the clusters' means, fewer than `count` when some could not be told apart.
    ///
    /// The clusters are those of ``ColorPyramid/init(attention:)``. Of each, the color shown is the one in the
    /// picture that is nearest to the mean made a little more colorful: averaging has made it greyer than
    /// anything in the cluster. Colors that are much alike make room for what is missed most.
    static func representativeColors(_ count: Int, of cells: ColorCells) -> [Entry] {
        let pyramid = ColorPyramid(attention: cells)
        var kmeans = KMeans.best(count, in: pyramid)
        var colors = shown(kmeans.centers, around: pyramid.origin, of: cells)
        for _ in 0..<count {
            guard let pair = closestPair(colors), pair.difference < comfortableDifference else { break }
            let lesser = kmeans.sums[pair.first].w < kmeans.sums[pair.second].w ? pair.first : pair.second
            guard let missed = missedPoint(by: colors, except: lesser, in: pyramid) else { break }
            var centers = kmeans.centers
            centers[lesser] = missed
            let moved = KMeans(startingAt: centers, counting: pyramid.finest)
            let movedColors = shown(centers, around: pyramid.origin, of: cells)
            guard let movedPair = closestPair(movedColors), movedPair.difference > pair.difference else {
                break
            }
            (kmeans, colors) = (moved, movedColors)
        }
        while let pair = closestPair(colors), pair.difference < leastDifference {
            kmeans = kmeans.merging(pair.first, pair.second, over: pyramid.finest)
            colors = shown(kmeans.centers, around: pyramid.origin, of: cells)
        }
        return colors
    }

    /// One color for each center.
    private static func shown(
        _ centers: [SIMD4<Float>], around origin: SIMD4<Float>, of cells: ColorCells
    ) -> [Entry] {
        let centers = centers.map { $0 + origin }
        let labels = KMeans.labels(cells.x, cells.y, cells.z, centers: centers)
        let wanted = centers.map { $0 * SIMD4(1, chromaBoost, chromaBoost, 0) }
        var nearest = [(distance: Float, index: Int)](repeating: (.infinity, -1), count: centers.count)
        for index in 0..<cells.count {
            let label = Int(labels[index / 8][index % 8])
            let distance = squaredDistance(cells.point(index), wanted[label])
            if distance < nearest[label].distance { nearest[label] = (distance, index) }
        }
        // A center may have no cell: its points are means of cells that are all nearer to others.
        return zip(nearest, centers).map { nearest, center in
            nearest.index < 0 ? Entry(point: center) : Entry(color: cells.color(nearest.index), share: 0)
        }
    }

    /// The point that adds most to the error and is different from all colors but one, with something to spare
    /// for the color that will be shown in its place.
    private static func missedPoint(
        by colors: [Entry], except left: Int, in pyramid: ColorPyramid
    ) -> SIMD4<Float>? {
        var others = colors
        others.remove(at: left)
        let labs = others.map { Lab($0.color) }
        let centers = others.map { PaletteSpace.point($0.color) - pyramid.origin }
        let points = pyramid.finest
        var missed: [(error: Float, index: Int)] = []
        for index in 0..<points.count {
            let point = points.point(index)
            var nearest = Float.infinity
            for center in centers { nearest = min(nearest, squaredDistance(point, center)) }
            missed.append((nearest * point.w, index))
        }
        missed.sort { ($0.error, $1.index) > ($1.error, $0.index) }
        for candidate in missed.prefix(400) {
            let point = points.point(candidate.index)
            let lab = Lab(Entry(point: point + pyramid.origin).color)
            if labs.allSatisfy({ $0.difference(to: lab) > comfortableDifference + 1 }) { return point }
        }
        return nil
    }
}
