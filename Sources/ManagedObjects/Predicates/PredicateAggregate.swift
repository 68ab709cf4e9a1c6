/// `songs.@max.stars`: one value made of a value of each object at the end of a to-many path.
///
/// Objects without a value do not count. The sum of nothing is 0, all else of nothing is null. Whole numbers
/// are added up whole, and as floating point where their sum does not fit in 64 bits.
struct PredicateAggregate: Sendable, Hashable {
    /// The operators of key-value coding.
    enum Function: String, Sendable {
        case maximum = "@max"
        case minimum = "@min"
        case sum = "@sum"
        case average = "@avg"

        var isArithmetic: Bool { self == .sum || self == .average }
    }

    let function: Function
    let path: PropertyPath
    /// From each object.
    let value: PropertyPath
    let type: AttributeType

    /// Whether values are floating point, among which there may be a NaN.
    var isFloating: Bool { type == .double || type == .float }

    /// - Parameter values: of the objects, in any order.
    func result(_ values: [StoredValue]) -> StoredValue {
        let values = values.filter { $0 != .null }
        switch function {
        case .maximum: return values.dropFirst().reduce(values.first) { best($0, $1, .greater) } ?? .null
        case .minimum: return values.dropFirst().reduce(values.first) { best($0, $1, .less) } ?? .null
        case .sum:
            if isFloating { return values.isEmpty ? .int(0) : floatingSum(values).storedValue }
            return Self.wholeSum(values.map { Int64(storedValue: $0) })
        case .average:
            return values.isEmpty ? .null : (floatingSum(values) / Double(values.count)).storedValue
        }
    }

    private func best(_ a: StoredValue?, _ b: StoredValue, _ order: StoredValue.Order) -> StoredValue? {
        a.map { b.order(to: $0) == order ? b : $0 }
    }

    private func floatingSum(_ values: [StoredValue]) -> Double {
        values.reduce(0) { $0 + Double(storedValue: $1) }
    }

    /// In halves, as the SQL does it, in which a sum of 64 bits that overflows is an error.
    static func wholeSum(_ values: [Int64]) -> StoredValue {
        let high = values.reduce(0) { $0 &+ ($1 >> 32) }
        let low = values.reduce(0) { $0 &+ ($1 & 0xFFFF_FFFF) }
        let shifted = PredicateNode.Arithmetic.multiply.result(.int(high), .int(1 << 32))
        return PredicateNode.Arithmetic.add.result(shifted, .int(low))
    }
}
