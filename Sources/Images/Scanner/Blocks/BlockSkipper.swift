/// Steps from block to block through entropy-coded data, recording where each begins.
///
/// The steps of a stream depend on each other: a lookup tells how far to go for the next. So several streams,
/// in different parts of the data, go side by side (``BlockLanes``). One alone is stepped in
/// `BlockSkipper+Kernel.swift`.
struct BlockSkipper {
    /// A reader somewhere in the data.
    struct Stream {
        /// Bits from the data's start to the next symbol.
        var position: Int
        /// Coefficients of the block read so far, 0...62; 0 before the DC difference too.
        var index = 0
        /// Twice the block's index in the MCU, plus one behind the DC difference; see ``BlockSkipper/cycle``.
        var state = 0
        /// Where in the record the current block's start stands.
        var block: Int
        /// Where the last symbol was that cannot be: its code unknown, or past the block's end. -1: none yet.
        var bad = -1
    }

    /// 2 tables of ``SkipTable`` for each pair of codes in use.
    let tables: [UInt16]
    /// The number of 64 bits that a lookup does not use.
    let shift: UInt64
    /// For each state the start of its table, for some rounds of states so that wrapping them around can
    /// wait.
    let offsets: [Int]
    /// States of one MCU: two a block.
    let cycle: Int
    /// States after which to start again from 0, a multiple of `cycle`.
    let wrap: Int
    /// The codes by state, for the exact step: all in one array, so that a step counts no references.
    private let codes: FlatCodes

    /// States a stream may pass between two looks at `wrap`.
    static let slack = 40

    /// The codes of a block.
    struct Codes: Equatable {
        let dc: HuffmanCode, ac: HuffmanCode
    }

    /// - Parameters:
    ///   - blocks: the codes of each block of an MCU, in order.
    ///   - width: bits an entry of the tables is looked up by, 12...14.
    init(blocks: [Codes], width: Int = SkipTable.width) {
        var tables: [UInt16] = [], starts: [(dc: Int, ac: Int)] = []
        for (index, block) in blocks.enumerated() {
            if let same = blocks[..<index].firstIndex(of: block) {
                starts.append(starts[same])
                continue
            }
            starts.append((tables.count, tables.count + 1 << width))
            tables += SkipTable.pair(block.dc, block.ac, width: width)
        }
        self.tables = tables
        shift = UInt64(64 - width)
        codes = FlatCodes(blocks.flatMap { [$0.dc, $0.ac] })
        cycle = 2 * blocks.count
        wrap = (36 + cycle - 1) / cycle * cycle
        let rounds = starts.flatMap { [$0.dc, $0.ac] }
        let states = wrap + BlockSkipper.slack
        offsets = (0..<states).map { [cycle] in rounds[$0 % cycle] }
    }

    /// Takes exactly one symbol: what the tables leave out.
    ///
    /// - Parameters:
    ///   - stream: moves on by that symbol.
    ///   - bits: the data from the stream's position, at least 31 of them.
    @inline(never)
    func slowStep(_ stream: inout Stream, bits: UInt64) {
        let phase = stream.state % cycle
        let next = Int(truncatingIfNeeded: bits >> 48)
        guard let (symbol, length) = codes.symbol(at: next, code: phase) else {
            stream.bad = stream.position
            stream.position += 16
            finishBlock(&stream)
            return
        }
        if phase & 1 == 0 {
            if symbol > 11 { stream.bad = stream.position }
            stream.position += length + Int(symbol & 15)
            stream.index = 0
            stream.state |= 1
            return
        }
        let run = Int(symbol >> 4), size = Int(symbol & 15)
        if size == 0, run < 15 {
            if run > 0 { stream.bad = stream.position }
            stream.position += length
            finishBlock(&stream)
            return
        }
        stream.index += run + 1
        if stream.index > 63 || size > 10 { stream.bad = stream.position }
        stream.position += length + size
        if stream.index >= 63 { finishBlock(&stream) }
    }

    private func finishBlock(_ stream: inout Stream) {
        stream.index = 0
        stream.state = (stream.state | 1) + 1
        stream.block += 1
    }
}

/// Several Huffman codes in one array.
private struct FlatCodes {
    /// For each code 16 limits and 16 offsets by length (see ``HuffmanCode``), then 256 symbols.
    private var numbers: [Int32] = []
    private static let size = 16 + 16 + 256

    init(_ codes: [HuffmanCode]) {
        for code in codes {
            numbers += (1...16).map { Int32(code.limit[$0]) } + (1...16).map { Int32(code.offset[$0]) }
            numbers += code.symbols.map { Int32($0) } + Array(repeating: 0, count: 256 - code.symbols.count)
        }
    }

    /// The symbol whose code begins 16 bits, and its length.
    func symbol(at bits: Int, code: Int) -> (symbol: UInt8, length: Int)? {
        let start = code * FlatCodes.size
        for length in 1...16 where bits < Int(numbers[start + length - 1]) {
            let index = bits >> (16 - length) + Int(numbers[start + 15 + length])
            return (UInt8(truncatingIfNeeded: numbers[start + 32 + index]), length)
        }
        return nil
    }
}
