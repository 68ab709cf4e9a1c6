#if WebP
internal import CImage

/// The parts of a WebP file, as libwebpdemux finds them.
struct WebPContainer {
    let profile: Range<Int>?, exif: Range<Int>?, xmp: Range<Int>?
    /// The chunks of the first frame, for libwebp; as far as they are in the file.
    let frame: Range<Int>?
    let canvas: (width: Int, height: Int)
    /// The position of the frame on the canvas.
    let left: Int, top: Int
    /// The file is shorter than it says.
    let isCut: Bool

    init(_ bytes: [UInt8]) {
        // SAFETY: reads `count` bytes and keeps none of them.
        let parts = unsafe bytes.withUnsafeBufferPointer { unsafe cimage_webp_find($0.baseAddress, $0.count) }
        func range(_ part: cimage_range) -> Range<Int>? {
            part.count == 0 ? nil : Int(part.start)..<Int(part.start + part.count)
        }
        (profile, exif, xmp) = (range(parts.profile), range(parts.exif), range(parts.xmp))
        frame = range(parts.frame)
        canvas = (Int(parts.canvas_width), Int(parts.canvas_height))
        (left, top) = (Int(parts.left), Int(parts.top))
        isCut = parts.status == .truncated
    }
}
#endif
