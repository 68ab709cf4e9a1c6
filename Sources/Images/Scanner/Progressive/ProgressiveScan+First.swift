// The first scan: differences one after the other, two a look-up, then summed up component by component.

extension ProgressiveScan {
    /// Reads the upper bits.
    ///
    /// - Parameters:
    ///   - planes: of all components; those of the scan are filled.
    ///   - huffman: the tables in force.
    /// - Returns: false when anything does not add up.
    /// - Complexity: O(blocks).
    func readFirst(into planes: inout [DCPlane], huffman: [HuffmanCode?]) -> Bool {
        guard var reader = DifferenceReader(self, huffman) else { return false }
        var sums = layout.parts.map { DifferenceSum(self, $0) }
        // A row of MCUs, and one that a step over the last difference writes.
        var line = [Int16](repeating: 0, count: layout.columns * layout.mcuBlocks + 1)
        for row in 0..<layout.rows {
            guard reader.read(into: &line) else { return false }
            for index in sums.indices {
                let component = layout.parts[index].component
                guard sums[index].add(line.span, row: row, to: &planes[component].values) else {
                    return false
                }
            }
        }
        return reader.isAtEnd
    }
}

/// Reads differences in the order of the scan.
private struct DifferenceReader {
    private let scan: ProgressiveScan
    private let steps: [Step]
    /// By the next 12 bits: two differences.
    private let pairs: [UInt32]
    private let tables: [DCTable]
    private var position = 0, segment = 0, untilRestart: Int

    /// Makes one lookup: two adjacent blocks of an MCU, or its last one.
    private struct Step {
        /// Where in ``pairs`` its table begins.
        let table: Int
        /// The tables of its blocks, one or two.
        let first: Int, second: Int?
    }

    /// Nil when a table is missing, or one that no picture of 8 bits has.
    init?(_ scan: ProgressiveScan, _ huffman: [HuffmanCode?]) {
        var tables: [DCTable] = [], tableIndices: [Int: Int] = [:], ofBlocks: [Int] = []
        for part in scan.layout.parts {
            if tableIndices[part.scan.dc] == nil {
                guard let code = huffman[part.scan.dc], code.isDC else { return nil }
                tableIndices[part.scan.dc] = tables.count
                tables.append(DCTable(code))
            }
            let table = tableIndices[part.scan.dc] ?? 0
            ofBlocks += Array(repeating: table, count: part.blocks)
        }
        var pairs: [UInt32] = [], starts: [[Int?]: Int] = [:], steps: [Step] = []
        for block in stride(from: 0, to: ofBlocks.count, by: 2) {
            let first = ofBlocks[block], second = block + 1 < ofBlocks.count ? ofBlocks[block + 1] : nil
            let start = starts[[first, second]] ?? pairs.count
            if start == pairs.count { pairs += tables[first].pairs(with: second.map { tables[$0] }) }
            starts[[first, second]] = start
            steps.append(Step(table: start, first: first, second: second))
        }
        (self.scan, self.tables, self.pairs, self.steps) = (scan, tables, pairs, steps)
        untilRestart = scan.restartInterval == 0 ? Int.max : scan.restartInterval
    }

    /// Whether the data end here.
    var isAtEnd: Bool { scan.endsInLastByte(position, segment) }

    /// Reads a row of MCUs.
    ///
    /// - Parameter line: a difference a block; and one more, which means nothing.
    /// - Returns: false for an unknown code, or when the data do not end where they should.
    mutating func read(into line: inout [Int16]) -> Bool {
        let (scan, steps, pairs) = (scan, steps, pairs), end = scan.data.count * 8
        let blocks = scan.layout.mcuBlocks, bytes = unsafe scan.data.bytes.span.bytes
        precondition(line.count > scan.layout.columns * blocks && pairs.count.isMultiple(of: 4096))
        let entries = pairs.span
        var output = line.mutableSpan, position = position
        for mcu in 0..<scan.layout.columns {
            if untilRestart == 0 {
                guard scan.endsInLastByte(position, segment) else { return false }
                segment += 1
                position = scan.data.segments[segment] * 8
                untilRestart = scan.restartInterval
            }
            untilRestart -= 1
            // An MCU takes at most 10 * 27 bits, less than the padding.
            guard position <= end else { return false }
            var bits: UInt64 = 0, block = mcu &* blocks
            for index in steps.indices {
                let step = steps[index]
                // The 57 bits that a load gives at least hold four entries of 12: the next look-up need not
                // wait for memory.
                if index & 3 == 0 { bits = BlockSkipper.bits(of: bytes, at: position) }
                // SAFETY: a table has 4,096 entries; the line holds a row's blocks and one more.
                let entry = unsafe entries[unchecked: step.table &+ Int(truncatingIfNeeded: bits &>> 52)]
                let length = UInt64(entry & 15)
                if length != 0 {
                    position &+= Int(length)
                    bits &<<= length
                    unsafe output[unchecked: block] = Int16(truncatingIfNeeded: entry) &>> 4
                    unsafe output[unchecked: block &+ 1] = Int16(truncatingIfNeeded: entry &>> 16)
                } else {
                    for (offset, table) in [step.first, step.second].enumerated() {
                        guard let table else { continue }
                        bits = BlockSkipper.bits(of: bytes, at: position)
                        guard let difference = tables[table].difference(bits) else { return false }
                        position &+= difference.length
                        output[block + offset] = Int16(difference.value)
                    }
                    bits = BlockSkipper.bits(of: bytes, at: position)
                }
                block &+= 2
            }
        }
        self.position = position
        return true
    }
}

extension DCTable {
    /// By the next 12 bits two differences, the second by another table, or by none: `bits | first << 4 |
    /// second << 16`. 0 where they do not fit into 12 bits.
    fileprivate func pairs(with other: DCTable?) -> [UInt32] {
        entries.indices.map { word in
            let first = Int(entries[word]), length = first & 15
            guard length != 0 else { return 0 }
            var both = UInt32(truncatingIfNeeded: first) & 0xfff0 | UInt32(length)
            if let other {
                let second = Int(other.entries[word << length & 4095]), rest = second & 15
                guard rest != 0, length + rest <= 12 else { return 0 }
                both = both &+ UInt32(rest) | UInt32(UInt16(truncatingIfNeeded: second >> 4)) << 16
            }
            return both
        }
    }
}

/// Adds up one component's differences.
private struct DifferenceSum {
    private let part: ScanLayout.Part
    private let columns: Int, blocks: Int, bit: Int, interval: Int
    private var value = 0, untilRestart: Int

    init(_ scan: ProgressiveScan, _ part: ScanLayout.Part) {
        (self.part, bit) = (part, scan.scan.bit)
        (columns, blocks) = (scan.layout.columns, scan.layout.mcuBlocks)
        interval = scan.restartInterval == 0 ? Int.max : scan.restartInterval
        untilRestart = interval
    }

    /// - Parameters:
    ///   - line: the differences of a row of MCUs.
    ///   - row: of MCUs.
    ///   - values: of the component's plane.
    /// - Returns: false when a value takes more than 16 bits.
    mutating func add(_ line: Span<Int16>, row: Int, to values: inout [Int16]) -> Bool {
        let start = row * part.vertical * part.columns, count = part.blocks, offsets = part.offsets
        var output = values.mutableSpan
        precondition(part.first + (columns - 1) * blocks + count <= line.count)
        precondition(start + (columns - 1) * part.horizontal + offsets[count - 1] < output.count)
        // Loops of a known length take half of the time.
        return switch count {
        case 1: add(line, to: &output, at: start, offsets, count: 1)
        case 2: add(line, to: &output, at: start, offsets, count: 2)
        case 4: add(line, to: &output, at: start, offsets, count: 4)
        default: add(line, to: &output, at: start, offsets, count: count)
        }
    }

    @inline(__always)
    private mutating func add(
        _ line: Span<Int16>, to output: inout MutableSpan<Int16>, at start: Int, _ offsets: SIMD16<Int>,
        count: Int
    ) -> Bool {
        let bit = bit, blocks = blocks, across = part.horizontal
        var (value, beyond, next, target, left) = (value, 0, part.first, start, untilRestart)
        for _ in 0..<columns {
            if left == 0 { (value, left) = (0, interval) }
            left &-= 1
            for index in 0..<count {
                // SAFETY: where the row's last MCU lies was looked at by the caller.
                value &+= unsafe Int(line[unchecked: next &+ index])
                let scaled = value &<< bit
                beyond |= (scaled &+ 32_768) &>> 16
                unsafe output[unchecked: target &+ offsets[index]] = Int16(truncatingIfNeeded: scaled)
            }
            next &+= blocks
            target &+= across
        }
        (self.value, untilRestart) = (value, left)
        return beyond == 0
    }
}
