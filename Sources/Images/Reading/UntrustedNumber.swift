/// A size or a count computed from the numbers of a file.
///
/// Arithmetic never traps: a result below 0 or beyond `Int` is no number, and neither is anything computed
/// from it. The only way back to an `Int` names the largest one allowed.
struct UntrustedNumber {
    private let number: Int?

    init(_ number: Int) { self.number = number >= 0 ? number : nil }

    private init(_ result: (partialValue: Int, overflow: Bool)?) {
        number = result.flatMap { $0.overflow || $0.partialValue < 0 ? nil : $0.partialValue }
    }

    /// The number; nil when it is larger than the limit, or none.
    func value(upTo limit: Int) -> Int? { number.flatMap { $0 <= limit ? $0 : nil } }

    static func + (a: UntrustedNumber, b: UntrustedNumber) -> UntrustedNumber {
        a.combined(with: b) { $0.addingReportingOverflow($1) }
    }

    static func - (a: UntrustedNumber, b: UntrustedNumber) -> UntrustedNumber {
        a.combined(with: b) { $0.subtractingReportingOverflow($1) }
    }

    static func * (a: UntrustedNumber, b: UntrustedNumber) -> UntrustedNumber {
        a.combined(with: b) { $0.multipliedReportingOverflow(by: $1) }
    }

    private func combined(
        with other: UntrustedNumber, by operation: (Int, Int) -> (partialValue: Int, overflow: Bool)
    ) -> UntrustedNumber {
        guard let number, let other = other.number else { return UntrustedNumber(nil) }
        return UntrustedNumber(operation(number, other))
    }
}

extension UntrustedNumber: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int) { self.init(value) }
}
