/// How wide text is on a terminal.
enum TextWidth {
    /// Columns: two for the letters of East Asia and for emoji, none for what stands over another letter.
    static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    private static func columns(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        // A picture may be made of several; terminals give it two.
        let isPicture = character.unicodeScalars.contains {
            $0.properties.isEmojiPresentation || $0 == "\u{FE0F}"
        }
        return isPicture || isWide(first.value) ? 2 : 1
    }

    /// - Source: Unicode's EastAsianWidth.txt, the ranges that are wide or full, put together.
    private static func isWide(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1B000...0x1B2FF,
            0x1F200...0x1F2FF, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// The end of a text, which tells more of a path than its beginning, behind an ellipsis.
    static func ending(_ text: String, columns most: Int) -> String {
        if columns(text) <= most { return text }
        var end: [Character] = [], room = most - 1
        for character in text.reversed() {
            room -= columns(character)
            if room < 0 { break }
            end.append(character)
        }
        return "\u{2026}" + String(end.reversed())
    }
}
