package import Palettes

/// A palette as a line of a terminal.
package enum PaletteBar {
    /// The colors side by side, each as wide as its share, in `cells` cells of two halves; spaces without
    /// colors.
    ///
    /// Every color gets at least half a cell, so that an accent can be seen.
    package static func text(
        _ colors: [(color: RGB, share: Double)], cells: Int = 24, depth: ColorDepth = .full
    ) -> String {
        if colors.isEmpty || depth == .none { return String(repeating: " ", count: cells) }
        let halves = widths(colors.map(\.share), total: cells * 2)
        let line = zip(colors, halves).flatMap { Array(repeating: $0.color, count: $1) }
        var text = "", last: [RGB] = []
        for cell in stride(from: 0, to: line.count, by: 2) {
            let pair = [line[cell], line[cell + 1]]
            if pair != last {
                text += "\u{1B}[\(depth.text(pair[0]))m\u{1B}[\(depth.ground(pair[1]))m"
            }
            last = pair
            // The left half in the one color, the right in the other.
            text += "\u{258C}"
        }
        return text + "\u{1B}[0m"
    }

    /// Whole numbers in proportion to the shares, none under 1, together `total`; for at most `total` shares.
    ///
    /// The largest remainders get what rounding down leaves over.
    static func widths(_ shares: [Double], total: Int) -> [Int] {
        let sum = shares.reduce(0, +)
        let exact = shares.map { sum > 0 ? $0 / sum * Double(total) : Double(total) / Double(shares.count) }
        var widths = exact.map { max(1, Int($0)) }
        let order = exact.indices.sorted {
            (exact[$0] - exact[$0].rounded(.down), -$0) > (exact[$1] - exact[$1].rounded(.down), -$1)
        }
        var next = 0
        while widths.reduce(0, +) < total {
            widths[order[next % order.count]] += 1
            next += 1
        }
        while widths.reduce(0, +) > total, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > 1
        {
            widths[widest] -= 1
        }
        return widths
    }
}
