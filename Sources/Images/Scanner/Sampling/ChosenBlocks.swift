/// Coefficients of the blocks of one component that a ``SamplePlan`` chose, collected scan by scan.
struct ChosenBlocks {
    /// The numbers of the chosen blocks in a scan of this component alone, ascending, and the position of
    /// each among the component's blocks of all patches.
    let order: [(block: Int, number: Int)]
    /// 64 a block, row by row, as they are in the file but for the bits of scans to come.
    var coefficients: [Int16]
    /// A bit per coefficient of every block in a scan of this component alone, set if the scans so far made
    /// it nonzero, by its zig-zag index: it tells a later scan's bits apart. Empty when nothing is chosen.
    var known: [UInt64]

    /// - Parameter plan: nil chooses none.
    init(frame: JPEGFrame, component index: Int, plan: SamplePlan?) {
        guard let plan else {
            (order, coefficients, known) = ([], [], [])
            return
        }
        let share = PatchShare(frame: frame, component: index, plan: plan)
        let columns = frame.blocks(of: frame.components[index]).columns
        var order: [(block: Int, number: Int)] = []
        for (patch, location) in plan.patches.enumerated() {
            for block in 0..<share.blocks {
                let location = share.location(block, of: location)
                order.append((location.row * columns + location.column, patch * share.blocks + block))
            }
        }
        self.order = order.sorted { $0.block < $1.block }
        coefficients = Array(repeating: 0, count: order.count * 64)
        let (across, down) = frame.blocks(of: frame.components[index])
        known = Array(repeating: 0, count: across * down)
    }

    /// A block's samples, without its mean.
    ///
    /// - Parameters:
    ///   - number: its place among the component's blocks of all patches.
    ///   - steps: row by row.
    func rows(of number: Int, steps: [Float]) -> BlockRows {
        var block = InlineArray<8, SIMD8<Float>>(repeating: .zero), used = 0
        let start = number * 64
        for index in 1..<64 where coefficients[start + index] != 0 {
            block[index >> 3][index & 7] = Float(coefficients[start + index]) * steps[index]
            used |= 1 << (index >> 3)
        }
        return BlockRows(block, used: used)
    }
}
