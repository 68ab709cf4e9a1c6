/// A scan of baseline data whose blocks have been found.
struct BaselineScan {
    let layout: ScanLayout
    let data: EntropyData
    let starts: BlockStarts
    /// MCUs between restart markers; 0: none.
    let restartInterval: Int
    /// By part of the layout.
    let dc: [DCTable], ac: [HuffmanCode]

    /// Bytes of data from which on several streams pay.
    static let manyStreamsFrom = 24_576

    /// Finds the blocks. Nil when anything does not add up.
    init?(
        _ markers: JPEGMarkers, frame: JPEGFrame, scan: JPEGScan,
        manyStreamsFrom: Int = BaselineScan.manyStreamsFrom
    ) {
        guard scan.first == 0, scan.last == 63, scan.previousBit == 0, scan.bit == 0,
            let layout = ScanLayout(frame: frame, scan: scan)
        else { return nil }
        var dc: [DCTable] = [], ac: [HuffmanCode] = [], blocks: [BlockSkipper.Codes] = []
        for part in layout.parts {
            guard let dcCode = markers.huffman[part.scan.dc], let acCode = markers.huffman[4 + part.scan.ac],
                dcCode.isDC
            else { return nil }
            dc.append(DCTable(dcCode))
            ac.append(acCode)
            for _ in 0..<part.blocks {
                blocks.append(BlockSkipper.Codes(dc: dcCode, ac: acCode))
            }
        }
        // The sizes of a hostile header are compared with the file before memory is reserved.
        guard layout.total <= (markers.bytes.count - markers.position) * 4,
            let data = EntropyData(markers.bytes, from: markers.position),
            let starts = BlockStarts(
                data, skipper: BlockSkippers.shared.skipper(blocks), total: layout.total,
                interval: markers.restartInterval * layout.mcuBlocks,
                streams: data.count >= manyStreamsFrom ? BlockLanes.count : 1)
        else { return nil }
        self.layout = layout
        self.data = data
        self.starts = starts
        restartInterval = markers.restartInterval
        (self.dc, self.ac) = (dc, ac)
    }

    /// Reads the DC values of all components into their planes.
    ///
    /// - Returns: false when a value cannot be.
    /// - Complexity: O(blocks).
    func readValues(into planes: inout [DCPlane]) -> Bool {
        for (index, part) in layout.parts.enumerated() {
            var values: [Int16] = []
            swap(&values, &planes[part.component].values)
            var reader = ValueReader(scan: self, part: part, table: dc[index])
            var output = values.mutableSpan
            let row = layout.columns * layout.mcuBlocks
            for y in 0..<layout.rows {
                let isRead = starts.withBlocks(y * row, count: row) { reader.read(row: y, $0, into: &output) }
                guard isRead else { return false }
            }
            swap(&values, &planes[part.component].values)
        }
        return true
    }
}

/// Adds up the DC differences of one component.
private struct ValueReader {
    let scan: BaselineScan
    let part: ScanLayout.Part
    let table: DCTable
    var value = 0
    var untilRestart: Int

    init(scan: BaselineScan, part: ScanLayout.Part, table: DCTable) {
        self.scan = scan
        self.part = part
        self.table = table
        untilRestart = scan.restartInterval == 0 ? Int.max : scan.restartInterval
    }

    /// Reads a row of MCUs.
    ///
    /// - Returns: false for an unknown code or a value beyond 16 bits.
    mutating func read(row: Int, _ starts: Span<UInt32>, into output: inout MutableSpan<Int16>) -> Bool {
        let (mcus, step) = (scan.layout.columns, scan.layout.mcuBlocks)
        let first = row * part.vertical * part.columns, count = part.blocks, offsets = part.offsets
        precondition(starts.count >= mcus * step && part.first + count <= step)
        precondition(first + (mcus - 1) * part.horizontal + offsets[count - 1] < output.count)
        // Loops of a known length take a tenth less.
        return switch count {
        case 1: read(starts, into: &output, at: first, offsets, count: 1)
        case 2: read(starts, into: &output, at: first, offsets, count: 2)
        case 4: read(starts, into: &output, at: first, offsets, count: 4)
        default: read(starts, into: &output, at: first, offsets, count: count)
        }
    }

    @inline(__always)
    private mutating func read(
        _ starts: Span<UInt32>, into output: inout MutableSpan<Int16>, at first: Int, _ offsets: SIMD16<Int>,
        count: Int
    ) -> Bool {
        let (scan, table, across) = (scan, table, part.horizontal), bytes = scan.data.bytes.span
        let entries = table.entries.span, (mcus, step) = (scan.layout.columns, scan.layout.mcuBlocks)
        var (value, left, beyond, isRead) = (value, untilRestart, 0, true)
        var block = part.first, target = first
        for _ in 0..<mcus {
            if left == 0 { (value, left) = (0, scan.restartInterval) }
            left &-= 1
            for index in 0..<count {
                // SAFETY: a block starts inside the data or where they end, and the padding lets eight bytes
                // be read there; 12 bits are inside the table; where the row's last MCU lies was looked at by
                // the caller.
                let start = unsafe Int(starts[unchecked: block &+ index])
                let word = unsafe bytes.bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: start &>> 3, as: UInt64.self)
                let bits = word.bigEndian &<< UInt64(truncatingIfNeeded: start & 7)
                let entry = unsafe Int(entries[unchecked: Int(truncatingIfNeeded: bits &>> 52)])
                if entry & 15 != 0 {
                    value &+= entry &>> 4
                } else if let difference = table.difference(bits) {
                    value &+= difference.value
                } else {
                    isRead = false
                }
                beyond |= (value &+ 32_768) &>> 16
                unsafe output[unchecked: target &+ offsets[index]] = Int16(truncatingIfNeeded: value)
            }
            block &+= step
            target &+= across
        }
        (self.value, untilRestart) = (value, left)
        return isRead && beyond == 0
    }
}
