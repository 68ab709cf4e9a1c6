internal import CImage

extension JPEGReader {
    /// Decodes with libjpeg-turbo, which alone decides what is damaged.
    func decode(_ header: JPEGHeader, notes: inout [String]) throws(ImageError) -> StoredPixels {
        var request = cimage_jpeg_request(
            shrink: 1, memory_limit: options.coefficientMemoryLimit,
            scan_limit: CInt(clamping: options.scanLimit),
            warning_limit: CInt(clamping: options.warningLimit))
        // SAFETY: reads `count` bytes.
        let full = unsafe bytes.withUnsafeBufferPointer {
            unsafe cimage_jpeg_measure($0.baseAddress, $0.count, request)
        }
        if full.status != .ok { throw error(full, fullHeight: Int(full.height)) }
        let (fullWidth, fullHeight) = (Int(full.width), Int(full.height))
        guard fullWidth * fullHeight <= options.pixelLimit else {
            throw .tooLarge(width: fullWidth, height: fullHeight, limit: options.pixelLimit)
        }
        if header.frame?.coding != .baseline, fullWidth * fullHeight > options.progressivePixelLimit {
            throw .pastLimit("\(fullWidth)x\(fullHeight) in several scans needs too much memory")
        }

        let shrink = shrink(width: fullWidth, height: fullHeight)
        request.shrink = CInt(shrink)
        let size = unsafe bytes.withUnsafeBufferPointer {
            unsafe cimage_jpeg_measure($0.baseAddress, $0.count, request)
        }
        if size.status != .ok { throw error(size, fullHeight: fullHeight) }
        let (width, height) = (Int(size.width), Int(size.height))
        // Coefficients and pixels share the limit.
        request.memory_limit = max(1 << 20, options.coefficientMemoryLimit - width * height * 4)
        var outcome = cimage_jpeg_result()
        var pixels = unsafe [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
            // SAFETY: `measure` with the same bytes and shrink gave this width and height, and the shim
            // writes exactly height * width * 4 bytes or reports fewer rows.
            outcome = unsafe bytes.withUnsafeBufferPointer { input in
                unsafe cimage_jpeg_decode(input.baseAddress, input.count, request, buffer.baseAddress)
            }
            count = min(max(Int(outcome.rows), 0), height) * width * 4
        }
        var rows = height
        if outcome.status == .truncated, options.acceptsTruncated, outcome.rows > 0 {
            rows = Int(outcome.rows)
            notes.append("truncated: \(outcome.error(ofRows: fullHeight))")
        } else if outcome.status != .ok {
            throw error(outcome, fullHeight: fullHeight)
        }
        notes += damage(outcome)
        pixels.removeLast(pixels.count - rows * width * 4)
        if options.exact, shrink > 1 { notes.append("read at 1/\(shrink): too large to keep every pixel") }
        var stored =
            shrink == 1 && rows == height && isDecoded(width: fullWidth, height: fullHeight)
            ? try sampled(pixels, width: width, height: height, notes: &notes)
            : StoredPixels(
                fullWidth: fullWidth, fullHeight: fullHeight, width: width, height: rows, image: pixels)
        stored.layout =
            full.cmyk
            ? .cmyk(inverted: header.adobeTransform != nil)
            : header.frame?.components.count == 1 ? .gray : .rgba
        return stored
    }

    /// What is said of a picture that is there.
    private func damage(_ result: cimage_jpeg_result) -> [String] {
        var notes: [String] = []
        let behind = text(result.behind)
        if !behind.isEmpty {
            notes.append(ImageError.damagedBehindPicture(behind))
        } else if result.ended {
            notes.append(ImageError.endsBehindPicture)
        }
        if result.warnings > 0 { notes.append("damaged: \(text(result.message))") }
        return notes
    }

    /// The error of libjpeg; its complaint about a file that ends early is about that.
    private func error(_ result: cimage_jpeg_result, fullHeight: Int) -> ImageError {
        guard result.status == .corrupt, result.rows == 0, JPEGMarkers.endEarly(bytes) else {
            return result.error(ofRows: fullHeight)
        }
        return .truncated(rows: 0, height: fullHeight, scan: 1)
    }

    /// All of a photo's pixels as a small picture and a sample.
    private func sampled(
        _ pixels: [UInt8], width: Int, height: Int, notes: inout [String]
    ) throws(ImageError) -> StoredPixels {
        var small = options
        small.wholePixels = 0
        var canvas = try PixelCanvas(
            width: width, height: height, inAnyOrder: false, hasAlpha: false, options: small)
        for row in 0..<height {
            canvas.add(Array(pixels[row * width * 4..<(row + 1) * width * 4]), x: 0, step: 1, y: row)
        }
        return canvas.finish(notes: &notes)
    }
}

extension cimage_jpeg_result {
    /// - Parameter fullHeight: rows of the photo, of which `rows` and `height` may be shrunk.
    fileprivate func error(ofRows fullHeight: Int) -> ImageError {
        let words = status == .too_large && message.0 == 0 ? "more than its limit of scans" : text(message)
        return ImageError(
            status, words, rows: rows == height ? fullHeight : Int(rows) * fullHeight / max(1, Int(height)),
            height: fullHeight, scan: max(1, Int(scan)))
    }
}
