/// The numbers of transactions of one writer, which only go up.
///
/// Ranges, so that a writer that works alone for months takes no more room than one transaction; bounded
/// where several writers take turns.
struct TransactionNumbers: Sendable {
    private var ranges: [ClosedRange<Int64>] = []
    /// Whether the oldest were dropped.
    private(set) var isIncomplete = false
    private static let mostRanges = 1_000

    var isEmpty: Bool { ranges.isEmpty && !isIncomplete }
    /// Not of those that were dropped.
    var count: Int64 { ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound + 1 } }

    func contains(_ number: Int64) -> Bool { ranges.contains { $0.contains(number) } }

    mutating func insert(_ number: Int64) {
        if let last = ranges.last, last.upperBound + 1 == number {
            ranges[ranges.count - 1] = last.lowerBound...number
            return
        }
        ranges.append(number...number)
        if ranges.count > Self.mostRanges {
            ranges.removeFirst(Self.mostRanges / 2)
            isIncomplete = true
        }
    }

    /// Takes the greatest number out again, if it is this one.
    mutating func removeLast(_ number: Int64) {
        guard let last = ranges.last, last.upperBound == number else { return }
        ranges.removeLast()
        if last.lowerBound < number { ranges.append(last.lowerBound...number - 1) }
    }
}
