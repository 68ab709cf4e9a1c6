public import Foundation
public import ManagedObjects

/// A type that a query's value can be.
public protocol SelectValue: Sendable {
    /// The value as this type; nil when it is null, of another kind, or does not fit.
    static func selected(_ value: QueryValue) -> Self?
}

/// A value as a query found it.
public struct QueryValue: Sendable {
    let stored: StoredValue
    /// Nil for IDs.
    let type: AttributeType?

    /// The number of a number, a truth value (0 or 1), or a date (seconds since 2001).
    var number: Double? {
        switch stored {
        case .int(let value): Double(value)
        case .double(let value): value
        case .text, .blob:
            switch type {
            case .decimal: NSDecimalNumber(decimal: Decimal(storedValue: stored)).doubleValue
            case .double, .float: Double(storedValue: stored)
            default: nil
            }
        default: nil
        }
    }

    /// As the type of the attribute says.
    var natural: (any Sendable)? {
        if case .null = stored { return nil }
        if case .id(let id) = stored { return id }
        return switch type {
        case .integer16, .integer32, .integer64: Int(storedValue: stored)
        case .boolean: Bool(storedValue: stored)
        case .double, .float: Double(storedValue: stored)
        case .decimal: Decimal(storedValue: stored)
        case .string: String(storedValue: stored)
        case .uri: URL(storedValue: stored)
        case .date: Date(storedValue: stored)
        case .uuid: UUID(storedValue: stored)
        case .binaryData, .transformable: Data(storedValue: stored)
        case .undefined, .composite, nil: nil
        }
    }
}

/// Numbers are cut off towards zero, as by Foundation's number class.
extension SelectValue where Self: FixedWidthInteger {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> Self? {
        if case .int(let whole) = value.stored { return Self(exactly: whole) }
        if case .blob = value.stored, value.type == .decimal {
            // Its digits: a `Double` would round a whole number beyond 2^53.
            return Self("\(Decimal(storedValue: value.stored))".prefix { $0 != "." })
        }
        return value.number.flatMap { Self(exactly: $0.rounded(.towardZero)) }
    }
}

extension Int8: SelectValue {}
extension Int16: SelectValue {}
extension Int32: SelectValue {}
extension Int64: SelectValue {}
extension Int: SelectValue {}

extension Double: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> Double? { value.number }
}

extension Float: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> Float? { value.number.map { Float($0) } }
}

/// True for every number but zero.
extension Bool: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> Bool? { value.number.map { $0 != 0 } }
}

extension Decimal: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> Decimal? {
        switch value.stored {
        case .int, .double: Decimal(storedValue: value.stored)
        case .text, .blob: value.type == .decimal ? Decimal(storedValue: value.stored) : nil
        default: nil
        }
    }
}

extension String: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> String? { value.natural as? String }
}

extension Date: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> Date? {
        value.type == .date ? value.natural as? Date : nil
    }
}

extension Data: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> Data? { value.natural as? Data }
}

extension UUID: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> UUID? { value.natural as? UUID }
}

extension URL: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> URL? { value.natural as? URL }
}

extension ManagedObjectID: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> ManagedObjectID? {
        if case .id(let id) = value.stored { id } else { nil }
    }
}

extension ObjectReference: SelectValue {
    /// Converts a value of a query; nil if it cannot be converted.
    public static func selected(_ value: QueryValue) -> ObjectReference? {
        ManagedObjectID.selected(value).map { ObjectReference(objectID: $0) }
    }
}
