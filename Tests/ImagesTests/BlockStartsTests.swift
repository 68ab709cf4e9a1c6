import Testing

@testable import Images

/// Where blocks begin in data whose codes are mostly too long for the tables: every stream takes exact steps,
/// now one, now the other.
@Suite struct BlockStartsTests {
    /// Bits, leftmost first, and where each block begins in them.
    private struct Coded {
        var bytes: [UInt8] = [0]
        var starts: [Int] = []
        private var free = 8

        var count: Int { bytes.count * 8 - free }

        mutating func add(_ value: Int, _ length: Int) {
            for bit in stride(from: length - 1, through: 0, by: -1) {
                if free == 0 {
                    bytes.append(0)
                    free = 8
                }
                free -= 1
                bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(free)
            }
        }

        /// Padded with ones and stuffed, with an end marker: as it lies in a file.
        var file: [UInt8] {
            var padded = self
            while padded.free > 0 { padded.add(1, 1) }
            return padded.bytes.flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] } + [0xFF, 0xD9]
        }
    }

    /// Of 100 symbols so many are long, in the first half of the data and in the second.
    @Test(arguments: [1, 2, 3], [(10, 10), (50, 50), (95, 95), (0, 100), (100, 0)])
    func `codes of 16 bits are stepped over, however many`(streams: Int, long share: (Int, Int)) throws {
        // Differences of 0 and 3 bits; the block's end, 2 short symbols, and 64 of 16 bits.
        let dc = try #require(HuffmanCode(counts: [0, 2] + Array(repeating: 0, count: 14), symbols: [0, 3]))
        let long = (0..<8).flatMap { run in (1...8).map { size in UInt8(run << 4 | size) } }
        let short: [UInt8] = [0xB1, 0xC2]
        let ac = try #require(
            HuffmanCode(
                counts: [0, 1, 2] + Array(repeating: 0, count: 12) + [64], symbols: [0] + short + long))
        func words(_ code: HuffmanCode) -> [UInt8: (word: Int, length: Int)] {
            Dictionary(uniqueKeysWithValues: code.words.map { ($0.symbol, ($0.word, $0.length)) })
        }
        let (dcWords, acWords) = (words(dc), words(ac))
        var coded = Coded(), throwsSoFar = 0
        func next(_ count: Int) -> Int {
            throwsSoFar += 1
            return Int(SplitMix64.hash(throwsSoFar) >> 33) % count
        }
        for block in 0..<9_000 {
            coded.starts.append(coded.count)
            let size = next(2) * 3, difference = try #require(dcWords[UInt8(size)])
            coded.add(difference.word, difference.length)
            coded.add(next(1 << size), size)
            var index = 0
            while next(6) > 0 {
                let symbols = next(100) < (block < 4_500 ? share.0 : share.1) ? long : short
                let symbol = symbols[next(symbols.count)], word = try #require(acWords[symbol])
                guard index + Int(symbol >> 4) + 1 < 63 else { break }
                index += Int(symbol >> 4) + 1
                coded.add(word.word, word.length)
                coded.add(next(1 << Int(symbol & 15)), Int(symbol & 15))
            }
            let end = try #require(acWords[0])
            coded.add(end.word, end.length)
        }
        let data = try #require(EntropyData(coded.file, from: 0))
        let skipper = BlockSkipper(blocks: Array(repeating: (dc, ac), count: 3))
        let starts = try #require(
            BlockStarts(data, skipper: skipper, total: coded.starts.count, interval: 0, streams: streams))
        #expect(coded.starts.indices.allSatisfy { starts[$0] == coded.starts[$0] })
    }
}
