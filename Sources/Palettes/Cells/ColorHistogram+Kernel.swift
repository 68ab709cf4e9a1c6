// The loops that see every pixel, alone in their file.

extension ColorHistogram {
    /// Adds opaque pixels: the four bytes as they come, alpha's 255 being the count.
    ///
    /// Each cell has two sums, for even and odd pixels, because the next addition to a sum has to wait for
    /// the last one to reach memory, and neighbors are often alike. Taking new cells into use without a
    /// branch was slower for the same reason: it writes the cell's index again for every pixel.
    ///
    /// - Parameters:
    ///   - rgba: 4 bytes a pixel.
    ///   - range: pixels to add, at most 2^24.
    ///   - recent: sums (red, green, blue, alpha), two by two by index; lengthened as needed.
    /// - Complexity: O(pixels): four loads for the cell's index, one addition of four lanes.
    @inline(never)
    mutating func addOpaque(_ rgba: [UInt8], _ range: Range<Int>, _ recent: inout [SIMD4<UInt32>]) {
        addPixels(rgba, range: range, recent: &recent) { SIMD4<UInt32>(truncatingIfNeeded: $0) }
    }

    /// Adds pixels by their alpha; clear ones not at all. At most 65,536 of them.
    @inline(never)
    mutating func addTranslucent(_ rgba: [UInt8], _ range: Range<Int>, _ recent: inout [SIMD4<UInt32>]) {
        addPixels(rgba, range: range, recent: &recent) { pixel in
            var weighted = SIMD4<UInt32>(truncatingIfNeeded: pixel) &* UInt32(pixel.w)
            weighted.w = UInt32(pixel.w)
            return weighted
        }
    }

    @inline(__always)
    private mutating func addPixels(
        _ rgba: [UInt8], range: Range<Int>, recent: inout [SIMD4<UInt32>],
        weighted: (SIMD4<UInt8>) -> SIMD4<UInt32>
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(start + 4_096, range.upperBound), used = numbers.count
            makeRoom(for: end - start, &recent)
            let count = Self.addRun(
                rgba, pixels: start..<end, bits: levels.octreeBits, used: used, slots: &slots,
                numbers: &numbers, recent: &recent, weighted: weighted)
            numbers.removeLast(numbers.count - count)
            start = end
        }
    }

    /// Room for so many new cells: each of the pixels to come may have one.
    private mutating func makeRoom(for cells: Int, _ recent: inout [SIMD4<UInt32>]) {
        let room = numbers.count + cells
        if recent.count < 2 * room {
            recent.append(contentsOf: repeatElement(.zero, count: 4 * room - recent.count))
        }
        numbers.append(contentsOf: repeatElement(0, count: cells))
    }

    /// Adds pixels for whose cells there is room.
    ///
    /// - Parameters:
    ///   - bits: of ``ColorLevels/octreeBits``.
    ///   - used: indexes in use.
    /// - Returns: as many, with those that the pixels took.
    @inline(__always)
    private static func addRun(
        _ rgba: [UInt8], pixels: Range<Int>, bits: [UInt32], used: Int, slots: inout [UInt32],
        numbers: inout [UInt32], recent: inout [SIMD4<UInt32>],
        weighted: (SIMD4<UInt8>) -> SIMD4<UInt32>
    ) -> Int {
        var used = used
        let bytes = unsafe rgba.span.bytes, bits = bits.span
        var slots = slots.mutableSpan, numbers = numbers.mutableSpan, sums = recent.mutableSpan
        for pixel in pixels {
            // SAFETY: the pixel is inside `rgba`; numbers have 18 bits; at most one index is used up a pixel,
            // and there is room for that many.
            let stored = unsafe bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: pixel &* 4, as: SIMD4<UInt8>.self)
            let values = weighted(stored)
            if values.w == 0 { continue }
            let number =
                unsafe bits[unchecked: Int(stored.x)] | bits[unchecked: 256 &+ Int(stored.y)]
                | bits[unchecked: 512 &+ Int(stored.z)]
            var slot = unsafe slots[unchecked: Int(number)]
            if slot == 0 {
                slot = UInt32(truncatingIfNeeded: used)
                unsafe slots[unchecked: Int(number)] = slot
                unsafe numbers[unchecked: used] = number
                used &+= 1
            }
            unsafe sums[unchecked: Int(slot) &* 2 &+ (pixel & 1)] &+= values
        }
        return used
    }
}
