import Foundation

/// A value of Foundation's classes as the Swift value it stands for: `NSNumber`, `NSString`, `NSDate`,
/// `NSData`, `NSUUID`, `NSURL`, `NSArray` and `NSSet`. All others as they are.
func unboxed(_ value: Any) -> Any {
    // Swift's numbers and texts pass for Foundation's in a cast.
    guard type(of: value) is AnyClass else { return value }
    return switch value {
    case let object as NSDecimalNumber: object.decimalValue
    case let object as NSNumber: unboxed(number: object)
    case let object as NSString: object.substring(from: 0)
    case let object as NSDate:
        Date(timeIntervalSinceReferenceDate: object.timeIntervalSinceReferenceDate)
    case let object as NSData: Data(referencing: object)
    case let object as NSUUID:
        UUID(uuidString: object.uuidString) ?? value
    case let object as NSURL: object.absoluteURL ?? value
    case let object as NSArray: object.map { $0 }
    case let object as NSSet: object.allObjects
    default: value
    }
}

private func unboxed(number: NSNumber) -> Any { Int64(exactly: number) ?? number.doubleValue }
