#if AVIF
internal import CImage

/// Reads the picture of an AVIF, of a sequence the first.
struct AVIFReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        let picture = AVIFPicture(options: options), isCut = ISOBoxes.isCut(bytes)
        // SAFETY: `picture` outlives the call, the only time the shim uses the pointer; what the callbacks
        // are handed is valid while they run, and they copy it.
        let outcome = withExtendedLifetime(picture) {
            let sink = unsafe cimage_avif_sink(
                context: Unmanaged.passUnretained(picture).toOpaque(),
                header: { context, header, texts in
                    unsafe receiver(AVIFPicture.self, at: context)?.begin(header, texts) ?? 0
                },
                row: { context, y, pixels in
                    guard let picture = unsafe receiver(AVIFPicture.self, at: context) else { return }
                    unsafe picture.add(copy(pixels, picture.rowSize), y: Int(y))
                })
            return unsafe bytes.withUnsafeBufferPointer {
                unsafe cimage_avif_read($0.baseAddress, $0.count, options.acceptsTruncated, sink)
            }
        }
        if let refusal = picture.refusal { throw refusal }
        picture.describe(&metadata, notes: &notes)
        let height = picture.fullHeight, rows = min(max(0, Int(outcome.rows) - picture.top), height)
        switch outcome.status {
        case .ok where isCut: notes.append(ImageError.endsBehindPicture)
        case .ok: break
        // Where the file is known to end early a complaint is about that.
        case _ where outcome.status == .truncated || (isCut && outcome.status == .corrupt):
            let error = ImageError.truncated(rows: rows, height: height, scan: 1)
            guard options.acceptsTruncated, picture.hasPixels else { throw error }
            notes.append("truncated: \(error)")
        case .unsupported: throw .unsupported(AVIFReader.library + text(outcome.message))
        default: throw ImageError(outcome.status, text(outcome.message))
        }
        return try picture.finish(isCut: outcome.status != .ok, notes: &notes)
    }

    /// The prefix of libavif's refusals: a later version may read the file.
    private static let library =
        Codecs.versions.first { $0.name == "libavif" }.map { "libavif \($0.version): " } ?? ""
}

/// A picture as libavif returns it.
private final class AVIFPicture {
    private let options: DecodingOptions
    private var share: MemoryShare?
    private(set) var refusal: ImageError?
    private var canvas: PixelCanvas?
    private var aperture = HEIFAperture(width: 0, height: 0)
    private var orientation = 1
    private var colors = CodePointColors(nil)
    private var exif: [UInt8] = [], xmp: [UInt8] = []
    private(set) var rowSize = 0

    init(options: DecodingOptions) { self.options = options }

    var fullHeight: Int { canvas?.fullHeight ?? 0 }
    var hasPixels: Bool { canvas?.hasPixels ?? false }
    /// The first row that is shown.
    var top: Int { aperture.y.lowerBound }

    /// - Returns: bytes that decoding may take; 0 when ``refusal`` says why it is not to begin.
    @unsafe func begin(_ header: cimage_avif_header, _ texts: cimage_avif_texts) -> Int {
        let width = Int(header.width), height = Int(header.height)
        aperture = HEIFAperture(width: width, height: height)
        if header.cropped {
            // SAFETY: the bytes of a value that lives as long as the closure.
            let numbers = unsafe withUnsafeBytes(of: header.aperture) {
                unsafe Array($0.bindMemory(to: Int32.self))
            }
            aperture = HEIFAperture(numbers.map { Double($0) }, width: width, height: height) ?? aperture
        }
        var turns = HEIFTurns()
        turns.rotate(Int(header.turns))
        if header.mirror >= 0 { turns.mirror(Int(header.mirror)) }
        orientation = turns.orientation
        rowSize = width * 4
        let needed: Int
        do throws(ImageError) {
            // The whole picture is decoded, however little of it is shown.
            _ = try PixelCanvas(width: width, height: height, inAnyOrder: false, options: options)
            canvas = try PixelCanvas(
                width: aperture.x.count, height: aperture.y.count, inAnyOrder: false, options: options)
            needed = AVIFPicture.memory(header)
            guard needed <= options.wholeMemoryLimit else {
                throw .pastLimit("\(width)x\(height) in one piece needs too much memory")
            }
        } catch {
            refusal = error
            return 0
        }
        let limit = options.chunkLimit
        func text(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
            unsafe count <= limit ? copy(start, count) : []
        }
        let points = CodePoints(primaries: Int(header.primaries), transfer: Int(header.transfer))
        colors = unsafe CodePointColors(points, profile: text(texts.profile, texts.profile_count))
        (exif, xmp) = unsafe (text(texts.exif, texts.exif_count), text(texts.xmp, texts.xmp_count))
        share = MemoryBudget.shared.share(bytes: needed)
        return max(1, needed)
    }

    /// The decoder's planes, and what it knows of the blocks.
    private static func memory(_ header: cimage_avif_header) -> Int {
        let across = Int(header.across), down = Int(header.down)
        let samples = 1 + (across > 0 ? 2 / Double(across * down) : 0) + (header.alpha ? 1 : 0)
        let pixels = Double(header.width) * Double(header.height)
        return Int(pixels * (samples * (header.depth > 8 ? 2 : 1) + 1))
    }

    func add(_ pixels: [UInt8], y: Int) {
        guard aperture.y.contains(y) else { return }
        let shown = aperture.x.lowerBound * 4..<aperture.x.upperBound * 4
        canvas?.add(
            shown.count == pixels.count ? pixels : Array(pixels[shown]), x: 0, step: 1,
            y: y - aperture.y.lowerBound)
    }

    func describe(_ metadata: inout PhotoMetadata, notes: inout [String]) {
        // Some programs write JPEG's signature before the structure.
        if let start = exif.indices.prefix(16).first(where: {
            exif.hasText("II*\0", at: $0) || exif.hasText("MM\0*", at: $0)
        }) {
            metadata = PhotoMetadata(exif: exif[start...], notes: &notes)
        }
        if !xmp.isEmpty { metadata.fill(fromXMP: xmp) }
    }

    func finish(isCut: Bool, notes: inout [String]) throws(ImageError) -> StoredPixels {
        if let note = colors.note { notes.append(note) }
        guard var pixels = canvas?.finish(isCut: isCut, notes: &notes) else { throw .corrupt("no header") }
        pixels.source = colors.source
        // The file's own words; EXIF repeats them for other readers.
        pixels.orientation = orientation
        return pixels
    }
}
#endif
