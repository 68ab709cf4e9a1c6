public import Foundation

/// In memory the digits as bytes whose order is that of the numbers, so that every store compares decimals
/// alike, whatever it keeps them as; see `DecimalKey`.
extension Decimal: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { .decimal }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        switch storedValue {
        case .blob(let key): self = DecimalKey.decimal(key) ?? 0
        case .int(let value): self = Decimal(value)
        case .double(let value): self = Decimal(nearest: value) ?? 0
        default: self = 0
        }
    }
    /// The digits as bytes; NaN is stored as null.
    public var storedValue: StoredValue { isNaN ? .null : .blob(DecimalKey.key(self)) }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (Decimal, Decimal) { (Decimal(814_237) / 8, Decimal(-93_411) / 4) }

    /// The shortest decimal that reads as `value`; nil for what is not finite or beyond a decimal's range.
    init?(nearest value: Double) {
        guard value.isFinite, let decimal = Decimal(string: "\(value)", locale: nil), !decimal.isNaN else {
            return nil
        }
        self = decimal
    }
}

/// A decimal number as bytes that lie in the order of the numbers, one form a number.
///
/// A byte for the sign; two for the power of ten above the first digit; the digits, each plus one. Of
/// negative numbers all behind the sign is turned round and closed by 255.
enum DecimalKey {
    private static let bias = 0x4000

    static func key(_ decimal: Decimal) -> Data {
        let text = decimal.description
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        let whole = parts.first.map { $0.utf8.map { $0 - 48 } } ?? []
        var digits = whole + (parts.count > 1 ? parts[1].utf8.map { $0 - 48 } : [])
        let zeros = digits.prefix { $0 == 0 }.count
        digits.removeFirst(zeros)
        while digits.last == 0 { digits.removeLast() }
        if digits.isEmpty { return Data([0x80]) }
        let exponent = whole.count - zeros + bias
        let bytes = [UInt8(exponent >> 8), UInt8(exponent & 0xFF)] + digits.map { $0 + 1 }
        return isNegative ? Data([0x7F] + bytes.map { ~$0 } + [0xFF]) : Data([0x81] + bytes)
    }

    /// Nil for bytes that no decimal has.
    static func decimal(_ key: Data) -> Decimal? {
        var bytes = [UInt8](key)
        guard let sign = bytes.first else { return nil }
        if sign == 0x80 { return 0 }
        bytes.removeFirst()
        if sign == 0x7F {
            _ = bytes.popLast()
            bytes = bytes.map { ~$0 }
        }
        guard bytes.count > 2 else { return nil }
        let digits = bytes.dropFirst(2)
        guard digits.allSatisfy({ (1...10).contains($0) }) else { return nil }
        let exponent = Int(bytes[0]) << 8 + Int(bytes[1]) - bias - digits.count
        let text = String(decoding: digits.map { $0 + 47 }, as: UTF8.self)
        return Decimal(string: "\(sign == 0x7F ? "-" : "")\(text)E\(exponent)", locale: nil)
    }

    /// Returns the value of a column of Core Data's tables: a number if that keeps every digit, the digits as
    /// bytes otherwise. SQLite's own conversion reads the nearest floating-point number from those.
    static func column(_ key: Data) -> StoredValue {
        guard let decimal = decimal(key) else { return .blob(key) }
        let text = decimal.description
        if let whole = Int64(text) { return .int(whole) }
        if let value = Double(text), let back = Decimal(nearest: value), back == decimal {
            return .double(value)
        }
        return .blob(Data(text.utf8))
    }

    /// The key of what a column holds; null for what is no number.
    static func key(column: StoredValue) -> StoredValue {
        switch column {
        case .int(let value): Decimal(value).storedValue
        case .double(let value): Decimal(nearest: value)?.storedValue ?? .null
        case .text(let text): Decimal(string: text, locale: nil)?.storedValue ?? .null
        case .blob(let bytes):
            Decimal(string: String(decoding: bytes, as: UTF8.self), locale: nil)?.storedValue ?? .null
        case .null, .id, .external: .null
        }
    }
}
