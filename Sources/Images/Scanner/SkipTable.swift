/// How far the next bits of a block reach, several symbols at a time.
///
/// To find where blocks begin, a symbol's value does not matter, only how many bits it takes with its extra
/// bits and how many coefficients it stands for. The next bits usually hold two or three whole symbols; an
/// entry adds them up. Tables of 14 bits have a step reach further than those of 12 (a tenth less time), and
/// take four times as long to make: they are for codes that come again.
///
/// An entry is `bits | coefficients << 5`. An end of block counts as 129 more coefficients, so that the sum
/// of the zig-zag index and the entry tells what happened: below 63 the block goes on; 63 and 129...191 end
/// it; any other sum, and ``slow``, has bit 6 set and is for the exact step, which takes one symbol and knows
/// what is wrong.
enum SkipTable {
    /// Bits an entry is looked up by: in a table for one photo, and in one for many.
    static let width = 12, largeWidth = 14
    /// No symbol is known to fit.
    static let slow: UInt16 = 64 << 5

    /// The table for a block's start, its DC difference and what AC coefficients follow it; and behind that
    /// the one for the rest of the block.
    static func pair(_ dc: HuffmanCode, _ ac: HuffmanCode, width: Int) -> [UInt16] {
        let rest = prefixes(ac, width), lengths = FirstSymbols(dc, width), count = 1 << width
        var table = (0..<count).map { bits in
            let symbol = lengths.symbol[bits], length = lengths.length[bits]
            guard length > 0, symbol <= 11 else { return slow }
            let used = length + Int(symbol)
            guard used < width else { return UInt16(used) }
            let next = rest[1 << (width - used) | bits & (1 << (width - used) - 1)]
            return next == slow ? UInt16(used) : UInt16(used) + next
        }
        table += rest[count..<2 * count]
        return table
    }

    /// For every n up to `width` and every n bits, at index `1 << n | bits`: the symbols whose codes lie
    /// wholly in them. A longer prefix is its first symbol and a shorter prefix, so each costs one addition.
    private static func prefixes(_ code: HuffmanCode, _ width: Int) -> [UInt16] {
        var table = [UInt16](repeating: slow, count: 2 << width)
        let first = FirstSymbols(code, width)
        for n in 1...width {
            for bits in 0..<(1 << n) {
                let padded = bits << (width - n), length = first.length[padded]
                guard length > 0, length <= n else { continue }
                let run = Int(first.symbol[padded] >> 4), size = Int(first.symbol[padded] & 15)
                let index = 1 << n | bits
                if size == 0, run == 0 {
                    table[index] = UInt16(length + 129 << 5)
                    continue
                }
                guard size > 0 || run == 15, size <= 10 else { continue }
                let used = length + size
                let single = UInt16(used | (run + 1) << 5)
                table[index] = single
                guard used < n else { continue }
                let next = table[1 << (n - used) | bits & (1 << (n - used) - 1)]
                // Together they may not pass the end of a block; then the first goes alone.
                let after = Int(next >> 5)
                let fits = after >= 129 ? after - 129 + run + 1 <= 62 : after + run + 1 <= 63
                if next != slow, fits { table[index] = single + next }
            }
        }
        return table
    }
}

/// The symbol that so many bits begin with, where its code fits.
private struct FirstSymbols {
    var symbol: [UInt8]
    /// 0: no code of at most so many bits.
    var length: [Int]

    init(_ code: HuffmanCode, _ width: Int) {
        symbol = [UInt8](repeating: 0, count: 1 << width)
        length = [Int](repeating: 0, count: 1 << width)
        for (symbol, word, length) in code.words where length <= width {
            let start = word << (width - length)
            for bits in start..<start + (1 << (width - length)) {
                self.symbol[bits] = symbol
                self.length[bits] = length
            }
        }
    }
}
