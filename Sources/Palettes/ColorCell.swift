/// A box of Oklab, and within it a class of shares: the number by which an index finds swatches.
///
/// 16 steps of lightness, 14 of a, 14 of b, and six classes of shares, the largest first: numbers of
/// 0..<18,816, which fit into 16 bits.
public struct ColorCell: Hashable, Sendable {
    public let number: Int16

    static let side = 0.04, steps = 14, lightnessSteps = 16
    static let boxes = lightnessSteps * steps * steps
    /// The largest share of each class; the class goes down to that of the next.
    static let largestShares = [1, 0.5, 0.25, 0.125, 0.0625, 0.02]

    /// - Parameter share: 0...1
    public init(_ color: Oklab, share: Double) {
        func step(_ value: Double, _ side: Double, _ count: Int) -> Int {
            min(max(Int((value / side).rounded(.down)), 0), count - 1)
        }
        let lightness = step(color.lightness, 1 / Double(Self.lightnessSteps), Self.lightnessSteps)
        let a = step(color.a + 0.24, Self.side, Self.steps), b = step(color.b + 0.32, Self.side, Self.steps)
        let kind = Self.largestShares.lastIndex { share <= $0 } ?? 0
        number = Int16(kind * Self.boxes + (lightness * Self.steps + a) * Self.steps + b)
    }

    /// Differences up to which ``bounds(near:within:worth:)`` leaves nothing out.
    public static let farthest = 20.0

    /// A cell with the most that a swatch in it can be worth to a search.
    public struct Bound: Sendable {
        public let number: Int16
        public let most: Double
    }

    /// The cells that may hold colors within a CIEDE2000 difference of one, those that may be worth most
    /// first.
    ///
    /// - Parameter worth: of a difference (not above `within`) and a share; falls with the one, rises with
    ///   the other.
    /// - Complexity: one difference a box, 3,136.
    public static func bounds(
        near color: RGB, within: Double, worth: (_ difference: Double, _ share: Double) -> Double
    ) -> [Bound] {
        let point = Oklab(color), lab = Lab(color)
        var bounds: [Bound] = []
        for box in 0..<boxes {
            let least = leastDifference(box, point, lab)
            if least > within { continue }
            for (kind, share) in largestShares.enumerated() {
                bounds.append(Bound(number: Int16(kind * boxes + box), most: worth(least, share)))
            }
        }
        return bounds.sorted { ($0.most, $1.number) > ($1.most, $0.number) }
    }

    /// Not more than the difference of any color in the box.
    ///
    /// The point of the box that is nearest in Oklab, and less than half of its difference: CIEDE2000 weighs
    /// directions otherwise, and another corner may be the nearest by it. Of 600,000 pairs up to 20
    /// apart the least ratio was 0.36, among the darkest, and 0.6 elsewhere.
    static func leastDifference(_ box: Int, _ point: Oklab, _ lab: Lab) -> Double {
        let lightness = Double(box / (steps * steps)) / Double(lightnessSteps)
        let a = Double(box / steps % steps) * side - 0.24, b = Double(box % steps) * side - 0.32
        func inside(_ value: Double, _ low: Double, _ side: Double) -> Double {
            min(max(value, low), low + side)
        }
        let nearest = Oklab(
            lightness: inside(point.lightness, lightness, 1 / Double(lightnessSteps)),
            a: inside(point.a, a, side),
            b: inside(point.b, b, side))
        if nearest == point { return 0 }
        // Not cut to sRGB: that would move it away, and what lies behind it in the box may be inside.
        let isDark = min(nearest.lightness, point.lightness) < 0.3
        return max(0, lab.difference(to: Lab(linear: nearest.linear)) * (isDark ? 0.33 : 0.55) - 0.2)
    }
}
