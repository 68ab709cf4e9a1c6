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

    /// How much a color of the cell belongs to the region at most, 0...1.
    func most(of region: ColorRegion) -> Double {
        var most = region.lightness?.most(in: lightness) ?? 1
        if most > 0, let edges = region.chroma { most *= edges.most(in: chroma) }
        guard most > 0, let edges = region.hue, let hue else { return most }
        let turns = [-360.0, 0, 360, 720].map { turn in
            edges.most(in: hue.lowerBound + turn...hue.upperBound + turn)
        }
        return most * (turns.max() ?? 1)
    }
}

extension ColorRegion.Edges {
    /// The membership of the value in a range that belongs most.
    fileprivate func most(in range: ClosedRange<Double>) -> Double {
        if range.upperBound < isFull { return membership(range.upperBound) }
        return range.lowerBound > isFullUntil ? membership(range.lowerBound) : 1
    }
}
