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

        /// Fills the last byte up with ones.
        mutating func pad() {
            while free > 0 { add(1, 1) }
        }

        /// Padded and stuffed, with an end marker: as it lies in a file.
        ///
        /// - Parameter restarts: bytes before which a restart marker stands.
        func file(restarts: [Int] = []) -> [UInt8] {
            var padded = self
            padded.pad()
            var file: [UInt8] = [], marker = 0
            for (index, byte) in padded.bytes.enumerated() {
                if marker < restarts.count, restarts[marker] == index {
                    file += [0xFF, 0xD0 | UInt8(marker & 7)]
                    marker += 1
                }
                file += byte == 0xFF ? [0xFF, 0] : [byte]
            }
            return file + [0xFF, 0xD9]
        }
    }

    /// Random blocks of two codes: differences of 0 and 3 bits; the block's end, 2 short symbols, and 64 of
    /// 16 bits.
    private struct Blocks {
        let dc: HuffmanCode, ac: HuffmanCode
        /// The third block of an MCU has this one.
        let third: HuffmanCode
        var coded = Coded()
        /// Blocks between restart markers; 0: none.
        let interval: Int
        private var restarts: [Int] = []

        /// - Parameters:
        ///   - share: of 100 symbols so many are long, in the first half and in the second.
        ///   - empty: so many blocks at the beginning have nothing but their difference.
        ///   - overfull: the block that has 64 coefficients beside its difference.
        ///   - swapped: the third block's code has two of the long words the other way around.
        init(
            _ count: Int, long share: (Int, Int), empty: Int = 0, interval: Int = 0, overfull: Int = -1,
            swapped: Bool = false
        ) throws {
            self.interval = interval
            let zeros = [UInt8](repeating: 0, count: 14)
            dc = try #require(HuffmanCode(counts: [0, 2] + zeros, symbols: [0, 3]))
            let long = (0..<8).flatMap { run in (1...8).map { size in UInt8(run << 4 | size) } }
            let short: [UInt8] = [0xB1, 0xC2]
            ac = try #require(
                HuffmanCode(counts: [0, 1, 2] + zeros.dropLast(2) + [64], symbols: [0] + short + long))
            let others = swapped ? [0x08] + long[1..<7] + [0x01] + long[8...] : long
            third = try #require(
                HuffmanCode(counts: [0, 1, 2] + zeros.dropLast(2) + [64], symbols: [0] + short + others))
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
                if interval > 0, block > 0, block % interval == 0 {
                    coded.pad()
                    restarts.append(coded.count / 8)
                }
                coded.starts.append(coded.count)
                let ac = block % 3 == 2 ? third : ac
                try add(UInt8(next(2) * 3), of: dc)
                if block == overfull {
                    for _ in 0..<8 { try add(0x71, of: ac) }
                    continue
                }
                var index = 0
                while block >= empty, next(6) > 0 {
                    let symbols = next(100) < (block < count / 2 ? share.0 : share.1) ? long : short
                    let symbol = symbols[next(symbols.count)]
                    guard index + Int(symbol >> 4) + 1 < 63 else { break }
                    index += Int(symbol >> 4) + 1
                    try add(symbol, of: ac)
                }
                try add(0, of: ac)
            }
        }

        /// What is found when so many blocks are wanted, three to an MCU; by small tables and by large ones.
        func starts(total: Int, streams: Int) throws -> BlockStarts? {
            let data = try #require(EntropyData(coded.file(restarts: restarts), from: 0))
            let codes = [(dc, ac), (dc, ac), (dc, third)].map { BlockSkipper.Codes(dc: $0, ac: $1) }
            let found = [SkipTable.width, SkipTable.largeWidth].map { width in
                let skipper = BlockSkipper(blocks: codes, width: width)
                return BlockStarts(
                    data, skipper: skipper, total: total, interval: interval, streams: streams)
            }
            guard let small = found[0], let large = found[1] else {
                #expect(found[0] == nil && found[1] == nil)
                return nil
            }
            #expect((0..<total).allSatisfy { small[$0] == large[$0] })
            return small
        }
    }

    @Test(arguments: [1, 3, 16], [(10, 10), (50, 50), (95, 95), (0, 100), (100, 0)])
    func `codes of 16 bits are stepped over, however many`(streams: Int, long share: (Int, Int)) throws {
        let blocks = try Blocks(9_000, long: share), starts = blocks.coded.starts
        let found = try #require(try blocks.starts(total: starts.count, streams: streams))
        #expect(starts.indices.allSatisfy { found[$0] == starts[$0] })
    }

    /// Nine tenths of the blocks are in the first of a hundred bytes: more than its stream has room for.
    @Test(arguments: [1, 3, 7, 16])
    func `where a part has nearly all blocks, they are all found`(streams: Int) throws {
        let blocks = try Blocks(9_000, long: (90, 90), empty: 8_101), starts = blocks.coded.starts
        let found = try #require(try blocks.starts(total: starts.count, streams: streams))
        #expect(starts.indices.allSatisfy { found[$0] == starts[$0] })
    }

    /// A stream that takes a block for its MCU's first reads hundreds before it is wrong.
    @Test(arguments: [3, 7, 16], [0, 8_101])
    func `streams meet where an MCU begins for both`(streams: Int, empty: Int) throws {
        for count in [9_000, 8_991, 8_982] {
            let blocks = try Blocks(count, long: (20, 20), empty: empty, swapped: true)
            let starts = blocks.coded.starts
            let found = try #require(try blocks.starts(total: count, streams: streams))
            #expect(starts.indices.allSatisfy { found[$0] == starts[$0] })
        }
    }

    /// Of one MCU, of some, of unequal shares for the streams, and of more than half of the scan.
    @Test(arguments: [1, 3, 16], [3, 36, 150, 2_001])
    func `blocks are found between restart markers`(streams: Int, interval: Int) throws {
        let blocks = try Blocks(3_000, long: (30, 60), interval: interval), starts = blocks.coded.starts
        let found = try #require(try blocks.starts(total: starts.count, streams: streams))
        #expect(starts.indices.allSatisfy { found[$0] == starts[$0] })
        // As rows of a picture are asked for, across the streams' shares.
        for first in stride(from: 0, to: 2_500, by: 499) {
            let row = found.withBlocks(first, count: 500) { row in row.indices.map { Int(row[$0]) } }
            #expect(row.elementsEqual(starts[first..<first + 500]), "from \(first) on")
        }
    }

    /// One bit turned in an interval's middle: its blocks no longer end where the marker stands.
    @Test(arguments: [1, 16])
    func `an interval that does not add up is no scan`(streams: Int) throws {
        var noticed = 0
        for position in stride(from: 1_000, to: 9_000, by: 1_000) {
            var blocks = try Blocks(3_000, long: (30, 30), interval: 300)
            blocks.coded.bytes[position] ^= 8
            if try blocks.starts(total: 3_000, streams: streams) == nil { noticed += 1 }
        }
        // A turned bit of a value is none of a code.
        #expect(noticed >= 4)
    }

    /// Behind it the blocks go on as before, and as many as there should be.
    @Test(arguments: [1, 3, 16])
    func `a block of 65 coefficients is no scan's, wherever it lies`(streams: Int) throws {
        for overfull in [0, 700, 1_500, 2_998] {
            let blocks = try Blocks(3_000, long: (20, 20), overfull: overfull)
            #expect(try blocks.starts(total: 3_000, streams: streams) == nil, "\(overfull)")
        }
    }

    @Test(arguments: [1, 2, 3, 16])
    func `blocks too many or too few are no scan`(streams: Int) throws {
        let blocks = try Blocks(3_000, long: (20, 20))
        #expect(try blocks.starts(total: 3_000, streams: streams) != nil)
        // A block takes four bits at least: three are more than what fills up the last byte.
        for total in [3_003, 2_997, 1_500, 3] {
            #expect(try blocks.starts(total: total, streams: streams) == nil)
        }
    }

    /// In one call, across some pieces, and where a piece ends.
    @Test func `blocks that were found by several streams come in one row`() throws {
        let blocks = try Blocks(9_000, long: (50, 50)), starts = blocks.coded.starts
        let found = try #require(try blocks.starts(total: starts.count, streams: 16))
        #expect(found.pieces.count > 3)
        let ends = found.pieces.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        for first in ends.dropLast().flatMap({ [max(0, $0 - 100), max(0, $0 - 1), $0] }) {
            for count in [1, 2, 100, 2_000] where first + count <= starts.count {
                let row = found.withBlocks(first, count: count) { span in span.indices.map { Int(span[$0]) } }
                #expect(row == Array(starts[first..<first + count]), "\(first), \(count)")
            }
        }
    }

    @Test func `codes that come again have larger tables, and sixteen photos' are kept`() throws {
        let skippers = BlockSkippers()
        func codes(_ number: Int) throws -> [BlockSkipper.Codes] {
            let counts = [UInt8](repeating: 0, count: 15)
            let dc = try #require(HuffmanCode(counts: [2] + counts, symbols: [0, number < 16 ? 3 : 2]))
            let symbols = [0, UInt8(number % 16 * 16 + 1)]
            let ac = try #require(HuffmanCode(counts: [2] + counts, symbols: symbols))
            return [BlockSkipper.Codes(dc: dc, ac: ac)]
        }
        func width(_ number: Int) throws -> Int { try 64 - Int(skippers.skipper(codes(number)).shift) }
        #expect(try [width(0), width(0), width(0)] == [12, 14, 14])
        for number in 1..<16 { #expect(try width(number) == 12) }
        // The first has not been asked for since, but is one of sixteen.
        #expect(try [width(0), width(1), width(1)] == [14, 14, 14])
        let others = try (2..<16).map { try width($0) }
        #expect(others == Array(repeating: 14, count: 14))
        // One more, and the one that has not come for the longest is forgotten.
        #expect(try [width(16), width(1), width(0)] == [12, 14, 12])
    }
}
