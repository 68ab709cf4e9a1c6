// A stream alone. No call in the loop, so that it lives in registers: what the tables leave out is done
// between two runs of it.

extension BlockSkipper {
    /// Steps a stream makes between two looks at its limits.
    static let stride = 8

    /// The memory that every step reads and writes, without checks.
    ///
    /// A step reads the eight bytes at its position, which is at most ``stride`` steps of 25 bits beyond a
    /// limit inside the data: ``EntropyData/padding`` covers that. It writes `starts[block + 1]`, and block
    /// is at most a stride behind its limit. States are below ``wrap`` + ``slack``, and an offset and what
    /// ``shift`` leaves are inside a table.
    @unsafe struct Memory {
        let data: UnsafeRawPointer
        let tables: UnsafePointer<UInt16>
        /// Leaves of 64 bits those that an entry is looked up by.
        let shift: UInt64
        let offsets: UnsafePointer<Int>
        let starts: UnsafeMutablePointer<UInt32>
    }

    /// Makes one lookup: as many symbols as the next 12 or 14 bits hold.
    ///
    /// `starts[block + 1]` is written every time and is right when a block ends: no branch.
    ///
    /// - Parameter bits: the data from the stream's position on, leftmost first; what was read is shifted
    ///   out.
    /// - Returns: false when it takes the exact step, and nothing was changed.
    @inline(__always)
    private static func step(_ stream: inout Stream, _ bits: inout UInt64, _ memory: Memory) -> Bool {
        // SAFETY: see `Memory`.
        let table = unsafe memory.offsets[stream.state] &+ Int(truncatingIfNeeded: bits &>> memory.shift)
        let entry = unsafe Int(memory.tables[table])
        let index = stream.index &+ (entry &>> 5)
        guard index & 64 == 0 else { return false }
        let length = entry & 31
        stream.position &+= length
        bits = bits &<< UInt64(truncatingIfNeeded: length)
        unsafe memory.starts[stream.block &+ 1] = UInt32(truncatingIfNeeded: stream.position)
        let done = index >= 63 ? 1 : 0
        stream.index = index & (done &- 1)
        stream.state = (stream.state | 1) &+ done
        stream.block &+= done
        return true
    }

    /// 57 or more bits of the data from a position on, leftmost first.
    @inline(__always)
    static func bits(of data: RawSpan, at position: Int) -> UInt64 {
        // SAFETY: checked against the span's bounds; any eight bytes are a number.
        let word = unsafe data.unsafeLoadUnaligned(fromByteOffset: position >> 3, as: UInt64.self)
        return word.bigEndian &<< UInt64(truncatingIfNeeded: position & 7)
    }

    /// Two steps on one load: 39 of its 57 bits at most.
    @inline(__always)
    private static func pair(_ stream: inout Stream, _ memory: Memory) -> Bool {
        // SAFETY: see `Memory`.
        let word = unsafe memory.data.loadUnaligned(fromByteOffset: stream.position &>> 3, as: UInt64.self)
        var bits = word.bigEndian &<< UInt64(truncatingIfNeeded: stream.position & 7)
        return unsafe step(&stream, &bits, memory) && step(&stream, &bits, memory)
    }

    @inline(__always)
    private func wrapState(_ stream: inout Stream) {
        if stream.state >= wrap { stream.state -= wrap }
    }

    /// Calls `body` with the data, the tables and the record.
    @inline(__always)
    func withMemory(
        _ data: RawSpan, _ starts: inout MutableSpan<UInt32>, _ body: (Memory) -> Void
    ) {
        // SAFETY: the pointers are used in `body` only, and as `Memory` says.
        unsafe data.withUnsafeBytes { data in
            unsafe tables.withUnsafeBufferPointer { tables in
                unsafe offsets.withUnsafeBufferPointer { offsets in
                    unsafe starts.withUnsafeMutableBufferPointer { starts in
                        guard let data = data.baseAddress, let tables = tables.baseAddress,
                            let offsets = offsets.baseAddress, let starts = starts.baseAddress
                        else { return }
                        unsafe body(
                            Memory(data: data, tables: tables, shift: shift, offsets: offsets, starts: starts)
                        )
                    }
                }
            }
        }
    }

    /// The step that the tables leave out, and where the stream then is.
    func exactStep(_ stream: inout Stream, _ memory: Memory) {
        // SAFETY: see `Memory`.
        let word = unsafe memory.data.loadUnaligned(fromByteOffset: stream.position &>> 3, as: UInt64.self)
        let block = stream.block
        slowStep(&stream, bits: word.bigEndian &<< UInt64(truncatingIfNeeded: stream.position & 7))
        unsafe memory.starts[block + 1] = UInt32(truncatingIfNeeded: stream.position)
        wrapState(&stream)
    }

    /// Steps one stream until it passes a limit of position or of blocks, by at most ``stride`` steps.
    @inline(never)
    func run(
        _ stream: inout Stream, position: Int, block: Int, data: RawSpan, starts: inout MutableSpan<UInt32>
    ) {
        unsafe withMemory(data, &starts) { memory in
            var a = stream, isStuck = true
            while isStuck {
                isStuck = false
                steps: while a.position < position, a.block < block {
                    for _ in 0..<BlockSkipper.stride / 2 where unsafe !BlockSkipper.pair(&a, memory) {
                        isStuck = true
                        break steps
                    }
                    wrapState(&a)
                }
                stream = a
                if isStuck { unsafe exactStep(&stream, memory) }
                a = stream
            }
        }
    }

    /// Steps one stream to exactly the start of a block, or just past the limit of position.
    func runExactly(
        _ stream: inout Stream, position: Int, to block: Int, data: RawSpan, starts: inout MutableSpan<UInt32>
    ) {
        run(&stream, position: position, block: block - BlockSkipper.stride, data: data, starts: &starts)
        unsafe withMemory(data, &starts) { memory in
            while stream.position < position, stream.block < block {
                // SAFETY: see `Memory`.
                let word = unsafe memory.data.loadUnaligned(
                    fromByteOffset: stream.position &>> 3, as: UInt64.self)
                var bits = word.bigEndian &<< UInt64(truncatingIfNeeded: stream.position & 7)
                if unsafe !BlockSkipper.step(&stream, &bits, memory) { unsafe exactStep(&stream, memory) }
                wrapState(&stream)
            }
        }
    }
}
