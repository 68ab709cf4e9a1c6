/// Reads decimal numbers of a fixed width, and what stands between them, off the front of a text.
package struct DigitReader {
    private var bytes: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    package var rest: String { String(decoding: bytes, as: UTF8.self) }

    /// The next byte; nil at the end.
    package var next: UInt8? { bytes.first }

    package static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// A number of exactly so many digits; nil, and nothing is read, when fewer stand here.
    package mutating func number(digits: Int) -> Int? {
        let front = bytes.prefix(digits)
        guard front.count == digits, front.allSatisfy(DigitReader.isDigit) else { return nil }
        bytes = bytes.dropFirst(digits)
        return front.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// As many digits as stand here.
    package mutating func digits() -> String {
        let front = bytes.prefix(while: DigitReader.isDigit)
        bytes = bytes.dropFirst(front.count)
        return String(decoding: front, as: UTF8.self)
    }

    /// Steps over one of the characters given.
    package mutating func skip(oneOf characters: String) -> Bool {
        guard let first = bytes.first, characters.utf8.contains(first) else { return false }
        bytes = bytes.dropFirst()
        return true
    }

    /// Steps over all of a word.
    package mutating func skip(_ word: String) -> Bool {
        guard bytes.starts(with: word.utf8) else { return false }
        bytes = bytes.dropFirst(word.utf8.count)
        return true
    }
}
