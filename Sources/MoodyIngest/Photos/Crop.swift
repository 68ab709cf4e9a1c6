import Images

/// A part of a photo, in pixels of the photo as it is seen: upright, at its full size, from the upper left.
package struct Crop: Sendable, Equatable, CustomStringConvertible {
    /// Above 0, up to ``limit``.
    package let width: Int, height: Int
    /// From 0 to ``limit``.
    package let x: Int, y: Int

    /// More than any photo has on a side, and little enough that products do not overflow.
    package static let limit = 1 << 30

    /// - Returns: nil unless the part has pixels and its corner is right of and below the photo's, or on it.
    package init?(width: Int, height: Int, x: Int = 0, y: Int = 0) {
        guard (1...Self.limit).contains(width), (1...Self.limit).contains(height) else { return nil }
        guard (0...Self.limit).contains(x), (0...Self.limit).contains(y) else { return nil }
        (self.width, self.height, self.x, self.y) = (width, height, x, y)
    }

    /// Reads X11's way of writing it, `400x300+10+20`: digits only, no sign but the two.
    package init?(_ text: String) {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let numbers = (sides + parts[1...]).compactMap { digits in
            digits.utf8.allSatisfy(DigitReader.isDigit) ? Int(digits) : nil
        }
        guard numbers.count == 4 else { return nil }
        self.init(width: numbers[0], height: numbers[1], x: numbers[2], y: numbers[3])
    }

    package var description: String { "\(width)x\(height)+\(x)+\(y)" }

    /// Returns the part inside a photo of this size; nil if there is none.
    func inside(width: Int, height: Int) -> Crop? {
        Crop(
            width: min(x + self.width, width) - x, height: min(y + self.height, height) - y, x: x, y: y)
    }

    /// Cuts a photo that was shrunk from `width` x `height`, in proportion, at the nearest of its pixels; at
    /// least one of them is left.
    ///
    /// The crop must lie inside: see ``inside(width:height:)``.
    func cut(_ image: Image, width: Int, height: Int) -> (rgba: [UInt8], width: Int) {
        func span(_ from: Int, _ length: Int, of whole: Int, _ pixels: Int) -> Range<Int> {
            let first = min((2 * from * pixels + whole) / (2 * whole), pixels - 1)
            let last = (2 * (from + length) * pixels + whole) / (2 * whole)
            return first..<max(first + 1, min(last, pixels))
        }
        let columns = span(x, self.width, of: width, image.width)
        let rows = span(y, self.height, of: height, image.height)
        var rgba: [UInt8] = []
        rgba.reserveCapacity(columns.count * rows.count * 4)
        for row in rows {
            let start = row * image.width
            rgba += image.rgba[((start + columns.lowerBound) * 4)..<((start + columns.upperBound) * 4)]
        }
        return (rgba, columns.count)
    }
}
