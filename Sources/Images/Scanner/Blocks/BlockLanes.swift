internal import CLanes

/// Up to sixteen streams side by side, a step each in turn.
///
/// A look-up tells a stream how far to go for its next, so that one stream alone mostly waits. Sixteen take
/// turns, and what is not the look-up itself is done for eight of them at once. Lanes without a stream, those
/// beyond their limits, and those at a symbol that the tables leave out stand still until the others are
/// looked at.
struct BlockLanes {
    static let count = 16

    /// A vector of each ``Field`` per eight lanes. All values fit in 32 bits: ``BlockStarts`` reads
    /// no more data than that.
    ///
    /// An array, as the loop wants to have it in memory: a number stored with seven others and loaded alone
    /// costs half of what taking it out of a register does.
    private var vectors = Array(repeating: SIMD8<UInt32>(), count: 2 * Field.count)
    /// By lane; see ``BlockSkipper/Stream/bad``.
    private var bad = Array(repeating: -1, count: count)
    /// Where in the record those without a stream stand: they write there, too.
    private let idle: Int

    /// - Parameter idle: an entry of the record that nobody reads, nor the next.
    init(idle: Int) {
        self.idle = idle
        for lane in 0..<BlockLanes.count { end(lane) }
    }

    /// A field of a lane.
    fileprivate enum Field {
        static let position = 0, state = 2, block = 3
        /// Thirty-two times the index, as it stands in the tables' entries.
        static let index = 1
        /// From here on a lane stands still.
        static let positionLimit = 4, blockLimit = 5
        /// All bits, of a lane that moves; else none.
        static let moving = 6
        /// 1 at a symbol for the exact step.
        static let stuck = 7
        static let count = 8
    }

    private subscript(field: Int, lane: Int) -> Int {
        get { Int(vectors[lane / 8 * Field.count + field][lane % 8]) }
        set { vectors[lane / 8 * Field.count + field][lane % 8] = UInt32(truncatingIfNeeded: newValue) }
    }

    /// A lane's stream.
    subscript(lane: Int) -> BlockSkipper.Stream {
        get {
            BlockSkipper.Stream(
                position: self[Field.position, lane], index: self[Field.index, lane] / 32,
                state: self[Field.state, lane], block: self[Field.block, lane], bad: bad[lane])
        }
        set {
            self[Field.position, lane] = newValue.position
            self[Field.index, lane] = newValue.index * 32
            self[Field.state, lane] = newValue.state
            self[Field.block, lane] = newValue.block
            bad[lane] = newValue.bad
        }
    }

    /// Gives a lane a stream and its limits: a bit, and an entry of the record.
    mutating func begin(_ lane: Int, _ stream: BlockSkipper.Stream, position: Int, block: Int) {
        self[lane] = stream
        self[Field.positionLimit, lane] = max(0, position)
        self[Field.blockLimit, lane] = max(0, block)
    }

    /// Takes a lane's stream out.
    mutating func end(_ lane: Int) {
        begin(lane, BlockSkipper.Stream(position: 0, block: idle), position: 0, block: 0)
    }

    /// Whether a lane has passed a limit, or has no stream.
    func isDone(_ lane: Int) -> Bool {
        self[Field.position, lane] >= self[Field.positionLimit, lane]
            || self[Field.block, lane] >= self[Field.blockLimit, lane]
    }

    /// Eight lanes' numbers in memory, without checks: ``vectors`` while that array lives; lanes and fields
    /// are constants. Raw, as they are looked at as vectors and one by one.
    @unsafe fileprivate struct Half {
        let bytes: UnsafeMutableRawPointer
    }

    /// Calls `body` with the lower eight lanes and the upper eight.
    @inline(__always)
    fileprivate mutating func withHalves(_ body: (Half, Half) -> Void) {
        unsafe vectors.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe body(Half(bytes: base), Half(bytes: base + 32 * Field.count))
        }
    }

    /// The steps that the tables leave out.
    @inline(never)
    fileprivate mutating func takeExactSteps(_ skipper: BlockSkipper, _ memory: BlockSkipper.Memory) {
        for lane in 0..<BlockLanes.count where self[Field.stuck, lane] != 0 {
            unsafe skipper.exactStep(&self[lane], memory)
            self[Field.stuck, lane] = 0
        }
    }
}

// SAFETY of all of it: see `Half` and `BlockSkipper.Memory`.
extension BlockLanes.Half {
    /// Looks which lanes are inside their limits.
    ///
    /// - Returns: whether others than before.
    @inline(__always)
    fileprivate func look() -> Bool {
        // The sign of a difference: bits and entries are fewer than 2^31.
        let isInside =
            unsafe (self[Field.position] &- self[Field.positionLimit])
            & (self[Field.block] &- self[Field.blockLimit])
        let moving = 0 &- (isInside &>> 31)
        let change = unsafe moving ^ self[Field.moving]
        unsafe self[Field.moving] = moving
        return unsafe isAny(change)
    }

    /// How many lanes move.
    fileprivate var count: Int {
        (0..<8).reduce(0) { unsafe self[Field.moving, $1] == 0 ? $0 : $0 + 1 }
    }

    private typealias Field = BlockLanes.Field

    @inline(__always)
    private subscript(field: Int, lane: Int) -> UInt32 {
        unsafe bytes.load(fromByteOffset: field * 32 + lane * 4, as: UInt32.self)
    }

    @inline(__always)
    private subscript(field: Int) -> SIMD8<UInt32> {
        get { unsafe bytes.load(fromByteOffset: field * 32, as: SIMD8<UInt32>.self) }
        nonmutating set {
            unsafe bytes.storeBytes(of: newValue, toByteOffset: field * 32, as: SIMD8<UInt32>.self)
        }
    }

    /// Makes one lookup per lane; see ``BlockSkipper/step``.
    @inline(__always)
    fileprivate func step(_ memory: BlockSkipper.Memory) {
        var found = SIMD8<UInt16>()
        unsafe found[0] = entry(0, memory)
        unsafe found[1] = entry(1, memory)
        unsafe found[2] = entry(2, memory)
        unsafe found[3] = entry(3, memory)
        unsafe found[4] = entry(4, memory)
        unsafe found[5] = entry(5, memory)
        unsafe found[6] = entry(6, memory)
        unsafe found[7] = entry(7, memory)
        let index = unsafe self[Field.index], moving = unsafe self[Field.moving]
        let entry = lanes_widened(found) & moving
        // The part of an entry that is not its length. Bit 6 of the sum: for the exact step.
        let coefficients: UInt32 = ~31
        let stuck = (index &+ (entry & coefficients)) &>> 11 & 1
        let holds = stuck &- 1
        unsafe self[Field.stuck] |= stuck
        let taken = entry & holds
        unsafe self[Field.position] &+= taken & 31
        unsafe record(memory)
        // 63, and what has bit 7, ends the block.
        let next = index &+ (taken & coefficients), more = next &+ 32
        let done = (more | more &>> 1) &>> 11 & 1
        unsafe self[Field.index] = next & (done &- 1)
        unsafe self[Field.state] = (self[Field.state] | (moving & holds & 1)) &+ done
        unsafe self[Field.block] &+= done
    }

    @inline(__always)
    private func entry(_ lane: Int, _ memory: BlockSkipper.Memory) -> UInt16 {
        let position = unsafe self[Field.position, lane]
        let word = unsafe memory.data.loadUnaligned(fromByteOffset: Int(position &>> 3), as: UInt64.self)
        let bits = word.bigEndian &<< UInt64(position & 7)
        let table = unsafe memory.offsets[Int(self[Field.state, lane])]
        return unsafe memory.tables[table | Int(truncatingIfNeeded: bits &>> memory.shift)]
    }

    @inline(__always)
    private func record(_ memory: BlockSkipper.Memory) {
        for lane in 0..<8 {
            unsafe memory.starts[Int(self[Field.block, lane]) &+ 1] = self[Field.position, lane]
        }
    }

    @inline(__always)
    fileprivate func wrap(_ wrap: UInt32) {
        let state = unsafe self[Field.state]
        // The sign of a difference: 1 for those below.
        unsafe self[Field.state] = state &- (((state &- wrap) &>> 31 &- 1) & wrap)
    }

    /// Whether a lane is at a symbol for the exact step.
    @inline(__always)
    fileprivate var isStuck: Bool { unsafe isAny(self[Field.stuck]) }

    /// Whether any bit is set. The library's `any(_:)` and sums look at lane after lane.
    @inline(__always)
    private func isAny(_ vector: SIMD8<UInt32>) -> Bool {
        // SAFETY: 256 bits either way, of which all patterns are numbers.
        let words = unsafe unsafeBitCast(vector, to: SIMD4<UInt64>.self)
        return words[0] | words[1] | words[2] | words[3] != 0
    }
}

extension BlockSkipper {
    /// Steps the lanes until fewer than so many move. Each passes its limits by at most ``stride`` steps.
    @inline(never)
    func run(_ lanes: inout BlockLanes, least: Int, data: RawSpan, starts: inout MutableSpan<UInt32>) {
        unsafe withMemory(data, &starts) { memory in
            let wrap = UInt32(wrap)
            var isStuck = true
            while isStuck {
                isStuck = false
                unsafe lanes.withHalves { low, high in
                    _ = unsafe (low.look(), high.look())
                    while !isStuck, unsafe low.count + high.count >= least {
                        var isSame = true
                        while isSame, !isStuck {
                            for _ in 0..<BlockSkipper.stride {
                                unsafe low.step(memory)
                                unsafe high.step(memory)
                            }
                            unsafe low.wrap(wrap)
                            unsafe high.wrap(wrap)
                            isStuck = unsafe low.isStuck || high.isStuck
                            let isOther = unsafe (low.look(), high.look())
                            isSame = !isOther.0 && !isOther.1
                        }
                    }
                }
                if isStuck { unsafe lanes.takeExactSteps(self, memory) }
            }
        }
    }
}
