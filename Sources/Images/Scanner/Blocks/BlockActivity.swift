/// How busy each block of the first component is: how far its mean is from those beside it, on a logarithmic
/// scale.
///
/// The bits that a block takes in the file say it a little better, but they are others in every form of the
/// same photo: turned, with other codes, in several scans.
struct BlockActivity {
    /// Blocks across and down.
    private let columns: Int, rows: Int
    /// Blocks of pixels to one of these, across and down.
    private let wide: Int, tall: Int
    /// Row by row. Empty: nothing is known, and all blocks are alike.
    private var keys: [UInt8] = []

    /// Knows nothing yet.
    init(frame: JPEGFrame) {
        let first = frame.components[0], isAlone = frame.components.count == 1
        (columns, rows) = frame.blocks(of: first)
        (wide, tall) =
            isAlone ? (1, 1) : (frame.maxHorizontal / first.horizontal, frame.maxVertical / first.vertical)
    }

    /// By a block of pixels. 0...255; a difference counts in a comparison of blocks as much as one of as many
    /// 8-bit steps in their means does: twice the distance is 16.
    @inline(__always)
    func key(x: Int, y: Int) -> Int {
        if keys.isEmpty { return 0 }
        return wide == 1 && tall == 1
            ? Int(keys[y &* columns &+ x]) : Int(keys[y / tall * columns + x / wide])
    }

    /// 16 times a number's binary logarithm, its fraction straight between powers of two.
    @inline(__always)
    private static func key(_ number: Int) -> UInt8 {
        let exponent = Int.bitWidth - 1 - number.leadingZeroBitCount
        let fraction = (number << 4) >> exponent & 15
        return UInt8(truncatingIfNeeded: min(16 + 16 * exponent + fraction, 255))
    }

    /// Measures all blocks.
    ///
    /// - Parameters:
    ///   - plane: of the first component.
    ///   - step: its quantisation step.
    /// - Complexity: O(blocks).
    mutating func measure(_ plane: DCPlane, step: Int) {
        var keys = [UInt8](repeating: 0, count: columns * rows)
        var output = keys.mutableSpan
        let means = plane.values.span
        for y in 0..<rows {
            let row = y * plane.columns
            // Beyond an edge lies nothing else.
            let above = y > 0 ? row - plane.columns : row
            let below = y + 1 < rows ? row + plane.columns : row
            for x in 0..<columns {
                let own = Int(means[row + x])
                let beside =
                    abs(own - Int(means[row + max(x - 1, 0)]))
                    + abs(own - Int(means[row + min(x + 1, columns - 1)]))
                let across = abs(own - Int(means[above + x])) + abs(own - Int(means[below + x]))
                // In half levels, and 8 for noise.
                output[y * columns + x] = BlockActivity.key(8 + (beside + across) * step / 4)
            }
        }
        self.keys = keys
    }
}
