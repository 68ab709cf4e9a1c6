/// The palette under a picture: where each swatch begins and how wide it is, in percent of the strip.
struct Strip: Equatable {
    struct Piece: Equatable { var start: Double, width: Double }
    var pieces: [Piece]

    /// Narrower swatches could be neither seen nor clicked.
    static let narrowest = 3.0

    /// Widths by share but never under 3 %, with more than 33 swatches equal ones. They sum to 100.
    ///
    /// What the narrow ones are given is taken from the others in proportion to their shares, until none
    /// falls below the limit: at most as many rounds as there are swatches.
    init(shares: [Double]) {
        var width = shares.map { $0.isFinite ? max($0, 0) : 0 }
        var narrow = Set<Int>()
        let least = min(Self.narrowest, 100 / Double(max(1, shares.count)))
        while true {
            let wide = width.indices.filter { !narrow.contains($0) }
            let total = wide.reduce(0) { $0 + max(shares[$1], 0) }
            let room = 100 - least * Double(narrow.count)
            for i in wide {
                width[i] = total > 0 ? room * max(shares[i], 0) / total : room / Double(wide.count)
            }
            for i in narrow { width[i] = least }
            let tooNarrow = wide.filter { width[$0] < least - 1e-9 }
            if tooNarrow.isEmpty { break }
            narrow.formUnion(tooNarrow)
        }
        // Edges in hundredths of a percent, so that neighbors touch.
        var edge = 0.0, start = 0.0
        pieces = width.indices.map { i in
            edge += width[i]
            let end = i == width.count - 1 ? 100 : (edge * 100).rounded() / 100
            defer { start = end }
            return Piece(start: start, width: ((end - start) * 100).rounded() / 100)
        }
    }
}

/// The swatches side by side as SVG: it prints, is seen without a script, and needs no `style` attribute.
/// Hidden from screen readers; what it shows stands in words beside it.
func strip(of swatches: [MoodRow.Swatch], class name: HTML) -> HTML {
    var rects: HTML = ""
    for (swatch, piece) in zip(swatches, Strip(shares: swatches.map(\.share)).pieces) {
        rects += """
            <rect x="\(decimal(piece.start))%" width="\(decimal(piece.width))%" height="100%" \
            fill="\(swatch.hex)"/>
            """
    }
    return "<svg class=\"\(name)\" aria-hidden=\"true\">\(rects)</svg>"
}

/// 12.5 as "12.5", 40.0 as "40".
private func decimal(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : String(value)
}
