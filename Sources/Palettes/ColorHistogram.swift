/// Pixels counted into 64 x 64 x 64 cells of sRGB, with the exact sum of the colours in each.
///
/// Everything in here is an integer, so the order in which pixels come does not matter. A cell's number is
/// the octree's: the bits of red, green and blue in turn, highest first. So the cells of a coarser grid are
/// runs of the finer one, and `number >> 3` is the number with half the resolution.
struct ColorHistogram {
    /// Weighted sums of a cell: red, green, blue, weight.
    typealias Sums = SIMD4<UInt64>

    static let cellCount = 64 * 64 * 64
    /// The largest `scale` of ``add(_:scale:)``: with it, 255 * 255 * scale still fits 32 bits.
    static let largestScale = 65_535

    /// For each cell 1 + its index in the two arrays below, or 0 while it is empty.
    private var slots = [UInt32](repeating: 0, count: cellCount)
    private var numbers: [UInt32] = []
    private var sums: [Sums] = []

    /// Calls `body` with each cell that holds something, in the order of their numbers.
    func forEachCell(_ body: (_ number: Int, _ sums: Sums) -> Void) {
        if numbers.count < 1_024 {  // sorting so few is quicker than looking through all
            for number in numbers.sorted() { body(Int(number), sums[Int(slots[Int(number)]) - 1]) }
            return
        }
        for number in slots.indices where slots[number] != 0 {
            body(number, sums[Int(slots[number]) - 1])
        }
    }

    var isEmpty: Bool { sums.isEmpty }
    var occupied: Int { sums.count }
}

extension ColorHistogram {
    /// Counts pixels, each by its alpha times `scale`.
    ///
    /// - Parameters:
    ///   - rgba: 4 bytes a pixel.
    ///   - scale: 1...``largestScale``. Two samples are balanced by their scales.
    /// - Complexity: O(pixels). Sums are good for 2^32 pixels.
    mutating func add(_ rgba: [UInt8], scale: Int) {
        let scale = UInt32(scale)
        let count = rgba.count / 4
        let octreeBits = octreeBits
        var sums = self.sums, numbers = self.numbers
        self.sums = []
        self.numbers = []
        unsafe slots.withUnsafeMutableBufferPointer { slots in
            unsafe rgba.withUnsafeBytes { bytes in
                for index in 0..<count {
                    // SAFETY: index < rgba.count / 4, and a cell number has 18 bits.
                    let pixel = unsafe bytes.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
                    let red = UInt8(truncatingIfNeeded: pixel), green = UInt8(truncatingIfNeeded: pixel &>> 8)
                    let blue = UInt8(truncatingIfNeeded: pixel &>> 16), alpha = pixel &>> 24
                    if alpha == 0 { continue }
                    let number = Int(
                        octreeBits[red] &<< 2 | octreeBits[green] &<< 1 | octreeBits[blue])
                    let weighted =
                        SIMD4<UInt32>(UInt32(red), UInt32(green), UInt32(blue), 1) &* (alpha &* scale)
                    let slot = unsafe slots[number]
                    if slot == 0 {
                        sums.append(Sums(truncatingIfNeeded: weighted))
                        numbers.append(UInt32(truncatingIfNeeded: number))
                        unsafe slots[number] = UInt32(truncatingIfNeeded: sums.count)
                    } else {
                        sums[Int(slot) &- 1] &+= Sums(truncatingIfNeeded: weighted)
                    }
                }
            }
        }
        self.sums = sums
        self.numbers = numbers
    }
}

/// The upper six bits of a channel, spread three apart: bit 7 goes to bit 15, bit 2 to bit 0.
private struct OctreeBits {
    private var table = InlineArray<256, UInt32>(repeating: 0)

    init() {
        for value in 0..<256 {
            var spread: UInt32 = 0
            for bit in 2...7 where value >> bit & 1 == 1 { spread |= 1 << UInt32((bit - 2) * 3) }
            table[value] = spread
        }
    }

    subscript(_ value: UInt8) -> UInt32 { table[Int(value)] }
}

private let octreeBits = OctreeBits()
