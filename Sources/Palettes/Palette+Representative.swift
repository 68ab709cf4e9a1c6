extension Palette {
    /// How much more colorful than its cluster's mean a color is looked for.
    private static let chromaBoost: Float = 1.15
    /// How far around that place its neighborhood goes, in ``PaletteSpace``.
    private static let neighborhood: Float = 0.08
    /// Where less of a cluster's area than this lies there, weighed by how near it lies, its mean is between what it
    /// holds: a grey street and a red door.
    private static let leastSupport: Float = 0.02
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
        var (tried, triedColors) = (kmeans, colors)
        var best = closestPair(colors)?.difference ?? .infinity
        for _ in 0..<(2 * count) where best < comfortableDifference {
            guard let pair = closestPair(triedColors), pair.difference < comfortableDifference else { break }
            let lesser = tried.sums[pair.first].w < tried.sums[pair.second].w ? pair.first : pair.second
            guard
                let missed = missedPoint(by: triedColors, except: lesser, spare: 1, in: pyramid)
                    ?? missedPoint(by: triedColors, except: lesser, spare: 0, in: pyramid)
            else { break }
            var centers = tried.centers
            centers[lesser] = missed
            tried = KMeans(startingAt: centers, counting: pyramid.finest)
            triedColors = shown(centers, around: pyramid.origin, of: cells)
            let difference = closestPair(triedColors)?.difference ?? .infinity
            if difference > best { (kmeans, colors, best) = (tried, triedColors, difference) }
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
        var wanted = centers.map { $0 * SIMD4(1, chromaBoost, chromaBoost, 0) }
        // What lies about there in the picture, by area: steadier than any single cell.
        var sums = [SIMD4<Float>](repeating: .zero, count: centers.count)
        var areas = [Float](repeating: 0, count: centers.count)
        for index in 0..<cells.count {
            let label = Int(labels[index / 8][index % 8]), point = cells.point(index)
            areas[label] += Float(cells.weights[index] / cells.weight)
            let nearness = 1 - squaredDistance(point, wanted[label]) / (neighborhood * neighborhood)
            if nearness > 0 {
                let weight = nearness * Float(cells.weights[index] / cells.weight)
                sums[label] += SIMD4(point.x * weight, point.y * weight, point.z * weight, weight)
            }
        }
        let fullest = fullestPlaces(labels, of: cells, count: centers.count)
        for label in centers.indices {
            if sums[label].w > areas[label] * leastSupport {
                wanted[label] = sums[label] / sums[label].w
            } else if fullest[label].w > 0 {
                wanted[label] = fullest[label] / fullest[label].w
            }
        }
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

    /// Of each cluster the fullest cell of 4 bits a channel: (w x, w y, w z, w).
    private static func fullestPlaces(_ labels: [SIMD8<Int32>], of cells: ColorCells, count: Int) -> [SIMD4<
        Float
    >] {
        var fullest = [SIMD4<Float>](repeating: .zero, count: count), run = fullest
        for index in 0..<cells.count {
            let label = Int(labels[index / 8][index % 8]), point = cells.point(index)
            let weight = Float(cells.weights[index] / cells.weight)
            run[label] += SIMD4(point.x * weight, point.y * weight, point.z * weight, weight)
            guard index + 1 == cells.count || cells.numbers[index + 1] >> 6 != cells.numbers[index] >> 6
            else {
                continue
            }
            for label in run.indices {
                if run[label].w > fullest[label].w { fullest[label] = run[label] }
                run[label] = .zero
            }
        }
        return fullest
    }

    /// The point that adds most to the error and is different from all colors but one, with something to spare
    /// for the color that will be shown in its place.
    private static func missedPoint(
        by colors: [Entry], except left: Int, spare: Double, in pyramid: ColorPyramid
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
            if labs.allSatisfy({ $0.difference(to: lab) > comfortableDifference + spare }) { return point }
        }
        return nil
    }
}
