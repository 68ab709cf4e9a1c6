/// The shape of a cluster in the search: the gain of splitting it, and the cost of removing it.
struct ClusterShape {
    /// How much the error falls when the cluster is cut in two through its mean, across its longest axis.
    var gain: Float = 0
    /// The means of the two parts.
    var halves = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    /// How much the error rises when the center goes and its points turn to the next nearest.
    var removalCost: Float = 0

    /// - Complexity: O(*n k*) for the nearest centers and O(*n*) for the rest, point by point: for coarse
    ///   points.
    static func measure(_ kmeans: KMeans, over points: ColorPoints) -> [ClusterShape] {
        let centers = kmeans.centers
        var shapes = [ClusterShape](repeating: ClusterShape(), count: centers.count)
        var labels = [Int](repeating: 0, count: points.count)
        var spreads = [Covariance](repeating: Covariance(), count: centers.count)
        for index in 0..<points.count {
            let point = points.point(index)
            var nearest = Float.infinity, second = Float.infinity, winner = 0
            for (label, center) in centers.enumerated() {
                let distance = squaredDistance(point, center)
                if distance < nearest {
                    second = nearest
                    (nearest, winner) = (distance, label)
                } else if distance < second {
                    second = distance
                }
            }
            labels[index] = winner
            if centers.count > 1 { shapes[winner].removalCost += point.w * (second - nearest) }
            spreads[winner].add(point - centers[winner], weight: point.w)
        }
        let axes = spreads.map(\.longestAxis)
        var parts = [(SIMD4<Float>, SIMD4<Float>)](repeating: (.zero, .zero), count: centers.count)
        for index in 0..<points.count {
            let point = points.point(index), label = labels[index]
            let offset = point - centers[label], axis = axes[label]
            let moments = points.moments[index]
            if offset.x * axis.x + offset.y * axis.y + offset.z * axis.z > 0 {
                parts[label].1 += moments
            } else {
                parts[label].0 += moments
            }
        }
        for label in centers.indices {
            let (low, high) = parts[label]
            guard low.w > 0, high.w > 0 else {
                shapes[label].halves = (centers[label], centers[label])
                continue
            }
            shapes[label].halves = (low / low.w, high / high.w)
            shapes[label].gain =
                squaredDistance(low / low.w, high / high.w) * (low.w * high.w / (low.w + high.w))
        }
        return shapes
    }
}

/// The six sums of a symmetric 3 x 3 matrix.
private struct Covariance {
    var xx: Float = 0, yy: Float = 0, zz: Float = 0, xy: Float = 0, xz: Float = 0, yz: Float = 0

    mutating func add(_ d: SIMD4<Float>, weight: Float) {
        let w = d * weight
        xx += w.x * d.x
        yy += w.y * d.y
        zz += w.z * d.z
        xy += w.x * d.y
        xz += w.x * d.z
        yz += w.y * d.z
    }

    /// The direction of largest spread, by twelve steps of the power method from the longest column.
    var longestAxis: SIMD4<Float> {
        let columns = [SIMD4(xx, xy, xz, 0), SIMD4(xy, yy, yz, 0), SIMD4(xz, yz, zz, 0)]
        var axis = xx >= yy && xx >= zz ? columns[0] : yy >= zz ? columns[1] : columns[2]
        for _ in 0..<12 {
            let length = (axis.x * axis.x + axis.y * axis.y + axis.z * axis.z).squareRoot()
            guard length > 0 else { return SIMD4(1, 0, 0, 0) }
            axis /= length
            axis = columns[0] * axis.x + columns[1] * axis.y + columns[2] * axis.z
        }
        return axis
    }
}
