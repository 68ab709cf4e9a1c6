/// A box of Oklab: the number by which an index finds swatches.
///
/// 49 steps of lightness, 25 of a and 25 of b, 0.0208 each: numbers of 0..<30,625, which fit into 16 bits.
/// Some 8,000 of the boxes hold colors that sRGB has.
package struct ColorCell: Hashable, Sendable {
    package let number: Int16

    static let side = 0.0208, lightnessSteps = 49, steps = 25
    package static let count = lightnessSteps * steps * steps
    private static let lowest = Oklab(lightness: 0, a: -0.24, b: -0.32)

    package init(_ color: Oklab) {
        func step(_ value: Double, _ count: Int) -> Int {
            min(max(Int((value / Self.side).rounded(.down)), 0), count - 1)
        }
        let lightness = step(color.lightness, Self.lightnessSteps)
        let a = step(color.a - Self.lowest.a, Self.steps), b = step(color.b - Self.lowest.b, Self.steps)
        number = Int16((lightness * Self.steps + a) * Self.steps + b)
    }

    init(number: Int) { self.number = Int16(number) }

    /// From where to where the chroma of a cell's colors goes.
    package static func chroma(ofCell number: Int) -> ClosedRange<Double> {
        ColorSpan(ColorCell(number: number)).chroma
    }

    /// The point of the box at these parts of its sides, 0...1.
    func point(_ parts: (lightness: Double, a: Double, b: Double)) -> Oklab {
        let corner = corner
        return Oklab(
            lightness: corner.lightness + parts.lightness * Self.side, a: corner.a + parts.a * Self.side,
            b: corner.b + parts.b * Self.side)
    }

    /// The point of the box that is nearest to another.
    func nearest(to point: Oklab) -> Oklab {
        let corner = corner
        func inside(_ value: Double, _ low: Double) -> Double { min(max(value, low), low + Self.side) }
        return Oklab(
            lightness: inside(point.lightness, corner.lightness), a: inside(point.a, corner.a),
            b: inside(point.b, corner.b))
    }

    private var corner: Oklab {
        let number = Int(number), steps = Self.steps
        return Oklab(
            lightness: Double(number / (steps * steps)) * Self.side,
            a: Double(number / steps % steps) * Self.side + Self.lowest.a,
            b: Double(number % steps) * Self.side + Self.lowest.b)
    }

    /// False for most boxes in which sRGB has no color, and for no other: of the 7,645 boxes that hold any of
    /// its 16,777,216 colors the middle is in linear light at least -0.056 and at most 1.103.
    var mayHoldColors: Bool {
        let light = point((0.5, 0.5, 0.5)).linear
        return min(light.x, light.y, light.z) > -0.06 && max(light.x, light.y, light.z) < 1.11
    }
}
