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

    /// Random blocks of two codes: differences of 0 and 3 bits; the block's end, 2 short symbols, and 64 of
    /// 16 bits.
    private struct Blocks {
        let dc: HuffmanCode, ac: HuffmanCode
        var coded = Coded()

        /// - Parameter share: of 100 symbols so many are long, in the first half and in the second.
        init(_ count: Int, long share: (Int, Int)) throws {
            let zeros = [UInt8](repeating: 0, count: 14)
            dc = try #require(HuffmanCode(counts: [0, 2] + zeros, symbols: [0, 3]))
            let long = (0..<8).flatMap { run in (1...8).map { size in UInt8(run << 4 | size) } }
            let short: [UInt8] = [0xB1, 0xC2]
            ac = try #require(
                HuffmanCode(counts: [0, 1, 2] + zeros.dropLast(2) + [64], symbols: [0] + short + long))
            var throwsSoFar = 0
            func next(_ count: Int) -> Int {
                throwsSoFar += 1
                return Int(SplitMix64.hash(throwsSoFar) >> 33) % count
            }
            func add(_ symbol: UInt8, of code: HuffmanCode) throws {
                let word = try #require(code.words.first { $0.symbol == symbol }), size = Int(symbol & 15)
                coded.add(word.word, word.length)
                coded.add(next(1 << size), size)
            }
            for block in 0..<count {
                coded.starts.append(coded.count)
                try add(UInt8(next(2) * 3), of: dc)
                var index = 0
                while next(6) > 0 {
                    let symbols = next(100) < (block < count / 2 ? share.0 : share.1) ? long : short
                    let symbol = symbols[next(symbols.count)]
                    guard index + Int(symbol >> 4) + 1 < 63 else { break }
                    index += Int(symbol >> 4) + 1
                    try add(symbol, of: ac)
                }
                try add(0, of: ac)
            }
        }

        /// What is found when so many blocks are wanted, three to an MCU.
        func starts(total: Int, streams: Int) throws -> BlockStarts? {
            let data = try #require(EntropyData(coded.file, from: 0))
            let skipper = BlockSkipper(blocks: Array(repeating: (dc, ac), count: 3))
            return BlockStarts(data, skipper: skipper, total: total, interval: 0, streams: streams)
        }
    }

    @Test(arguments: [1, 2, 3], [(10, 10), (50, 50), (95, 95), (0, 100), (100, 0)])
    func `codes of 16 bits are stepped over, however many`(streams: Int, long share: (Int, Int)) throws {
        let blocks = try Blocks(9_000, long: share), starts = blocks.coded.starts
        let found = try #require(try blocks.starts(total: starts.count, streams: streams))
        #expect(starts.indices.allSatisfy { found[$0] == starts[$0] })
    }

    @Test(arguments: [1, 2, 3])
    func `blocks too many or too few are no scan`(streams: Int) throws {
        let blocks = try Blocks(3_000, long: (20, 20))
        #expect(try blocks.starts(total: 3_000, streams: streams) != nil)
        // A block takes four bits at least: three are more than what fills up the last byte.
        for total in [3_003, 2_997, 1_500, 3] {
            #expect(try blocks.starts(total: total, streams: streams) == nil)
        }
    }
}
