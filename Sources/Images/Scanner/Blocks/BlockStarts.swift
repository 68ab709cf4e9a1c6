/// Where every block of a scan begins, in scan order.
///
/// Found by one stream from the data's start, by a stream a group of restart intervals, or by streams that
/// start at arbitrary bits: a Huffman stream falls into step by itself after some hundred bits. That is never
/// trusted: the earlier stream runs on until it meets, at the start of an MCU, a block start the later one
/// recorded as the start of an MCU. From there on both would read the same. If they never meet the earlier
/// one reads everything.
struct BlockStarts {
    /// Records of all streams; entries outside `pieces` mean nothing.
    private let record: [UInt32]
    /// The ranges of `record` that follow one another.
    let pieces: [Range<Int>]

    /// Nil when anything does not add up: a code unknown, a block past its end, data left over or too short.
    ///
    /// - Parameters:
    ///   - data: the scan's data.
    ///   - skipper: the codes.
    ///   - total: blocks the scan has to have.
    ///   - interval: blocks between restart markers; 0: none.
    ///   - streams: side by side, 1...``BlockLanes/count``; from three on they are faster than one.
    init?(_ data: EntropyData, skipper: BlockSkipper, total: Int, interval: Int, streams: Int) {
        // Bits are counted in 31, a little beyond the data too.
        guard total > 0, data.count + EntropyData.padding <= Int(Int32.max) / 8, total <= data.count * 4
        else { return nil }
        let search = BlockSearch(data: data, skipper: skipper, total: total, streams: streams)
        var pieces: [Range<Int>]?
        record = unsafe [UInt32](unsafeUninitializedCapacity: search.capacity) { buffer, count in
            // SAFETY: any bits are a UInt32, and what no stream wrote is not read: `pieces` cover written
            // entries only. Not filling it saves touching memory that most photos never need.
            count = search.capacity
            var starts = unsafe buffer.mutableSpan
            pieces =
                interval > 0
                ? search.intervals(of: interval, starts: &starts) : search.synchronising(starts: &starts)
        }
        guard let pieces else { return nil }
        self.pieces = pieces
    }

    /// Calls `body` with where `count` blocks from `first` on begin.
    ///
    /// - Complexity: O(1) but where they span two pieces, and are copied.
    func withBlocks<Result>(_ first: Int, count: Int, _ body: (Span<UInt32>) -> Result) -> Result {
        var skipped = 0
        for piece in pieces {
            let offset = first - skipped
            if offset >= 0, offset + count <= piece.count {
                let start = piece.lowerBound + offset
                return body(record.span.extracting(start..<start + count))
            }
            skipped += piece.count
        }
        var copy: [UInt32] = []
        copy.reserveCapacity(count)
        skipped = 0
        for piece in pieces {
            let low = max(first - skipped, 0), high = min(first + count - skipped, piece.count)
            if low < high { copy += record[piece.lowerBound + low..<piece.lowerBound + high] }
            skipped += piece.count
        }
        return body(copy.span)
    }

    /// Where a block begins, in bits.
    subscript(block: Int) -> Int {
        var block = block
        for piece in pieces {
            if block < piece.count { return Int(record[piece.lowerBound + block]) }
            block -= piece.count
        }
        return 0
    }
}
