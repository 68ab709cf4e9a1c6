package import Palettes

/// Several palettes one behind the other, as text for programs.
package enum PaletteText {
    /// What a style sheet of ours begins with: by this moody knows its own files.
    package static let cssHead = "/* palettes by moody */\n"

    /// A rule with a custom property a color, and above it whose palette it is.
    package static func css(_ palette: Palette, of path: String, selector: String) -> String {
        // Nothing in a name may end the comment.
        let name = path.split(separator: "*", omittingEmptySubsequences: false).joined(separator: "* ")
        return "\n/* \(name) */\n" + PaletteFormat.css(palette, selector: selector) + "\n"
    }
}

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
