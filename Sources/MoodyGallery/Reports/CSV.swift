import MoodyModel

/// A table as text that spreadsheets and statistics programs read.
///
/// - Source: RFC 4180: lines end with CR LF, the last one too; cells with commas, quotes or line breaks are
///   quoted.
package enum CSV {
    package enum Cell: Equatable, Sendable {
        case text(String)
        /// Written as it is: the minus of a number is no formula.
        case number(Int64)
        /// What is not finite is an empty cell.
        case real(Double)
        case empty
    }

    /// One line with its end.
    package static func line(_ cells: [Cell]) -> String { cells.map(text).joined(separator: ",") + "\r\n" }

    private static func text(_ cell: Cell) -> String {
        switch cell {
        case .text(let text): quoted(guarded(text))
        case .number(let number): String(number)
        case .real(let number): number.isFinite ? JSON.real(number).text : ""
        case .empty: ""
        }
    }

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
