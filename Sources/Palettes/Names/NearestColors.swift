/// Places in Lab, for searches of the nearest.
package struct NearestColors: Sendable {
    private struct Entry {
        let lab: Lab
        let chroma: Double
        /// Its place in the list: of two that are as near the first is taken.
        let rank: Int
    }

    /// The dark ones first.
    private let entries: [Entry]

    package init(_ labs: [Lab]) {
        entries = labs.enumerated().map { Entry(lab: $1, chroma: $1.chroma, rank: $0) }
            .sorted { ($0.lab.lightness, $0.rank) < ($1.lab.lightness, $1.rank) }
    }

    /// Goes from the color's own lightness outwards, and stops where none can be nearer.
    ///
    /// - Complexity: O(names), but most are passed over: no CIEDE2000 difference is smaller than that of the
    ///   lightnesses divided by 1.75, the largest its scale can be, and few are looked at closely: ``isFar``.
    package func nearest(to lab: Lab) -> (index: Int, distance: Double)? {
        let chroma = lab.chroma
        var above = entries.partitioningIndex { $0.lab.lightness >= lab.lightness }, below = above - 1
        var best = Double.infinity, rank = Int.max
        while true {
            let up = above < entries.count ? entries[above].lab.lightness - lab.lightness : .infinity
            let down = below >= 0 ? lab.lightness - entries[below].lab.lightness : .infinity
            let step = min(up, down)
            if step == .infinity || step > best * 1.75 { return rank == .max ? nil : (rank, best) }
            let entry = entries[up <= down ? above : below]
            if up <= down { above += 1 } else { below -= 1 }
            if Self.isFar(lab, chroma: chroma, entry: entry, best: best) { continue }
            let difference = lab.difference(to: entry.lab)
            if difference < best || (difference == best && entry.rank < rank) {
                (best, rank) = (difference, entry.rank)
            }
        }
    }

    /// Whether a color is seen to be farther than `best` without its exact difference.
    ///
    /// The chroma and hue steps make up the way from one color to the other in the plane of a and b, which
    /// the formula only lengthens before it divides each by a scale, neither above 1 + 0.045 x 1.5 x the mean
    /// chroma. Its last term takes at most sin(60 degrees) of what is left, and next to nothing where no mean
    /// hue can lie among the blues.
    private static func isFar(_ lab: Lab, chroma: Double, entry: Entry, best: Double) -> Bool {
        let a = lab.a - entry.lab.a, b = lab.b - entry.lab.b
        let lightness = (lab.lightness - entry.lab.lightness) / 1.75
        let scale = 1 + 0.03375 * (chroma + entry.chroma)
        let kept = lab.b >= 0 && entry.lab.b >= 0 ? 0.999 : 0.133
        return lightness * lightness + kept * (a * a + b * b) / (scale * scale) > best * best
    }
}

extension Lab {
    fileprivate var chroma: Double { (a * a + b * b).squareRoot() }
}

extension Array {
    /// The first place of which `isSecond` holds, which holds of all behind it.
    fileprivate func partitioningIndex(_ isSecond: (Element) -> Bool) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
