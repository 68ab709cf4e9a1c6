/// Numbers and texts as bytes, for what a worker answers.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

    mutating func add(_ number: Int?) {
        add(number == nil ? 0 : 1)
        add(number ?? 0)
    }

    mutating func add(_ number: Double?) {
        add(number == nil ? 0 : 1)
        add((number ?? 0).bitPattern)
    }

    mutating func add(_ text: String) {
        add(text.utf8.count)
        bytes += text.utf8
    }

    private mutating func add(_ bits: UInt64) {
        for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: bits >> (byte * 8))) }
    }
}

/// What a ``RecordWriter`` wrote, as read from a worker that may have written anything.
///
/// Each value is nil when the bytes end before it, or it is none of its type or range.
struct RecordReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether all bytes were read.
    var isAtEnd: Bool { at == bytes.count }

    mutating func number(_ range: ClosedRange<Int>) -> Int? {
        guard let bits = bits() else { return nil }
        let number = Int(Int64(bitPattern: bits))
        return range.contains(number) ? number : nil
    }

    /// A number that need not be there: `.some(nil)` when it is not.
    mutating func optional(_ range: ClosedRange<Int>) -> Int?? {
        guard let isThere = number(0...1), let value = bits() else { return nil }
        if isThere == 0 { return .some(nil) }
        let number = Int(Int64(bitPattern: value))
        return range.contains(number) ? .some(number) : nil
    }

    /// As ``optional(_:)``, with a fraction.
    mutating func optional(_ range: ClosedRange<Double>) -> Double?? {
        guard let isThere = number(0...1), let value = bits() else { return nil }
        if isThere == 0 { return .some(nil) }
        // Not-a-number lies in no range.
        let number = Double(bitPattern: value)
        return range.contains(number) ? .some(number) : nil
    }

    /// A text of one line, of at most so many bytes.
    mutating func text(_ limit: Int) -> String? {
        guard let count = number(0...limit), count <= bytes.count - at else { return nil }
        let part = bytes[at..<at + count]
        at += count
        // A decoder's words go to terminals and into stores.
        guard let text = String(validating: part, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 })
        else { return nil }
        return text
    }

    private mutating func bits() -> UInt64? {
        guard bytes.count - at >= 8 else { return nil }
        var bits: UInt64 = 0
        for byte in 0..<8 { bits |= UInt64(bytes[at + byte]) << (byte * 8) }
        at += 8
        return bits
    }
}
