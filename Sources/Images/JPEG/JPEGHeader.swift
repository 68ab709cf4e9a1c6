/// The segments before a JPEG's first scan, read as libjpeg reads them: bytes between segments and segments
/// that make no sense are stepped over.
///
/// ``JPEGMarkers`` is the strict reader, for what goes by every byte of the file.
///
/// - Source: ITU-T T.81 B.1.1.2 and B.1.1.3 (markers); ICC.1:2010 (4.3) B.4 (profiles); Adobe TN 5116, 18.
struct JPEGHeader {
    private(set) var frame: JPEGFrame?
    private(set) var exif: Range<Int>?, xmp: Range<Int>?
    /// The transform byte of an Adobe marker.
    private(set) var adobeTransform: UInt8?
    /// Photoshop's resources, segment by segment.
    private(set) var photoshop: [Range<Int>] = []
    private let bytes: [UInt8]
    private var profileChunks: [(number: UInt8, count: UInt8, range: Range<Int>)] = []

    /// - Complexity: O(*n*) in the bytes before the first scan.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var position = 2
        while let start = bytes.nextFF(from: position) {
            guard start + 1 < bytes.count else { return }
            let marker = bytes[start + 1]
            switch marker {
            case 0xFF: position = start + 1
            // Data, TEM and restart markers: they stand alone.
            case 0x00, 0x01, 0xD0...0xD7: position = start + 2
            // The next picture, the end, the first scan.
            case 0xD8, 0xD9, 0xDA: return
            default:
                guard start + 4 <= bytes.count else { return }
                let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
                guard length >= 2, length <= bytes.count - start - 2 else { return }
                position = start + 2 + length
                read(marker, start + 4..<position)
            }
        }
    }

    /// The embedded ICC profile, put together; nil when there is none or a part is missing.
    var profile: [UInt8]? {
        guard let count = profileChunks.first?.count, profileChunks.count == Int(count) else { return nil }
        let sorted = profileChunks.sorted { $0.number < $1.number }
        for (index, chunk) in sorted.enumerated() where Int(chunk.number) != index + 1 || chunk.count != count
        {
            return nil
        }
        return sorted.flatMap { bytes[$0.range] }
    }

    /// Parts of a profile were there, whether or not they make one.
    var hasProfileParts: Bool { !profileChunks.isEmpty }

    private mutating func read(_ marker: UInt8, _ body: Range<Int>) {
        switch marker {
        case 0xC4, 0xC8, 0xCC: break
        case 0xC0...0xCF: frame = frame ?? JPEGFrame(bytes[body], marker: marker)
        case 0xE1: readApplication1(body)
        case 0xE2:
            guard body.count >= 14, bytes[body].starts(with: Array("ICC_PROFILE\0".utf8)) else { break }
            let start = body.lowerBound
            profileChunks.append((bytes[start + 12], bytes[start + 13], start + 14..<body.upperBound))
        case 0xED:
            let name = Array("Photoshop 3.0\0".utf8)
            guard bytes[body].starts(with: name) else { break }
            photoshop.append(body.lowerBound + name.count..<body.upperBound)
        case 0xEE:
            if body.count >= 12, bytes[body].starts(with: Array("Adobe".utf8)) {
                adobeTransform = bytes[body.lowerBound + 11]
            }
        default: break
        }
    }

    private mutating func readApplication1(_ body: Range<Int>) {
        let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
        // A structure begins with eight bytes. Some programs leave an empty segment beside the full one.
        if exif == nil, body.count >= 14, bytes[body].starts(with: Array("Exif\0".utf8)) {
            exif = body
        } else if xmp == nil, bytes[body].starts(with: name) {
            xmp = body.lowerBound + name.count..<body.upperBound
        }
    }
}
