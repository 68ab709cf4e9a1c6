#if HEIF
internal import CImage

/// Reads a HEIF picture that is not read part by part, with libheif: with alpha, put together from others,
/// cut by an odd order of properties.
struct HEIFWhole {
    let items: HEIFItems
    let isCut: Bool
    let options: DecodingOptions

    init(_ items: HEIFItems, isCut: Bool, options: DecodingOptions) {
        (self.items, self.isCut, self.options) = (items, isCut, options)
    }

    func read(notes: inout [String]) throws(ImageError) -> StoredPixels {
        let picture = HEIFPicture(
            options: options, canvas: items.canvasPixels, decoderBytesPerPixel: decoderBytesPerPixel)
        // SAFETY: `picture` outlives the call, the only time the shim uses the pointer; what the callbacks
        // are handed is valid while they run, and they copy it.
        let outcome = withExtendedLifetime(picture) {
            let sink = unsafe cimage_heif_sink(
                context: Unmanaged.passUnretained(picture).toOpaque(),
                header: { context, header, profile, count in
                    let profile = unsafe copy(profile, count)
                    return unsafe receiver(HEIFPicture.self, at: context)?.begin(header, profile) ?? 0
                },
                row: { context, y, pixels in
                    guard let picture = unsafe receiver(HEIFPicture.self, at: context) else { return }
                    unsafe picture.add(copy(pixels, picture.rowSize), y: Int(y))
                })
            return unsafe items.bytes.withUnsafeBufferPointer {
                unsafe cimage_heif_read(
                    $0.baseAddress, $0.count, HEIFReader.sideLimit, options.chunkLimit, sink)
            }
        }
        if let refusal = picture.refusal { throw refusal }
        // Where the file is known to end early the library's complaint is about that.
        let error = ImageError.truncated(
            rows: isCut ? 0 : picture.fullHeight, height: picture.fullHeight, scan: 1)
        let message = text(outcome.message)
        switch outcome.status {
        case .ok where isCut:
            // Everything the picture needs was there.
            guard options.acceptsTruncated else { throw error }
            notes.append("truncated: \(error)")
        case .ok: break
        case .truncated: throw .truncated(rows: 0, height: picture.fullHeight, scan: 1)
        case .corrupt, .stopped:
            if isCut { throw error }
            // A file that it refuses before it decodes data may be sound, and newer than libheif.
            throw outcome.is_decoding || !isSound
                ? .corrupt(message) : .unsupported(HEIFReader.library + message)
        case .unsupported: throw isCut ? error : .unsupported(HEIFReader.library + message)
        case .too_large: throw .pastLimit(message)
        }
        return try picture.finish(notes: &notes)
    }

    /// The memory that the decoder of a picture without a grid takes, with libheif's copy.
    private var decoderBytesPerPixel: Double {
        guard let primary = items.primary, items.items[primary]?.type == "av01" else { return 0 }
        return HEIFCoding(items, primary, .av1).bytesPerPixel
    }

    /// The file has a primary picture, and all of it is where the file says.
    private var isSound: Bool {
        guard let primary = items.primary, let item = items.items[primary] else { return false }
        return !item.isCut && !item.extents.isEmpty && !item.properties.isEmpty
    }
}

/// A picture as libheif returns it.
private final class HEIFPicture {
    private let options: DecodingOptions
    private let mostPixels: Int
    private let decoderBytesPerPixel: Double
    private var share: MemoryShare?
    private(set) var refusal: ImageError?
    private var canvas: PixelCanvas?
    private var source = ColorSource.srgb
    private var isPremultiplied = false
    private var colorNote: String?

    /// - Parameter canvas: the most pixels that the file puts together from parts.
    init(options: DecodingOptions, canvas: Int, decoderBytesPerPixel: Double) {
        (self.options, mostPixels) = (options, canvas)
        self.decoderBytesPerPixel = decoderBytesPerPixel
    }

    var fullHeight: Int { canvas?.fullHeight ?? 0 }
    var rowSize: Int { (canvas?.fullWidth ?? 0) * 4 }

    /// - Returns: bytes that decoding may take; 0 when ``refusal`` says why it is not to begin.
    func begin(_ header: cimage_heif_header, _ profile: [UInt8]) -> Int {
        var bytes = 0
        do throws(ImageError) {
            let canvas = try PixelCanvas(
                width: Int(header.width), height: Int(header.height), inAnyOrder: false, options: options)
            // The planes as decoded, with two color planes of half the sides as photos have them, and of
            // eight bits again when there are more; then the pixels made of them.
            let planes = header.depth > 8 ? 9 : 3, parts = (header.alpha ? 4 : 3) * 2
            let half = planes + parts + (header.alpha ? 2 : 0)
            // Parts may be put together to a larger picture, of which the canvas is a section.
            let pixels = max(canvas.fullWidth * canvas.fullHeight, mostPixels)
            // The decoder's own planes, where they are known, and the pixels made of them.
            let perPixel = max(Double(half) / 2, decoderBytesPerPixel + (header.alpha ? 4 : 3))
            let needed = Double(pixels) * perPixel
            guard pixels <= options.wholeMemoryLimit / half * 2, needed <= Double(options.wholeMemoryLimit)
            else {
                throw .pastLimit("\(header.width)x\(header.height) in one piece needs too much memory")
            }
            self.canvas = canvas
            bytes = max(1, Int(needed))
        } catch {
            refusal = error
            return 0
        }
        share = MemoryBudget.shared.share(bytes: bytes)
        isPremultiplied = header.premultiplied
        let points = CodePoints(primaries: Int(header.primaries), transfer: Int(header.transfer))
        let colors = CodePointColors(header.has_nclx ? points : nil, profile: profile)
        (source, colorNote) = (colors.source, colors.note)
        return bytes
    }

    func add(_ pixels: [UInt8], y: Int) {
        guard y >= 0, y < fullHeight else { return }
        canvas?.add(isPremultiplied ? pixels.unmultiplied : pixels, x: 0, step: 1, y: y)
    }

    func finish(notes: inout [String]) throws(ImageError) -> StoredPixels {
        if let colorNote { notes.append(colorNote) }
        guard var pixels = canvas?.finish(notes: &notes) else { throw .corrupt("no header") }
        pixels.source = source
        // libheif turns and mirrors as the file's properties say; EXIF repeats it for other readers.
        pixels.orientation = 1
        return pixels
    }
}
#endif
