/// Sums of pixels, alpha-weighted unless they are inks, for means over n x n of them, n at most 128.
struct PixelSums {
    private let width: Int
    /// R, G, B times alpha, and alpha.
    private var sums: [SIMD4<UInt32>]
    private var counts: [UInt32]

    private let hasAlpha: Bool

    init(width: Int, rows: Int, hasAlpha: Bool) {
        self.width = width
        self.hasAlpha = hasAlpha
        sums = Array(repeating: .zero, count: width * rows)
        counts = Array(repeating: 0, count: width * rows)
    }

    /// Adds a whole row, R G B A a pixel.
    mutating func add(_ pixels: [UInt8], line: Int, shrink: Int) {
        var at = 0, target = line * width
        while at < pixels.count {
            let end = min(at + shrink * 4, pixels.count)
            counts[target] += UInt32((end - at) / 4)
            var sum = SIMD4<UInt32>.zero
            if hasAlpha {
                while at < end {
                    sum &+= PixelSums.weighted(pixels, at)
                    at += 4
                }
            } else {
                while at < end {
                    sum &+= PixelSums.plain(pixels, at)
                    at += 4
                }
            }
            sums[target] &+= sum
            target += 1
        }
    }

    /// Adds pixels `x`, `x + step`, ... of a row.
    mutating func add(_ pixels: [UInt8], x: Int, step: Int, line: Int, shrink: Int) {
        var column = x
        for at in stride(from: 0, to: pixels.count, by: 4) {
            let target = line * width + column / shrink
            sums[target] &+= hasAlpha ? PixelSums.weighted(pixels, at) : PixelSums.plain(pixels, at)
            counts[target] += 1
            column += step
        }
    }

    private static func weighted(_ pixels: [UInt8], _ at: Int) -> SIMD4<UInt32> {
        let alpha = UInt32(pixels[at + 3])
        let color = SIMD4(UInt32(pixels[at]), UInt32(pixels[at + 1]), UInt32(pixels[at + 2]), 1)
        return color &* SIMD4(repeating: alpha)
    }

    @inline(__always)
    private static func plain(_ pixels: [UInt8], _ at: Int) -> SIMD4<UInt32> {
        // SAFETY: checked against the array's bounds, and any bytes are numbers.
        let pixel = unsafe pixels.span.bytes.unsafeLoadUnaligned(
            fromByteOffset: at, as: SIMD4<UInt8>.self)
        return SIMD4<UInt32>(truncatingIfNeeded: pixel)
    }

    /// Writes a line's means as straight R G B A and forgets its sums. A mean of nothing, as in an interlaced
    /// file that was cut, takes its left neighbor's value, or the one above.
    mutating func write(line: Int, to image: inout [UInt8], at start: Int) {
        for column in 0..<width {
            let index = line * width + column, at = start + column * 4
            let sum = sums[index], count = counts[index]
            (sums[index], counts[index]) = (.zero, 0)
            if count == 0 {
                let neighbor = column > 0 ? at - 4 : at - width * 4
                if neighbor >= 0 {
                    for channel in 0..<4 { image[at + channel] = image[neighbor + channel] }
                }
            } else if !hasAlpha {
                for channel in 0..<4 { image[at + channel] = UInt8((sum[channel] + count / 2) / count) }
            } else if sum.w > 0 {
                image[at] = UInt8((sum.x + sum.w / 2) / sum.w)
                image[at + 1] = UInt8((sum.y + sum.w / 2) / sum.w)
                image[at + 2] = UInt8((sum.z + sum.w / 2) / sum.w)
                image[at + 3] = UInt8((sum.w + count / 2) / count)
            }
        }
    }
}
