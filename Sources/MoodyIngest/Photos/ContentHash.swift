import Foundation

/// XXH3-128 of a file's contents, as the store has it, in two words: no allocation for each of many.
struct ContentHash: Hashable, Sendable {
    private let high: UInt64, low: UInt64

    /// - Parameter bytes: 16 of them; nil for any other number.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        (high, low) = (word(bytes.prefix(8)), word(bytes.dropFirst(8)))
    }

    /// Stands in a column for a missing hash.
    static let none = ContentHash(words: (0, 0))

    /// Half of the hash, for a set that takes few bytes. That any two of 10^8 contents have the same is a
    /// chance of 1 in 3,700.
    var fingerprint: UInt64 { low }

    /// Creates a hash from the store's two words.
    init(words: (high: UInt64, low: UInt64)) { (high, low) = words }

    /// As the store has it.
    var data: Data {
        Data(
            [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - $0 * 8)) } })
    }
}
