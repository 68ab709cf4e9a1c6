/// The patches of a ``SamplePlan``, decoded in full: what the samples of their blocks differ by from the
/// block's mean.
struct Patches {
    let plan: SamplePlan
    /// By component.
    let shares: [PatchShare]
    /// By component, the blocks of all patches; 0 is the block's mean.
    private(set) var differences: [[BlockRows]]

    /// Nil when something in the data does not add up.
    ///
    /// - Parameter read: reads a component's block, by its place in the component's plane and its number
    ///   among the component's blocks of all patches.
    /// - Complexity: O(pixels of the patches).
    init?(
        _ plan: SamplePlan, frame: JPEGFrame,
        read: (_ component: Int, _ location: BlockLocation, _ number: Int, _ rows: inout BlockRows) -> Bool
    ) {
        self.plan = plan
        shares = frame.components.indices.map { PatchShare(frame: frame, component: $0, plan: plan) }
        differences = shares.map { Array(repeating: BlockRows(), count: plan.patches.count * $0.blocks) }
        for (component, share) in shares.enumerated() {
            var number = 0
            for patch in plan.patches {
                for block in 0..<share.blocks {
                    let location = share.location(block, of: patch)
                    guard read(component, location, number, &differences[component][number]) else {
                        return nil
                    }
                    number += 1
                }
            }
        }
    }
}

extension Patches {
    /// The variation of the first component of a block of pixels: the sum of squared differences.
    func energy(of block: Int, in patch: Int) -> Int {
        let share = shares[0], column = block % plan.columns / share.wide
        let row = block / plan.columns / share.tall
        let rows = differences[0][patch * share.blocks + row * share.columns + column]
        var sum: Float = 0
        for row in 0..<8 { sum += (rows[row] * rows[row]).sum() }
        // Steps and coefficients are the file's: their squares may come to more than an Int holds.
        return Int(min(sum, 1e18))
    }
}

/// A block in its component's plane.
struct BlockLocation {
    let column: Int, row: Int
}

/// A component's part of a patch.
struct PatchShare {
    /// Its blocks, across and down.
    let columns: Int, rows: Int
    /// How often each of its samples counts, across and down.
    let wide: Int, tall: Int
    /// Its blocks in an MCU, across and down.
    private let mcuColumns: Int, mcuRows: Int

    init(frame: JPEGFrame, component index: Int, plan: SamplePlan) {
        let isAlone = frame.components.count == 1, component = frame.components[index]
        wide = isAlone ? 1 : frame.maxHorizontal / component.horizontal
        tall = isAlone ? 1 : frame.maxVertical / component.vertical
        (columns, rows) = (plan.columns / wide, plan.rows / tall)
        (mcuColumns, mcuRows) = (columns / plan.mcuColumns, rows / plan.mcuRows)
    }

    var blocks: Int { columns * rows }

    /// Where in the plane a block of a patch lies; they are counted row by row.
    func location(_ block: Int, of patch: SamplePlan.Patch) -> BlockLocation {
        BlockLocation(
            column: patch.x * mcuColumns + block % columns, row: patch.y * mcuRows + block / columns)
    }

    /// For each pixel of a block of pixels of a patch, both counted row by row, which sample of the patch's
    /// blocks covers it.
    func samples(x: Int, y: Int) -> [Int32] {
        (0..<64).map { pixel in
            let column = (x * 8 + pixel % 8) / wide, row = (y * 8 + pixel / 8) / tall
            return Int32((row / 8 * columns + column / 8) * 64 + row % 8 * 8 + column % 8)
        }
    }
}
