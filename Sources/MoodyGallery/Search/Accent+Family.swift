import Palettes

extension Accent {
    init?(_ swatches: [SearchSwatch]) {
        self.init(
            swatches.map { (Oklab(lightness: $0.lightness, a: $0.a, b: $0.b), $0.share) })
    }

    /// Hues that people have one name for, from ``firstHue`` on around the circle: degrees behind it where
    /// each ends.
    static let families: [(end: Double, name: String)] = [
        (40, "Pink"), (72, "Red"), (112, "Orange and brown"), (146, "Yellow"), (190, "Green"), (252, "Teal"),
        (316, "Blue"), (360, "Purple"),
    ]
    /// Degrees; where the first family begins.
    static let firstHue = 330.0
    /// The family of a palette of grays.
    static let gray = "Gray"

    /// Degrees behind ``firstHue``: what an order by hue sorts by.
    var turn: Double { (hue - Self.firstHue + 360).truncatingRemainder(dividingBy: 360) }

    var family: String { Self.families[familyNumber].name }
    /// Its family's place round the circle, from 0.
    var familyNumber: Int { Self.families.firstIndex { turn < $0.end } ?? 0 }
}
