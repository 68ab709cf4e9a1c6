import MoodyModel
import Palettes

/// What moods are worth at most to a term of a search, by the cells and shares of their swatches.
struct CellBounds: Sendable {
    private enum Kind {
        /// A phrase: shares, weighed.
        case sum
        /// A color as a point: the nearest swatch by its share.
        case most
        /// A color beyond the tolerance: the nearest swatch.
        case nearest
        /// A palette.
        case like
    }

    private let kind: Kind
    /// Of each cell what a swatch in it counts at most; for a palette of each of its colors.
    private let table: [Float]
    private let width: Int
    /// Of each color of the palette, and of each cell from where to where: saliency, of a share of 1.
    private var saliency: [Float] = [], cellSaliency: [(least: Float, most: Float)] = []
    private var best: [Float] = []
    private var swatches: [(nearest: Float, least: Float, most: Float)] = []

    private static let leastLikeness = Float(MoodSearch.leastLikeness) - 1e-4
    /// Of cells that are farther from a color of a palette than about 15, what is told by one point will do.
    private static let exactly = 6.0

    /// Nil for a term that is no color.
    init?(_ term: SearchTerm, of search: MoodSearch) {
        var table = [Float](repeating: 0, count: ColorCell.count)
        switch term.color {
        case nil: return nil
        case .phrase(let phrase):
            kind = .sum
            for (cell, most) in phrase.bounds { table[Int(cell)] = Float(most * most) }
        case .point(let color, _):
            kind = search.isFarther ? .nearest : .most
            var near = NearCells(to: color, within: search.within + 1e-9)
            for cell in near.cells(within: search.within + 1e-9) {
                table[Int(cell.number)] = Float(MoodSearch.nearness(of: cell.least, within: search.within))
            }
        case .like(let palette):
            kind = .like
            (width, self.table) = (palette.count, Self.table(of: palette, within: search.within))
            saliency = palette.map { Float($0.saliency) }
            best = Array(repeating: 0, count: width)
            cellSaliency = (0..<ColorCell.count).map { cell in
                let chroma = ColorCell.chroma(ofCell: cell)
                return (Self.saliency(chroma.lowerBound), Self.saliency(chroma.upperBound))
            }
            return
        }
        (self.table, width) = (table, 1)
    }

    private static func table(of palette: [SearchSwatch], within: Double) -> [Float] {
        var table = [Float](repeating: 0, count: ColorCell.count * palette.count)
        for (at, swatch) in palette.enumerated() {
            let color = RGB(Oklab(lightness: swatch.lightness, a: swatch.a, b: swatch.b))
            let near = NearCells(to: color, within: within * 2 + 1e-9)
            for cell in near.cells(exactly: exactly * within / 10) {
                table[Int(cell.number) * palette.count + at] = Float(max(0, 1 - cell.least / (2 * within)))
            }
        }
        return table
    }

    /// As ``SearchSwatch/saliency`` has it.
    private static func saliency(_ chroma: Double) -> Float {
        Float(1 / 3.0 + 2 / 3.0 * min(1, chroma / 0.1))
    }

    /// What a mood is worth at most, 0...1.
    ///
    /// - Parameters:
    ///   - swatches: as a page has them.
    ///   - floor: a worth that is as good as none.
    mutating func most(_ swatches: ArraySlice<UInt32>, above floor: Float) -> Float {
        if case .like = kind { return mostAlike(swatches, above: max(floor, Self.leastLikeness)) }
        var value: Float = 0
        for number in swatches {
            let own = table[Int(number >> 16)]
            switch kind {
            case .sum: value += own * Self.share(number)
            case .most: value = max(value, own * Self.share(number))
            case .nearest, .like: value = max(value, own)
            }
        }
        return min(1, value)
    }

    /// At least the swatch's.
    private static func share(_ number: UInt32) -> Float {
        Float(number & 0xFFFF) * (1 / Float(ColorPage.whole))
    }

    private mutating func mostAlike(_ numbers: ArraySlice<UInt32>, above floor: Float) -> Float {
        for at in best.indices { best[at] = 0 }
        for number in numbers {
            let start = Int(number >> 16) * width
            for at in 0..<width { best[at] = max(best[at], table[start + at]) }
        }
        var there: Float = 0, weight: Float = 0
        for at in 0..<width {
            there += saliency[at] * best[at]
            weight += saliency[at]
        }
        there = weight > 0 ? there / weight : 0
        if there <= floor { return 0 }
        swatches.removeAll(keepingCapacity: true)
        for number in numbers {
            let cell = Int(number >> 16), share = Self.share(number), own = cellSaliency[cell]
            let nearest = table[cell * width..<(cell + 1) * width].max() ?? 0
            let least = max(0, share - 1 / Float(ColorPage.whole)).squareRoot() * own.least
            swatches.append((nearest, least, share.squareRoot() * own.most))
        }
        let most = there * back
        return most > floor ? most : 0
    }

    /// The greatest mean of what the swatches count, each weighed by something between its least and its
    /// most: those above the mean by their most, the others by their least.
    private var back: Float {
        var mean: Float = 0
        while true {
            var sum: Float = 0, weight: Float = 0
            for swatch in swatches {
                let own = swatch.nearest > mean ? swatch.most : swatch.least
                sum += swatch.nearest * own
                weight += own
            }
            let next = weight > 0 ? sum / weight : 0
            if next <= mean + 1e-6 { return next + 1e-6 }
            mean = next
        }
    }
}
