/// The ways to find a scan's block starts; see ``BlockStarts``.
struct BlockSearch {
    private let data: EntropyData
    private let skipper: BlockSkipper
    private let total: Int
    /// Entries of the record each stream has for itself.
    private let area: Int
    /// One past the last bit.
    private let end: Int

    init(data: EntropyData, skipper: BlockSkipper, total: Int, area: Int) {
        self.data = data
        self.skipper = skipper
        self.total = total
        self.area = area
        end = data.count * 8
    }

    /// Whole symbols end within the last byte; the rest of it is padding.
    private func endsInLastByte(_ position: Int, of end: Int) -> Bool {
        position <= end && end - position < 8
    }

    // MARK: Restart intervals

    /// Each stream walks through half of the intervals.
    mutating func intervals(
        of interval: Int, streams: Int, starts: inout MutableSpan<UInt32>
    ) -> [Range<Int>]? {
        let count = (total + interval - 1) / interval
        guard data.segments.count - 1 == count else { return nil }
        let half = streams == 1 ? count : (count + 1) / 2
        var walks = [
            IntervalWalk(next: 0, end: half, offset: 0), IntervalWalk(next: half, end: count, offset: area),
        ]
        let bytes = unsafe data.bytes.span.bytes
        var active = walks.indices.map { begin(&walks[$0], interval, &starts) }
        while active[0], active[1] {
            let stride = BlockSkipper.stride
            var (a, b) = (walks[0].stream, walks[1].stream)
            skipper.run(
                &a, &b, positions: (walks[0].limit, walks[1].limit),
                blocks: (walks[0].last - stride, walks[1].last - stride), data: bytes, starts: &starts)
            (walks[0].stream, walks[1].stream) = (a, b)
            for index in 0..<2 where walks[index].isNearEnd {
                guard finish(&walks[index], &starts) else { return nil }
                active[index] = begin(&walks[index], interval, &starts)
            }
        }
        for index in 0..<2 {
            while active[index] {
                guard finish(&walks[index], &starts) else { return nil }
                active[index] = begin(&walks[index], interval, &starts)
            }
        }
        let firstHalf = min(half * interval, total)
        return [0..<firstHalf, area + firstHalf..<area + total].filter { !$0.isEmpty }
    }

    private struct IntervalWalk {
        var next: Int
        let end: Int
        /// Where in the record block 0 would be.
        let offset: Int
        var stream = BlockSkipper.Stream(position: 0, block: 0)
        /// The record's entry behind the interval's last block, and the bit behind its data.
        var last = 0, limit = 0

        var isNearEnd: Bool { stream.position >= limit || stream.block >= last - BlockSkipper.stride }
    }

    private func begin(
        _ walk: inout IntervalWalk, _ interval: Int, _ starts: inout MutableSpan<UInt32>
    ) -> Bool {
        guard walk.next < walk.end else { return false }
        let first = walk.offset + walk.next * interval
        walk.stream = BlockSkipper.Stream(position: data.segments[walk.next] * 8, block: first)
        walk.last = walk.offset + min((walk.next + 1) * interval, total)
        walk.limit = data.segments[walk.next + 1] * 8
        walk.next += 1
        starts[first] = UInt32(truncatingIfNeeded: walk.stream.position)
        return true
    }

    private func finish(_ walk: inout IntervalWalk, _ starts: inout MutableSpan<UInt32>) -> Bool {
        skipper.runExactly(
            &walk.stream, position: walk.limit, to: walk.last, data: unsafe data.bytes.span.bytes,
            starts: &starts)
        return walk.stream.block == walk.last && walk.stream.bad < 0 && walk.stream.index == 0
            && walk.stream.state & 1 == 0 && endsInLastByte(walk.stream.position, of: walk.limit)
    }

    // MARK: Synchronising streams

    /// Streams at arbitrary bits, joined where they meet.
    mutating func synchronising(streams count: Int, starts: inout MutableSpan<UInt32>) -> [Range<Int>]? {
        guard data.segments.count == 2 else { return nil }
        let bytes = unsafe data.bytes.span.bytes
        // The last stream stops short of the end: which of the last bits are padding is known when the others
        // have told how many blocks they found.
        let begins = (0..<count).map { data.count / count * $0 * 8 } + [max(0, end - 1024)]
        var streams = (0..<count).map { BlockSkipper.Stream(position: begins[$0], block: area * $0) }
        for stream in streams { starts[stream.block] = UInt32(truncatingIfNeeded: stream.position) }
        let stride = BlockSkipper.stride
        let last = (0..<count).map { area * $0 + total }
        if count == 3 {
            var (a, b, c) = (streams[0], streams[1], streams[2])
            skipper.run(
                &a, &b, &c, positions: (begins[1], begins[2], begins[3]),
                blocks: (last[0] - stride, last[1] - stride, last[2] - stride), data: bytes, starts: &starts)
            streams = [a, b, c]
        }
        var waiting = streams.indices.filter { streams[$0].position < begins[$0 + 1] }
        while waiting.count >= 2 {
            let (i, j) = (waiting[0], waiting[1])
            var (a, b) = (streams[i], streams[j])
            skipper.run(
                &a, &b, positions: (begins[i + 1], begins[j + 1]),
                blocks: (last[i] - stride, last[j] - stride),
                data: bytes, starts: &starts)
            (streams[i], streams[j]) = (a, b)
            waiting.removeAll {
                streams[$0].position >= begins[$0 + 1] || streams[$0].block >= last[$0] - stride
            }
        }
        for index in streams.indices {
            skipper.runExactly(
                &streams[index], position: begins[index + 1], to: last[index], data: bytes, starts: &starts)
        }
        return join(streams, begins: begins, starts: &starts)
    }

    private func join(
        _ streams: [BlockSkipper.Stream], begins: [Int], starts: inout MutableSpan<UInt32>
    ) -> [Range<Int>]? {
        var current = Reader(stream: streams[0], first: 0, room: room(of: 0), joinedAt: 0)
        var pieces: [Range<Int>] = [], before = 0
        for next in streams.indices.dropFirst() {
            let recorded = area * next..<streams[next].block
            guard let meeting = meet(&current, recorded, &starts) else { continue }
            guard current.stream.bad < current.joinedAt else { return nil }
            pieces.append(current.first..<current.stream.block)
            before += current.stream.block - current.first
            current = Reader(
                stream: streams[next], first: meeting, room: room(of: next), joinedAt: current.stream.position
            )
        }
        let last = current.first + total - before
        guard before < total, current.stream.block <= last, last <= current.room else { return nil }
        skipper.runExactly(
            &current.stream, position: end, to: last, data: unsafe data.bytes.span.bytes, starts: &starts)
        guard current.stream.block == last, current.isBetweenBlocks, current.stream.bad < current.joinedAt,
            endsInLastByte(current.stream.position, of: end)
        else { return nil }
        pieces.append(current.first..<last)
        return pieces
    }

    /// The last entry a stream may begin a block at: its steps write one further, and `run` a stride.
    private func room(of stream: Int) -> Int { area * (stream + 1) - BlockSkipper.stride - 2 }

    /// The stream whose blocks are being counted.
    private struct Reader {
        var stream: BlockSkipper.Stream
        /// Its first block that counts, and the last it has room for.
        let first: Int, room: Int
        /// The bit from which on what it read counts.
        let joinedAt: Int

        var isBetweenBlocks: Bool { stream.index == 0 && stream.state & 1 == 0 }
    }

    /// Runs a stream on, MCU by MCU, until it stands where the next one recorded the start of an MCU.
    ///
    /// - Returns: that entry of the record; nil when they do not meet before the next one's last.
    private func meet(
        _ current: inout Reader, _ recorded: Range<Int>, _ starts: inout MutableSpan<UInt32>
    ) -> Int? {
        let mcu = skipper.cycle / 2, bytes = unsafe data.bytes.span.bytes
        var candidate = recorded.lowerBound
        while true {
            let partial = (current.stream.block - current.first) % mcu
            if partial != 0 || !current.isBetweenBlocks {
                let target = current.stream.block + mcu - partial
                guard target <= current.room else { return nil }
                skipper.runExactly(&current.stream, position: end, to: target, data: bytes, starts: &starts)
                guard current.stream.block == target else { return nil }
            }
            while candidate < recorded.upperBound, Int(starts[candidate]) < current.stream.position {
                candidate += mcu
            }
            guard candidate < recorded.upperBound else { return nil }
            if Int(starts[candidate]) == current.stream.position { return candidate }
            let target = current.stream.block + mcu
            guard target <= current.room else { return nil }
            skipper.runExactly(&current.stream, position: end, to: target, data: bytes, starts: &starts)
            guard current.stream.block == target else { return nil }
        }
    }
}
