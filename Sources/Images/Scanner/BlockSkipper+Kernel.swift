extension BlockSkipper {
    /// Steps a stream makes between two looks at its limits.
    static let stride = 8

    /// One look-up: as many symbols as the next 12 bits hold.
    ///
    /// `starts[block + 1]` is written every time and is right when a block ends: no branch. The branch to the
    /// exact step is rarely taken.
    ///
    /// `bits` are the data from the stream's position on, leftmost first; what was read is shifted out.
    /// `starts` are where blocks begin, in bits.
    @inline(__always)
    private func step(
        _ stream: inout Stream, _ bits: inout UInt64, data: RawSpan, tables: Span<UInt16>, offsets: Span<Int>,
        starts: inout MutableSpan<UInt32>
    ) {
        let entry = tables[offsets[stream.state] + Int(truncatingIfNeeded: bits >> 52)]
        let index = stream.index + Int(entry >> 5)
        if index & 64 != 0 {
            let block = stream.block
            slowStep(&stream, bits: BlockSkipper.bits(of: data, at: stream.position))
            starts[block + 1] = UInt32(truncatingIfNeeded: stream.position)
            bits = BlockSkipper.bits(of: data, at: stream.position)
            return
        }
        let length = Int(entry & 31)
        stream.position &+= length
        bits = bits &<< UInt64(truncatingIfNeeded: length)
        starts[stream.block &+ 1] = UInt32(truncatingIfNeeded: stream.position)
        let done = index >= 63 ? 1 : 0
        stream.index = index & (done &- 1)
        stream.state = (stream.state | 1) &+ done
        stream.block &+= done
    }

    /// 57 or more bits of the data from a position on, leftmost first.
    @inline(__always)
    static func bits(of data: RawSpan, at position: Int) -> UInt64 {
        // SAFETY: checked against the span's bounds; any eight bytes are a number.
        let word = unsafe data.unsafeLoadUnaligned(fromByteOffset: position >> 3, as: UInt64.self)
        return word.bigEndian &<< UInt64(truncatingIfNeeded: position & 7)
    }

    /// Two steps on one load: 44 of its 57 bits at most.
    @inline(__always)
    private func pair(
        _ stream: inout Stream, data: RawSpan, tables: Span<UInt16>, offsets: Span<Int>,
        starts: inout MutableSpan<UInt32>
    ) {
        var bits = BlockSkipper.bits(of: data, at: stream.position)
        step(&stream, &bits, data: data, tables: tables, offsets: offsets, starts: &starts)
        step(&stream, &bits, data: data, tables: tables, offsets: offsets, starts: &starts)
    }

    @inline(__always)
    private func wrapState(_ stream: inout Stream) {
        if stream.state >= wrap { stream.state -= wrap }
    }

    /// Three streams, until one of them passes its limit of position or of blocks, by at most ``stride``
    /// steps.
    @inline(never)
    func run(
        _ first: inout Stream, _ second: inout Stream, _ third: inout Stream,
        positions: (Int, Int, Int), blocks: (Int, Int, Int), data: RawSpan, starts: inout MutableSpan<UInt32>
    ) {
        var (a, b, c) = (first, second, third)
        let tables = tables.span, offsets = offsets.span
        while a.position < positions.0, b.position < positions.1, c.position < positions.2,
            a.block < blocks.0, b.block < blocks.1, c.block < blocks.2
        {
            for _ in 0..<BlockSkipper.stride / 2 {
                pair(&a, data: data, tables: tables, offsets: offsets, starts: &starts)
                pair(&b, data: data, tables: tables, offsets: offsets, starts: &starts)
                pair(&c, data: data, tables: tables, offsets: offsets, starts: &starts)
            }
            wrapState(&a)
            wrapState(&b)
            wrapState(&c)
        }
        (first, second, third) = (a, b, c)
    }

    /// Two streams; see above.
    @inline(never)
    func run(
        _ first: inout Stream, _ second: inout Stream, positions: (Int, Int), blocks: (Int, Int),
        data: RawSpan, starts: inout MutableSpan<UInt32>
    ) {
        var (a, b) = (first, second)
        let tables = tables.span, offsets = offsets.span
        while a.position < positions.0, b.position < positions.1, a.block < blocks.0, b.block < blocks.1 {
            for _ in 0..<BlockSkipper.stride / 2 {
                pair(&a, data: data, tables: tables, offsets: offsets, starts: &starts)
                pair(&b, data: data, tables: tables, offsets: offsets, starts: &starts)
            }
            wrapState(&a)
            wrapState(&b)
        }
        (first, second) = (a, b)
    }

    /// One stream; see above.
    @inline(never)
    func run(
        _ stream: inout Stream, position: Int, block: Int, data: RawSpan, starts: inout MutableSpan<UInt32>
    ) {
        var a = stream
        let tables = tables.span, offsets = offsets.span
        while a.position < position, a.block < block {
            for _ in 0..<BlockSkipper.stride / 2 {
                pair(&a, data: data, tables: tables, offsets: offsets, starts: &starts)
            }
            wrapState(&a)
        }
        stream = a
    }

    /// One stream, to exactly the start of a block, or just past the limit of position.
    func runExactly(
        _ stream: inout Stream, position: Int, to block: Int, data: RawSpan, starts: inout MutableSpan<UInt32>
    ) {
        run(&stream, position: position, block: block - BlockSkipper.stride, data: data, starts: &starts)
        let tables = tables.span, offsets = offsets.span
        while stream.position < position, stream.block < block {
            var bits = BlockSkipper.bits(of: data, at: stream.position)
            step(&stream, &bits, data: data, tables: tables, offsets: offsets, starts: &starts)
            wrapState(&stream)
        }
    }
}
