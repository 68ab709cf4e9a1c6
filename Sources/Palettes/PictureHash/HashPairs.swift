/// The pairs of hashes that differ in few bits, all of them.
///
/// Two hashes that differ in at most 31 of 256 bits have one of 16 pieces of 16 bits in which they differ in
/// at most one bit; within 63, in at most three. So hashes are put into buckets by each piece in turn, and
/// those of buckets that few bits tell apart are compared. A pair counts at the first piece that finds it.
///
/// - Source: M. Norouzi, A. Punjani, D. J. Fleet, Fast Search in Hamming Space with Multi-Index Hashing,
///   2012.
package struct HashPairs {
    private let hashes: [PictureHash]
    private let distance: Int
    /// The numbers of 16 bits that have few bits set.
    private let masks: [Int]
    /// How many bits a piece may differ in.
    private let pieceDistance: Int

    package struct Pair: Sendable, Hashable {
        package let first: Int32, second: Int32
        package let distance: UInt8
        /// Whether it is the distance of one to the other in a mirror.
        package let isMirrored: Bool
    }

    /// - Parameters:
    ///   - hashes: different ones.
    ///   - distance: the most bits that may differ, 0...255.
    package init(of hashes: [PictureHash], within distance: Int) {
        (self.hashes, self.distance) = (hashes, distance)
        let pieceDistance = distance / 16
        self.pieceDistance = pieceDistance
        masks = (0..<1 << 16).filter { $0.nonzeroBitCount <= pieceDistance }
    }

    /// All pairs, also of hashes of which one is near the other in a mirror. Two that are near both ways are
    /// two pairs.
    ///
    /// - Parameter most: nil is returned for more pairs: thousands of pictures of one scene have millions.
    /// - Complexity: O(n²) in theory; of a million hashes of photos a few seconds within 31.
    package func all(most: Int) -> [Pair]? {
        var pairs: [Pair] = [], isMore = false
        for isMirrored in [false, true] {
            let other = isMirrored ? PictureHash(words: .zero).mirrored.words : .zero
            // For few hashes there are fewer pairs than buckets.
            let search = hashes.count < masks.count * 64 ? compareAll : compareBuckets
            search(other) { first, second, distance in
                if pairs.count == most {
                    isMore = true
                    return
                }
                pairs.append(
                    Pair(
                        first: Int32(first), second: Int32(second), distance: UInt8(distance),
                        isMirrored: isMirrored))
            }
        }
        return isMore ? nil : pairs
    }

    /// The same, however many.
    package func all() -> [Pair] { all(most: .max) ?? [] }

    typealias Body = (_ first: Int, _ second: Int, _ distance: Int) -> Void

    /// - Parameter other: what one of the two is changed by first.
    func compareAll(_ other: SIMD4<UInt64>, _ body: Body) {
        for first in hashes.indices {
            let changed = PictureHash(words: hashes[first].words ^ other)
            for second in (first + 1)..<max(hashes.count, first + 1) {
                let bits = changed.distance(to: hashes[second])
                if bits <= distance { body(first, second, bits) }
            }
        }
    }

    /// As ``compareAll(_:_:)``, in another order of pairs.
    func compareBuckets(_ other: SIMD4<UInt64>, _ body: Body) {
        for piece in 0..<16 {
            let buckets = Buckets(hashes, by: piece), changed = Self.piece(piece, of: other)
            for bucket in buckets.filled {
                for mask in masks {
                    let partner = bucket ^ mask ^ changed
                    // Each two buckets once.
                    if partner < bucket { continue }
                    compare(
                        buckets, buckets.range(bucket), buckets.range(partner), other, piece: piece, body)
                }
            }
        }
    }

    private func compare(
        _ buckets: Buckets, _ firsts: Range<Int>, _ seconds: Range<Int>, _ other: SIMD4<UInt64>, piece: Int,
        _ body: Body
    ) {
        if seconds.isEmpty { return }
        let isOne = firsts.lowerBound == seconds.lowerBound
        for a in firsts {
            let changed = buckets.hashes[a].words ^ other
            for b in isOne ? (a + 1)..<max(seconds.upperBound, a + 1) : seconds {
                let difference = changed ^ buckets.hashes[b].words
                let bits =
                    difference.x.nonzeroBitCount &+ difference.y.nonzeroBitCount
                    &+ difference.z.nonzeroBitCount &+ difference.w.nonzeroBitCount
                guard bits <= distance else { continue }
                let isKnown = (0..<piece).contains {
                    Self.piece($0, of: difference).nonzeroBitCount <= pieceDistance
                }
                if isKnown { continue }
                let (first, second) = (Int(buckets.order[a]), Int(buckets.order[b]))
                body(min(first, second), max(first, second), bits)
            }
        }
    }

    private static func piece(_ piece: Int, of words: SIMD4<UInt64>) -> Int {
        Int(truncatingIfNeeded: words[piece / 4] >> UInt64(48 - piece % 4 * 16)) & 0xFFFF
    }

    /// Hashes sorted by one piece.
    private struct Buckets {
        /// Of each number of 16 bits, its first hash; and the end.
        private let starts: [Int32]
        let filled: [Int]
        let hashes: [PictureHash]
        /// By place, the number of the hash.
        let order: [Int32]

        init(_ hashes: [PictureHash], by piece: Int) {
            var starts = [Int32](repeating: 0, count: 1 << 16 + 1)
            for hash in hashes { starts[HashPairs.piece(piece, of: hash.words) + 1] += 1 }
            for bucket in 1..<starts.count { starts[bucket] += starts[bucket - 1] }
            var next = starts
            var order = [Int32](repeating: 0, count: hashes.count)
            for (index, hash) in hashes.enumerated() {
                let bucket = HashPairs.piece(piece, of: hash.words)
                order[Int(next[bucket])] = Int32(index)
                next[bucket] += 1
            }
            self.hashes = order.map { hashes[Int($0)] }
            filled = (0..<1 << 16).filter { starts[$0] < starts[$0 + 1] }
            (self.starts, self.order) = (starts, order)
        }

        func range(_ bucket: Int) -> Range<Int> { Int(starts[bucket])..<Int(starts[bucket + 1]) }
    }
}
