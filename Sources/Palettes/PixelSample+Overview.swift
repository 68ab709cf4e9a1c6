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
        guard grain == .pixel, let width, let newWidth = shrunk.width, shrunk.pixelCount < pixelCount
        else { return shrunk }
        let columns = AreaTaps(from: width, to: newWidth)
        let rows = AreaTaps(from: pixelCount / width, to: shrunk.pixelCount / newWidth)
        let codes = (0..<pixelCount).map { code(of: $0) }
        var picture = shrunk
        var covered: [(code: UInt32, share: Int)] = []
        for y in rows.first.indices {
            for x in columns.first.indices {
                covered.removeAll(keepingCapacity: true)
                for row in rows.first[y]...rows.last[y] {
                    let share = rows.share(of: row, in: y)
                    for column in columns.first[x]...columns.last[x] {
                        covered.append(
                            (codes[row * width + column], share * columns.share(of: column, in: x)))
                    }
                }
                // In its units a pixel of the shrunk picture covers as many as there are pixels.
                if let code = Self.majority(of: covered, whole: pixelCount) {
                    picture.setColor(code, at: y * newWidth + x)
                }
            }
        }
        return picture
    }

    /// The code that has more than half of the whole, if there is one.
    ///
    /// - Source: R. S. Boyer and J. S. Moore, MJRTY: A Fast Majority Vote Algorithm, 1991, with weights.
    private static func majority(of shares: [(code: UInt32, share: Int)], whole: Int) -> UInt32? {
        var winner: UInt32 = 0, lead = 0
        for (code, share) in shares {
            if code == winner {
                lead += share
            } else if lead >= share {
                lead -= share
            } else {
                (winner, lead) = (code, share - lead)
            }
        }
        var area = 0
        for (code, share) in shares where code == winner { area += share }
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
