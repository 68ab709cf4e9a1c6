public import Foundation

/// A type with a value for objects that have none.
public protocol PlaceholderValue: Sendable {
    /// The value of null bytes, and of bytes that cannot be decoded.
    static var placeholder: Self { get }
}

/// A value that is stored by its `Codable` conformance; see ``CodableTransformer``.
public protocol CodableValue: Codable, PlaceholderValue {}

extension Array: PlaceholderValue where Element: PlaceholderValue {
    /// A value for objects without one.
    public static var placeholder: [Element] { [] }
}

extension Dictionary: PlaceholderValue where Key: PlaceholderValue, Value: PlaceholderValue {
    /// A value for objects without one.
    public static var placeholder: [Key: Value] { [:] }
}

extension Array: CodableValue where Element: CodableValue {}
extension Dictionary: CodableValue where Key: CodableValue, Value: CodableValue {}
extension Int: CodableValue { public static var placeholder: Int { 0 } }
extension Double: CodableValue { public static var placeholder: Double { 0 } }
extension Bool: CodableValue { public static var placeholder: Bool { false } }
extension String: CodableValue { public static var placeholder: String { "" } }
extension Date: CodableValue { public static var placeholder: Date { Date(storedValue: .null) } }
extension Data: CodableValue { public static var placeholder: Data { Data() } }

/// Stores any `Codable` value as a binary property list:
///
///     @Attribute(transformer: CodableTransformer<Place>.self) var place: Place?
///
/// Properties that were added since must be optional, or have a default in `init(from:)`, as with every file
/// of such values: bytes that do not fit read as the placeholder.
public enum CodableTransformer<Value: CodableValue>: ValueTransforming {
    /// A value for objects without one.
    public static var placeholder: Value { Value.placeholder }

    /// A value that its own type refuses to encode stops the program: what is not stored would be lost.
    public static func encode(_ value: Value) -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        // In a list, because a property list's root is no number and no text.
        do { return try encoder.encode([value]) } catch {
            misuse("\(Value.self) cannot be encoded: \(error)")
        }
    }

    /// - Throws: `DecodingError`, or an error that says what is wrong with the list.
    public static func decode(_ data: Data) throws -> Value {
        let values = try BinaryPropertyListDecoder.decode([Value].self, from: data)
        guard let value = values.first else { throw CocoaError(.coderReadCorrupt) }
        return value
    }
}
