/// A scan of a progressive file that holds DC values: the first one their upper bits, later ones one more bit
/// each. Together they are a twentieth of the file, and read straight through.
///
/// - Source: ITU-T T.81 G.1.2.1 (successive approximation of DC).
struct ProgressiveScan {
    private let layout: ScanLayout
    private let data: EntropyData
    private let restartInterval: Int
    private let scan: JPEGScan

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

    /// Reads the upper bits.
    ///
    /// - Parameters:
    ///   - planes: of all components; those of the scan are filled.
    ///   - huffman: the tables in force.
    /// - Returns: false when anything does not add up.
    func readFirst(into planes: inout [DCPlane], huffman: [HuffmanCode?]) -> Bool {
        // Components may share a table.
        var tables: [DCTable] = [], places: [Int: Int] = [:]
        for part in layout.parts where places[part.scan.dc] == nil {
            guard let code = huffman[part.scan.dc], code.isDC else { return false }
            places[part.scan.dc] = tables.count
            tables.append(DCTable(code))
        }
        let allEntries = tables.flatMap(\.entries), entries = allEntries.span
        let partTables = layout.parts.map { places[$0.scan.dc] ?? 0 }, tableOfPart = partTables.span
        let partCounts = layout.parts.map { $0.horizontal * $0.vertical }, counts = partCounts.span
        let bit = scan.bit
        var values = InlineArray<4, Int>(repeating: 0), beyond = 0
        let bytes = unsafe data.bytes.span.bytes
        let sequence = readMCUs { isRestart, position, sequence, next in
            if isRestart { values = InlineArray<4, Int>(repeating: 0) }
            var bits: UInt64 = 0, block = 0
            for part in counts.indices {
                var value = values[part]
                let table = tableOfPart[part], end = block &+ counts[part]
                while block < end {
                    // The 57 bits that a load gives at least hold four entries of 12: the next look-up need
                    // not wait for memory.
                    if block & 3 == 0 { bits = BlockSkipper.bits(of: bytes, at: position) }
                    let entry = Int(entries[table &<< 12 &+ Int(truncatingIfNeeded: bits >> 52)])
                    if entry & 15 != 0 {
                        position &+= entry & 15
                        bits &<<= UInt64(truncatingIfNeeded: entry & 15)
                        value &+= entry >> 4
                    } else {
                        bits = BlockSkipper.bits(of: bytes, at: position)
                        guard let difference = tables[table].difference(bits) else { return false }
                        position &+= difference.length
                        bits = BlockSkipper.bits(of: bytes, at: position)
                        value &+= difference.value
                    }
                    let scaled = value &<< bit
                    beyond |= (scaled &+ 32_768) >> 16
                    sequence[next &+ block] = Int16(truncatingIfNeeded: scaled)
                    block &+= 1
                }
                values[part] = value
            }
            return beyond == 0
        }
        return place(sequence, into: &planes)
    }

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
        let bytes = data.bytes.span, bit = Int16(1) << Int16(scan.bit), step = layout.mcuBlocks
        var output = values.mutableSpan
        var segment = 0, left = interval, position = part.first
        for row in 0..<layout.rows {
            var target = row * part.vertical * part.columns
            for _ in 0..<layout.columns {
                if left == 0 {
                    segment += 1
                    left = interval
                    position = data.segments[segment] * 8 + part.first
                }
                left -= 1
                var next = position
                for v in 0..<part.vertical {
                    for h in 0..<part.horizontal {
                        // All ones where the data say 1.
                        let set = -Int16(
                            truncatingIfNeeded: bytes[next >> 3] &>> UInt8(truncatingIfNeeded: 7 - (next & 7))
                                & 1)
                        output[target + v * part.columns + h] |= set & bit
                        next += 1
                    }
                }
                position += step
                target += part.horizontal
            }
        }
    }

    /// Reads a value a block in the order of the scan.
    ///
    /// - Parameter body: reads one MCU: moves the bit position on and writes its values from `next` on.
    /// - Returns: nil when `body` says so, or the data do not end where they should.
    @inline(__always)
    private func readMCUs(
        _ body: (
            _ isRestart: Bool, _ position: inout Int, _ sequence: inout MutableSpan<Int16>, _ next: Int
        ) -> Bool
    ) -> [Int16]? {
        var values = [Int16](repeating: 0, count: layout.total)
        var sequence = values.mutableSpan
        var position = 0, segment = 0, untilRestart = restartInterval == 0 ? Int.max : restartInterval
        let end = data.count * 8
        for next in Swift.stride(from: 0, to: layout.total, by: layout.mcuBlocks) {
            let isRestart = untilRestart == 0
            if isRestart {
                guard endsInLastByte(position, segment) else { return nil }
                segment += 1
                position = data.segments[segment] * 8
                untilRestart = restartInterval
            }
            untilRestart -= 1
            // An MCU takes at most 10 * 27 bits, less than the padding.
            guard position <= end, body(isRestart, &position, &sequence, next) else { return nil }
        }
        return endsInLastByte(position, segment) ? values : nil
    }

    /// Puts values in scan order where they belong.
    @inline(__always)
    private func place(
        _ sequence: [Int16]?, into planes: inout [DCPlane]
    ) -> Bool {
        guard let sequence else { return false }
        for part in layout.parts {
            var values: [Int16] = []
            swap(&values, &planes[part.component].values)
            put(sequence.span, part, into: &values)
            swap(&values, &planes[part.component].values)
        }
        return true
    }

    @inline(__always)
    private func put(
        _ sequence: Span<Int16>, _ part: ScanLayout.Part, into values: inout [Int16]
    ) {
        var output = values.mutableSpan
        for row in 0..<layout.rows {
            for v in 0..<part.vertical {
                var next = row * layout.columns * layout.mcuBlocks + part.first + v * part.horizontal
                var target = (row * part.vertical + v) * part.columns
                for _ in 0..<layout.columns {
                    for h in 0..<part.horizontal {
                        output[target + h] = sequence[next + h]
                    }
                    target += part.horizontal
                    next += layout.mcuBlocks
                }
            }
        }
    }

    private func endsInLastByte(_ position: Int, _ segment: Int) -> Bool {
        let end = data.segments[segment + 1] * 8
        return position <= end && end - position < 8
    }
}
