/// Text for people of bytes that may be none.
package enum ShownText {
    package static func of(_ text: String) -> String { of(Array(text.utf8)) }

    /// Escapes invalid UTF-8, control characters, and characters that change the writing direction, so
    /// that a name can neither steer a terminal nor pass for another.
    package static func of(_ bytes: some Collection<UInt8>) -> String {
        var text = "", decoder = UTF8(), input = Array(bytes).makeIterator(), consumed = 0
        let all = Array(bytes)
        while true {
            switch decoder.decode(&input) {
            case .scalarValue(let scalar):
                consumed += UTF8.width(scalar)
                text += isPlain(scalar) ? String(scalar) : escape(scalar)
            case .emptyInput: return text
            case .error:
                // Byte by byte: begin anew behind it.
                text += "\\x" + Hexadecimal.text([all[consumed]])
                consumed += 1
                decoder = UTF8()
                input = Array(all[consumed...]).makeIterator()
            }
        }
    }
}

private func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    // The two that join letters and pictures, or keep them apart: Persian words, and families of emoji, are
    // written with them. They turn nothing.
    if scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
}

private func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default:
        scalar.value < 0x100
            ? "\\x" + Hexadecimal.text([UInt8(scalar.value)]) : "\\u{" + String(scalar.value, radix: 16) + "}"
    }
}
