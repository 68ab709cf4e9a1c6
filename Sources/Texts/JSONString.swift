/// Texts as JSON writes them.
package enum JSONString {
    /// A text in quotation marks.
    ///
    /// Escapes characters that JSON or old JavaScript does not allow, and those that would control a terminal
    /// or change the direction of text when JSON is displayed: the value is the same either way.
    package static func quoted(_ value: String) -> String {
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where mustBeEscaped(scalar):
                text += "\\u" + Hexadecimal.text(UInt16(truncatingIfNeeded: scalar.value))
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
