// The loops that see every pixel, alone in their file.

extension ColorHistogram {
    /// Adds opaque pixels: the four bytes as they come, alpha's 255 being the count.
    ///
    /// A new cell is taken into use without a branch: the next free index is written where the cell's index
    /// would be, and is used up only if there was none. Photos meet new cells too irregularly for the processor
    /// to guess.
    ///
    /// - Parameters:
    ///   - rgba: 4 bytes a pixel.
    ///   - range: pixels to add, at most 2^24.
    ///   - recent: sums (red, green, blue, alpha) by index; lengthened as needed.
    /// - Complexity: O(pixels): four loads for the cell's index, one addition of four lanes.
    @inline(never)
    mutating func addOpaque(_ rgba: [UInt8], _ range: Range<Int>, _ recent: inout [SIMD4<UInt32>]) {
        addPixels(rgba, range, &recent) { SIMD4<UInt32>(truncatingIfNeeded: $0) }
    }

    /// Adds pixels by their alpha; clear ones not at all. At most 65,536 of them.
    @inline(never)
    mutating func addTranslucent(_ rgba: [UInt8], _ range: Range<Int>, _ recent: inout [SIMD4<UInt32>]) {
        addPixels(rgba, range, &recent) { pixel in
            var weighted = SIMD4<UInt32>(truncatingIfNeeded: pixel) &* UInt32(pixel.w)
            weighted.w = UInt32(pixel.w)
            return weighted
        }
    }

    @inline(__always)
    private mutating func addPixels(
        _ rgba: [UInt8], _ range: Range<Int>, _ recent: inout [SIMD4<UInt32>],
        _ weighted: (SIMD4<UInt8>) -> SIMD4<UInt32>
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(start + 4_096, range.upperBound)
            var used = numbers.count
            let room = used + (end - start) + 1
            if recent.count < room {
                recent.append(contentsOf: repeatElement(.zero, count: 2 * room - recent.count))
            }
            numbers.append(contentsOf: repeatElement(0, count: room - used))
            unsafe rgba.withUnsafeBytes { bytes in
                unsafe slots.withUnsafeMutableBufferPointer { slots in
                    unsafe numbers.withUnsafeMutableBufferPointer { numbers in
                        unsafe recent.withUnsafeMutableBufferPointer { recent in
                            unsafe levels.octreeBits.withUnsafeBufferPointer { bits in
                                for pixel in start..<end {
                                    // SAFETY: the pixel is inside `rgba`; numbers have 18 bits; at most one
                                    // index is used up a pixel, and there is room for that many and one.
                                    let bytes = unsafe bytes.loadUnaligned(
                                        fromByteOffset: pixel &* 4, as: SIMD4<UInt8>.self)
                                    let values = weighted(bytes)
                                    if values.w == 0 { continue }
                                    let number =
                                        unsafe bits[Int(bytes.x)]
                                        | bits[256 &+ Int(bytes.y)] | bits[512 &+ Int(bytes.z)]
                                    let slot = unsafe slots[Int(number)]
                                    let index = slot == 0 ? used : Int(slot)
                                    unsafe slots[Int(number)] = UInt32(truncatingIfNeeded: index)
                                    unsafe numbers[used] = number
                                    used &+= slot == 0 ? 1 : 0
                                    unsafe recent[index] &+= values
                                }
                            }
                        }
                    }
                }
            }
            numbers.removeLast(numbers.count - used)
            start = end
        }
    }
}
