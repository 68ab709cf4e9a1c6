import MoodyModel
import Texts

/// A table as text that spreadsheets and statistics programs read.
///
/// - Source: RFC 4180: lines end with CR LF, the last one too; cells with commas, quotes or line breaks are
///   quoted.
package enum CSV {
    package enum Cell: Equatable, Sendable {
        case text(String)
        /// Written as it is: the minus of a number is no formula.
        case number(Int64)
        /// An empty cell for a number that is not finite.
        case real(Double)
        case empty
    }

    /// A line with its end.
    package static func line(_ cells: [Cell]) -> String { cells.map(text).joined(separator: ",") + "\r\n" }

    private static func text(_ cell: Cell) -> String {
        switch cell {
        case .text(let text): CSVText.cell(text)
        case .number(let number): String(number)
        case .real(let number): number.isFinite ? JSON.real(number).text : ""
        case .empty: ""
        }
    }
}
