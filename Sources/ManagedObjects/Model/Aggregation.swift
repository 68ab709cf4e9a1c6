import Foundation

/// Counts, sums, and comparisons over rows, by groups.
struct Aggregation: Sendable {
    enum Function: Sendable {
        case count, countDistinct, sum, average, minimum, maximum
    }

    struct Column: Sendable {
        let function: Function
        /// Nil counts rows; else values that are not null count.
        let path: PropertyPath?
        /// Whether the values are decimals.
        var isDecimal = false
        /// Whether one of the values, or infinities of both signs, may make the sum a NaN.
        var mayBeNaN = false
    }

    /// Rows with the same values of these are one group. None at all make one group of everything, even of
    /// nothing.
    var groups: [PropertyPath] = []
    var columns: [Column] = []

    /// The paths to read of each row.
    var paths: [PropertyPath] { groups + columns.compactMap(\.path) }

    /// - Parameter rows: of each row the values of ``paths``.
    /// - Returns: of each group its values, then its columns; in the order of its values.
    /// - Throws: ``StoreError`` when a sum of integers does not fit in 64 bits.
    func results(_ rows: some Sequence<CompactValues>) throws -> [[StoredValue]] {
        var groupIndices: [[StoredValue]: Int] = [:], all: [(key: [StoredValue], tallies: [Tally])] = []
        if groups.isEmpty { all.append(([], columns.map(Tally.init))) }
        for row in rows {
            var index = 0
            if !groups.isEmpty {
                let key = Array(row.prefix(groups.count))
                if let known = groupIndices[key] {
                    index = known
                } else {
                    index = all.count
                    groupIndices[key] = index
                    all.append((key, columns.map(Tally.init)))
                }
            }
            var next = groups.count
            for column in columns.indices {
                if columns[column].path == nil {
                    all[index].tallies[column].addRow()
                } else {
                    try all[index].tallies[column].add(row[next])
                    next += 1
                }
            }
        }
        return Self.sorted(all.map { $0.key + $0.tallies.map(\.result) }, groups.count)
    }

    /// Groups by their values, null first.
    static func sorted(_ results: [[StoredValue]], _ groups: Int) -> [[StoredValue]] {
        results.sorted { a, b in
            for index in 0..<groups {
                switch (a[index], b[index]) {
                case (.null, .null): continue
                case (.null, _): return true
                case (_, .null): return false
                default: break
                }
                switch a[index].order(to: b[index]) {
                case .less: return true
                case .greater: return false
                case .same, nil: continue
                }
            }
            return false
        }
    }
}

/// The running value of a column of a group.
private struct Tally {
    let column: Aggregation.Column
    private var count: Int64 = 0
    private var integers: Int64 = 0
    private var number = 0.0
    private var decimal = Decimal(0)
    private var hasNumbers = false
    private var best: StoredValue = .null
    private var seen: Set<StoredValue> = []

    init(_ column: Aggregation.Column) { self.column = column }

    mutating func addRow() { count += 1 }

    mutating func add(_ value: StoredValue) throws {
        if case .null = value { return }
        count += 1
        switch column.function {
        case .count: break
        case .countDistinct: seen.insert(value)
        case .minimum: if best == .null || value.order(to: best) == .less { best = value }
        case .maximum: if best == .null || value.order(to: best) == .greater { best = value }
        case .sum, .average:
            if column.isDecimal {
                decimal += Decimal(storedValue: value)
                return
            }
            switch value {
            case .int(let more):
                let (sum, isOver) = integers.addingReportingOverflow(more)
                if isOver && column.function == .sum {
                    throw StoreError.sqlite(code: 1, message: "integer overflow", sql: nil)
                }
                integers = sum
                number += Double(more)
            case .double(let more):
                hasNumbers = true
                number += more
            case .text where column.mayBeNaN: (hasNumbers, number) = (true, .nan)
            default: break
            }
        }
    }

    var result: StoredValue {
        switch column.function {
        case .count: .int(count)
        case .countDistinct: .int(Int64(seen.count))
        case .minimum, .maximum: best
        case .sum: column.isDecimal ? decimal.storedValue : hasNumbers ? number.storedValue : .int(integers)
        case .average: count == 0 ? .null : average
        }
    }

    private var average: StoredValue {
        column.isDecimal ? (decimal / Decimal(count)).storedValue : (number / Double(count)).storedValue
    }
}
