#if HEIF || AVIF
/// The columns and rows of a coded picture that are shown.
///
/// - Source: ISO/IEC 14496-12, 12.1.4 (clap).
struct HEIFAperture {
    let x: Range<Int>
    let y: Range<Int>

    /// The whole picture.
    init(width: Int, height: Int) { (x, y) = (0..<width, 0..<height) }

    /// - Parameter numbers: width, height and the offsets of the center from the picture's, as fractions:
    ///   eight numbers.
    /// - Returns: nil for a part that no such picture has.
    init?(_ numbers: [Double], width: Int, height: Int) {
        func span(_ size: Double, _ offset: Double, of whole: Int) -> Range<Int>? {
            guard size.isFinite, offset.isFinite, size >= 1, size <= Double(whole) else { return nil }
            let start = (Double(whole - 1) / 2 + offset - (size - 1) / 2).rounded(.down)
            let first = max(0, min(Int(max(-1e9, min(start, 1e9))), whole - 1))
            return first..<min(whole, first + Int(size.rounded()))
        }
        guard numbers.count == 8, let x = span(numbers[0] / numbers[1], numbers[4] / numbers[5], of: width),
            let y = span(numbers[2] / numbers[3], numbers[6] / numbers[7], of: height)
        else { return nil }
        (self.x, self.y) = (x, y)
    }
}

/// The combined effect of the properties that rotate and mirror, in their order.
///
/// - Source: ISO/IEC 23008-12, 6.5.10 (irot), 6.5.12 (imir).
struct HEIFTurns {
    // Displayed = turned clockwise so many times, of what may first be mirrored left and right.
    private(set) var turns = 0
    private(set) var isMirrored = false

    /// - Parameter angle: 90 degrees, anti-clockwise.
    mutating func rotate(_ angle: Int) { turns = (turns + 4 - angle & 3) & 3 }

    /// - Parameter axis: 1: left and right change places; 0: top and bottom do.
    mutating func mirror(_ axis: Int) {
        turns = ((axis & 1 == 1 ? 4 : 6) - turns) & 3
        isMirrored.toggle()
    }

    /// EXIF's number.
    var orientation: Int { (isMirrored ? [2, 7, 4, 5] : [1, 6, 3, 8])[turns] }
}
#endif
