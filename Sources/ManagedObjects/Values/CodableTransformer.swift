public import Foundation

/// A value that is stored by its `Codable` conformance; see ``CodableTransformer``.
public protocol CodableValue: Codable, Sendable {
    /// The value of null bytes, and of bytes that cannot be decoded.
    static var placeholder: Self { get }
}

extension Array: CodableValue where Element: CodableValue {
    /// A value for objects without one.
    public static var placeholder: [Element] { [] }
}

extension Dictionary: CodableValue where Key: CodableValue, Value: CodableValue {
    /// A value for objects without one.
    public static var placeholder: [Key: Value] { [:] }
}

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

    /// - Throws: `DecodingError`.
    public static func decode(_ data: Data) throws -> Value {
        let values = try PropertyListDecoder().decode([Value].self, from: data)
        guard let value = values.first else { throw CocoaError(.coderReadCorrupt) }
        return value
    }
}

/// An element of a list that is kept as Core Data's default transformer keeps it.
public protocol ArchivableElement: Sendable {
    init?(archived object: Any)
    var archived: NSObject { get }
}

extension String: ArchivableElement {
    /// Reads a value out of a keyed archive; nil for another class.
    public init?(archived object: Any) {
        guard let text = (object as? String) ?? (object as? NSString)?.description else { return nil }
        self = text
    }
    /// The value as a keyed archive holds it.
    public var archived: NSObject { NSString(string: self) }
}

extension Double: ArchivableElement {
    /// Reads a value out of a keyed archive; nil for another class.
    public init?(archived object: Any) {
        guard let number = object as? NSNumber else { return nil }
        self = number.doubleValue
    }
    /// The value as a keyed archive holds it.
    public var archived: NSObject { NSNumber(value: self) }
}

extension Int: ArchivableElement {
    /// Reads a value out of a keyed archive; nil for another class.
    public init?(archived object: Any) {
        guard let number = object as? NSNumber else { return nil }
        self = number.intValue
    }
    /// The value as a keyed archive holds it.
    public var archived: NSObject { NSNumber(value: self) }
}

extension Data: ArchivableElement {
    /// Reads a value out of a keyed archive; nil for another class.
    public init?(archived object: Any) {
        guard let data = (object as? Data) ?? (object as? NSData).map({ Data(referencing: $0) }) else {
            return nil
        }
        self = data
    }
    /// The value as a keyed archive holds it.
    public var archived: NSObject { NSData(data: self) }
}

/// Stores a list as a keyed archive of an `NSArray`: what Core Data's default transformer writes, so that
/// programs of Apple's systems read it. Wasteful in space; prefer ``CodableTransformer`` or one of your own.
/// Foundation's archives on Linux compose accents: an "é" of two scalars comes back as one.
public enum ArchiveTransformer<Element: ArchivableElement>: ValueTransforming {
    /// A value for objects without one.
    public static var placeholder: [Element] { [] }

    /// Encodes the elements as a property list.
    public static func encode(_ values: [Element]) -> Data {
        let list = NSMutableArray()
        for value in values { list.add(value.archived) }
        do {
            return try NSKeyedArchiver.archivedData(
                withRootObject: NSArray(array: list), requiringSecureCoding: true)
        } catch {
            misuse("a list of \(Element.self) cannot be archived: \(error)")
        }
    }

    /// - Throws: what `NSKeyedUnarchiver` throws; `CocoaError` for an archive of something else.
    public static func decode(_ data: Data) throws -> [Element] {
        let classes: [AnyClass] = [NSArray.self, NSString.self, NSNumber.self, NSData.self]
        guard let list = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? NSArray
        else { throw CocoaError(.coderReadCorrupt) }
        return try (0..<list.count).map { index in
            guard let element = Element(archived: list.object(at: index)) else {
                throw CocoaError(.coderReadCorrupt)
            }
            return element
        }
    }
}
