/// The ways to find a scan's block starts; see ``BlockStarts``.
struct BlockSearch {
    private let data: EntropyData
    private let skipper: BlockSkipper
    private let total: Int
    /// Streams side by side.
    private let count: Int
    /// Entries of the record each stream has for itself.
    private let room: Int
    /// The index after the last bit.
    private let end: Int

    /// Entries of the record for a search, whichever way; the last two are nobody's.
    let capacity: Int
    private let idle: Int

    /// Streams fewer than these are taken one by one: together they would be no faster.
    private static let fewest = 3
    /// Entries of its room that a stream leaves free: its steps write one further, and `run` a stride.
    private static let slack = 2 * BlockSkipper.stride

    /// - Parameter streams: side by side, 1...``BlockLanes/count``.
    init(data: EntropyData, skipper: BlockSkipper, total: Int, streams: Int) {
        self.data = data
        self.skipper = skipper
        self.total = total
        count = streams
        // Smooth parts of a photo have several times as many blocks a byte as others.
        room = min(total, 3 * total / streams) + BlockSearch.slack
        idle = streams * room + (streams > 1 ? total + BlockSearch.slack : 0)
        capacity = idle + 2
        end = data.count * 8
    }

    /// Whole symbols end within the last byte; the rest of it is padding.
    private func endsInLastByte(_ position: Int, of end: Int) -> Bool {
        position <= end && end - position < 8
    }

    // MARK: Restart intervals

    /// Each stream walks through its share of the intervals.
    func intervals(of interval: Int, starts: inout MutableSpan<UInt32>) -> [Range<Int>]? {
        let all = (total + interval - 1) / interval
        guard data.segments.count - 1 == all else { return nil }
        let bytes = unsafe data.bytes.span.bytes
        var walks = (0..<min(count, all)).map { index in
            IntervalWalk(
                next: all * index / min(count, all), end: all * (index + 1) / min(count, all),
                offset: index * BlockSearch.slack)
        }
        let pieces = walks.map { walk in
            walk.offset + walk.next * interval..<walk.offset + min(walk.end * interval, total)
        }
        var lanes = BlockLanes(idle: idle)
        var active = walks.indices.filter { begin(&walks[$0], interval, &starts) }
        for index in active { lanes.begin(index, walks[index]) }
        while active.count >= BlockSearch.fewest {
            // Most of them, so that none waits long for its next interval.
            skipper.run(&lanes, least: active.count * 3 / 4 + 1, data: bytes, starts: &starts)
            for index in active where lanes.isDone(index) {
                walks[index].stream = lanes[index]
                guard finish(&walks[index], &starts) else { return nil }
                if begin(&walks[index], interval, &starts) {
                    lanes.begin(index, walks[index])
                } else {
                    lanes.end(index)
                    active.removeAll { $0 == index }
                }
            }
        }
        for index in active {
            walks[index].stream = lanes[index]
            repeat {
                guard finish(&walks[index], &starts) else { return nil }
            } while begin(&walks[index], interval, &starts)
        }
        return pieces
    }

    fileprivate struct IntervalWalk {
        var next: Int
        let end: Int
        /// Where in the record block 0 would be.
        let offset: Int
        var stream = BlockSkipper.Stream(position: 0, block: 0)
        /// The record's entry behind the interval's last block, and the bit behind its data.
        var last = 0, limit = 0
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
    func synchronising(starts: inout MutableSpan<UInt32>) -> [Range<Int>]? {
        guard data.segments.count == 2 else { return nil }
        let bytes = unsafe data.bytes.span.bytes
        // The last stream stops short of the end: which of the last bits are padding is known when the others
        // have told how many blocks they found.
        let begins = (0..<count).map { data.count / count * $0 * 8 } + [max(0, end - BlockSearch.tail)]
        var streams = (0..<count).map { BlockSkipper.Stream(position: begins[$0], block: room * $0) }
        for stream in streams { starts[stream.block] = UInt32(truncatingIfNeeded: stream.position) }
        if count >= BlockSearch.fewest {
            var lanes = BlockLanes(idle: idle)
            for (lane, stream) in streams.enumerated() {
                lanes.begin(lane, stream, position: begins[lane + 1], block: lastRoom(of: lane))
            }
            skipper.run(&lanes, least: BlockSearch.fewest, data: bytes, starts: &starts)
            for lane in streams.indices { streams[lane] = lanes[lane] }
        }
        for index in streams.indices {
            skipper.run(
                &streams[index], position: begins[index + 1], block: lastRoom(of: index), data: bytes,
                starts: &starts)
        }
        return join(streams, starts: &starts)
    }

    /// Bits before the data's end that no stream reads before it is known which blocks are left.
    private static let tail = 1024

    /// The entry a stream may reach in its room.
    private func lastRoom(of stream: Int) -> Int { room * (stream + 1) - BlockSearch.slack }

    /// The stream whose blocks are being counted.
    private struct Reader {
        var stream: BlockSkipper.Stream
        /// Its first block that counts, where what it recorded has been looked through up to, and the last
        /// entry that it may reach.
        var first: Int, seen: Int, room: Int
        /// The bit from which on what it read counts.
        let joinedAt: Int

        /// Goes on with the first MCU not seen yet that begins at a bit or behind it.
        mutating func skip(to position: UInt32, mcu: Int, _ starts: borrowing MutableSpan<UInt32>) {
            var (low, high) = (0, max(0, (stream.block - seen) / mcu + 1))
            while low < high {
                let middle = (low + high) / 2
                if starts[seen + middle * mcu] < position { low = middle + 1 } else { high = middle }
            }
            seen += low * mcu
        }

        var isSound: Bool { stream.bad < joinedAt }
        var isBetweenBlocks: Bool { stream.index == 0 && stream.state & 1 == 0 }
    }

    /// The blocks joined so far.
    private struct Joined {
        var pieces: [Range<Int>] = []
        /// Blocks in them.
        var blocks = 0
        /// The first free entry of the record behind all rooms, where who has filled its own reads on.
        var free: Int

        mutating func add(_ piece: Range<Int>) {
            if !piece.isEmpty { pieces.append(piece) }
            blocks += piece.count
        }
    }

    private func join(
        _ streams: [BlockSkipper.Stream], starts: inout MutableSpan<UInt32>
    ) -> [Range<Int>]? {
        var joined = Joined(free: count * room)
        var current = Reader(
            stream: streams[0], first: 0, seen: 0, room: lastRoom(of: 0), joinedAt: 0)
        for next in streams.indices.dropFirst() {
            let recorded = room * next...streams[next].block
            guard let (left, entered) = meet(&current, recorded: recorded, joined: &joined, starts: &starts)
            else { continue }
            guard current.isSound else { return nil }
            joined.add(current.first..<left)
            current = Reader(
                stream: streams[next], first: entered, seen: entered, room: lastRoom(of: next),
                joinedAt: Int(starts[entered]))
        }
        let bytes = unsafe data.bytes.span.bytes
        var last = current.first + total - joined.blocks
        while last > current.room {
            if current.stream.block < current.room {
                skipper.runExactly(
                    &current.stream, position: end, to: current.room, data: bytes, starts: &starts)
            }
            guard current.stream.block >= current.room, moveOn(&current, &joined, &starts) else { return nil }
            last = current.first + total - joined.blocks
        }
        skipper.runExactly(&current.stream, position: end, to: last, data: bytes, starts: &starts)
        guard current.first < last, current.stream.block == last, current.isBetweenBlocks, current.isSound,
            endsInLastByte(current.stream.position, of: end)
        else { return nil }
        joined.add(current.first..<last)
        return joined.pieces
    }

    /// Gives a reader that has filled its room another: all that is free.
    ///
    /// - Returns: false when it has that already, and reads more blocks than the scan has.
    private func moveOn(
        _ current: inout Reader, _ joined: inout Joined, _ starts: inout MutableSpan<UInt32>
    ) -> Bool {
        let last = idle - BlockSearch.slack
        guard current.room < last, joined.free < last else { return false }
        joined.add(current.first..<current.stream.block)
        starts[joined.free] = starts[current.stream.block]
        current.stream.block = joined.free
        (current.first, current.room) = (joined.free, last)
        // Where the next MCU begins.
        let mcu = skipper.cycle / 2, phase = current.stream.state % skipper.cycle / 2
        current.seen = joined.free + (mcu - phase) % mcu
        return true
    }

    /// Runs a stream on until it stands where the next one recorded the start of an MCU.
    ///
    /// - Parameter recorded: the next one's entries.
    /// - Returns: the entries of that start, in the record of either; nil when they do not meet.
    private func meet(
        _ current: inout Reader, recorded: ClosedRange<Int>, joined: inout Joined,
        starts: inout MutableSpan<UInt32>
    ) -> (left: Int, entered: Int)? {
        let mcu = skipper.cycle / 2, bytes = unsafe data.bytes.span.bytes
        var candidate = recorded.lowerBound
        // A stream that filled its room is not there yet.
        var position = Int(starts[candidate])
        while true {
            while current.stream.position < position {
                skipper.run(
                    &current.stream, position: position, block: current.room, data: bytes, starts: &starts)
                if current.stream.position < position, !moveOn(&current, &joined, &starts) { return nil }
            }
            current.skip(to: starts[candidate], mcu: mcu, starts)
            while current.seen <= current.stream.block {
                let here = starts[current.seen]
                while candidate <= recorded.upperBound, starts[candidate] < here { candidate += mcu }
                guard candidate <= recorded.upperBound else { return nil }
                if starts[candidate] == here {
                    if current.first == joined.free { joined.free = current.seen + 1 }
                    return (current.seen, candidate)
                }
                current.seen += mcu
            }
            position = current.stream.position + BlockSearch.tail
            guard position < end - BlockSearch.tail else { return nil }
        }
    }
}

extension BlockLanes {
    fileprivate mutating func begin(_ lane: Int, _ walk: BlockSearch.IntervalWalk) {
        begin(lane, walk.stream, position: walk.limit, block: walk.last - BlockSkipper.stride)
    }
}
