import Foundation

extension CountryMap {
    /// Meters off the coast that count as land: twelve nautical miles, the breadth of territorial waters
    /// (United Nations Convention on the Law of the Sea, article 3).
    private static let reach = 22_224.0
    /// Meters a degree has from south to north, on a sphere of 6,371,009 m.
    private static let metresPerDegree = 111_195.0
    /// South of this, in degrees, there is no coast any more.
    private static let southOfAllCoasts = -84.0
    private static let antarctica = 10

    /// The country of a place: where it lies, or within twelve nautical miles off whose coast. Nil on the
    /// high seas, where several countries claim the ground, and for what is no place on earth.
    ///
    /// - Parameters:
    ///   - latitude: degrees north, -90...90.
    ///   - longitude: degrees east, -180...180.
    /// - Complexity: looks at the edges of a band of 24 km round the world, some hundred to three thousand;
    ///   at sea at those of a few bands. No allocation.
    func country(latitude: Double, longitude: Double) -> CountryFacts? {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        let place = (
            x: (longitude - origin.x) / step.x, y: (latitude - origin.y) / step.y
        )
        if latitude < Self.southOfAllCoasts && row(place.y).isEmpty {
            return CountryTable.facts(number: Self.antarctica)
        }
        var number = sides(place.x, place.y)
        if number == 0 { number = nearest(place.x, place.y, latitude) }
        return number == 0 ? nil : CountryTable.all[Int(number) - 1]
    }

    /// The edges that may cross a row.
    private func row(_ y: Double) -> Range<Int> {
        let band = Int((y / Double(Self.bandHeight)).rounded(.down))
        guard band >= 0, band + 1 < bands.count else { return 0..<0 }
        return Int(bands[band])..<Int(bands[band + 1])
    }

    /// Returns the country west of the next line to the east and east of the next to the west, if that is one
    /// country: where lines were made simpler than they are, they may cross, and the two differ.
    private func sides(_ px: Double, _ py: Double) -> UInt8 {
        var east = Double.infinity, west = Double.infinity, eastern: UInt8 = 0, western: UInt8 = 0
        for index in row(py) {
            let edge = Int(edges[index]), y0 = Double(y[edge]), y1 = Double(y[edge + 1])
            guard (y0 <= py) != (y1 <= py) else { continue }
            let x0 = Double(x[edge]), x1 = Double(x[edge + 1])
            let at = x0 + (py - y0) * (x1 - x0) / (y1 - y0)
            let away = (at - px) - round * ((at - px) / round).rounded(.down)
            let number = Int(arc[edge]), isUp = y1 > y0
            if away < east { (east, eastern) = (away, isUp ? left[number] : right[number]) }
            if round - away < west {
                (west, western) = (round - away, isUp ? right[number] : left[number])
            }
        }
        return eastern == western ? eastern : 0
    }

    /// The country of the nearest line, within ``reach``; of two that the line parts, the one on this side.
    private func nearest(_ px: Double, _ py: Double, _ latitude: Double) -> UInt8 {
        let along = step.y * Self.metresPerDegree
        // Nothing is narrower than a step at the poles.
        let across = max(cos(latitude * .pi / 180), 1e-6) * step.x * Self.metresPerDegree
        let rows = Self.reach / along
        var best = Self.reach * Self.reach, found: UInt8 = 0
        let first = row(max(0, py - rows)), last = row(py + rows)
        let end = last.isEmpty ? edges.count : last.upperBound
        if py + rows < 0 || first.isEmpty && last.isEmpty { return 0 }
        for index in min(first.lowerBound, end)..<end {
            let edge = Int(edges[index])
            var dx = Double(x[edge]) - px
            let shift = round * (dx / round).rounded()
            dx = (dx - shift) * across
            let dy = (Double(y[edge]) - py) * along
            let ex = Double(x[edge + 1] - x[edge]) * across, ey = Double(y[edge + 1] - y[edge]) * along
            let length = ex * ex + ey * ey
            let t = length > 0 ? min(1, max(0, -(dx * ex + dy * ey) / length)) : 0
            let (nx, ny) = (dx + t * ex, dy + t * ey)
            let away = nx * nx + ny * ny
            guard away < best else { continue }
            let number = Int(arc[edge]), isLeft = ex * -dy - ey * -dx > 0
            let (here, there) =
                isLeft ? (left[number], right[number]) : (right[number], left[number])
            (best, found) = (away, here == 0 ? there : here)
        }
        return found
    }
}
