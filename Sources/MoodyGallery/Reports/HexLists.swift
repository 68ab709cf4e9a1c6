package import Palettes

/// Palettes as lists of colors, one behind the other.
package struct HexLists: Sendable {
    private var isEmpty = true

    package init() {}

    /// A color a line, with a blank line in front of every list but the first, so that they stay apart. Of a
    /// palette without colors nothing is seen.
    package mutating func next(_ palette: Palette) -> String {
        if palette.entries.isEmpty { return "" }
        defer { isEmpty = false }
        return (isEmpty ? "" : "\n") + PaletteFormat.hex(palette) + "\n"
    }
}

extension MoodRecord {
    package var palette: Palette {
        Palette(
            entries: colors.map { Palette.Entry(color: $0.color, share: $0.share, displayP3: $0.displayP3) })
    }
}
