import Palettes

/// The few colors that a section's photos have most of, as swatches of their photos: colors before grays and
/// what is nearly black, each largest first.
///
/// Each swatch joins the first group whose leader looks the same; leaders are taken in order of share, so
/// that a group bears a color that is in a photo, not a mean that is in none. A group counts for its share,
/// and for more when its color is strong: six grays would say little about a month. Linear in swatches times
/// groups.
struct MonthPalette {
    var swatches: [MoodRow.Swatch]

    /// At most `count` colors of `rows`.
    init(of rows: some Sequence<MoodRow>, count: Int = 6) {
        var groups: [Group] = []
        let all = rows.flatMap(\.swatches).filter { $0.share > 0 }
        for swatch in all.sorted(by: { ($0.share, $0.hex) > ($1.share, $1.hex) }) {
            let point = Point(swatch)
            if let same = groups.firstIndex(where: { $0.point.squaredDistance(to: point) < sameLook }) {
                groups[same].share += swatch.share
            } else {
                groups.append(Group(leader: swatch, point: point, share: swatch.share))
            }
        }
        let chosen = groups.sorted { $0.weight > $1.weight }.prefix(count)
        // Strong colors first: a strip that begins with shadows says nothing of a month.
        let ordered = chosen.sorted {
            ($0.point.isColorful ? 1 : 0, $0.share) > ($1.point.isColorful ? 1 : 0, $1.share)
        }
        swatches = ordered.map { group in
            var swatch = group.leader
            swatch.share = group.share
            return swatch
        }
    }
}

/// Squared distance in Oklab with its two color axes doubled, below which two colors are one in a thin
/// strip.
private let sameLook = 0.15 * 0.15

private struct Point {
    var lightness: Double, a: Double, b: Double

    init(_ swatch: MoodRow.Swatch) {
        let color = Oklab(RGB(red: swatch.red, green: swatch.green, blue: swatch.blue))
        (lightness, a, b) = (Double(color.lightness), Double(color.a) * 2, Double(color.b) * 2)
    }

    var squaredChroma: Double { a * a + b * b }

    /// Neither nearly black nor a gray; a and b are doubled.
    var isColorful: Bool { lightness > 0.25 && squaredChroma > 0.08 * 0.08 }

    func squaredDistance(to other: Point) -> Double {
        let l = lightness - other.lightness, da = a - other.a, db = b - other.b
        return l * l + da * da + db * db
    }
}

private struct Group {
    var leader: MoodRow.Swatch, point: Point, share: Double

    var weight: Double { share * (1 + 8 * point.squaredChroma.squareRoot()) }
}
