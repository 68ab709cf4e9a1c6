/// Texts as XML, SVG, and HTML write them.
package enum MarkupText {
    /// The text of an element, or of an attribute in quotation marks.
    ///
    /// - Parameter other: what is written for a character besides `&`, `<`, `>`, and `"`; nil writes it as it
    ///   is.
    package static func escaped(_ text: String, other: (Unicode.Scalar) -> String? = { _ in nil }) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default:
                if let other = other(scalar) {
                    escaped += other
                } else {
                    escaped.unicodeScalars.append(scalar)
                }
            }
        }
        return escaped
    }

    /// For an attribute of XML: readers turn lines and tabs into spaces. XML has no other control characters.
    package static func attribute(_ text: String) -> String {
        escaped(text) { scalar in
            switch scalar {
            case "\n": "&#10;"
            case "\t": "&#9;"
            case "\r": "&#13;"
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
            default: nil
            }
        }
    }
}
