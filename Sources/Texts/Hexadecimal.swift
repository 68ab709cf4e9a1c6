/// Bytes as hexadecimal digits.
package enum Hexadecimal {
    /// Two small digits per byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }
}
