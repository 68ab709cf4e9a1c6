/// JSON as text, written as it comes: names keep their order.
package enum JSONText {
    package static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    package static func object(_ members: [(name: String, text: String)]) -> String {
        "{" + members.map { string($0.name) + ":" + $0.text }.joined(separator: ",") + "}"
    }

    package static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    /// JSON has no infinite numbers: they are texts.
    package static func number(_ value: Double) -> String {
        if !value.isFinite { return string("\(value)") }
        let text = "\(value)"
        return text.hasSuffix(".0") && !text.contains("e") ? String(text.dropLast(2)) : text
    }
}
