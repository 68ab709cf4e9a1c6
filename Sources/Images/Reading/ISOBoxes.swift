/// The boxes at the top of a HEIF, CR3, or JPEG XL file.
///
/// - Source: ISO/IEC 14496-12, 4.2: size, type, a long size where the short one is 1; 0: to the file's end.
enum ISOBoxes {
    struct Box {
        let type: String
        /// What of it lies in the file.
        let whole: Range<Int>
        let body: Range<Int>
        let isCut: Bool
    }

    /// Whether a box that the file begins is cut off. What follows the boxes, as some phones write it, is no
    /// box and does not count.
    static func isCut(_ bytes: [UInt8]) -> Bool { boxes(of: bytes).last?.isCut ?? false }

    /// The boxes of known types, up to the first of another type.
    static func boxes(of bytes: [UInt8]) -> [Box] {
        var boxes: [Box] = []
        var at = 0
        while at + 8 <= bytes.count {
            let type = String(decoding: bytes[at + 4..<at + 8], as: UTF8.self)
            guard known.contains(type) else { break }
            var size = bytes.number(at: at, 4, bigEndian: true), head = 8
            if size == 1 {
                head = 16
                size = at + 16 <= bytes.count ? bytes.number(at: at + 8, 8, bigEndian: true) : .max
            } else if size == 0 {
                size = bytes.count - at
            }
            guard size >= head else { break }
            let end = size <= bytes.count - at ? at + size : bytes.count
            boxes.append(
                Box(
                    type: type, whole: at..<end, body: min(at + head, end)..<end,
                    isCut: size > bytes.count - at))
            at = end
        }
        return boxes
    }

    private static let known: Set<String> = [
        "ftyp", "meta", "mdat", "moov", "moof", "mfra", "free", "skip", "wide", "uuid", "styp", "sidx",
        "idat", "JXL ", "jxlc", "jxlp", "jxll", "jxli", "jbrd", "jumb", "Exif", "xml ", "brob",
    ]
}
