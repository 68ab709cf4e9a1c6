/// Pixels counted into 64 x 64 x 64 cells of color, with the exact sum of the colors in each.
///
/// Everything in here is an integer, so the order in which pixels come does not matter. A cell's number is
/// the octree's: the bits of red, green and blue in turn, highest first. So the cells of a coarser grid are
/// runs of the finer one, and `number >> 3` is the number with half the resolution.
struct ColorHistogram {
    /// The sums of a cell: red, green, blue times alpha, then alpha, each times its sample's scale.
    typealias Sums = SIMD4<UInt64>

    static let cellCount = 64 * 64 * 64
    /// The largest scale of a sample; sums hold 2^32 pixels of it.
    static let largestScale = 65_535

    /// Where the cells' edges are.
    let levels: ColorLevels
    /// For each cell the index of its sums, or 0 while it is empty; no cell has index 0.
    var slots: [UInt32]
    /// Numbers of the occupied cells, in the order they were first met, after one for index 0.
    var numbers: [UInt32] = [0]
    /// Their sums, up to the last flush.
    var sums: [Sums] = [.zero]

    private init(levels: ColorLevels, slots: [UInt32]) {
        self.levels = levels
        self.slots = slots
    }

    var isEmpty: Bool { numbers.count == 1 }

    /// Calls `body` with each occupied cell, in the order of their numbers.
    func forEachCell(_ body: (_ number: UInt32, _ sums: Sums) -> Void) {
        if numbers.count < 1_024 {  // sorting so few is quicker than looking through all
            for number in numbers.dropFirst().sorted() { body(number, sums[Int(slots[Int(number)])]) }
            return
        }
        for start in stride(from: 0, to: Self.cellCount, by: 8) {
            var any: UInt32 = 0
            for number in start..<(start + 8) { any |= slots[number] }
            if any == 0 { continue }
            for number in start..<(start + 8) where slots[number] != 0 {
                body(UInt32(truncatingIfNeeded: number), sums[Int(slots[number])])
            }
        }
    }
}

extension ColorHistogram {
    /// Counts all samples, balanced by their weights.
    ///
    /// The weight of one pixel is its sample's weight over its sample's pixels, as a fraction of the
    /// heaviest pixel's, in steps of 1/65,535, at least one.
    /// The slots are taken from the workspace, until ``release(to:)``.
    init(
        _ samples: [PixelSample], levels: ColorLevels = .even, using workspace: inout PaletteWorkspace
    ) {
        if workspace.slots.count != Self.cellCount {
            workspace.slots = Array(repeating: 0, count: Self.cellCount)
        }
        self.init(levels: levels, slots: workspace.slots)
        workspace.slots = []
        let samples = samples.filter { $0.weight > 0 && $0.pixelCount > 0 }
        let pixelWeights = samples.map { $0.weight / Double($0.pixelCount) }
        let heaviest = pixelWeights.max() ?? 1
        // A single sample needs no fractions: its sums stay small and exact for longer.
        let unit = samples.count == 1 ? 1 : Double(Self.largestScale)
        for (sample, weight) in zip(samples, pixelWeights) {
            add(
                sample.rgba, isOpaque: sample.isOpaque,
                scale: UInt64(max(1, (weight / heaviest * unit).rounded())), &workspace.recent)
        }
    }

    /// Gives the slots back, empty. The histogram is of no use after that.
    mutating func release(to workspace: inout PaletteWorkspace) {
        workspace.slots = slots
        slots = []
        for number in numbers { workspace.slots[Int(number)] = 0 }
    }

    /// Counts pixels, each by its alpha times `scale`.
    ///
    /// - Parameters:
    ///   - rgba: 4 bytes a pixel.
    ///   - scale: 1...``largestScale``. Two samples are balanced by their scales.
    ///   - recent: all 0 before and after.
    /// - Complexity: O(pixels), and O(occupied cells) for each 16 million pixels, or each 65,536 when some
    ///   let light through.
    private mutating func add(
        _ rgba: [UInt8], isOpaque: Bool, scale: UInt64, _ recent: inout [SIMD4<UInt32>]
    ) {
        let count = rgba.count / 4
        var start = 0
        while start < count {
            // As many as 32 bits are sure to hold: 255 a pixel, or 255 times 255.
            let end = min(start + (isOpaque ? 16_777_216 : 65_536), count)
            if isOpaque {
                addOpaque(rgba, start..<end, &recent)
            } else {
                addTranslucent(rgba, start..<end, &recent)
            }
            flush(&recent, scale: SIMD4(SIMD3(repeating: isOpaque ? 255 * scale : scale), scale))
            start = end
        }
    }

    /// Empties 32-bit sums into the 64-bit ones.
    private mutating func flush(_ recent: inout [SIMD4<UInt32>], scale: SIMD4<UInt64>) {
        let missing = numbers.count - sums.count
        sums.append(contentsOf: repeatElement(.zero, count: missing))
        for index in 0..<min(recent.count / 2, numbers.count) {
            let both =
                SIMD4<UInt64>(truncatingIfNeeded: recent[2 * index])
                &+ SIMD4<UInt64>(truncatingIfNeeded: recent[2 * index + 1])
            sums[index] &+= both &* scale
            recent[2 * index] = .zero
            recent[2 * index + 1] = .zero
        }
    }
}
