#if WebP
internal import CImage

/// Reads a WebP file, of an animation the first frame.
struct WebPReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        let container = WebPContainer(bytes)
        if let exif = container.exif { metadata = PhotoMetadata(exif: bytes[exif], notes: &notes) }
        if let xmp = container.xmp { metadata.fill(fromXMP: Array(bytes[xmp])) }
        guard let frame = container.frame else {
            throw container.isCut ? .truncated(rows: 0, height: 0, scan: 1) : .corrupt("no picture data")
        }
        var pixels = try read(container, frame, notes: &notes)
        if let profile = container.profile { pixels.source = .profile(Array(bytes[profile])) }
        return pixels
    }

    private func read(_ container: WebPContainer, _ frame: Range<Int>, notes: inout [String])
        throws(ImageError) -> StoredPixels
    {
        // SAFETY: `frame` lies inside the bytes, and libwebp reads `count` of them.
        let header = unsafe bytes.withUnsafeBufferPointer {
            let chunks = unsafe UnsafeBufferPointer(rebasing: $0[frame])
            return unsafe cimage_webp_measure(chunks.baseAddress, chunks.count)
        }
        try check(header.status, rows: 0, height: 0)
        let width = Int(header.width), height = Int(header.height)
        let canvas = container.canvas
        guard container.left + width <= canvas.width, container.top + height <= canvas.height else {
            throw .corrupt("a frame outside its canvas")
        }
        var rows = try PixelCanvas(
            width: canvas.width, height: canvas.height, inAnyOrder: false, options: options)
        let isPlain = canvas.width == width && canvas.height == height
        // libwebp scales colors without regard to alpha where it is stored apart, and gives no sample of the
        // pixels it scales: it is asked to only where the picture is too large to hold.
        let unpacked = width * height * (header.lossless ? 8 : 4)
        let isScaled =
            rows.shrink > 1 && isPlain && !header.alpha
            && (unpacked > options.wholeMemoryLimit || options.samplePixels == 0)
        let held = (header.lossless ? width * height * 4 : 0) + (isScaled ? 0 : width * height * 4)
        guard held <= options.wholeMemoryLimit else {
            throw .pastLimit("\(width)x\(height) in one piece needs too much memory")
        }
        let share = MemoryBudget.shared.share(bytes: held)
        defer { withExtendedLifetime(share) {} }
        if isScaled || (isPlain && rows.shrink == 1) {
            return try scaled(to: rows, frame, container, notes: &notes)
        }
        let size = (width: width, height: height)
        let (pixels, got) = try decode(
            frame, size: size, isScaled: false, in: container, fullHeight: height, notes: &notes)
        var row = [UInt8](repeating: 0, count: canvas.width * 4)
        let columns = container.left * 4..<(container.left + width) * 4
        for y in 0..<(got < height ? container.top + got : canvas.height) {
            let inside = y >= container.top && y < container.top + height
            let start = (y - container.top) * width * 4
            row.replaceSubrange(
                columns, with: inside ? pixels[start..<start + width * 4] : nothing(width)[...])
            rows.add(row, x: 0, step: 1, y: y)
        }
        return rows.finish(isCut: got < height, notes: &notes)
    }

    private func nothing(_ width: Int) -> [UInt8] { [UInt8](repeating: 0, count: width * 4) }

    /// libwebp writes the size that is wanted.
    private func scaled(
        to canvas: PixelCanvas, _ frame: Range<Int>, _ container: WebPContainer, notes: inout [String]
    ) throws(ImageError) -> StoredPixels {
        let size = (width: canvas.width, height: canvas.height)
        let (pixels, rows) = try decode(
            frame, size: size, isScaled: canvas.shrink > 1, in: container, fullHeight: canvas.fullHeight,
            notes: &notes)
        if options.exact, canvas.shrink > 1 {
            notes.append("read at 1/\(canvas.shrink): too large to keep every pixel")
        }
        return StoredPixels(
            fullWidth: canvas.fullWidth, fullHeight: canvas.fullHeight, width: size.width, height: rows,
            image: pixels)
    }

    /// Pixels, and how many rows of them the file held.
    private func decode(
        _ frame: Range<Int>, size: (width: Int, height: Int), isScaled: Bool, in container: WebPContainer,
        fullHeight: Int, notes: inout [String]
    ) throws(ImageError) -> ([UInt8], Int) {
        var outcome = cimage_webp_result()
        var pixels = unsafe [UInt8](unsafeUninitializedCapacity: size.width * size.height * 4) {
            buffer, count in
            unsafe buffer.initialize(repeating: 0)
            // SAFETY: the buffer has height * width * 4 bytes, all of them initialized, and libwebp is told
            // so.
            outcome = unsafe bytes.withUnsafeBufferPointer {
                let chunks = unsafe UnsafeBufferPointer(rebasing: $0[frame])
                return unsafe cimage_webp_decode(
                    chunks.baseAddress, chunks.count, CInt(size.width), CInt(size.height), isScaled,
                    buffer.baseAddress)
            }
            count = size.width * size.height * 4
        }
        let rows = outcome.status == .ok ? size.height : min(max(Int(outcome.rows), 0), size.height)
        let fullRows = rows == size.height ? fullHeight : rows * fullHeight / size.height
        if outcome.status == .ok, container.isCut {
            notes.append(ImageError.endsBehindPicture)
        } else if outcome.status == .truncated {
            let error = ImageError.truncated(rows: fullRows, height: fullHeight, scan: 1)
            guard options.acceptsTruncated, rows > 0 else { throw error }
            notes.append("truncated: \(error)")
        } else {
            try check(outcome.status, rows: fullRows, height: fullHeight)
        }
        pixels.removeLast(pixels.count - rows * size.width * 4)
        return (pixels, rows)
    }

    private func check(_ status: cimage_status, rows: Int, height: Int) throws(ImageError) {
        if status == .ok { return }
        // libwebp has codes and no words.
        let words =
            switch status {
            case .unsupported: "libwebp does not know this kind of WebP"
            case .too_large: "libwebp needs more memory than there is"
            default: "libwebp cannot read the picture data"
            }
        throw ImageError(status, words, rows: rows, height: height)
    }
}
#endif
