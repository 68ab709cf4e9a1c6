extension PixelSample {
    /// Pixels on the longer side of the picture that representative palettes are made of: as much as anybody
    /// sees at a glance, and of a photo at any size or quality nearly the same.
    package static let overviewSide = 128

    /// A small picture of a whole one.
    struct Overview {
        /// Where the colors lie is looked for in what is as sharp as in any other picture.
        let searched: PixelSample
        /// Which colors there are, and how much of each, is told by what was read: means across an edge, and
        /// a blur more so, are of colors that no picture has.
        let shown: PixelSample
    }

    /// Of the first sample whose pixels have places; nil when there is none, or when most of what varies in
    /// it is lost by shrinking: a fine pattern.
    static func overview(of samples: [PixelSample]) -> Overview? {
        guard let whole = samples.first(where: { $0.width ?? 0 > 0 && $0.pixelCount > 0 }) else { return nil }
        var shrunk = whole.shrunk(longSide: overviewSide)
        if shrunk.pixelCount < whole.pixelCount, whole.isFinePattern(besides: shrunk) { return nil }
        shrunk.weight = 1
        return Overview(searched: shrunk.evenlySharp, shown: whole.majorities(for: shrunk))
    }

    /// The shrunk picture of these pixels with, wherever one color fills more than half of what a pixel of it
    /// covers, that color: a drawing's pure colors, which its edges would tinge.
    ///
    /// Only what was read pixel by pixel has such colors; of a photo few pixels change.
    ///
    /// - Complexity: O(pixels).
    private func majorities(for shrunk: PixelSample) -> PixelSample {
        guard resolution == .pixel, let width, let newWidth = shrunk.width, shrunk.pixelCount < pixelCount
        else { return shrunk }
        let columns = AreaTaps(from: width, to: newWidth)
        let rows = AreaTaps(from: pixelCount / width, to: shrunk.pixelCount / newWidth)
        let codes = (0..<pixelCount).map { code(of: $0) }
        let columnShares = columns.shares()
        var picture = shrunk
        for (y, rowShares) in rows.shares().enumerated() {
            for (x, columnShares) in columnShares.enumerated() {
                let start = rows.first[y] * width + columns.first[x]
                if let code = Self.majority(
                    of: codes.span, from: start, width, columnShares.span, rowShares.span)
                {
                    picture.setColor(code, at: y * newWidth + x)
                }
            }
        }
        return picture
    }

    /// The code that has more than half of a rectangle of pixels, if there is one.
    ///
    /// - Parameters:
    ///   - start: its first pixel.
    ///   - width: pixels from one row to the next.
    ///   - columns: what is covered of each of its columns.
    ///   - rows: and of each of its rows.
    /// - Source: R. S. Boyer and J. S. Moore, MJRTY: A Fast Majority Vote Algorithm, 1991, with weights.
    private static func majority(
        of codes: Span<UInt32>, from start: Int, _ width: Int, _ columns: Span<Int>, _ rows: Span<Int>
    ) -> UInt32? {
        var winner: UInt32 = 0, lead = 0
        for row in rows.indices {
            for column in columns.indices {
                let code = codes[start &+ row &* width &+ column], share = rows[row] &* columns[column]
                // Without a branch, which photos would let go wrong every other time.
                lead &+= code == winner ? share : 0 &- share
                winner = lead < 0 ? code : winner
                lead = abs(lead)
            }
        }
        guard lead > 0 else { return nil }
        var area = 0, whole = 0
        for row in rows.indices {
            for column in columns.indices {
                let share = rows[row] &* columns[column]
                whole &+= share
                area &+= codes[start &+ row &* width &+ column] == winner ? share : 0
            }
        }
        return area * 2 > whole ? winner : nil
    }

    private func code(of pixel: Int) -> UInt32 {
        let at = pixel * 4
        return UInt32(rgba[at]) << 24 | UInt32(rgba[at + 1]) << 16 | UInt32(rgba[at + 2]) << 8
            | UInt32(rgba[at + 3])
    }

    /// Gives a pixel another color, unless that is clear; its alpha stays.
    private mutating func setColor(_ code: UInt32, at pixel: Int) {
        guard code & 0xff > 0 else { return }
        rgba[pixel * 4] = UInt8(code >> 24)
        rgba[pixel * 4 + 1] = UInt8(truncatingIfNeeded: code >> 16)
        rgba[pixel * 4 + 2] = UInt8(truncatingIfNeeded: code >> 8)
    }
}
