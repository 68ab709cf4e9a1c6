/// A few values of a row, such as those that a list is sorted by.
///
/// Up to three numbers and nulls lie in place, 26 bytes in all; anything else in an array of its own, which
/// takes some 100.
struct CompactValues: RandomAccessCollection, Sendable {
    private enum Storage {
        /// The bits of numbers, and two bits per value that say what it is, from the lowest.
        case numbers(UInt64, UInt64, UInt64, kinds: UInt8)
        case values([StoredValue])
    }

    private let storage: Storage
    private static let null: UInt8 = 1, int: UInt8 = 2, double: UInt8 = 3

    init() { storage = .numbers(0, 0, 0, kinds: 0) }

    init(_ values: some Collection<StoredValue>) {
        guard values.count <= 3 else {
            storage = .values(Array(values))
            return
        }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0), kinds: UInt8 = 0
        for value in values.reversed() {
            let word: UInt64, kind: UInt8
            switch value {
            case .null: (word, kind) = (0, Self.null)
            case .int(let number): (word, kind) = (UInt64(bitPattern: number), Self.int)
            case .double(let number): (word, kind) = (number.bitPattern, Self.double)
            case .text, .blob, .id, .external:
                storage = .values(Array(values))
                return
            }
            (words, kinds) = ((word, words.0, words.1), kinds << 2 | kind)
        }
        storage = .numbers(words.0, words.1, words.2, kinds: kinds)
    }

    var startIndex: Int { 0 }

    var endIndex: Int {
        switch storage {
        case .numbers(_, _, _, let kinds): (9 - kinds.leadingZeroBitCount) / 2
        case .values(let values): values.count
        }
    }

    subscript(index: Int) -> StoredValue {
        switch storage {
        case .values(let values): return values[index]
        case .numbers(let first, let second, let third, let kinds):
            guard indices.contains(index) else { misuse("a row has no value \(index)") }
            let word = index == 0 ? first : index == 1 ? second : third
            switch kinds >> (2 * UInt8(index)) & 3 {
            case Self.int: return .int(Int64(bitPattern: word))
            case Self.double: return .double(Double(bitPattern: word))
            default: return .null
            }
        }
    }
}

extension CompactValues: Equatable {
    static func == (a: Self, b: Self) -> Bool { a.elementsEqual(b) }
}

extension CompactValues: ExpressibleByArrayLiteral {
    init(arrayLiteral values: StoredValue...) { self.init(values) }
}
