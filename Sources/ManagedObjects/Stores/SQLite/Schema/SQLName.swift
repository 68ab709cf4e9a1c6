/// A name in SQL: of a table, a column, an index. Its description is what stands in a statement, in quotes
/// where it must be, so that no name of a model or a store can end a statement and begin another.
struct SQLName: Hashable, Sendable {
    /// As the database has it, without quotes.
    let text: String

    init(_ text: String) { self.text = text }

    /// Whether the name may stand without quotes. Those that Core Data and this library make do: statements
    /// are compared with what `sqlite_master` has of them.
    private var isPlain: Bool {
        guard let first = text.unicodeScalars.first, !("0"..."9").contains(first) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "\u{80}"...: true
            default: false
            }
        }
    }

    static func + (name: SQLName, end: some StringProtocol) -> SQLName { SQLName(name.text + end) }

    /// `t0`, `t1`: what a statement calls the tables that it reads.
    static func alias(_ number: Int) -> SQLName { SQLName("t\(number)") }
}

extension SQLName: CustomStringConvertible {
    var description: String {
        isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

extension SQLName: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}
