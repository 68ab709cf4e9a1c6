/// Palettes as design tokens: a group a palette, a token a color.
///
/// - Source: Design Tokens Community Group, Format and Color modules 2025.10.
public enum DesignTokens {
    /// The first lines of the file, by which moody recognizes its own.
    public static let head = "{\n  \"$description\": \"Palettes by moody\""

    static func text(_ palettes: [NamedPalette]) -> String {
        var identifiers = SwatchIdentifiers()
        let groups = palettes.map { palette in
            let tokens = palette.palette.entries.enumerated().map { index, entry in
                token(entry, name: "color-\(index + 1)")
            }
            return """
                ,
                  \(quoted(identifiers.identifier(for: palette.name))): {
                    "$type": "color",
                    "$description": \(quoted(palette.name))\(tokens.joined())
                  }
                """
        }
        return head + groups.joined() + "\n}\n"
    }

    private static func token(_ entry: Palette.Entry, name: String) -> String {
        let color = entry.color
        let components = [color.red, color.green, color.blue].map(component).joined(separator: ", ")
        let share = (entry.share * 1e6).rounded() / 1e6
        return """
            ,
                "\(name)": {
                  "$value": {
                    "colorSpace": "srgb", "components": [\(components)], "alpha": 1, "hex": "\(color.hex)"
                  },
                  "$description": "\(color.name)",
                  "$extensions": { "io.github.moody": { "share": \(share) } }
                }
            """
    }

    /// Five digits, which give the channel back.
    private static func component(_ channel: UInt8) -> String {
        if channel == 0 || channel == 255 { return channel == 0 ? "0" : "1" }
        let digits = "\(100_000 + (Int(channel) * 200_000 + 255) / 510)".dropFirst()
        return "0." + digits
    }

    /// As JSON has text; all that is no plain letter as a code, so that no reader can take it for anything
    /// else.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: quoted += "\\\""
            case 0x5C: quoted += "\\\\"
            case 0x20..<0x7F: quoted.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}
