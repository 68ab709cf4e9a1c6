/// The AC coefficients 1...4, in zig-zag order, of every block of the first component: with the DC value
/// enough for its means over 4 x 4 pixels.
struct LowFrequencyCoefficients {
    /// The component; nil: not wanted.
    let component: Int?
    /// Blocks that hold pixels, across and down.
    let columns: Int, rows: Int
    /// Row by row, as stored: before the quantisation steps are multiplied in.
    var values: [SIMD4<Int16>]

    /// - Parameter isWanted: false makes it empty. So does a first component with less than full resolution:
    ///   its means over 4 x 4 of its samples would be over more of the picture's pixels.
    init(frame: JPEGFrame, isWanted: Bool) {
        let first = frame.components[0]
        guard isWanted,
            frame.components.count == 1
                || first.horizontal == frame.maxHorizontal && first.vertical == frame.maxVertical
        else {
            (component, columns, rows, values) = (nil, 0, 0, [])
            return
        }
        component = 0
        (columns, rows) = frame.blocks(of: first)
        values = Array(repeating: .zero, count: columns * rows)
    }

    /// Weights of DC, the two coefficients beside it, and the one diagonally below, in a mean over a quarter
    /// of a block: products of the means of the cosine basis over half of its length, 0.353553 for frequency
    /// 0 and 0.320364 for frequency 1. Higher ones, which the means over half a block nearly cancel, are left
    /// out.
    static let weights: (dc: Float, side: Float, diagonal: Float) = (0.125, 0.113_266, 0.102_633)
}

extension BaselineScan {
    /// Reads the first four AC coefficients of every block of a component.
    ///
    /// Always four symbols a block, whatever they are, and no branch that depends on them: blocks follow one
    /// another without waiting. A branch mispredicted now and then costs five times as much.
    ///
    /// - Complexity: O(blocks of the component).
    func readLow(into low: inout LowFrequencyCoefficients) {
        guard let component = low.component,
            let index = layout.parts.firstIndex(where: { $0.component == component })
        else { return }
        let part = layout.parts[index], dc = dc[index], table = ACTable(ac[index])
        var values: [SIMD4<Int16>] = []
        swap(&values, &low.values)
        var output = values.mutableSpan
        let bytes = unsafe data.bytes.span.bytes, rowBlocks = layout.columns * layout.mcuBlocks
        for row in 0..<layout.rows {
            starts.withBlocks(row * rowBlocks, count: rowBlocks) { starts in
                for v in 0..<part.vertical where row * part.vertical + v < low.rows {
                    let target = (row * part.vertical + v) * low.columns
                    for column in 0..<low.columns {
                        let mcu = column / part.horizontal, h = column % part.horizontal
                        let start = starts[mcu * layout.mcuBlocks + part.first + v * part.horizontal + h]
                        output[target + column] = BaselineScan.low(at: Int(start), bytes, dc, table)
                    }
                }
            }
        }
        swap(&values, &low.values)
    }

    @inline(__always)
    private static func low(at start: Int, _ bytes: RawSpan, _ dc: DCTable, _ table: ACTable) -> SIMD4<Int16>
    {
        let entries = table.entries.span
        var position = start + dc.length(BlockSkipper.bits(of: bytes, at: start))
        // Index 0 is never written, 5 takes whatever comes behind the fourth coefficient.
        var slots = InlineArray<8, Int16>(repeating: 0), index = 0
        for _ in 0..<2 {
            // Two symbols of a code of at most 12 bits and a value of at most 10 fit in what is loaded.
            var bits = BlockSkipper.bits(of: bytes, at: position)
            for _ in 0..<2 {
                var entry = entries[Int(truncatingIfNeeded: bits >> 52)]
                if entry == 0, index < 4 {
                    bits = BlockSkipper.bits(of: bytes, at: position)
                    entry = table.long(bits)
                }
                index = min(index + max(ACTable.advance(entry), 1), 5)
                slots[index] = Int16(truncatingIfNeeded: ACTable.value(entry, bits))
                let length = ACTable.length(entry) + ACTable.size(entry)
                position += Int(length)
                bits = bits &<< length
            }
        }
        return SIMD4(slots[1], slots[2], slots[3], slots[4])
    }
}
