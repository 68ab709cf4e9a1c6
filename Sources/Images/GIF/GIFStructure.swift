#if GIF
/// Walks over the blocks of a GIF to see whether all of it is there.
///
/// - Source: GIF89a: 15 (sub-blocks), 18 (screen), 20 (picture), 23 to 26 (extensions), 27 (trailer).
enum GIFStructure {
    /// How a file ends: with its trailer, without one, or with what is no block.
    enum End { case whole, missing, damaged }

    static func end(of bytes: [UInt8]) -> End {
        var at = 13
        guard bytes.count > at else { return .missing }
        at += colors(bytes[10])
        while at < bytes.count {
            switch bytes[at] {
            case 0x3B: return .whole
            case 0x21: at += 2
            case 0x2C:
                guard at + 10 < bytes.count else { return .missing }
                at += 10 + colors(bytes[at + 9]) + 1
            default: return .damaged
            }
            at = endOfBlocks(bytes, from: at)
        }
        return .missing
    }

    /// The XMP packet, with the bytes behind it that let a reader skip it as blocks; nil without one.
    ///
    /// - Source: XMP part 3, 1.1.2: an application extension named "XMP DataXMP".
    static func xmp(of bytes: [UInt8]) -> Range<Int>? {
        guard let start = bytes[...].firstRange(of: [0x21, 0xFF, 0x0B] + Array("XMP DataXMP".utf8)) else {
            return nil
        }
        return start.upperBound..<min(endOfBlocks(bytes, from: start.upperBound), bytes.count)
    }

    /// The index behind blocks that stand one after the other, and the empty one that ends them.
    private static func endOfBlocks(_ bytes: [UInt8], from start: Int) -> Int {
        var at = start
        while at < bytes.count, bytes[at] != 0 { at += 1 + Int(bytes[at]) }
        return at + 1
    }

    /// How many codes of the first picture are not in the table as it is then: giflib takes them for
    /// something.
    ///
    /// - Source: GIF89a, appendix F: codes of growing width, a clear code, an end code, then one more with
    ///   each code.
    /// - Complexity: O(codes), up to the one that completes the picture.
    static func impossibleCodes(_ bytes: [UInt8]) -> Int {
        guard bytes.count > 13 else { return 0 }
        var at = 13 + colors(bytes[10])
        while at < bytes.count, bytes[at] == 0x21 {
            at = endOfBlocks(bytes, from: at + 2)
        }
        guard at + 10 < bytes.count, bytes[at] == 0x2C else { return 0 }
        let pixels =
            bytes.number(at: at + 5, 2, bigEndian: false) * bytes.number(at: at + 7, 2, bigEndian: false)
        at += 10 + colors(bytes[at + 9])
        guard at < bytes.count, (2...8).contains(bytes[at]) else { return 0 }
        var codes = GIFCodes(bytes, from: at + 1, minimum: Int(bytes[at]))
        return codes.impossible(pixels: pixels)
    }

    /// Bytes of the color table that the flags announce.
    private static func colors(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
}

/// Reads the codes of a picture, and how many pixels each stands for.
private struct GIFCodes {
    private let bytes: [UInt8]
    private let minimum: Int
    /// The next byte, and how many of its sub-block are left with it.
    private var at: Int, left = 0
    private var bits = 0, held = 0

    init(_ bytes: [UInt8], from start: Int, minimum: Int) {
        (self.bytes, at, self.minimum) = (bytes, start, minimum)
    }

    private mutating func next(_ width: Int) -> Int? {
        while held < width {
            if left == 0 {
                guard at < bytes.count, bytes[at] > 0 else { return nil }
                left = Int(bytes[at])
                at += 1
            }
            guard at < bytes.count else { return nil }
            bits |= Int(bytes[at]) << held
            (held, at, left) = (held + 8, at + 1, left - 1)
        }
        defer { (bits, held) = (bits >> width, held - width) }
        return bits & (1 << width - 1)
    }

    mutating func impossible(pixels: Int) -> Int {
        let clear = 1 << minimum
        var lengths = [Int](repeating: 1, count: 4096), free = clear + 2, width = minimum + 1
        var last: Int?, seen = 0, impossible = 0
        while seen < pixels, let code = next(width) {
            if code == clear {
                (free, width, last) = (clear + 2, minimum + 1, nil)
                continue
            }
            if code == clear + 1 { break }
            let isNew = code == free && last != nil
            if code >= free && !isNew || last == nil && code > clear { impossible += 1 }
            let before = last.map { lengths[$0] } ?? 0
            let length = isNew || code >= free ? before + 1 : lengths[code]
            seen += length
            if last != nil, free < 4096 {
                lengths[free] = before + 1
                free += 1
                if free == 1 << width, width < 12 { width += 1 }
            }
            last = code
        }
        return impossible
    }
}
#endif
