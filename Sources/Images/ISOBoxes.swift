/// The boxes at the top of a HEIF or CR3 file.
///
/// - Source: ISO/IEC 14496-12, 4.2: size, type, a long size where the short one is 1; 0: to the file's end.
enum ISOBoxes {
    /// Whether a box that the file begins is cut off. What follows the boxes, as some phones write it, is no
    /// box and does not count.
    static func isCut(_ bytes: [UInt8]) -> Bool {
        var at = 0
        while at < bytes.count {
            guard at + 8 <= bytes.count else { return false }
            guard known.contains(String(decoding: bytes[at + 4..<at + 8], as: UTF8.self)) else {
                return false
            }
            var size = bytes.number(at: at, 4, bigEndian: true)
            if size == 0 { return false }
            if size == 1 {
                guard at + 16 <= bytes.count else { return true }
                size = bytes.number(at: at + 8, 8, bigEndian: true)
            }
            guard size >= 8 else { return false }
            guard size <= bytes.count - at else { return true }
            at += size
        }
        return false
    }

    private static let known: Set<String> = [
        "ftyp", "meta", "mdat", "moov", "moof", "mfra", "free", "skip", "wide", "uuid", "styp", "sidx",
        "idat",
    ]
}
