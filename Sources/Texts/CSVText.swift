/// Texts as cells of a table that spreadsheets and statistics programs read.
///
/// - Source: RFC 4180: cells with commas, quotes or line breaks are quoted.
package enum CSVText {
    /// A text as a cell; one that a spreadsheet would run as a formula gets an apostrophe in front.
    package static func cell(_ text: String) -> String { quoted(guarded(text)) }

    /// A cell that begins so is run as a formula by spreadsheets; an apostrophe makes it text.
    private static func guarded(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else {
            return text
        }
        return "'" + text
    }

    private static func quoted(_ text: String) -> String {
        let needsQuotes = text.utf8.contains { Array("\",\r\n".utf8).contains($0) }
        guard needsQuotes else { return text }
        // Scalar by scalar: CR LF is one Character, and so may be a quote with a mark above it.
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { result += "\"" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
