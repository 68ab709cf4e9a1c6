/// A Huffman code as a JPEG defines it.
///
/// - Source: ITU-T T.81 C.2 and annex F, figure F.16 (decoding).
struct HuffmanCode: Equatable {
    /// Symbols in the order of their codes.
    let symbols: [UInt8]
    /// For each length 1...16 (index 0 unused): one past the last code of at most that length, in 16 bits.
    let limit: [Int]
    /// For each length: what to add to a code of it to get its symbol's index.
    let offset: [Int]

    /// - Returns: nil when the counts make no prefix code.
    init?(counts: [UInt8], symbols: [UInt8]) {
        guard counts.count == 16, symbols.count <= 256 else { return nil }
        var limit = [0], offset = [0], code = 0, used = 0
        for length in 1...16 {
            offset.append(used - code)
            code += Int(counts[length - 1])
            used += Int(counts[length - 1])
            guard code <= 1 << length else { return nil }
            limit.append(code << (16 - length))
            code <<= 1
        }
        guard used == symbols.count, used > 0 else { return nil }
        (self.symbols, self.limit, self.offset) = (symbols, limit, offset)
    }

    /// Its symbols can be sizes of DC differences: at most 15, as libjpeg checks for every bit depth.
    var isDC: Bool { symbols.allSatisfy { $0 <= 15 } }

    /// Every symbol with its code word and the word's length in bits.
    var words: [(symbol: UInt8, word: Int, length: Int)] {
        var words: [(symbol: UInt8, word: Int, length: Int)] = [], index = 0
        for length in 1...16 {
            let end = limit[length] >> (16 - length)
            while index < symbols.count, index - offset[length] < end {
                words.append((symbols[index], index - offset[length], length))
                index += 1
            }
        }
        return words
    }

    /// Reads one code.
    ///
    /// - Parameter bits: the next 16 bits, 0..<65,536.
    /// - Returns: the symbol whose code begins `bits`, and the code's length; nil when no code does.
    func symbol(at bits: Int) -> (symbol: UInt8, length: Int)? {
        for length in 1...16 where bits < limit[length] {
            return (symbols[(bits >> (16 - length)) + offset[length]], length)
        }
        return nil
    }
}
