/// The color that a photo is remembered by: what orders and sections by hue go by, and the accent of its
/// theme.
///
/// Strong colors before large ones; and where no strong one covers much, those before others whose hue is
/// unlike the rest: a kingfisher's blue before the green around it, a neon sign before the night.
public struct Accent: Equatable, Sendable {
    /// Its place in the palette.
    public let index: Int
    /// Oklab's hue in degrees, 0..<360.
    public let hue: Double

    /// Below this chroma a color is a gray.
    static let leastChroma = 0.03

    /// Nil for a palette of grays. Linear in colors; the first of two that are worth as much.
    public init?(_ colors: [(oklab: Oklab, share: Double)]) {
        var a = 0.0
        var b = 0.0
        for (oklab, share) in colors {
            a += share * oklab.a
            b += share * oklab.b
        }
        let strength = (a * a + b * b).squareRoot()
        let unlike = max(0, 1 - strength / 0.06)
        var best: Int?
        var most = 0.0
        for (index, (oklab, share)) in colors.enumerated() {
            let chroma = oklab.chroma
            if chroma < Self.leastChroma { continue }
            // The sine of half the angle between the color and the mean of all.
            let cosine = strength > 0 ? (oklab.a * a + oklab.b * b) / (chroma * strength) : 1
            let turn = max(0, (1 - cosine) / 2).squareRoot()
            let worth = chroma * share.squareRoot().squareRoot() * (0.3 + unlike * turn)
            if worth > most {
                best = index
                most = worth
            }
        }
        guard let best else { return nil }
        index = best
        hue = colors[best].oklab.hue
    }
}
