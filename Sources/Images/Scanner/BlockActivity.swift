/// How busy each block of the first component is: how many bits of the file its AC coefficients take, on a
/// logarithmic scale.
struct BlockActivity {
    /// Blocks across.
    private let columns: Int
    /// Blocks of pixels to one of these, across and down.
    private let wide: Int, tall: Int
    /// Row by row. Empty: nothing is known, and all blocks are alike.
    private(set) var keys: [UInt8]

    /// - Parameter isWanted: false keeps it empty.
    init(frame: JPEGFrame, isWanted: Bool) {
        let first = frame.components[0], isAlone = frame.components.count == 1
        let (columns, rows) = frame.blocks(of: first)
        self.columns = columns
        (wide, tall) =
            isAlone ? (1, 1) : (frame.maxHorizontal / first.horizontal, frame.maxVertical / first.vertical)
        keys = isWanted ? Array(repeating: 0, count: columns * rows) : []
    }

    /// By a block of pixels. 0...255; a difference counts in a comparison of blocks as much as one of as many
    /// 8-bit steps in their means does: twice the bits are 16.
    @inline(__always)
    func key(x: Int, y: Int) -> Int {
        if keys.isEmpty { return 0 }
        return wide == 1 && tall == 1
            ? Int(keys[y &* columns &+ x]) : Int(keys[y / tall * columns + x / wide])
    }

    /// The key of so many bits: 16 times their binary logarithm, its fraction straight between powers of two.
    @inline(__always)
    static func key(bits: Int) -> UInt8 {
        guard bits > 0 else { return 0 }
        let exponent = Int.bitWidth - 1 - bits.leadingZeroBitCount
        let fraction = (bits << 4) >> exponent & 15
        return UInt8(truncatingIfNeeded: min(16 + 16 * exponent + fraction, 255))
    }

    /// - Parameter keys: as many as there are.
    mutating func set(_ keys: [UInt8]) {
        if keys.count == self.keys.count { self.keys = keys }
    }

    /// Hands the keys out to be filled, and takes them back.
    mutating func fill(_ body: (_ keys: inout MutableSpan<UInt8>, _ columns: Int) -> Void) {
        var keys: [UInt8] = []
        swap(&keys, &self.keys)
        var span = keys.mutableSpan
        body(&span, columns)
        swap(&keys, &self.keys)
    }
}

extension BaselineScan {
    /// Measures the blocks of the first component, if this scan has them.
    ///
    /// - Complexity: O(blocks).
    func measure(into activity: inout BlockActivity) {
        guard !activity.keys.isEmpty, let part = layout.parts.first(where: { $0.component == 0 }) else {
            return
        }
        let rowBlocks = layout.columns * layout.mcuBlocks
        activity.fill { keys, columns in
            let rows = keys.count / columns
            for row in 0..<layout.rows {
                // The end of the last block in a row is not at hand: it counts as the one before.
                starts.withBlocks(row * rowBlocks, count: rowBlocks) { starts in
                    for v in 0..<part.vertical where row * part.vertical + v < rows {
                        let target = (row * part.vertical + v) * columns
                        for column in 0..<columns {
                            let mcu = column / part.horizontal, h = column % part.horizontal
                            let block = mcu * layout.mcuBlocks + part.first + v * part.horizontal + h
                            guard block + 1 < starts.count else {
                                keys[target + column] = column > 0 ? keys[target + column - 1] : 0
                                continue
                            }
                            // Wrapping: before a restart marker the next block may begin anywhere.
                            keys[target + column] = BlockActivity.key(
                                bits: Int(starts[block + 1] &- starts[block]))
                        }
                    }
                }
            }
        }
    }
}
