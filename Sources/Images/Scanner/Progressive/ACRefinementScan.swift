/// A later scan of some AC coefficients of one component of a progressive file: one more bit of each.
///
/// - Source: ITU-T T.81 G.1.2.3 (coding of the correction bits).
struct ACRefinementScan {
    private let data: EntropyData
    private let scan: JPEGScan
    private let table: ACTable
    private let blocks: Int
    private let interval: Int

    /// Copies the scan's data. Nil when it does not fit the frame.
    init?(_ markers: JPEGMarkers, frame: JPEGFrame, scan: JPEGScan) {
        guard scan.first > 0, scan.previousBit > 0, scan.components.count == 1,
            let code = markers.huffman[4 + scan.components[0].ac],
            let data = EntropyData(markers.bytes, from: markers.position)
        else { return nil }
        let (columns, rows) = frame.blocks(of: frame.components[scan.components[0].index])
        (self.data, self.scan) = (data, scan)
        table = ACTable(code, isProgressive: true)
        blocks = columns * rows
        interval = markers.restartInterval == 0 ? blocks : markers.restartInterval
        guard data.segments.count - 1 == (blocks + interval - 1) / interval else { return nil }
    }

    /// Where the scan's data ends in the file.
    var end: Int { data.end }

    /// Reads all blocks, and keeps the bits of the chosen ones.
    ///
    /// - Parameter chosen: what the scans before brought.
    /// - Returns: false when anything does not add up.
    /// - Complexity: O(blocks + symbols).
    func read(into chosen: inout ChosenBlocks) -> Bool {
        guard chosen.known.count == blocks else { return false }
        var cursor = ChosenCursor(order: chosen.order, end: blocks)
        var coefficients: [Int16] = [], known: [UInt64] = []
        swap(&coefficients, &chosen.coefficients)
        swap(&known, &chosen.known)
        var block = 0
        let bytes = unsafe data.bytes.span.bytes
        var reader = Reader(scan: scan, table: table)
        for segment in 0..<data.segments.count - 1 {
            var state = ACReadState(position: data.segments[segment] * 8, end: data.segments[segment + 1] * 8)
            let last = min(block + interval, blocks)
            while block < last {
                reader.start = cursor.start(of: block)
                guard reader.read(bytes, state: &state, known: &known[block], kept: &coefficients) else {
                    return false
                }
                block += 1
                cursor.skip(to: block)
            }
            guard state.isAtEnd else { return false }
        }
        swap(&coefficients, &chosen.coefficients)
        swap(&known, &chosen.known)
        return true
    }

    private struct Reader {
        private let table: ACTable
        private let naturalOrder = BlockDecoder.naturalOrder
        private let first: Int, last: Int
        private let unit: Int16
        /// Where the block's 64 coefficients are; -1: they are not wanted.
        var start = -1

        init(scan: JPEGScan, table: ACTable) {
            self.table = table
            (first, last, unit) = (scan.first, scan.last, 1 << Int16(scan.bit))
        }

        /// Reads one block.
        ///
        /// - Returns: false when anything does not add up.
        mutating func read(
            _ bytes: RawSpan, state: inout ACReadState, known: inout UInt64, kept: inout [Int16]
        ) -> Bool {
            let before = known
            var index = first
            while state.run == 0, index <= last {
                guard state.position < state.end else { return false }
                let bits = BlockSkipper.bits(of: bytes, at: state.position)
                var entry = table.entries[Int(truncatingIfNeeded: bits >> 52)]
                if entry == 0 { entry = table.long(bits) }
                let length = ACTable.length(entry), size = ACTable.size(entry), upper = ACTable.advance(entry)
                guard length > 0, size <= 1 else { return false }
                state.position += Int(length)
                if size == 0, upper < 15 {
                    state.beginRun(upper, bits &<< length)
                    // This block's rest is the first of them.
                    state.run += 1
                    break
                }
                let isPositive = (bits &<< length) >> 63 == 1
                state.position += Int(size)
                // Skips this many coefficients that are still 0; then one becomes nonzero, or stays 0.
                let target = self.indexOfZero(after: size == 1 ? upper - 1 : 15, from: index, known: before)
                guard target <= last else { return false }
                correct(index..<target, known: before, in: bytes, state: &state, kept: &kept)
                if size == 1 {
                    known |= 1 &<< UInt64(truncatingIfNeeded: target)
                    if start >= 0 { kept[start + naturalOrder[target]] = isPositive ? unit : -unit }
                }
                index = target + 1
            }
            if state.run > 0 {
                state.run -= 1
                if index <= last {
                    correct(index..<last + 1, known: before, in: bytes, state: &state, kept: &kept)
                }
            }
            return state.position <= state.end
        }

        /// The index of the zero after `zeros` others; 64 if there are fewer.
        @inline(__always)
        private func indexOfZero(after zeros: Int, from index: Int, known: UInt64) -> Int {
            var open = ~known & (UInt64.max &<< UInt64(truncatingIfNeeded: index))
            for _ in 0..<zeros { open &= open &- 1 }
            return open.trailingZeroBitCount
        }

        /// Reads a bit for each known coefficient in the range.
        @inline(__always)
        private func correct(
            _ range: Range<Int>, known: UInt64, in bytes: RawSpan, state: inout ACReadState,
            kept: inout [Int16]
        ) {
            let below: UInt64 = range.upperBound > 63 ? .max : (1 &<< UInt64(range.upperBound)) &- 1
            var wanted = known & below & (UInt64.max &<< UInt64(range.lowerBound))
            let count = wanted.nonzeroBitCount
            if count > 0, start >= 0, state.position + count <= state.end {
                // At most 63, where a load gives 57 for sure.
                var position = state.position
                while wanted != 0 {
                    let at = start + naturalOrder[wanted.trailingZeroBitCount]
                    if BlockSkipper.bits(of: bytes, at: position) >> 63 == 1 {
                        kept[at] &+= kept[at] < 0 ? -unit : unit
                    }
                    position += 1
                    wanted &= wanted - 1
                }
            }
            state.position += count
        }
    }
}
