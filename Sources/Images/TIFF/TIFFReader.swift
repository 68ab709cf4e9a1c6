#if TIFF
internal import CImage

/// Reads the first page of a TIFF.
struct TIFFReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        guard let structure = TIFFStructure(bytes), structure.directory(at: structure.first) != nil else {
            // The directory often stands behind the pixels.
            throw .truncated(rows: 0, height: 0, scan: 1)
        }
        metadata = structure.metadata(notes: &notes)
        let isCut = !structure.isWhole
        guard structure.hasItsColorMap else {
            throw isCut ? .truncated(rows: 0, height: 0, scan: 1) : .corrupt("no color map for its colors")
        }
        if let coding = structure.codingOfOthers { throw .unsupported("\(coding) inside a TIFF") }
        let picture = TIFFPicture(options: options)
        // SAFETY: `picture` outlives the call, the only time the shim uses the pointer; what the callbacks
        // are handed is valid while they run, and they copy it.
        let outcome = withExtendedLifetime(picture) {
            let sink = unsafe cimage_tiff_sink(
                context: Unmanaged.passUnretained(picture).toOpaque(),
                header: { context, header, profile, count in
                    let profile = unsafe copy(profile, count)
                    return unsafe receiver(TIFFPicture.self, at: context)?.begin(header, profile) ?? .stop
                },
                row: { context, y, bytes, count in
                    unsafe receiver(TIFFPicture.self, at: context)?.add(copy(bytes, count), y: Int(y))
                })
            return unsafe (isCut ? structure.bytesWithinFile : bytes).withUnsafeBufferPointer {
                unsafe cimage_tiff_read($0.baseAddress, $0.count, options.rowMemoryLimit, sink)
            }
        }
        if let refusal = picture.refusal { throw refusal }
        let rows = Int(outcome.rows)
        switch outcome.status {
        case .ok where isCut && outcome.warnings > 0 && !options.acceptsTruncated:
            throw .truncated(rows: 0, height: picture.fullHeight, scan: 1)
        case .ok: if isCut { notes.append(ImageError.endsBehindPicture) }
        case .corrupt, .truncated:
            // Its fax decoder only warns where it gives up.
            let message = text(outcome.message)
            guard isCut else { throw .corrupt(message.isEmpty ? text(outcome.warning) : message) }
            let error = ImageError.truncated(rows: rows, height: picture.fullHeight, scan: 1)
            guard options.acceptsTruncated, picture.hasPixels else { throw error }
            notes.append("truncated: \(error)")
        case .stopped, .unsupported, .too_large: throw ImageError(outcome.status, text(outcome.message))
        }
        if outcome.warnings > 0 {
            notes.append("damaged: \(text(outcome.warning))")
        } else if outcome.status == .ok, let guesses = guessesOfJPEG(in: structure) {
            notes.append("damaged: \(guesses)")
        }
        return try picture.finish(isCut: isCut && rows < picture.fullHeight, notes: &notes)
    }
}
#endif
