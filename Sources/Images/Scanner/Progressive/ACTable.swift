/// Reads AC symbols, and the values behind them, by the next 12 bits.
///
/// An entry is `length | size << 5 | advance << 9`: the code's bits, the value's, and how far the zig-zag
/// index moves. 0: longer than 12 bits, or unknown. Of symbols without a value, `advance` is ``endOfBlock``
/// for the block's end, 16 for 16 zeros, 0 for what cannot be; in a progressive scan it is the symbol's upper
/// half, which says how long a run of blocks ends here.
struct ACTable {
    /// 4,096 of them.
    let entries: [UInt32]
    private let code: HuffmanCode
    private let isProgressive: Bool

    static let endOfBlock = 64

    init(_ code: HuffmanCode, isProgressive: Bool = false) {
        var entries = [UInt32](repeating: 0, count: 4096)
        for (symbol, word, length) in code.words where length <= 12 {
            let entry = ACTable.entry(symbol, length: length, isProgressive)
            let start = word << (12 - length)
            for bits in start..<start + (1 << (12 - length)) { entries[bits] = entry }
        }
        self.entries = entries
        self.code = code
        self.isProgressive = isProgressive
    }

    /// Returns the next symbol: an entry as in the table, or 0 for an unknown code.
    ///
    /// - Parameter bits: the data, leftmost first; at least 16 of them.
    @inline(never)
    func long(_ bits: UInt64) -> UInt32 {
        guard let (symbol, length) = code.symbol(at: Int(truncatingIfNeeded: bits >> 48)) else { return 0 }
        return ACTable.entry(symbol, length: length, isProgressive)
    }

    private static func entry(_ symbol: UInt8, length: Int, _ isProgressive: Bool) -> UInt32 {
        let run = Int(symbol >> 4), size = Int(symbol & 15)
        let empty = isProgressive ? run : run == 15 ? 16 : run == 0 ? endOfBlock : 0
        let advance = size > 0 ? run + 1 : empty
        return UInt32(length | size << 5 | advance << 9)
    }

    @inline(__always) static func length(_ entry: UInt32) -> UInt64 { UInt64(entry & 31) }
    @inline(__always) static func size(_ entry: UInt32) -> UInt64 { UInt64(entry >> 5 & 15) }
    @inline(__always) static func advance(_ entry: UInt32) -> Int { Int(entry >> 9) }

    /// The value behind a symbol's code: 0 when it has none. No branch, so that whoever calls does not wait
    /// for what cannot be foretold.
    ///
    /// - Source: ITU-T T.81 F.2.2.1, figure F.12 (EXTEND).
    @inline(__always)
    static func value(_ entry: UInt32, _ bits: UInt64) -> Int {
        let size = size(entry)
        let raw = Int(truncatingIfNeeded: ((bits &<< length(entry)) &>> 1) &>> (63 &- size))
        let isNegative = (raw &>> (Int(size) &- 1)) &- 1  // all ones when the first bit is 0
        return raw &+ (isNegative & ((-1 &<< Int(size)) &+ 1))
    }
}
