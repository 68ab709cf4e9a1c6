public import Foundation

/// Its text, as in Core Data's stores. What is no URL reads as `file:///`.
extension URL: AttributeValue {
    /// The attribute type of the model.
    public static var attributeType: AttributeType { .uri }
    /// Reads the value of a row; null and values of another kind read as zero or empty.
    public init(storedValue: StoredValue) {
        self = URL(string: String(storedValue: storedValue)) ?? URL(fileURLWithPath: "/")
    }
    /// The value as a row keeps it.
    public var storedValue: StoredValue { .text(absoluteString) }
    /// Two values that tell key paths apart while a class is recorded.
    public static var sentinels: (URL, URL) {
        (URL(fileURLWithPath: "/aZ2q7"), URL(fileURLWithPath: "/Qb1x2"))
    }
}
