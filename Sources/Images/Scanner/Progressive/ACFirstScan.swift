/// The first scan of some AC coefficients of one component of a progressive file: their upper bits.
///
/// - Source: ITU-T T.81 G.1.2.2 (end-of-band runs), G.1.1.1.2 (point transform).
struct ACFirstScan {
    private let data: EntropyData
    private let scan: JPEGScan
    private let code: HuffmanCode
    private let blocks: Int
    private let interval: Int

    /// Copies the scan's data. Nil when it does not fit the frame.
    init?(_ markers: JPEGMarkers, frame: JPEGFrame, scan: JPEGScan) {
        guard scan.first > 0, scan.previousBit == 0, scan.components.count == 1,
            let code = markers.huffman[4 + scan.components[0].ac],
            let data = EntropyData(markers.bytes, from: markers.position)
        else { return nil }
        let (columns, rows) = frame.blocks(of: frame.components[scan.components[0].index])
        (self.data, self.scan, self.code) = (data, scan, code)
        blocks = columns * rows
        interval = markers.restartInterval == 0 ? blocks : markers.restartInterval
        guard data.segments.count - 1 == (blocks + interval - 1) / interval else { return nil }
    }

    /// Where the scan's data ends in the file.
    var end: Int { data.end }

    /// Reads all blocks, and keeps what is wanted of them.
    ///
    /// - Parameters:
    ///   - chosen: gets the coefficients of its blocks, and which ones are not 0 of all blocks.
    ///   - low: gets the lowest of every block, when it is of this component: with half of what their missing
    ///     bits could add, rounded down as small values are the more frequent ones.
    /// - Returns: false when anything does not add up.
    func read(into chosen: inout ChosenBlocks, low: inout LowFrequencyCoefficients) -> Bool {
        let component = scan.components[0].index, isLowest = scan.first == 1
        let reader = BlockReader(
            code, first: scan.first, last: scan.last, bit: scan.bit,
            lowest: isLowest && low.component == component ? 4 : 0)
        var cursor = ChosenCursor(order: chosen.order, end: blocks)
        var coefficients: [Int16] = [], lowValues: [SIMD4<Int16>] = [], known: [UInt64] = []
        swap(&coefficients, &chosen.coefficients)
        swap(&lowValues, &low.values)
        swap(&known, &chosen.known)
        let isKnown = !known.isEmpty
        var kept = coefficients.mutableSpan, lowKept = lowValues.mutableSpan, knownKept = known.mutableSpan
        let bytes = unsafe data.bytes.span.bytes
        var block = 0
        for segment in 0..<data.segments.count - 1 {
            var state = ACReadState(position: data.segments[segment] * 8, end: data.segments[segment + 1] * 8)
            let last = min(block + interval, blocks)
            while block < last {
                if state.run > 0 {
                    // None of these has a coefficient here.
                    let skipped = min(state.run, last - block)
                    state.run -= skipped
                    block += skipped
                    cursor.skip(to: block)
                    continue
                }
                var nonzero: UInt64 = 0
                guard
                    reader.read(
                        bytes, state: &state, block: block, from: cursor.start(of: block), kept: &kept,
                        low: &lowKept, known: &nonzero)
                else { return false }
                if isKnown { knownKept[block] |= nonzero }
                block += 1
                cursor.skip(to: block)
            }
            guard state.isAtEnd else { return false }
        }
        swap(&coefficients, &chosen.coefficients)
        swap(&lowValues, &low.values)
        swap(&known, &chosen.known)
        return true
    }
}

/// Where in the data a reader is.
struct ACReadState {
    var position: Int
    /// The bit behind the restart interval.
    let end: Int
    /// Blocks to come that have no coefficient.
    var run = 0

    init(position: Int, end: Int) { (self.position, self.end) = (position, end) }

    /// Whole symbols end within the last byte; a run that is left over belongs to no block.
    var isAtEnd: Bool { run == 0 && position <= end && end - position < 8 }
}

/// Goes through the chosen blocks as the scan goes through all.
struct ChosenCursor {
    private let order: [(block: Int, number: Int)]
    private let end: Int
    private var next = 0, wanted: Int

    init(order: [(block: Int, number: Int)], end: Int) {
        (self.order, self.end) = (order, end)
        wanted = order.first?.block ?? end
    }

    /// Where a block's coefficients go; -1 when they are not wanted.
    @inline(__always)
    func start(of block: Int) -> Int { block == wanted ? order[next].number * 64 : -1 }

    @inline(__always)
    mutating func skip(to block: Int) {
        while wanted < block {
            next += 1
            wanted = next < order.count ? order[next].block : end
        }
    }
}

/// Reads the coefficients of one block after the other.
private struct BlockReader {
    private let table: ACTable
    private let naturalOrder = BlockDecoder.naturalOrder
    private let first: Int, last: Int, bit: Int
    /// Half of the last bit, added for the bits that follow.
    private let half: Int
    /// Up to which index all blocks matter.
    private let lowest: Int

    init(_ code: HuffmanCode, first: Int, last: Int, bit: Int, lowest: Int) {
        table = ACTable(code, isProgressive: true)
        (self.first, self.last, self.bit, self.lowest) = (first, last, bit, lowest)
        half = ((1 << bit) - 1) / 2
    }

    /// - Parameters:
    ///   - state: moves behind the block; a run may begin there.
    ///   - start: where in `kept` the block's 64 coefficients are; -1: only the lowest are wanted.
    ///   - known: gets a bit for each coefficient that is not 0, by its zig-zag index.
    /// - Returns: false when anything does not add up.
    @inline(__always)
    func read(
        _ bytes: RawSpan, state: inout ACReadState, block: Int, from start: Int,
        kept: inout MutableSpan<Int16>,
        low: inout MutableSpan<SIMD4<Int16>>, known: inout UInt64
    ) -> Bool {
        let entries = table.entries.span, naturalOrder = naturalOrder.span
        var index = first - 1
        while index < last {
            guard state.position < state.end else { return false }
            let bits = BlockSkipper.bits(of: bytes, at: state.position)
            var entry = entries[Int(truncatingIfNeeded: bits >> 52)]
            if entry == 0 { entry = table.long(bits) }
            let length = ACTable.length(entry), size = ACTable.size(entry)
            if size == 0 {
                guard length > 0 else { return false }
                state.position += Int(length)
                let bitsOfRun = ACTable.advance(entry)
                if bitsOfRun == 15 {
                    index += 16
                    guard index < last else { return false }
                    continue
                }
                state.beginRun(bitsOfRun, bits &<< length)
                return true
            }
            index += ACTable.advance(entry)
            // Pictures of 8 bits have no longer values: T.81, table F.2.
            guard index <= last, size <= 10 else { return false }
            state.position += Int(length + size)
            known |= 1 &<< UInt64(truncatingIfNeeded: index)
            guard start >= 0 || index <= lowest else { continue }
            let raw = ACTable.value(entry, bits), value = raw << bit
            guard let exact = Int16(exactly: value),
                let likely = Int16(exactly: value + (raw < 0 ? -half : half))
            else { return false }
            if start >= 0 { kept[start + naturalOrder[index]] = exact }
            if index <= lowest { low[block][index - 1] = likely }
        }
        return true
    }
}

extension ACReadState {
    /// Reads how many blocks behind this one have no coefficient.
    @inline(__always)
    mutating func beginRun(_ bitsOfRun: Int, _ bits: UInt64) {
        run = (1 << bitsOfRun) - 1
        guard bitsOfRun > 0 else { return }
        run += Int(truncatingIfNeeded: bits >> UInt64(64 - bitsOfRun))
        position += bitsOfRun
    }
}
