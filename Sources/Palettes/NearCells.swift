/// The cells around a color, each with a difference that none of its colors is nearer than: for a search in
/// an index that goes outward until what is left cannot be near enough.
///
///     var near = NearCells(to: color, within: 10)
///     for cell in near.cells(within: 3) { ... }
public struct NearCells: Sendable {
    /// A cell, and a CIEDE2000 difference not above that of any color in it.
    public struct Cell: Sendable {
        public let number: Int16
        public let least: Double
    }

    private let point: Oklab, lab: Lab
    /// By what a look at one point of each says, the nearest first.
    private let rough: [Cell]
    /// What a look at all sides says, of so many of `rough` as were asked for.
    private var exact: [Cell] = []

    /// - Parameter within: the difference up to which no cell is left out.
    /// - Complexity: one difference a box that is not too light or too dark, some thousands: 2 ms.
    public init(to color: RGB, within: Double) {
        let point = Oklab(color), lab = Lab(color)
        var rough: [Cell] = []
        for number in 0..<ColorCell.count {
            let cell = ColorCell(number: number)
            guard cell.mayHoldColors else { continue }
            let nearest = Lab(linear: cell.nearest(to: point).linear)
            // No difference is smaller than that of the lightnesses divided by 1.75; a box is 4 high at most.
            if abs(nearest.lightness - lab.lightness) > within * 1.75 + 4 { continue }
            let least = Self.leastRoughly(lab.difference(to: nearest))
            if least <= within { rough.append(Cell(number: cell.number, least: least)) }
        }
        (self.point, self.lab) = (point, lab)
        self.rough = rough.sorted { ($0.least, $0.number) < ($1.least, $1.number) }
    }

    /// The cells that may hold colors within a difference, not above that of the initializer; in no order.
    ///
    /// - Complexity: 27 differences for each cell that was not asked for before.
    public mutating func cells(within difference: Double) -> [Cell] {
        while exact.count < rough.count, rough[exact.count].least <= difference {
            let cell = ColorCell(number: Int(rough[exact.count].number))
            exact.append(Cell(number: cell.number, least: Self.least(of: cell, point, lab)))
        }
        return exact.filter { $0.least <= difference }
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
        // Not cut to sRGB: that would move it away, and what lies behind it in the box may be inside.
        var least = lab.difference(to: Lab(linear: nearest.linear))
        for l in 0...2 {
            for a in 0...2 {
                for b in 0...2 {
                    let other = cell.point((Double(l) / 2, Double(a) / 2, Double(b) / 2))
                    least = min(least, lab.difference(to: Lab(linear: other.linear)))
                }
            }
        }
        return max(0, 0.88 * least - 0.6)
    }
}
