import Texts

/// Palettes as pictures: a card with names and hexes as SVG, strips alone as PNG.
public enum PaletteCard {
    /// The beginning of an SVG, by which moody recognizes its own.
    public static let svgHead = "<!-- palettes by moody -->\n"

    /// Whether a file, of which these are the first bytes, is a PNG of ours and no photo.
    public static func isPNG(_ head: [UInt8]) -> Bool { PNGStrips.wrote(head) }

    /// A PNG of another writer with the chunk that says it is ours.
    public static func marked(_ png: [UInt8]) -> [UInt8] { PNGStrips.marked(png) }

    private static let width = 960, height = 240, margin = 32

    /// A band a palette, as wide as shares but none under 3 %, with its hexes in the ink that is read best.
    static func svg(_ palettes: [NamedPalette]) -> String {
        let band = height + 3 * margin, total = max(1, palettes.count) * band + margin
        var text = svgHead
        text += """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width + 2 * margin) \(total)" \
            width="\(width + 2 * margin)" height="\(total)" font-family="system-ui, sans-serif" \
            font-size="20">
            <rect width="100%" height="100%" fill="#ffffff"/>

            """
        for (index, palette) in palettes.enumerated() {
            let top = index * band + margin
            text += "<g>\n<title>\(escaped(palette.name))</title>\n"
            text +=
                "<text x=\"\(margin)\" y=\"\(top + 24)\" "
                + "fill=\"#1a1a1a\">\(escaped(clipped(palette.name)))</text>\n"
            text += swatches(palette, top: top + margin + 8)
            text += "</g>\n"
        }
        return text + "</svg>\n"
    }

    private static func swatches(_ palette: NamedPalette, top: Int) -> String {
        var x = margin, text = ""
        let widths = widths(palette.palette, total: width)
        for ((entry, name), width) in zip(palette.namedEntries, widths) {
            let hex = entry.color.hex
            text += """
                <rect x="\(x)" y="\(top)" width="\(width)" height="\(height)" fill="\(hex)"><title>\(hex) \
                \(escaped(name.inOneLine)), \(escaped(percent(entry.share)))</title></rect>

                """
            if width >= 96 {
                text += """
                    <text x="\(x + 12)" y="\(top + height - 16)" \
                    fill="\(entry.color.textColor.hex)">\(hex)</text>

                    """
            }
            x += width
        }
        return text
    }

    /// A strip a palette, 640 pixels wide, RGB, with a chunk that says who wrote it.
    ///
    /// - Source: PNG, third edition (2025).
    static func png(_ palettes: [NamedPalette]) -> [UInt8] {
        // Many palettes in one picture: each gets a line only.
        let rows = palettes.count > 200 ? 8 : 96, side = 640
        var picture = PNGStrips(width: side)
        for palette in palettes where !palette.palette.entries.isEmpty {
            let runs = zip(palette.palette.entries, widths(palette.palette, total: side)).map {
                ($0.color, $1)
            }
            picture.add(runs, rows: rows)
        }
        if picture.isEmpty { picture.add([(.white, side)], rows: rows) }
        return picture.bytes
    }

    /// Whole numbers in proportion to the shares, none under 3 % of the whole while there is room, together
    /// `total`.
    static func widths(_ palette: Palette, total: Int) -> [Int] {
        let count = palette.entries.count,
            least = min(Double(total) * 0.03, Double(total) / Double(max(1, count)))
        let room = Double(total) - least * Double(count), sum = palette.entries.reduce(0) { $0 + $1.share }
        var edge = 0.0, widths: [Int] = [], last = 0
        for (index, entry) in palette.entries.enumerated() {
            edge += least + (sum > 0 ? room * entry.share / sum : room / Double(count))
            let end = index == count - 1 ? total : Int(edge.rounded())
            widths.append(end - last)
            last = end
        }
        return widths
    }

    private static func clipped(_ name: String) -> String { name.count > 90 ? name.prefix(89) + "…" : name }

    /// XML has no U+FFFE and U+FFFF.
    private static func escaped(_ text: String) -> String {
        MarkupText.escaped(text.inOneLine) { ["\u{FFFE}", "\u{FFFF}"].contains($0) ? "\u{FFFD}" : nil }
    }
}
