/// The first scan of some AC coefficients of one component of a progressive file: their upper bits.
///
/// - Source: ITU-T T.81 G.1.2.2 (end-of-band runs), G.1.1.1.2 (point transform).
struct FirstACScan {
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
    /// A value gets half of what its missing bits could add, rounded down as small values are the more frequent ones.
    ///
    /// - Parameters:
    ///   - chosen: gets the coefficients of its blocks.
    ///   - low: gets the lowest of every block, when it is of this component.
    ///   - activity: gets how many bits each block takes, when this is the first component.
    /// - Returns: false when anything does not add up.
    func read(
        into chosen: inout ChosenBlocks, low: inout LowCoefficients, activity: inout BlockActivity
    ) -> Bool {
        let table = ACTable(code, isProgressive: true), allPlaces = BlockDecoder.places
        let entries = table.entries.span, places = allPlaces.span
        let bytes = unsafe data.bytes.span.bytes, half = ((1 << scan.bit) - 1) / 2
        var coefficients: [Int16] = [], lowValues: [SIMD4<Int16>] = []
        swap(&coefficients, &chosen.coefficients)
        swap(&lowValues, &low.values)
        // Up to which index all blocks matter.
        let isFirst = scan.components[0].index == 0 && scan.first == 1 && !activity.keys.isEmpty
        var busy = [UInt8](repeating: 0, count: isFirst ? blocks : 0)
        let lowest = low.component == scan.components[0].index && scan.first == 1 ? 4 : 0
        var kept = coefficients.mutableSpan, lowKept = lowValues.mutableSpan
        var next = 0, wanted = chosen.order.first?.block ?? blocks
        var block = 0
        for segment in 0..<data.segments.count - 1 {
            var position = data.segments[segment] * 8, run = 0
            let end = data.segments[segment + 1] * 8, last = min(block + interval, blocks)
            while block < last {
                if run > 0 {
                    // None of these has a coefficient here.
                    let skipped = min(run, last - block)
                    run -= skipped
                    block += skipped
                    while wanted < block {
                        next += 1
                        wanted = next < chosen.order.count ? chosen.order[next].block : blocks
                    }
                    continue
                }
                let isWanted = block == wanted
                let start = isWanted ? chosen.order[next].number * 64 : 0
                let begin = position
                var index = scan.first - 1
                while index < scan.last {
                    guard position < end else { return false }
                    let bits = BlockSkipper.bits(of: bytes, at: position)
                    var entry = entries[Int(truncatingIfNeeded: bits >> 52)]
                    if entry == 0 { entry = table.long(bits) }
                    let length = ACTable.length(entry), size = ACTable.size(entry)
                    if size == 0 {
                        guard length > 0 else { return false }
                        position += Int(length)
                        let bitsOfRun = ACTable.advance(entry)
                        if bitsOfRun == 15 {
                            index += 16
                            guard index < scan.last else { return false }
                            continue
                        }
                        run = (1 << bitsOfRun) - 1
                        if bitsOfRun > 0 {
                            run += Int(truncatingIfNeeded: (bits &<< length) >> UInt64(64 - bitsOfRun))
                            position += bitsOfRun
                        }
                        break
                    }
                    index += ACTable.advance(entry)
                    guard index <= scan.last else { return false }
                    position += Int(length + size)
                    guard isWanted || index <= lowest else { continue }
                    let raw = ACTable.value(entry, bits)
                    let value = (raw << scan.bit) + (raw < 0 ? -half : half)
                    guard let exact = Int16(exactly: value) else { return false }
                    if isWanted { kept[start + places[index]] = exact }
                    if index <= lowest { lowKept[block][index - 1] = exact }
                }
                if isFirst { busy[block] = BlockActivity.key(bits: position - begin) }
                block += 1
                if isWanted {
                    next += 1
                    wanted = next < chosen.order.count ? chosen.order[next].block : blocks
                }
            }
            // Whole symbols end within the last byte; a run that is left over belongs to no block.
            guard run == 0, position <= end, end - position < 8 else { return false }
        }
        swap(&coefficients, &chosen.coefficients)
        swap(&lowValues, &low.values)
        if isFirst { activity.set(busy) }
        return true
    }
}
