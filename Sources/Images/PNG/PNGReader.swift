internal import CImage

/// Reads a PNG row by row, shrinking as the rows come.
struct PNGReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        let chunks = PNGChunks(bytes)
        if let exif = chunks.exif { metadata = PhotoMetadata(exif: bytes[exif], notes: &notes) }
        if let xmp = chunks.xmp { metadata.fill(fromXMP: Array(bytes[xmp])) }

        let canvas = PNGPicture(options: options, codePoints: chunks.codePoints)
        // SAFETY: `canvas` outlives the call, which is the only time libpng's shim uses the pointer; the
        // callbacks read a header, and `count * 4` samples of a row, both valid while they run.
        let outcome = withExtendedLifetime(canvas) {
            let sink = unsafe cimage_png_sink(
                context: Unmanaged.passUnretained(canvas).toOpaque(),
                header: { context, header, profile, count in
                    guard let canvas = unsafe PNGPicture.at(context) else { return false }
                    let profile = unsafe UnsafeBufferPointer(start: profile, count: count)
                    return unsafe canvas.begin(header, profile: Array(profile))
                },
                row: { context, row, samples in
                    guard let canvas = unsafe PNGPicture.at(context) else { return }
                    unsafe canvas.add(row, samples: samples)
                },
                words: { context, keyword, bytes, count in
                    guard let canvas = unsafe PNGPicture.at(context), let keyword = unsafe keyword else {
                        return
                    }
                    unsafe canvas.words.add(String(cString: keyword), copy(bytes, count))
                })
            return unsafe bytes.withUnsafeBufferPointer {
                unsafe cimage_png_read(
                    $0.baseAddress, $0.count, options.chunkLimit, options.rowMemoryLimit, sink)
            }
        }
        if let refusal = canvas.refusal { throw refusal }
        canvas.words.fill(&metadata, notes: &notes)
        switch outcome.status {
        case .ok where outcome.ended: notes.append(ImageError.endsBehindPicture)
        case .ok:
            let behind = text(outcome.behind)
            if !behind.isEmpty { notes.append(ImageError.damagedBehindPicture(behind)) }
        case .truncated:
            let error = ImageError.truncated(
                rows: Int(outcome.rows), height: canvas.fullHeight, scan: max(1, Int(outcome.pass)))
            guard options.acceptsTruncated, canvas.hasPixels else { throw error }
            canvas.isCut = true
            notes.append("truncated: \(error)")
        case .corrupt, .stopped, .unsupported, .too_large:
            throw ImageError(outcome.status, text(outcome.message))
        }
        if chunks.hasProfile, !canvas.hasProfile, chunks.codePoints == nil {
            let words = text(outcome.warning)
            notes.append("color profile ignored: \(words.isEmpty ? "it cannot be used" : words)")
        }
        return try canvas.finish(notes: &notes)
    }
}

extension PNGPicture {
    /// The canvas behind a callback's context.
    @unsafe fileprivate static func at(_ context: UnsafeMutableRawPointer?) -> PNGPicture? {
        // SAFETY: the context is the pointer `read` made of its canvas, which it keeps alive.
        unsafe context.map { unsafe Unmanaged<PNGPicture>.fromOpaque($0).takeUnretainedValue() }
    }
}
