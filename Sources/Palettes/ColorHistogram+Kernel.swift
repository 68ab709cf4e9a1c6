// The loops that see every pixel, alone in their file.

extension ColorHistogram {
    /// Adds opaque pixels: the four bytes as they come, alpha's 255 being the count.
    ///
    /// Each cell has two sums, for even and odd pixels, because the next addition to a sum has to wait for the
    /// last one to reach memory, and neighbors are often alike. Taking new cells into use without a branch was
    /// slower for the same reason: it writes the cell's index again for every pixel.
    ///
    /// - Parameters:
    ///   - rgba: 4 bytes a pixel.
    ///   - range: pixels to add, at most 2^24.
    ///   - recent: sums (red, green, blue, alpha), two by two by index; lengthened as needed.
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
            let room = used + (end - start)
            if recent.count < 2 * room {
                recent.append(contentsOf: repeatElement(.zero, count: 4 * room - recent.count))
            }
            numbers.append(contentsOf: repeatElement(0, count: room - used))
            unsafe rgba.withUnsafeBytes { bytes in
                unsafe slots.withUnsafeMutableBufferPointer { slots in
                    unsafe numbers.withUnsafeMutableBufferPointer { numbers in
                        unsafe recent.withUnsafeMutableBufferPointer { recent in
                            unsafe levels.octreeBits.withUnsafeBufferPointer { bits in
                                for pixel in start..<end {
                                    // SAFETY: the pixel is inside `rgba`; numbers have 18 bits; at most one
                                    // index is used up a pixel, and there is room for that many.
                                    let bytes = unsafe bytes.loadUnaligned(
                                        fromByteOffset: pixel &* 4, as: SIMD4<UInt8>.self)
                                    let values = weighted(bytes)
                                    if values.w == 0 { continue }
                                    let number =
                                        unsafe bits[Int(bytes.x)]
                                        | bits[256 &+ Int(bytes.y)] | bits[512 &+ Int(bytes.z)]
                                    var slot = unsafe slots[Int(number)]
                                    if slot == 0 {
                                        slot = UInt32(truncatingIfNeeded: used)
                                        unsafe slots[Int(number)] = slot
                                        unsafe numbers[used] = number
                                        used &+= 1
                                    }
                                    unsafe recent[Int(slot) &* 2 &+ (pixel & 1)] &+= values
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
