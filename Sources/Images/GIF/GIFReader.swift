#if GIF
internal import CImage

/// Reads the first picture of a GIF, on the canvas it lies on; what it leaves free is transparent.
struct GIFReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        let picture = GIFPicture(options: options)
        let end = GIFStructure.end(of: bytes), isCut = end == .missing
        if let xmp = GIFStructure.xmp(of: bytes) { metadata.fill(fromXMP: Array(bytes[xmp])) }
        // SAFETY: `picture` outlives the call, the only time the shim uses the pointer; what the callbacks
        // are handed is valid while they run, and they copy it.
        let outcome = withExtendedLifetime(picture) {
            let sink = unsafe cimage_gif_sink(
                context: Unmanaged.passUnretained(picture).toOpaque(),
                header: { context, header in
                    unsafe receiver(GIFPicture.self, at: context)?.begin(header) ?? false
                },
                row: { context, y, indexes in
                    guard let picture = unsafe receiver(GIFPicture.self, at: context) else { return }
                    unsafe picture.add(copy(indexes, picture.rowSize), y: Int(y))
                })
            return unsafe bytes.withUnsafeBufferPointer {
                unsafe cimage_gif_read($0.baseAddress, $0.count, sink)
            }
        }
        if let refusal = picture.refusal { throw refusal }
        let impossible = GIFStructure.impossibleCodes(bytes)
        if impossible > 0 { notes.append("damaged: \(impossible) codes that stand for nothing") }
        let rows = outcome.status == .ok ? picture.fullHeight : min(Int(outcome.rows), picture.fullHeight)
        switch outcome.status {
        case .ok where isCut: notes.append(ImageError.endsBehindPicture)
        case .ok: if end == .damaged { notes.append(ImageError.damagedBehindPicture("")) }
        case .truncated, .corrupt:
            guard isCut || outcome.status == .truncated else { throw .corrupt(text(outcome.message)) }
            let error = ImageError.truncated(rows: rows, height: picture.fullHeight, scan: 1)
            guard options.acceptsTruncated, picture.hasPixels else { throw error }
            notes.append("truncated: \(error)")
        case .stopped, .unsupported, .too_large: throw ImageError(outcome.status, text(outcome.message))
        }
        return try picture.finish(isCut: outcome.status != .ok, notes: &notes)
    }
}

/// A picture as giflib returns it.
private final class GIFPicture {
    private let options: DecodingOptions
    private(set) var refusal: ImageError?
    private var canvas: PixelCanvas?
    private var header = cimage_gif_header()
    /// R G B A of each index.
    private var palette: [UInt8] = []

    init(options: DecodingOptions) { self.options = options }

    var fullHeight: Int { canvas?.fullHeight ?? 0 }
    var hasPixels: Bool { canvas?.hasPixels ?? false }
    var rowSize: Int { Int(header.width) }

    func begin(_ header: cimage_gif_header) -> Bool {
        self.header = header
        do throws(ImageError) {
            guard header.colors > 0 else { throw .corrupt("no color table") }
            guard header.width > 0, header.height > 0 else {
                throw .corrupt("a first picture without pixels")
            }
            // The canvas grows where the first picture is larger: so do browsers and Pillow.
            canvas = try PixelCanvas(
                width: max(Int(header.canvas_width), Int(header.left) + Int(header.width)),
                height: max(Int(header.canvas_height), Int(header.top) + Int(header.height)),
                inAnyOrder: header.interlaced, options: options)
        } catch {
            refusal = error
            return false
        }
        // SAFETY: the bytes of a value that lives as long as the closure, all of them initialized.
        let colors = unsafe withUnsafeBytes(of: header.palette) { unsafe Array($0) }
        palette = (0..<256).flatMap { (index: Int) -> [UInt8] in
            index == Int(header.transparent)
                ? [0, 0, 0, 0] : [colors[index * 3], colors[index * 3 + 1], colors[index * 3 + 2], 255]
        }
        addNothing(0..<Int(header.top))
        return true
    }

    private func addNothing(_ rows: Range<Int>) {
        let row = [UInt8](repeating: 0, count: (canvas?.fullWidth ?? 0) * 4)
        for y in rows { canvas?.add(row, x: 0, step: 1, y: y) }
    }

    func add(_ indexes: [UInt8], y: Int) {
        guard let canvas, y >= 0, y < Int(header.height) else { return }
        var row = [UInt8](repeating: 0, count: canvas.fullWidth * 4)
        var at = Int(header.left) * 4
        for index in indexes {
            let color = Int(index) * 4
            for channel in 0..<4 { row[at + channel] = palette[color + channel] }
            at += 4
        }
        self.canvas?.add(row, x: 0, step: 1, y: Int(header.top) + y)
    }

    func finish(isCut: Bool, notes: inout [String]) throws(ImageError) -> StoredPixels {
        if !isCut { addNothing(Int(header.top) + Int(header.height)..<fullHeight) }
        guard let pixels = canvas?.finish(isCut: isCut, notes: &notes) else { throw .corrupt("no header") }
        return pixels
    }
}
#endif
