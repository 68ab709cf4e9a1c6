/// Reads whole blocks: every coefficient, and the 64 samples they stand for.
///
/// A class so that handing it on counts one reference instead of one for each of its tables.
final class BlockDecoder {
    private let dc: DCTable
    private let ac: ACTable
    /// Quantization steps, row by row.
    private let steps: [Float]

    /// - Parameters:
    ///   - dc: how its DC differences are coded.
    ///   - ac: how its other coefficients are.
    ///   - zigzag: quantisation steps in zig-zag order.
    init(dc: DCTable, ac: HuffmanCode, steps zigzag: [UInt16]) {
        self.dc = dc
        self.ac = ACTable(ac)
        steps = BlockDecoder.rowMajorSteps(zigzag)
    }

    static func rowMajorSteps(_ zigzag: [UInt16]) -> [Float] {
        var steps = [Float](repeating: 0, count: 64)
        for (index, target) in BlockDecoder.naturalOrder.enumerated() { steps[target] = Float(zigzag[index]) }
        return steps
    }

    /// The row-by-row index of each coefficient of the zig-zag order.
    ///
    /// - Source: ITU-T T.81, figure A.6: along the diagonals, the direction changing with each.
    static let naturalOrder: [Int] = (0..<15).flatMap { (diagonal: Int) -> [Int] in
        let rows = max(0, diagonal - 7)...min(7, diagonal)
        let naturalOrder = rows.map { $0 * 8 + diagonal - $0 }
        return diagonal.isMultiple(of: 2) ? naturalOrder.reversed() : naturalOrder
    }

    /// Reads the block that begins at a bit of `data` and writes its eight rows, without its mean: of the DC
    /// value the data hold only the difference to another block's.
    ///
    /// - Returns: false when the block is not one; the scanner has seen it whole, so that does not happen.
    /// - Complexity: O(1): at most 63 symbols and 128 multiplications of eight numbers.
    func decode(
        at start: Int, data: RawSpan, end: Int, into rows: inout BlockRows
    ) -> Bool {
        var coefficients = InlineArray<8, SIMD8<Float>>(repeating: .zero)
        let ownSteps = self.steps, allTargets = BlockDecoder.naturalOrder, ac = self.ac
        let steps = ownSteps.span, naturalOrder = allTargets.span, entries = ac.entries.span
        var used = 0  // bit v: row v has a coefficient other than 0
        var position = start
        guard let difference = dc.difference(BlockSkipper.bits(of: data, at: position)) else { return false }
        position += difference.length
        var index = 0
        while index < 63 {
            guard position < end else { return false }
            let bits = BlockSkipper.bits(of: data, at: position)
            var entry = entries[Int(truncatingIfNeeded: bits >> 52)]
            if entry == 0 { entry = ac.long(bits) }
            index += ACTable.advance(entry)
            guard ACTable.advance(entry) > 0 else { return false }
            let size = ACTable.size(entry)
            position += Int(ACTable.length(entry) + size)
            if size == 0 { continue }
            guard index <= 63 else { return false }
            let target = naturalOrder[index]
            coefficients[target >> 3][target & 7] = Float(ACTable.value(entry, bits)) * steps[target]
            used |= 1 << (target >> 3)
        }
        rows = BlockRows(coefficients, used: used)
        return true
    }
}

/// The samples of a block, row by row.
struct BlockRows {
    private var rows = InlineArray<8, SIMD8<Float>>(repeating: .zero)

    init() {}

    /// The inverse cosine transform: down the columns, then along the rows.
    ///
    /// - Parameters:
    ///   - coefficients: row by row, times their quantisation steps.
    ///   - used: bit v is set where row v has a coefficient other than 0.
    init(_ coefficients: InlineArray<8, SIMD8<Float>>, used: Int) {
        let rowsOfBasis = BlockRows.basis
        let basis = rowsOfBasis.span
        for y in 0..<8 {
            var column = SIMD8<Float>.zero
            for v in 0..<8 where used >> v & 1 != 0 { column += coefficients[v] * basis[v][y] }
            var row = SIMD8<Float>.zero
            for u in 0..<8 { row += basis[u] * column[u] }
            rows[y] = row
        }
    }

    subscript(row: Int) -> SIMD8<Float> { rows[row] }

    /// Cosine basis: row u is `c(u) / 2 * cos((2 x + 1) u pi / 16)` for x in 0..<8.
    ///
    /// - Source: ITU-T T.81 A.3.3. Values of cos(k pi / 16), k = 1...7, to float's precision, so that no C
    ///   library has a say in a color.
    private static let basis: [SIMD8<Float>] = {
        let cosines: [Float] = [
            1, 0.980_785_28, 0.923_879_53, 0.831_469_61, 0.707_106_78, 0.555_570_23, 0.382_683_43,
            0.195_090_32, 0,
        ]
        return (0..<8).map { u in
            var row = SIMD8<Float>()
            for x in 0..<8 {
                let angle = (2 * x + 1) * u % 32, folded = angle > 16 ? 32 - angle : angle
                let cosine = folded > 8 ? -cosines[16 - folded] : cosines[folded]
                row[x] = cosine * (u == 0 ? 0.353_553_39 : 0.5)
            }
            return row
        }
    }()
}
