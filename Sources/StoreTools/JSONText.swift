import Texts

/// JSON as text, written as it comes: names keep their order.
package enum JSONText {
    package static func string(_ text: String) -> String { JSONString.quoted(text) }

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
