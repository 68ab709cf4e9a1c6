/// Palettes as text, for files and for standard output. Pure functions; what they write ends without a
/// newline.
public enum PaletteFormat {
    /// "#3366cc", one a line, largest share first.
    public static func hex(_ palette: Palette) -> String {
        palette.entries.map(\.color.hex).joined(separator: "\n")
    }

    /// A rule with one custom property a color, named so that GIMP reads the file as a palette too:
    /// `--color-1: #3366cc;` with name and share in a comment.
    ///
    /// The rule is for the elements of `selector`. Where colors lie outside sRGB a second one says them in
    /// Display P3 to screens that have it.
    public static func css(_ palette: Palette, selector: String = ":root") -> String {
        let lines = palette.entries.enumerated().map { index, entry in
            "  --color-\(index + 1): \(entry.color.hex);  /* \(entry.color.name), \(percent(entry.share)) */"
        }
        let wide = palette.entries.enumerated().compactMap { index, entry in
            entry.displayP3.map { "  --color-\(index + 1): \($0.css);" }
        }
        // A media query and no second value: custom properties take whatever is written last.
        let second =
            wide.isEmpty ? [] : ["@media (color-gamut: p3) {", "\(selector) {"] + wide + ["}", "}"]
        return (["\(selector) {"] + lines + ["}"] + second).joined(separator: "\n")
    }

    /// CSS's `oklch(62.80% 0.258 29.2)`: lightness, chroma, hue in degrees; grays have the hue `none`.
    public static func oklch(_ color: Oklab) -> String {
        let chroma = Int((max(0, color.chroma) * 1_000).rounded())
        let tenths = Int((color.hue * 10).rounded()) % 3_600
        let hue = chroma == 0 ? "none" : "\(tenths / 10).\(tenths % 10)"
        let thousandths = "\(1_000 + chroma % 1_000)".dropFirst()
        return "oklch(\(hundredths(max(0, color.lightness) * 100))% \(chroma / 1_000).\(thousandths) \(hue))"
    }
}
