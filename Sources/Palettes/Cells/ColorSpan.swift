/// From where to where the lightness, chroma and hue of a cell's colors go.
struct ColorSpan {
    let lightness: ClosedRange<Double>, chroma: ClosedRange<Double>
    private let corners: [Oklab]

    init(_ cell: ColorCell) {
        let low = cell.point((0, 0, 0)), high = cell.point((1, 1, 1)), rest = 1e-9
        lightness = low.lightness - rest...high.lightness + rest
        corners = [(low.a, low.b), (low.a, high.b), (high.a, low.b), (high.a, high.b)]
            .map { Oklab(lightness: low.lightness, a: $0, b: $1) }
        let grey = cell.nearest(to: Oklab(lightness: low.lightness, a: 0, b: 0))
        chroma = max(0, grey.chroma - rest)...corners.reduce(0) { max($0, $1.chroma) } + rest
    }

    /// Degrees, which may lie below 0 or above 360; nil for all: a cell that the gray axis goes through.
    private var hue: ClosedRange<Double>? {
        if chroma.lowerBound == 0 { return nil }
        let rest = 1e-9
        // A box beside the axis takes less than half a turn, and its corners stand at the ends of it.
        let first = corners[0].hue
        let turns = corners.map { ($0.hue - first + 540).truncatingRemainder(dividingBy: 360) - 180 }
        return first + turns.reduce(0, min) - rest...first + turns.reduce(0, max) + rest
    }

    /// False when no color of the cell belongs to the region at all.
    func mayBelong(_ region: ColorRegion) -> Bool {
        if let edges = region.lightness, !edges.reach(lightness) { return false }
        if let edges = region.chroma, !edges.reach(chroma) { return false }
        guard let edges = region.hue, let hue else { return true }
        return [-360.0, 0, 360, 720].contains { turn in
            edges.reach(hue.lowerBound + turn...hue.upperBound + turn)
        }
    }
}

extension ColorRegion.Edges {
    /// Whether anything of a range belongs.
    fileprivate func reach(_ range: ClosedRange<Double>) -> Bool {
        range.upperBound > begins && range.lowerBound < ends
    }
}
