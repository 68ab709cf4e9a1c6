/// The color that a photo is remembered by: what orders and sections by hue go by.
///
/// Strong colors before large ones; and where no strong one covers much, those before others whose hue is
/// unlike the rest: a kingfisher's blue before the green around it, a neon sign before the night.
struct Accent: Equatable {
    /// Its place in the palette.
    let index: Int
    /// Oklab's hue in degrees, 0..<360.
    let hue: Double

    /// Below this chroma a color is a gray.
    private static let leastChroma = 0.03

    /// Nil for a palette of grays. Linear in swatches; the first of two that are worth as much.
    init?(_ swatches: [SearchSwatch]) {
        var a = 0.0, b = 0.0
        for swatch in swatches {
            a += swatch.share * swatch.a
            b += swatch.share * swatch.b
        }
        let strength = (a * a + b * b).squareRoot(), unlike = max(0, 1 - strength / 0.06)
        var best: Int?, most = 0.0
        for (index, swatch) in swatches.enumerated() where swatch.chroma >= Self.leastChroma {
            // The sine of half the angle between the color and the mean of all.
            let cosine =
                strength > 0 ? (swatch.a * a + swatch.b * b) / (swatch.chroma * strength) : 1
            let turn = max(0, (1 - cosine) / 2).squareRoot()
            let worth =
                swatch.chroma * swatch.share.squareRoot().squareRoot() * (0.3 + unlike * turn)
            if worth > most { (best, most) = (index, worth) }
        }
        guard let best else { return nil }
        (index, hue) = (best, swatches[best].hue)
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
