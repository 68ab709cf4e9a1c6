#if GIF
/// Walks over the blocks of a GIF to see whether all of it is there.
///
/// - Source: GIF89a: 15 (sub-blocks), 18 (screen), 20 (picture), 23 to 26 (extensions), 27 (trailer).
enum GIFStructure {
    /// Whether the file ends before its trailer. What is no block, behind the first picture, is damage that
    /// the picture does not suffer from.
    static func isCut(_ bytes: [UInt8]) -> Bool {
        var at = 13
        guard bytes.count > at else { return true }
        at += colors(bytes[10])
        while at < bytes.count {
            switch bytes[at] {
            case 0x3B: return false
            case 0x21: at += 2
            case 0x2C:
                guard at + 10 < bytes.count else { return true }
                at += 10 + colors(bytes[at + 9]) + 1
            default: return false
            }
            // Sub-blocks, to the empty one.
            while at < bytes.count, bytes[at] != 0 { at += 1 + Int(bytes[at]) }
            at += 1
        }
        return true
    }

    /// Bytes of the colour table that the flags announce.
    private static func colors(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
}
#endif
