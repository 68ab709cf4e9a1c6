#if WebP
/// The chunks of a WebP file.
///
/// - Source: RFC 9649, 2: RIFF chunks of even length; VP8X: canvas; ANMF: a frame of an animation.
struct WebPContainer {
    private(set) var profile: Range<Int>?, exif: Range<Int>?, xmp: Range<Int>?
    /// The chunks of the first frame, for libwebp; as far as they are in the file.
    private(set) var frame: Range<Int>?
    /// Of an animation; nil: the frame is the picture.
    private(set) var canvas: (width: Int, height: Int)?
    /// Of the frame on the canvas.
    private(set) var left = 0, top = 0
    /// The file is shorter than it says.
    private(set) var isCut: Bool

    init(_ bytes: [UInt8]) {
        guard bytes.count >= 12 else {
            isCut = true
            return
        }
        isCut = 8 + bytes.number(at: 4, 4, bigEndian: false) > bytes.count
        var extended: (width: Int, height: Int)?
        for chunk in Chunks(bytes: bytes, range: 12..<bytes.count) {
            let body = chunk.body
            switch chunk.name {
            case "VP8X" where body.count >= 10:
                extended = (
                    bytes.number(at: body.lowerBound + 4, 3, bigEndian: false) + 1,
                    bytes.number(at: body.lowerBound + 7, 3, bigEndian: false) + 1
                )
            case "ICCP": profile = profile ?? body
            case "EXIF": exif = exif ?? body
            case "XMP ": xmp = xmp ?? body
            case "ANMF" where frame == nil && body.count >= 16:
                canvas = extended
                left = 2 * bytes.number(at: body.lowerBound, 3, bigEndian: false)
                top = 2 * bytes.number(at: body.lowerBound + 3, 3, bigEndian: false)
                findFrame(bytes, body.lowerBound + 16..<body.upperBound)
            case "ALPH", "VP8 ", "VP8L":
                if frame == nil { findFrame(bytes, chunk.start..<bytes.count) }
            default: break
            }
        }
    }

    /// From the transparency, if there is any, to the end of the picture data.
    private mutating func findFrame(_ bytes: [UInt8], _ range: Range<Int>) {
        var start: Int?
        for chunk in Chunks(bytes: bytes, range: range) {
            switch chunk.name {
            case "ALPH": start = start ?? chunk.start
            case "VP8 ", "VP8L":
                frame = (start ?? chunk.start)..<chunk.body.upperBound
                return
            default: break
            }
        }
        // The picture data was cut off before it began.
        if let start { frame = start..<range.upperBound }
    }

    private struct Chunk {
        let name: String, start: Int, body: Range<Int>
    }

    /// Chunks one after the other; the last may be cut.
    private struct Chunks: Sequence, IteratorProtocol {
        let bytes: [UInt8]
        var range: Range<Int>

        mutating func next() -> Chunk? {
            let start = range.lowerBound, body = start + 8
            guard body <= range.upperBound else { return nil }
            let size = bytes.number(at: start + 4, 4, bigEndian: false)
            let end = body + Swift.min(size, range.upperBound - body)
            range = Swift.min(end + size % 2, range.upperBound)..<range.upperBound
            let name = String(decoding: bytes[start..<start + 4], as: UTF8.self)
            return Chunk(name: name, start: start, body: body..<end)
        }
    }
}
#endif
