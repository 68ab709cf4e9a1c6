package import Palettes

/// Colors with names, read from a file of another program: GPL, ASE, ACO, CSV, or JSON, told by content.
package struct ColorList: Sendable {
    package struct Entry: Sendable, Equatable {
        package let name: String
        package let color: RGB
        /// Under D65: what the file has, also where sRGB has no such color.
        let lab: Lab

        init(name: String, _ color: RGB) {
            self.name = name
            self.color = color
            lab = Lab(color)
        }

        init(name: String, _ lab: Lab) {
            self.name = name
            self.lab = lab
            color = RGB(lab)
        }
    }

    /// In the file's order; at least one.
    package private(set) var entries: [Entry] = []
    /// What was left out, a sentence each.
    package private(set) var notes: [String] = []

    /// Bytes of a file, and colors.
    package static let largest = 16 << 20, most = 100_000

    /// Why bytes are no list: they are something else, or have no color in them.
    package enum Failure: Error, Equatable {
        case otherFile, noColor, tooMany
    }

    package init(_ bytes: [UInt8]) throws(Failure) {
        if bytes.starts(with: "ASEF".utf8) {
            readASE(bytes)
        } else if Self.isACO(bytes) {
            readACO(bytes)
        } else {
            guard let text = Self.text(bytes) else { throw .otherFile }
            let start = text.drop { $0.isWhitespace }
            if text.hasPrefix("GIMP Palette") {
                readGPL(text)
            } else if start.first == "{" || start.first == "[" {
                guard readJSON(text) else { throw .otherFile }
            } else {
                guard readTable(text) else { throw .otherFile }
            }
        }
        if entries.isEmpty { throw .noColor }
        if entries.count > Self.most { throw .tooMany }
    }

    mutating func add(_ entry: Entry) { entries.append(entry) }

    mutating func add(_ name: String, _ color: RGB) { add(Entry(name: name, color)) }

    mutating func note(_ text: String) { if notes.count < 20 { notes.append(text) } }

    /// UTF-8, UTF-16 with its mark, or else Latin-1, which any text of one byte per character is for colors.
    private static func text(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(validating: bytes.dropFirst(3), as: UTF8.self)
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            let isLittle = bytes[0] == 0xFF
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map { at -> UInt16 in
                let (first, second) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
                return isLittle ? second << 8 | first : first << 8 | second
            }
            return String(validating: units, as: UTF16.self)
        }
        if bytes.contains(0) { return nil }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

/// Big-endian numbers and texts of a file, up to its end.
struct BigEndianBytes {
    let bytes: [UInt8]
    private(set) var at = 0

    init(_ bytes: [UInt8], at: Int = 0) {
        self.bytes = bytes
        self.at = at
    }

    var isAtEnd: Bool { at >= bytes.count }

    mutating func u16() -> UInt16? {
        guard at + 2 <= bytes.count else { return nil }
        defer { at += 2 }
        return UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
    }

    mutating func u32() -> UInt32? {
        guard let high = u16(), let low = u16() else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    mutating func float() -> Double? {
        guard let bits = u32() else { return nil }
        let value = Double(Float(bitPattern: bits))
        return value.isFinite ? value : nil
    }

    mutating func ascii(_ count: Int) -> String? {
        guard at + count <= bytes.count else { return nil }
        defer { at += count }
        return String(decoding: bytes[at..<at + count], as: UTF8.self)
    }

    /// UTF-16 units, the last of which is a 0.
    mutating func name(_ count: Int) -> String? {
        guard count >= 0, at + 2 * count <= bytes.count else { return nil }
        var units: [UInt16] = []
        for _ in 0..<count { if let unit = u16(), unit != 0 { units.append(unit) } }
        return String(decoding: units, as: UTF16.self)
    }

    mutating func skip(to place: Int) { at = place }
}
