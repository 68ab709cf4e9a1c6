#if HEIF
/// The configuration of a coded item.
///
/// - Source: ISO/IEC 14496-15, 8.3.2.1 (hvcC).
struct HEIFCoding {
    /// Parameter sets of HEVC, each behind a length of four bytes; nil when there are none.
    private(set) var parameters: [UInt8]?
    /// Bytes of the lengths between the units.
    private(set) var lengthSize = 4
    /// About what a decoder holds of a picture.
    let bytesPerPixel: Double

    init(_ items: HEIFItems, _ item: Int) {
        let body = items.properties(of: item, "hvcC").first?.body ?? 0..<0
        let config = items.bytes[body].prefix(1 << 16), start = config.startIndex
        guard config.count >= 23 else {
            bytesPerPixel = 13
            return
        }
        // Samples of color to one of luma, by chroma format.
        let colors = [0, 0.5, 1, 2][Int(config[start + 16] & 3)]
        // As much again by half for its filters, and block data: measured at 45 megapixels, 3.2 and 5.7.
        bytesPerPixel = (config[start + 17] & 7 > 0 ? 2 : 1) * (1 + colors) * 1.5 + 1
        lengthSize = Int(config[start + 21] & 3) + 1
        parameters = HEIFCoding.sets(config)
    }

    private static func sets(_ config: ArraySlice<UInt8>) -> [UInt8] {
        var sets: [UInt8] = [], at = config.startIndex + 23
        for _ in 0..<config[config.startIndex + 22] {
            guard at + 3 <= config.endIndex else { break }
            let count = Int(config[at + 1]) << 8 | Int(config[at + 2])
            at += 3
            for _ in 0..<count {
                guard at + 2 <= config.endIndex else { return sets }
                let length = Int(config[at]) << 8 | Int(config[at + 1])
                guard at + 2 + length <= config.endIndex else { return sets }
                sets += [0, 0] + config[at..<at + 2 + length]
                at += 2 + length
            }
        }
        return sets
    }
}

/// The units that HEVC pictures are coded in.
enum HEVCUnits {
    /// Whether these bytes can be units of a picture: their lengths fill the range, and inside a unit no two
    /// zeros are followed by less than 3, which is how coders keep start codes out of the data. Where a part
    /// of a file was lost, and reads as zeros, they are.
    ///
    /// - Source: ITU-T H.265, 7.4.2.1.
    static func arePossible(_ bytes: [UInt8], _ range: Range<Int>, lengthSize: Int) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound {
            guard at + lengthSize <= range.upperBound else { return false }
            let length = bytes.number(at: at, lengthSize, bigEndian: true)
            at += lengthSize
            guard length >= 0, length <= range.upperBound - at else { return false }
            // Types from 32 on hold no picture, and some programs pad them.
            if length > 0, bytes[at] >> 1 & 63 < 32, !isPossible(bytes.span.extracting(at..<at + length)) {
                return false
            }
            at += length
        }
        return true
    }

    /// - Complexity: O(*n*); looks at every third byte where there are no zeros.
    private static func isPossible(_ unit: Span<UInt8>) -> Bool {
        var end = unit.count
        // Zeros behind the unit's last bit do no harm, as long as they are few.
        while end > 0, unit.count - end < 16, unit[end - 1] == 0 { end -= 1 }
        var at = 2
        while at < end {
            if unit[at] > 2 {
                // No run of two zeros and a small byte covers this one but with it as the first or second.
                at += 3
                continue
            }
            for last in [at, at + 1, at + 2] where last < end {
                if unit[last] < 3, unit[last - 1] == 0, unit[last - 2] == 0 { return false }
            }
            at += 1
        }
        return true
    }
}
#endif
