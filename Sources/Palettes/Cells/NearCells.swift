/// The cells around a color, each with a distance that none of its colors is nearer than: for a search in
/// an index that goes outward until what is left cannot be near enough.
///
///     var near = NearCells(to: color, within: 10)
///     for cell in near.cells(within: 3) { ... }
package struct NearCells: Sendable {
    /// A cell, and a ``Lab/distance(to:)`` not above that of any color in it.
    package struct Cell: Sendable {
        package let number: Int16
        package let least: Double
    }

    private let point: Oklab, lab: Lab
    /// By what a look at one point of each says, the nearest first.
    private let rough: [Cell]
    /// What a look at all sides says, of so many of `rough` as were asked for.
    private var exact: [Cell] = []

    /// - Parameter color: the color in CIELAB.
    /// - Parameter within: the difference up to which no cell is left out.
    /// - Complexity: one difference a box that is not too light or too dark, some thousands: 2 ms.
    package init(to color: RGB, within: Double) {
        let point = Oklab(color), lab = Lab(color)
        var rough: [Cell] = []
        for number in 0..<ColorCell.count {
            let cell = ColorCell(number: number)
            guard cell.mayHoldColors else { continue }
            let nearest = Lab(linear: cell.nearest(to: point).linear)
            // No difference is smaller than that of the lightnesses divided by 1.75; a box is 4 high at most.
            if abs(nearest.lightness - lab.lightness) > within * 1.75 + 4 { continue }
            var least = Self.leastRoughly(lab.difference(to: nearest))
            if Self.isOpposite(nearest, lab, within: 20) {
                let bounds = LabBounds(Self.points(of: cell))
                if bounds.mayTurn(lab) { least = bounds.leastOfTurn(lab) }
            }
            if least <= within { rough.append(Cell(number: cell.number, least: least)) }
        }
        (self.point, self.lab) = (point, lab)
        self.rough = rough.sorted { ($0.least, $0.number) < ($1.least, $1.number) }
    }

    /// The cells that may hold colors within a difference, not above that of the initializer; in no order.
    ///
    /// - Complexity: 27 differences for each cell that was not asked for before.
    package mutating func cells(within difference: Double) -> [Cell] {
        while exact.count < rough.count, rough[exact.count].least <= difference {
            let cell = ColorCell(number: Int(rough[exact.count].number))
            exact.append(Cell(number: cell.number, least: Self.least(of: cell, point, lab)))
        }
        return exact.filter { $0.least <= difference }
    }

    /// All cells that the initializer left in; those that are farther than `difference` for certain by a look
    /// at one point alone, which is faster and tells less.
    package func cells(exactly difference: Double) -> [Cell] {
        rough.map { cell in
            if cell.least > difference { return cell }
            let least = Self.least(of: ColorCell(number: Int(cell.number)), point, lab)
            return Cell(number: cell.number, least: max(cell.least, least))
        }
    }

    /// Of the difference to the point that is nearest in Oklab. CIEDE2000 weighs directions otherwise, and
    /// another point may be the nearest by it: of 1.8 million pairs of colors up to 20 apart, in boxes of
    /// 0.0165 to 0.025, the least ratio was 0.52 for differences above 1.
    private static func leastRoughly(_ difference: Double) -> Double { max(0, 0.45 * difference - 0.4) }

    /// Of the least difference to 27 points, three a side, and the nearest in Oklab. Of as many pairs the
    /// least ratio was 0.51 for differences of 1 to 2, 0.75 up to 4 and 0.91 above.
    static func least(of cell: ColorCell, _ point: Oklab, _ lab: Lab) -> Double {
        let nearest = cell.nearest(to: point)
        if nearest == point { return 0 }
        // HyAB is a distance, and has no places where it jumps: its least is that of the box around all
        // points.
        let points = points(of: cell), bounds = LabBounds(points), hyab = bounds.leastHyAB(lab)
        if bounds.mayTurn(lab) { return Lab.distance(bounds.leastOfTurn(lab), hyab) }
        // Not cut to sRGB: that would move it away, and what lies behind it in the box may be inside.
        var least = lab.difference(to: Lab(linear: nearest.linear))
        for other in points { least = min(least, lab.difference(to: other)) }
        return Lab.distance(max(0, 0.88 * least - 0.6), hyab)
    }

    private static func points(of cell: ColorCell) -> [Lab] {
        var points: [Lab] = []
        points.reserveCapacity(27)
        for l in 0...2 {
            for a in 0...2 {
                for b in 0...2 {
                    points.append(
                        Lab(linear: cell.point((Double(l) / 2, Double(a) / 2, Double(b) / 2)).linear))
                }
            }
        }
        return points
    }

    /// Whether a color lies near the ray that goes from gray away from another.
    fileprivate static func isOpposite(_ other: Lab, _ lab: Lab, within radius: Double) -> Bool {
        let chroma = (lab.a * lab.a + lab.b * lab.b).squareRoot()
        if chroma < 1e-9 { return false }
        let along = (other.a * lab.a + other.b * lab.b) / chroma
        let across = (other.a * lab.b - other.b * lab.a) / chroma
        return (along > 0 ? (other.a * other.a + other.b * other.b).squareRoot() : abs(across)) <= radius
    }
}

/// Ranges of Lab around a box of Oklab: of points of it, a little widened, for the way from one to the next
/// is not straight.
private struct LabBounds {
    var lightness = (Double.infinity, -Double.infinity), a = (Double.infinity, -Double.infinity)
    var b = (Double.infinity, -Double.infinity)

    init(_ points: [Lab]) {
        func widen(_ range: inout (Double, Double), _ value: Double) {
            range = (min(range.0, value), max(range.1, value))
        }
        for lab in points {
            widen(&lightness, lab.lightness)
            widen(&a, lab.a)
            widen(&b, lab.b)
        }
        func widened(_ range: (Double, Double)) -> (Double, Double) {
            let margin = 0.1 * (range.1 - range.0)
            return (range.0 - margin, range.1 + margin)
        }
        (lightness, a, b) = (widened(lightness), widened(a), widened(b))
    }

    /// Whether some color of the box has the hue that is opposite to the color's, or none at all.
    ///
    /// There CIEDE2000 jumps: the mean of two opposite hues turns to the other side, and with it the term
    /// that turns blues. Differences to some points of such a box say nothing of the others. Opposite hues
    /// stay opposite when a is stretched, so this is told in Lab.
    func mayTurn(_ lab: Lab) -> Bool {
        let middle = Lab(lightness: 0, a: (a.0 + a.1) / 2, b: (b.0 + b.1) / 2)
        let (wide, high) = (a.1 - middle.a, b.1 - middle.b)
        return NearCells.isOpposite(middle, lab, within: (wide * wide + high * high).squareRoot())
    }

    /// The part of CIEDE2000 that comes of lightness and chroma alone, whatever the hues.
    ///
    /// Proof: with R between -2 sin 60 degrees and 2 sin 60 degrees, K² + H² + R K H is at least
    /// K² (1 - R² / 4), so at least K² / 4.
    func leastOfTurn(_ lab: Lab) -> Double {
        // Differences of lightness are divided by 1.75 at most; a is stretched to between 1 and 1.5 of it.
        let l = Self.beyond(lab.lightness, lightness) / 1.75
        let least = (lab.a * lab.a + lab.b * lab.b).squareRoot()
        let most = (lab.a * lab.a * 2.25 + lab.b * lab.b).squareRoot()
        let (low, high) = chroma
        let step = max(0, least - 1.5 * high, low - most)
        let k = step / (1 + 0.045 * (most + 1.5 * high) / 2)
        return (l * l + k * k / 4).squareRoot()
    }

    func leastHyAB(_ lab: Lab) -> Double {
        let a = Self.beyond(lab.a, a), b = Self.beyond(lab.b, b)
        return Self.beyond(lab.lightness, lightness) + (a * a + b * b).squareRoot()
    }

    /// The least and the most.
    private var chroma: (Double, Double) {
        func ends(_ range: (Double, Double)) -> (Double, Double) {
            let (low, high) = (abs(range.0), abs(range.1))
            return (range.0 <= 0 && range.1 >= 0 ? 0 : min(low, high), max(low, high))
        }
        let (a, b) = (ends(a), ends(b))
        return ((a.0 * a.0 + b.0 * b.0).squareRoot(), (a.1 * a.1 + b.1 * b.1).squareRoot())
    }

    private static func beyond(_ value: Double, _ range: (Double, Double)) -> Double {
        max(0, range.0 - value, value - range.1)
    }
}
