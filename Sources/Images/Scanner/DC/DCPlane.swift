/// The DC coefficient of every block of one component, whole MCUs.
struct DCPlane: Equatable {
    /// Blocks across and down.
    let columns: Int, rows: Int
    /// Row by row, as stored: before the quantisation step is multiplied in.
    var values: [Int16]

    init(frame: JPEGFrame, component: JPEGFrame.Component) {
        columns = frame.mcuColumns * component.horizontal
        rows = frame.mcuRows * component.vertical
        values = [Int16](repeating: 0, count: columns * rows)
    }
}

/// Reads DC differences by the next 12 bits.
struct DCTable {
    /// `bits | difference << 4`. Where only the code fits into 12 bits, and not the difference behind it:
    /// `code's bits << 4 | difference's bits << 8`, so that the lowest four are 0. 0: not even the code.
    let entries: [Int16]
    private let code: HuffmanCode

    init(_ code: HuffmanCode) {
        var entries = [Int16](repeating: 0, count: 4096)
        for (symbol, word, length) in code.words where length <= 12 && symbol <= 11 {
            let used = length + Int(symbol)
            for bits in 0..<(1 << (12 - length)) {
                if used > 12 {
                    entries[word << (12 - length) | bits] = Int16(length << 4 | Int(symbol) << 8)
                    continue
                }
                let value = DCTable.extended(bits >> (12 - used), size: Int(symbol))
                entries[word << (12 - length) | bits] = Int16(used) | Int16(value) << 4
            }
        }
        self.entries = entries
        self.code = code
    }

    /// A value of `size` bits: those that begin with 0 are negative.
    ///
    /// - Source: ITU-T T.81 F.2.2.1, figure F.12 (EXTEND).
    @inline(__always)
    static func extended(_ bits: Int, size: Int) -> Int {
        size > 0 && bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits
    }

    /// The difference at the front of `bits`, leftmost first, and how many of them it takes; nil for an
    /// unknown code or more than 11 bits, which 8-bit pictures cannot have.
    @inline(__always)
    func difference(_ bits: UInt64) -> (value: Int, length: Int)? {
        let entry = Int(entries[Int(truncatingIfNeeded: bits >> 52)])
        if entry & 15 != 0 { return (entry >> 4, entry & 15) }
        return entry != 0 ? split(entry, bits) : long(bits)
    }

    /// A difference whose code is known.
    @inline(__always)
    private func split(_ entry: Int, _ bits: UInt64) -> (value: Int, length: Int) {
        let length = entry >> 4 & 15, size = entry >> 8
        // The size is at least 1: a difference without bits fits wherever its code does.
        let rest = (bits &<< UInt64(truncatingIfNeeded: length)) &>> UInt64(truncatingIfNeeded: 64 &- size)
        return (DCTable.extended(Int(truncatingIfNeeded: rest), size: size), length + size)
    }

    /// How many bits a difference that can be read takes.
    @inline(__always)
    func length(_ bits: UInt64) -> Int {
        let entry = Int(entries[Int(truncatingIfNeeded: bits >> 52)])
        if entry & 15 != 0 { return entry & 15 }
        return entry != 0 ? (entry >> 4 & 15) + (entry >> 8) : long(bits)?.length ?? 0
    }

    @inline(never)
    private func long(_ bits: UInt64) -> (value: Int, length: Int)? {
        guard let (symbol, length) = code.symbol(at: Int(truncatingIfNeeded: bits >> 48)), symbol <= 11 else {
            return nil
        }
        let size = Int(symbol)
        let raw = size == 0 ? 0 : Int(truncatingIfNeeded: (bits << UInt64(length)) >> UInt64(64 - size))
        return (DCTable.extended(raw, size: size), length + size)
    }
}
