public import Foundation

/// Its text, as in Core Data's stores. What is no URL reads as `file:///`.
extension URL: AttributeValue {
    public static var attributeType: AttributeType { .uri }
    public init(storedValue: StoredValue) {
        self = URL(string: String(storedValue: storedValue)) ?? URL(fileURLWithPath: "/")
    }
    public var storedValue: StoredValue { .text(absoluteString) }
    public static var sentinels: (URL, URL) {
        (URL(fileURLWithPath: "/aZ2q7"), URL(fileURLWithPath: "/Qb1x2"))
    }
}
