import Foundation

/// A rule that a value must satisfy when its object is saved. Nil satisfies every rule: see
/// ``AttributeDescription/isOptional``.
///
///     @Attribute(.range(0...5)) var rating: Int16
///     @Attribute(.length(1...80), .matches("[A-Z].*")) var title: String
public enum ValidationRule: Sendable, Equatable {
    /// At least, and at most. Both ends may be left out.
    case bounds(StoredValue?, StoredValue?)
    /// The length of a string in characters, or of data in bytes.
    case lengths(Int?, Int?)
    /// The whole text, as in Core Data's `MATCHES`.
    ///
    /// - Source: ICU regular expressions, as in Apple's.
    case matches(String)

    /// Requires a value within bounds.
    public static func range<Bound: AttributeValue & Comparable>(_ range: ClosedRange<Bound>) -> Self {
        .bounds(range.lowerBound.storedValue, range.upperBound.storedValue)
    }
    /// Requires a value within bounds.
    public static func range<Bound: AttributeValue & Comparable>(_ range: PartialRangeFrom<Bound>) -> Self {
        .bounds(range.lowerBound.storedValue, nil)
    }
    /// Requires a value within bounds.
    public static func range<Bound: AttributeValue & Comparable>(_ range: PartialRangeThrough<Bound>)
        -> Self
    { .bounds(nil, range.upperBound.storedValue) }

    /// Requires a string with this many characters, or data with this many bytes.
    public static func length(_ range: ClosedRange<Int>) -> Self {
        .lengths(range.lowerBound, range.upperBound)
    }
    /// Requires a string with this many characters, or data with this many bytes.
    public static func length(_ range: PartialRangeFrom<Int>) -> Self { .lengths(range.lowerBound, nil) }
    /// Requires a string with this many characters, or data with this many bytes.
    public static func length(_ range: PartialRangeThrough<Int>) -> Self { .lengths(nil, range.upperBound) }

    /// The rule for values of `type`; nil when no value of the type has what it asks of.
    func typed(_ type: AttributeType) -> ValidationRule? {
        switch self {
        case .bounds(let least, let greatest):
            let typed = (least.map { type.typed($0) }, greatest.map { type.typed($0) })
            if case .some(.none) = typed.0 { return nil }
            if case .some(.none) = typed.1 { return nil }
            return .bounds(typed.0 ?? nil, typed.1 ?? nil)
        case .lengths: return [.string, .uri, .binaryData, .transformable].contains(type) ? self : nil
        case .matches(let pattern):
            let isPattern = (try? NSRegularExpression(pattern: pattern)) != nil
            return isPattern && (type == .string || type == .uri) ? self : nil
        }
    }

    /// Returns the part of the rule that `value` breaks.
    func broken(by value: StoredValue) -> [ValidationError.Rule] {
        switch (self, value) {
        case (_, .null): return []
        case (.bounds(let least, let greatest), _):
            var broken: [ValidationError.Rule] = []
            if let least, value.order(to: least) == .less { broken.append(.tooSmall(minimum: least)) }
            if let greatest, value.order(to: greatest) == .greater {
                broken.append(.tooLarge(maximum: greatest))
            }
            return broken
        case (.lengths(let least, let greatest), _):
            let length = value.length
            var broken: [ValidationError.Rule] = []
            if let least, length < least { broken.append(.tooShort(minimum: least)) }
            if let greatest, length > greatest { broken.append(.tooLong(maximum: greatest)) }
            return broken
        case (.matches(let pattern), .text(let text)):
            return CompiledPattern.of(pattern).matches(text) ? [] : [.noMatch(pattern: pattern)]
        case (.matches, _): return []
        }
    }
}

extension StoredValue {
    fileprivate var length: Int {
        switch self {
        case .text(let text): text.count
        case .blob(let data): data.count
        default: 0
        }
    }
}
