/// A palette and what it is called: a group of a swatch file.
public struct NamedPalette: Sendable, Equatable {
    /// Any text, as a file name is; each format makes of it what it can hold.
    public var name: String
    public var palette: Palette
    /// Names of the colors in place of their own, in the palette's order.
    package var colorNames: [String]?

    public init(name: String, palette: Palette) { (self.name, self.palette) = (name, palette) }

    /// The colors with their names.
    var namedEntries: [(entry: Palette.Entry, name: String)] {
        palette.entries.enumerated().map { ($1, colorNames?[$0] ?? $1.color.name) }
    }
}

/// Files of swatches for other programs. Pure functions; layouts and their pitfalls: docs/DATA.md.
public enum SwatchFormat: String, CaseIterable, Sendable {
    /// Adobe Swatch Exchange.
    case ase
    /// Photoshop's color swatches, version 1 and behind it version 2.
    case aco
    case svg, png

    /// Without a dot.
    public var fileNameExtension: String { rawValue }

    /// Bytes that no terminal should be sent.
    public var isBinary: Bool { [.ase, .aco, .png].contains(self) }

    /// A whole file, one group a palette, in their order.
    public func bytes(of palettes: [NamedPalette]) -> [UInt8] {
        switch self {
        case .ase: AdobeSwatches.ase(palettes)
        case .aco: AdobeSwatches.aco(palettes)
        case .svg: Array(PaletteCard.svg(palettes).utf8)
        case .png: PaletteCard.png(palettes)
        }
    }
}

/// Names as identifiers of style sheets and tokens: small letters, digits and hyphens, each once in a file.
package struct SwatchIdentifiers {
    private var taken = Set<String>()

    package init() {}

    package mutating func identifier(for name: String) -> String {
        // Without what follows the last dot: the kind of file.
        let stem = name.lastIndex(of: ".").map { $0 > name.startIndex ? name[..<$0] : name[...] } ?? name[...]
        var text = ""
        for byte in stem.lowercased().utf8 {
            let isPlain = (97...122).contains(byte) || (48...57).contains(byte)
            if isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else if text.last != "-" {
                text += "-"
            }
        }
        text = String(text.drop { $0 == "-" })
        while text.last == "-" { text.removeLast() }
        text = String(text.prefix(48))
        if text.first?.isLetter != true { text = text.isEmpty ? "photo" : "photo-" + text }
        var unique = text, number = 2
        while !taken.insert(unique).inserted {
            unique = "\(text)-\(number)"
            number += 1
        }
        return unique
    }
}

extension String {
    /// In one line: control characters, and those that end lines or turn the direction of writing, become
    /// spaces.
    package var inOneLine: String {
        var line = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C:
                line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}
