public import Foundation

/// A value of the classes that Core Data's default transformer allows, `NSSecureUnarchiveFromData`.
public enum FoundationObject: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A whole number. Archives with greater ones than `Int64` has come as ``double(_:)``.
    case int(Int64)
    case double(Double)
    case decimal(Decimal)
    case text(String)
    case date(Date)
    case data(Data)
    case url(URL)
    case uuid(UUID)
    case array([FoundationObject])
    case set(Set<FoundationObject>)
    case dictionary([FoundationObject: FoundationObject])
}

/// A value that ``ArchiveTransformer`` stores.
public protocol Archivable: PlaceholderValue {
    /// Nil for an object of another kind.
    init?(foundationObject: FoundationObject)
    var foundationObject: FoundationObject { get }
}

extension FoundationObject: Archivable {
    /// `NSNull`.
    public static var placeholder: FoundationObject { .null }
    /// The same object.
    public init(foundationObject: FoundationObject) { self = foundationObject }
    /// The same object.
    public var foundationObject: FoundationObject { self }
}

extension String: Archivable {
    /// Nil for an object that is no text.
    public init?(foundationObject: FoundationObject) {
        guard case .text(let text) = foundationObject else { return nil }
        self = text
    }
    /// An `NSString`.
    public var foundationObject: FoundationObject { .text(self) }
}

extension Bool: Archivable {
    /// Nil for an object that is no truth value; 0 and 1 are.
    public init?(foundationObject: FoundationObject) {
        switch foundationObject {
        case .bool(let value): self = value
        case .int(0): self = false
        case .int(1): self = true
        default: return nil
        }
    }
    /// An `NSNumber`.
    public var foundationObject: FoundationObject { .bool(self) }
}

extension Int: Archivable {
    /// Nil for an object that is no whole number.
    public init?(foundationObject: FoundationObject) {
        switch foundationObject {
        case .bool(let value): self = value ? 1 : 0
        case .int(let value): self = Int(value)
        case .double(let value):
            guard let value = Int(exactly: value) else { return nil }
            self = value
        case .decimal(let value):
            guard let value = Int("\(value)") else { return nil }
            self = value
        default: return nil
        }
    }
    /// An `NSNumber`.
    public var foundationObject: FoundationObject { .int(Int64(self)) }
}

extension Double: Archivable {
    /// Nil for an object that is no number.
    public init?(foundationObject: FoundationObject) {
        switch foundationObject {
        case .bool(let value): self = value ? 1 : 0
        case .int(let value): self = Double(value)
        case .double(let value): self = value
        case .decimal(let value): self = (value as NSDecimalNumber).doubleValue
        default: return nil
        }
    }
    /// An `NSNumber`.
    public var foundationObject: FoundationObject { .double(self) }
}

extension Decimal: Archivable {
    /// A value for objects without one.
    public static var placeholder: Decimal { 0 }
    /// Nil for an object that is no number.
    public init?(foundationObject: FoundationObject) {
        switch foundationObject {
        case .bool(let value): self = value ? 1 : 0
        case .int(let value): self = Decimal(value)
        case .double(let value):
            guard let value = Decimal(nearest: value) else { return nil }
            self = value
        case .decimal(let value): self = value
        default: return nil
        }
    }
    /// An `NSDecimalNumber`.
    public var foundationObject: FoundationObject { .decimal(self) }
}

extension Date: Archivable {
    /// Nil for an object that is no date.
    public init?(foundationObject: FoundationObject) {
        guard case .date(let date) = foundationObject else { return nil }
        self = date
    }
    /// An `NSDate`.
    public var foundationObject: FoundationObject { .date(self) }
}

extension Data: Archivable {
    /// Nil for an object that is no data.
    public init?(foundationObject: FoundationObject) {
        guard case .data(let data) = foundationObject else { return nil }
        self = data
    }
    /// An `NSData`.
    public var foundationObject: FoundationObject { .data(self) }
}

extension URL: Archivable {
    /// A value for objects without one.
    public static var placeholder: URL { URL(storedValue: .null) }
    /// Nil for an object that is no URL.
    public init?(foundationObject: FoundationObject) {
        guard case .url(let url) = foundationObject else { return nil }
        self = url
    }
    /// An `NSURL`.
    public var foundationObject: FoundationObject { .url(self) }
}

extension UUID: Archivable {
    /// A value for objects without one.
    public static var placeholder: UUID { UUID(storedValue: .null) }
    /// Nil for an object that is no UUID.
    public init?(foundationObject: FoundationObject) {
        guard case .uuid(let uuid) = foundationObject else { return nil }
        self = uuid
    }
    /// An `NSUUID`.
    public var foundationObject: FoundationObject { .uuid(self) }
}

extension Array: Archivable where Element: Archivable {
    /// Nil for an object that is no array, or has an element of another kind.
    public init?(foundationObject: FoundationObject) {
        guard case .array(let objects) = foundationObject else { return nil }
        self = objects.compactMap { Element(foundationObject: $0) }
        if count < objects.count { return nil }
    }
    /// An `NSArray`.
    public var foundationObject: FoundationObject { .array(map(\.foundationObject)) }
}

extension Set: PlaceholderValue where Element: PlaceholderValue {
    /// A value for objects without one.
    public static var placeholder: Set<Element> { [] }
}

extension Set: Archivable where Element: Archivable {
    /// Nil for an object that is no set, or has an element of another kind.
    public init?(foundationObject: FoundationObject) {
        guard case .set(let objects) = foundationObject else { return nil }
        self = Set(objects.compactMap { Element(foundationObject: $0) })
        if count < objects.count { return nil }
    }
    /// An `NSSet`.
    public var foundationObject: FoundationObject { .set(Set<FoundationObject>(map(\.foundationObject))) }
}

extension Dictionary: Archivable where Key: Archivable, Value: Archivable {
    /// Nil for an object that is no dictionary, or has a key or a value of another kind.
    public init?(foundationObject: FoundationObject) {
        guard case .dictionary(let objects) = foundationObject else { return nil }
        self.init(minimumCapacity: objects.count)
        for (key, value) in objects {
            guard let key = Key(foundationObject: key), let value = Value(foundationObject: value),
                updateValue(value, forKey: key) == nil
            else { return nil }
        }
    }
    /// An `NSDictionary`.
    public var foundationObject: FoundationObject {
        let entries = map { ($0.key.foundationObject, $0.value.foundationObject) }
        return .dictionary([FoundationObject: FoundationObject](entries) { _, last in last })
    }
}
