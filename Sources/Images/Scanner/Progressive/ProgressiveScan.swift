/// A scan of a progressive file that holds DC values: the first one their upper bits, later ones one more bit
/// each. Together they are a twentieth of the file, and read straight through.
///
/// - Source: ITU-T T.81 G.1.2.1 (successive approximation of DC).
struct ProgressiveScan {
    let layout: ScanLayout
    let data: EntropyData
    /// MCUs between restart markers; 0: none.
    let restartInterval: Int
    let scan: JPEGScan

    /// Copies the scan's data. Nil when it does not fit the frame.
    init?(_ markers: JPEGMarkers, frame: JPEGFrame, scan: JPEGScan) {
        guard scan.first == 0, scan.last == 0, let layout = ScanLayout(frame: frame, scan: scan),
            layout.total <= (markers.bytes.count - markers.position) * 8,
            let data = EntropyData(markers.bytes, from: markers.position)
        else { return nil }
        self.layout = layout
        self.data = data
        self.scan = scan
        restartInterval = markers.restartInterval
        let mcus = layout.columns * layout.rows
        let segments = restartInterval == 0 ? 1 : (mcus + restartInterval - 1) / restartInterval
        guard data.segments.count - 1 == segments else { return nil }
    }

    /// Where the scan's data ends in the file.
    var end: Int { data.end }

    /// Reads one more bit of every value: block after block takes one, so each block's place is known.
    ///
    /// - Returns: false when the data do not end where they should.
    func refine(_ planes: inout [DCPlane]) -> Bool {
        let mcus = layout.columns * layout.rows, interval = restartInterval == 0 ? mcus : restartInterval
        for segment in 0..<data.segments.count - 1 {
            let bits = min(interval, mcus - segment * interval) * layout.mcuBlocks
            guard endsInLastByte(data.segments[segment] * 8 + bits, segment) else { return false }
        }
        for part in layout.parts {
            var values: [Int16] = []
            swap(&values, &planes[part.component].values)
            refine(&values, part, interval: interval)
            swap(&values, &planes[part.component].values)
        }
        return true
    }

    private func refine(_ values: inout [Int16], _ part: ScanLayout.Part, interval: Int) {
        for row in 0..<layout.rows {
            // Runs of MCUs between two restarts.
            var column = 0
            while column < layout.columns {
                let mcu = row * layout.columns + column, segment = mcu / interval, offset = mcu % interval
                let count = min(interval - offset, layout.columns - column)
                let position = data.segments[segment] * 8 + offset * layout.mcuBlocks + part.first
                for index in 0..<part.blocks {
                    let (v, h) = (index / part.horizontal, index % part.horizontal)
                    refine(
                        &values,
                        from: (row * part.vertical + v) * part.columns + column * part.horizontal + h,
                        apart: part.horizontal, count: count, position: position + index)
                }
                column += count
            }
        }
    }

    /// Adds a bit to each of `count` values, `apart` from each other, of which the data have one an MCU.
    private func refine(_ values: inout [Int16], from first: Int, apart: Int, count: Int, position: Int) {
        let bytes = data.bytes.span, bit = Int16(1) << Int16(scan.bit), step = layout.mcuBlocks
        var output = values.mutableSpan
        precondition(first >= 0 && first + (count - 1) * apart < output.count)
        precondition(position >= 0 && (position + (count - 1) * step) >> 3 < bytes.count)
        var target = first, position = position
        for _ in 0..<count {
            // SAFETY: the last value and the last bit were looked at above. All ones where the data say 1.
            let byte = unsafe bytes[unchecked: position &>> 3]
            let set = 0 &- Int16(byte &>> UInt8(truncatingIfNeeded: 7 &- (position & 7)) & 1)
            unsafe output[unchecked: target] |= set & bit
            position &+= step
            target &+= apart
        }
    }

    /// Whether a segment's data end where they should: what is left is padding.
    func endsInLastByte(_ position: Int, _ segment: Int) -> Bool {
        let end = data.segments[segment + 1] * 8
        return position <= end && end - position < 8
    }
}
