/// Palettes as lines of text: GIMP, Sass, Tailwind.
public enum PaletteSheets {
    /// The first lines of the files, by which moody recognizes its own.
    public static let gplHead = "GIMP Palette\nName: moody"
    public static let scssHead = "// palettes by moody\n"
    public static let tailwindHead = "/* palettes by moody, for Tailwind CSS 4 */\n"

    /// GIMP's palette: one list of colors, each group's name in a comment above it.
    ///
    /// - Source: gimppalette-load.c: "Name:" only in line 2, no line above 1,024 bytes, LF.
    static func gpl(_ palettes: [NamedPalette]) -> String {
        let title = palettes.count == 1 ? ": " + clipped(palettes[0].name) : ""
        var text = "\(gplHead)\(title)\nColumns: \(columns(palettes))\n"
        for palette in palettes {
            text += "# \(clipped(palette.name))\n"
            for entry in palette.palette.entries {
                let color = entry.color
                text += "\(padded(color.red)) \(padded(color.green)) \(padded(color.blue))\t\(color.name)\n"
            }
        }
        return text
    }

    /// A variable `$NAME-1`, `$NAME-2`, ... for each color, and a map `$NAME-palette` of them.
    ///
    /// No two are the same: variables of colors end in a number, and what stands before it is unique.
    static func scss(_ palettes: [NamedPalette]) -> String {
        var identifiers = SwatchIdentifiers()
        return scssHead
            + palettes.map { palette in
                let name = identifiers.identifier(for: palette.name)
                let numbered = palette.palette.entries.enumerated().map { ($0 + 1, $1) }
                let variables = numbered.map {
                    "$\(name)-\($0): \($1.color.hex); // \($1.color.name), \(percent($1.share))\n"
                }
                let map = numbered.map { "  \($0.0): $\(name)-\($0.0),\n" }.joined()
                // A line comment ends with its line, and a name holds none.
                return "\n// \(palette.name.inOneLine)\n" + variables.joined()
                    + "$\(name)-palette: (\n\(map));\n"
            }.joined()
    }

    /// Theme variables, from which Tailwind makes `bg-harbour-1` and the like.
    ///
    /// - Source: Tailwind CSS 4, "Theme variables".
    static func tailwind(_ palettes: [NamedPalette]) -> String {
        var identifiers = SwatchIdentifiers()
        let lines = palettes.map { palette in
            let name = identifiers.identifier(for: palette.name)
            let colors = palette.palette.entries.enumerated().map { index, entry in
                "  --color-\(name)-\(index + 1): \(entry.color.hex); /* \(entry.color.name), "
                    + "\(percent(entry.share)) */\n"
            }
            return "  /* \(inComment(palette.name)) */\n" + colors.joined()
        }
        return "\(tailwindHead)@theme {\n\(lines.joined(separator: "\n"))}\n"
    }

    /// Nothing in a name may end the comment.
    private static func inComment(_ name: String) -> String {
        name.inOneLine.split(separator: "*", omittingEmptySubsequences: false).joined(separator: "* ")
    }

    /// Short enough for a line of GIMP's.
    private static func clipped(_ name: String) -> String {
        var line = name.inOneLine
        while line.utf8.count > 900 { line.removeLast() }
        return line
    }

    private static func columns(_ palettes: [NamedPalette]) -> Int {
        min(32, palettes.map(\.palette.entries.count).max() ?? 0)
    }

    private static func padded(_ channel: UInt8) -> String {
        let digits = String(channel)
        return String(repeating: " ", count: 3 - digits.count) + digits
    }
}
