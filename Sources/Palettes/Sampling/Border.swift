/// A frame of one color around a picture: how many rows and columns of it there are on each side.
///
/// A side's frame goes inward as long as at least 98 % of a row's or column's pixels are within 16 levels, in
/// every channel, of the mean of the outermost one, which itself must pass: letterbox bars with JPEG noise
/// do, skies with a gradient do not. It goes at most 45 % of the way, so that something is left.
struct Border: Equatable {
    var top = 0, bottom = 0, left = 0, right = 0

    var isEmpty: Bool { self == Border() }

    /// - Parameters:
    ///   - rgba: rows of `width` pixels; what is over is not looked at.
    ///   - width: pixels across, above 0.
    /// - Complexity: O(pixels of the border).
    init(of rgba: [UInt8], width: Int) {
        let height = rgba.count / 4 / width
        guard height > 0 else { return }
        func depth(_ size: Int, _ line: (Int) -> StrideTo<Int>) -> Int {
            let mean = Self.mean(of: line(0), in: rgba)
            var depth = 0
            while depth < size * 45 / 100, Self.isAlike(line(depth), mean, in: rgba) { depth += 1 }
            return depth
        }
        top = depth(height) { stride(from: $0 * width, to: ($0 + 1) * width, by: 1) }
        bottom = depth(height) { stride(from: (height - 1 - $0) * width, to: (height - $0) * width, by: 1) }
        // The bars above and below would make any column look unlike a frame, so columns end at them.
        let rows = (top * width)..<((height - bottom) * width)
        left = depth(width) { stride(from: rows.lowerBound + $0, to: rows.upperBound, by: width) }
        right = depth(width) {
            stride(from: rows.lowerBound + width - 1 - $0, to: rows.upperBound, by: width)
        }
    }

    private init() {}

    private static func mean(of pixels: StrideTo<Int>, in rgba: [UInt8]) -> SIMD4<Int> {
        var sum = SIMD4<Int>.zero, count = 0
        for pixel in pixels {
            sum &+= color(pixel, rgba)
            count += 1
        }
        return count > 0 ? sum / count : .zero
    }

    private static func isAlike(_ pixels: StrideTo<Int>, _ mean: SIMD4<Int>, in rgba: [UInt8]) -> Bool {
        var alike = 0, count = 0
        for pixel in pixels {
            let offset = color(pixel, rgba) &- mean
            if abs(offset.x) <= 16 && abs(offset.y) <= 16 && abs(offset.z) <= 16 && abs(offset.w) <= 16 {
                alike += 1
            }
            count += 1
        }
        return alike * 100 >= count * 98
    }

    private static func color(_ pixel: Int, _ rgba: [UInt8]) -> SIMD4<Int> {
        SIMD4(
            Int(rgba[pixel * 4]), Int(rgba[pixel * 4 + 1]), Int(rgba[pixel * 4 + 2]), Int(rgba[pixel * 4 + 3])
        )
    }
}
