/// Bytes and numbers as hexadecimal digits.
package enum Hexadecimal {
    /// Two small digits per byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// All small digits of a number, zeros in front too.
    package static func text(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
    }
}
