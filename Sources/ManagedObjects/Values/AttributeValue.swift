public import Foundation

/// A type whose values fit one column as they are. Others need a ``ValueTransforming``.
public protocol AttributeValue: PredicateValue {
    /// Core Data's type of such an attribute; it decides the column's type and goes into the version hash.
    static var attributeType: AttributeType { get }
    /// Whether an attribute of this type may be null. True for `Optional` alone.
    static var isOptional: Bool { get }
    /// Reads a column. A null, or a value of another kind, reads as the type's zero, so that a row written
    /// by another program cannot stop this one.
    init(storedValue: StoredValue)
    /// Two unlikely values that differ. A prototype answers the first, then the second, while a key path is
    /// recorded; a key path that hands neither through untouched ends in a computed property.
    static var sentinels: (Self, Self) { get }
}

extension AttributeValue {
    /// Whether a row may hold null.
    public static var isOptional: Bool { false }
}

/// A value that a predicate may compare a property with.
public protocol PredicateValue: Sendable {
    var storedValue: StoredValue { get }
}

extension AttributeValue where Self: FixedWidthInteger {
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        if case .int(let value) = storedValue { self = Self(exactly: value) ?? 0 } else { self = 0 }
    }
    /// The value as a row keeps it.
    public var storedValue: StoredValue { .int(Int64(self)) }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (Self, Self) { (0x5A1, -0x1B7) }
}
extension Int16: AttributeValue { public static var attributeType: AttributeType { .integer16 } }
extension Int32: AttributeValue { public static var attributeType: AttributeType { .integer32 } }
extension Int64: AttributeValue { public static var attributeType: AttributeType { .integer64 } }
extension Int: AttributeValue { public static var attributeType: AttributeType { .integer64 } }

extension Bool: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { .boolean }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) { self = Int64(storedValue: storedValue) != 0 }
    /// The value as a row keeps it.
    public var storedValue: StoredValue { .int(self ? 1 : 0) }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (Bool, Bool) { (true, false) }
}

extension Double: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { .double }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        switch storedValue {
        case .double(let value): self = value
        case .int(let value): self = Double(value)
        case .text(Self.notANumber): self = .nan
        default: self = 0
        }
    }
    /// A NaN is stored as a text, since SQLite would make null of it. It is equal to itself and greater than
    /// every number there.
    public var storedValue: StoredValue { isNaN ? .text(Self.notANumber) : .double(self) }
    private static var notANumber: String { "NaN" }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (Double, Double) { (814_237.125, -93_411.75) }
}

extension Float: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { .float }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) { self = Float(Double(storedValue: storedValue)) }
    /// The value as a row keeps it.
    public var storedValue: StoredValue { Double(self).storedValue }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (Float, Float) { (14_237.125, -93_411.75) }
}

extension String: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { .string }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        if case .text(let value) = storedValue { self = value } else { self = "" }
    }
    /// The value as a row keeps it.
    public var storedValue: StoredValue { .text(self) }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (String, String) { ("\u{1}aZ\u{2}q7", "\u{3}Qb\u{1}x2") }
}

/// Seconds since 2001-01-01 00:00 UTC, as in Core Data's stores.
extension Date: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { .date }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        self.init(timeIntervalSinceReferenceDate: Double(storedValue: storedValue))
    }
    /// The value as a row keeps it.
    public var storedValue: StoredValue { timeIntervalSinceReferenceDate.storedValue }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (Date, Date) {
        (Date(storedValue: .double(Double.sentinels.0)), Date(storedValue: .double(Double.sentinels.1)))
    }
}

extension Data: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { .binaryData }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        if case .blob(let value) = storedValue { self = value } else { self = Data() }
    }
    /// The value as a row keeps it.
    public var storedValue: StoredValue { .blob(self) }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (Data, Data) { (Data([0x5A, 0xC3, 7]), Data([1, 0x5A, 0xC3])) }
}

/// Sixteen bytes, big-endian, as in Core Data's stores.
extension UUID: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { .uuid }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        var bytes = [UInt8](Data(storedValue: storedValue).prefix(16))
        bytes += [UInt8](repeating: 0, count: 16 - bytes.count)
        self.init(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
    /// The value as a row keeps it.
    public var storedValue: StoredValue {
        let u = uuid
        return .blob(
            Data([
                u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
            ]))
    }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (UUID, UUID) {
        (UUID(storedValue: .blob(Data([0x5A, 0xC3, 7]))), UUID(storedValue: .blob(Data([1, 0x5A, 0xC3]))))
    }
}

extension Optional: PredicateValue where Wrapped: PredicateValue {
    /// The value as a row keeps it.
    public var storedValue: StoredValue { self?.storedValue ?? .null }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { Wrapped.attributeType }
    /// Whether a row may hold null.
    public static var isOptional: Bool { true }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        if case .null = storedValue { self = nil } else { self = Wrapped(storedValue: storedValue) }
    }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (Wrapped?, Wrapped?) { (Wrapped.sentinels.0, Wrapped.sentinels.1) }
}

/// An enumeration stored by its raw value. A number that is no case reads as the first case, so that a row
/// from a later version cannot stop this one.
public protocol AttributeEnumeration: AttributeValue, RawRepresentable, CaseIterable
where RawValue: AttributeValue {}

extension AttributeEnumeration {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { RawValue.attributeType }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        self = Self(rawValue: RawValue(storedValue: storedValue)) ?? Self.allCases[Self.allCases.startIndex]
    }
    /// The value as a row keeps it.
    public var storedValue: StoredValue { rawValue.storedValue }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (Self, Self) {
        let cases = Array(allCases)
        return (cases[0], cases[cases.count - 1])
    }
}
