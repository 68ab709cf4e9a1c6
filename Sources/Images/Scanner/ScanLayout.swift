/// How the blocks of a scan follow one another.
///
/// - Source: ITU-T T.81 A.2.2, A.2.3 (one component: its own blocks; several: MCUs).
struct ScanLayout {
    /// A component's blocks in an MCU.
    struct Part {
        /// Index into the frame's components.
        let component: Int
        /// Its first block in the MCU.
        let first: Int
        /// Blocks across and down; 1, 1 when it is alone in the scan.
        let horizontal: Int, vertical: Int
        /// Blocks across the component's plane.
        let columns: Int
        let scan: JPEGScan.Component

        /// Its blocks in an MCU, at most 10.
        var blocks: Int { horizontal * vertical }

        /// How far an MCU's values are from its first in the component's plane, in the order of the scan.
        var offsets: SIMD16<Int> {
            var offsets = SIMD16<Int>()
            for index in 0..<blocks {
                offsets[index] = index / horizontal * columns + index % horizontal
            }
            return offsets
        }
    }

    let parts: [Part]
    /// MCUs across and down.
    let columns: Int, rows: Int
    /// Blocks of an MCU.
    let mcuBlocks: Int

    /// Nil for more than 10 blocks an MCU, which T.81 B.2.3 forbids.
    init?(frame: JPEGFrame, scan: JPEGScan) {
        var parts: [Part] = [], first = 0
        let isAlone = scan.components.count == 1
        for component in scan.components {
            let known = frame.components[component.index]
            let (horizontal, vertical) = isAlone ? (1, 1) : (known.horizontal, known.vertical)
            parts.append(
                Part(
                    component: component.index, first: first, horizontal: horizontal, vertical: vertical,
                    columns: frame.mcuColumns * known.horizontal, scan: component))
            first += horizontal * vertical
        }
        guard first <= 10 else { return nil }
        self.parts = parts
        mcuBlocks = first
        if isAlone {
            (columns, rows) = frame.blocks(of: frame.components[parts[0].component])
        } else {
            (columns, rows) = (frame.mcuColumns, frame.mcuRows)
        }
    }

    /// A block's number in the scan.
    @inline(__always)
    func number(of location: BlockLocation, in part: Part) -> Int {
        let mcu = location.row / part.vertical * columns + location.column / part.horizontal
        return mcu * mcuBlocks + part.first + location.row % part.vertical * part.horizontal
            + location.column % part.horizontal
    }

    /// Blocks of the scan.
    var total: Int { columns * rows * mcuBlocks }
}
