/// Finds the chunks of a PNG that libpng hands over only after the pixels, or not at all.
///
/// - Source: PNG 1.2, 3.2 (chunk layout); PNG 3rd edition, 11.3.2.6 (cICP), 11.3.3.4 (iTXt), 11.3.4.6
///   (eXIf).
struct PNGChunks {
    private(set) var exif: Range<Int>?
    /// The coding-independent code points of the first cICP chunk.
    private(set) var codePoints: CodePoints?
    /// An iCCP chunk is there, whether or not its profile can be used.
    private(set) var hasProfile = false
    /// The packet of an uncompressed iTXt chunk with Adobe's keyword.
    private(set) var xmp: Range<Int>?

    init(_ bytes: [UInt8]) {
        let keyword = Array("XML:com.adobe.xmp\0\0\0".utf8)
        var at = 8
        while at + 12 <= bytes.count {
            let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            let body = at + 8
            guard length <= bytes.count - body - 4 else { return }
            switch bytes[at + 4..<at + 8] {
            case [0x65, 0x58, 0x49, 0x66]: exif = exif ?? body..<body + length
            case [0x63, 0x49, 0x43, 0x50] where length == 4:
                // Primaries, transfer function, matrix coefficients, range.
                codePoints =
                    codePoints
                    ?? CodePoints(
                        primaries: Int(bytes[body]), transfer: Int(bytes[body + 1]),
                        matrix: Int(bytes[body + 2]), isFullRange: bytes[body + 3] == 1)
            case [0x69, 0x43, 0x43, 0x50]: hasProfile = true
            case [0x69, 0x54, 0x58, 0x74] where bytes[body..<body + length].starts(with: keyword):
                // Two more NUL-terminated texts follow, language and translated keyword.
                let rest = bytes[body + keyword.count..<body + length]
                if let first = rest.firstIndex(of: 0), let second = rest[(first + 1)...].firstIndex(of: 0) {
                    xmp = xmp ?? second + 1..<body + length
                }
            default: break
            }
            at = body + length + 4
        }
    }
}
