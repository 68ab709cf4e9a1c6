/// A few pixels counted into the cells of a ``ColorHistogram``, by sorting.
///
/// The same cells and sums as a histogram has, in half its time: of a small picture most of that goes into a
/// table of all cells, which no cache holds, and into looking through it.
struct SortedPixels {
    /// Pixels that can be sorted: an index among them has 14 bits, beside the 18 of a cell's number.
    static let limit = 1 << Int(indexBits)

    private static let indexBits: UInt32 = 14
    /// A cell's number is two digits of 9 bits.
    private static let digits = 512

    /// Octree numbers of the occupied cells, rising.
    private(set) var numbers: [UInt32] = []
    /// Red, green and blue times alpha, and alpha, summed up by cell: below 2^30.
    private(set) var sums: [SIMD4<UInt32>] = []

    /// - Parameter rgba: 4 bytes a pixel, at most ``limit`` of them.
    /// - Complexity: O(pixels).
    init(_ rgba: [UInt8], levels: ColorLevels) {
        let count = rgba.count / 4
        precondition(count <= Self.limit && levels.octreeBits.count == 768)
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2 * (count + Self.digits)) { room in
            let keys = unsafe UnsafeMutableBufferPointer(rebasing: room[..<count])
            let sorted = unsafe UnsafeMutableBufferPointer(rebasing: room[count..<2 * count])
            let low = unsafe UnsafeMutableBufferPointer(
                rebasing: room[(2 * count)..<(2 * count + Self.digits)])
            let high = unsafe UnsafeMutableBufferPointer(rebasing: room[(2 * count + Self.digits)...])
            unsafe low.initialize(repeating: 0)
            unsafe high.initialize(repeating: 0)
            let seen = unsafe Self.number(
                rgba.span, bits: levels.octreeBits.span, keys: keys, low: low, high: high)
            unsafe Self.sort(keys, seen, into: sorted, by: Self.indexBits, low)
            unsafe Self.sort(sorted, seen, into: keys, by: Self.indexBits + 9, high)
            unsafe addUp(keys, seen, rgba.span)
        }
    }

    /// Writes a key for each pixel that is not clear: its cell's number and its place.
    ///
    /// - Returns: how many there are, counted by both digits.
    private static func number(
        _ rgba: Span<UInt8>, bits: Span<UInt32>, keys: UnsafeMutableBufferPointer<UInt32>,
        low: UnsafeMutableBufferPointer<UInt32>, high: UnsafeMutableBufferPointer<UInt32>
    ) -> Int {
        var seen = 0
        for index in 0..<keys.count {
            // SAFETY: there are as many keys as whole pixels, and bits for 256 values of three channels.
            let pixel = unsafe rgba.bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index &* 4, as: SIMD4<UInt8>.self)
            if pixel.w == 0 { continue }
            let number =
                unsafe bits[unchecked: Int(pixel.x)] | bits[unchecked: 256 &+ Int(pixel.y)]
                | bits[unchecked: 512 &+ Int(pixel.z)]
            unsafe keys[seen] = number << indexBits | UInt32(truncatingIfNeeded: index)
            seen &+= 1
            unsafe low[Int(number) & (digits &- 1)] &+= 1
            unsafe high[Int(number >> 9)] &+= 1
        }
        return seen
    }

    /// By one digit; those of which it is the same stay in their order.
    ///
    /// - Parameter counts: how many there are of each digit. Used up.
    private static func sort(
        _ keys: UnsafeMutableBufferPointer<UInt32>, _ count: Int,
        into sorted: UnsafeMutableBufferPointer<UInt32>, by shift: UInt32,
        _ counts: UnsafeMutableBufferPointer<UInt32>
    ) {
        var sum: UInt32 = 0
        for digit in 0..<digits {
            let next = unsafe sum &+ counts[digit]
            unsafe counts[digit] = sum
            sum = next
        }
        for index in 0..<count {
            // SAFETY: a digit is below 512, and so many keys of each were counted.
            let key = unsafe keys[index], digit = Int(key >> shift) & (digits &- 1)
            let slot = unsafe counts[digit]
            unsafe sorted[Int(slot)] = key
            unsafe counts[digit] = slot &+ 1
        }
    }

    /// Sums up the pixels of each cell, which follow each other.
    private mutating func addUp(
        _ keys: UnsafeMutableBufferPointer<UInt32>, _ count: Int, _ rgba: Span<UInt8>
    ) {
        var cells = 0, last = UInt32.max
        for index in 0..<count {
            let number = unsafe keys[index] >> Self.indexBits
            cells &+= number == last ? 0 : 1
            last = number
        }
        var numbers = [UInt32](repeating: 0, count: cells)
        var sums = [SIMD4<UInt32>](repeating: .zero, count: cells)
        var cellNumbers = numbers.mutableSpan, cellSums = sums.mutableSpan, cell = -1
        last = .max
        for index in 0..<count {
            let key = unsafe keys[index], number = key >> Self.indexBits
            // Without a branch, which would go wrong for every other cell.
            cell &+= number == last ? 0 : 1
            last = number
            // SAFETY: a key has the index of a pixel; there are as many cells as were counted.
            let pixel = unsafe rgba.bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: (Int(key) & (Self.limit &- 1)) &* 4, as: SIMD4<UInt8>.self)
            var weighted = SIMD4<UInt32>(truncatingIfNeeded: pixel)
            weighted.w = 1
            unsafe cellNumbers[unchecked: cell] = number
            unsafe cellSums[unchecked: cell] &+= weighted &* UInt32(pixel.w)
        }
        (self.numbers, self.sums) = (numbers, sums)
    }
}
