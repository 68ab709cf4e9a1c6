internal import CImage

/// Reads a JPEG: metadata from its header, pixels from the DC scanner or from libjpeg-turbo.
struct JPEGReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        if !options.isForLibrary, let scanned = scanned(&metadata, notes: &notes) { return scanned }
        let header = readHeader(&metadata, notes: &notes)
        var pixels = try decode(header, notes: &notes)
        addColors(of: header, to: &pixels, notes: &notes)
        return pixels
    }

    /// As ``read(_:notes:)``, without libjpeg; nil for what the scanner leaves to it.
    func scanned(_ metadata: inout PhotoMetadata, notes: inout [String]) -> StoredPixels? {
        guard var pixels = scan() else { return nil }
        let header = readHeader(&metadata, notes: &notes)
        addColors(of: header, to: &pixels, notes: &notes)
        return pixels
    }

    private func readHeader(_ metadata: inout PhotoMetadata, notes: inout [String]) -> JPEGHeader {
        let header = JPEGHeader(bytes)
        if let exif = header.exif { metadata = PhotoMetadata(exif: bytes[exif], notes: &notes) }
        if let xmp = header.xmp { metadata.fill(fromXMP: Array(bytes[xmp])) }
        for part in header.photoshop { metadata.fill(fromPhotoshop: bytes[part]) }
        return header
    }

    private func addColors(of header: JPEGHeader, to pixels: inout StoredPixels, notes: inout [String]) {
        if let profile = header.profile {
            pixels.source = .profile(profile)
        } else if header.hasProfileParts {
            notes.append("color profile ignored: parts of it are missing")
        }
    }

    /// The smallest of 1/8, 1/4, 1/2, 1/1 that has the side wanted and fits the limit on pixels.
    ///
    /// At 1/8 and 1/4 the scanner makes a sample, too. A small photo that libjpeg would read at 1/2 is read
    /// whole when a sample is wanted: means alone lack the variation within them, as of a fine pattern.
    func shrink(width: Int, height: Int) -> Int {
        let wanted = options.exact ? Int.max : options.side
        let sufficient = [8, 4, 2].first { (max(width, height) + $0 - 1) / $0 >= wanted } ?? 1
        let fits = [1, 2, 4].first { width / $0 * (height / $0) <= options.imagePixelLimit } ?? 8
        let shrink = max(sufficient, fits)
        let isWhole =
            isDecoded(width: width, height: height)
            || shrink == 2 && options.samplePixels > 0 && width * height <= options.wholePixels
        return fits == 1 && isWhole ? 1 : shrink
    }

    /// Whether libjpeg decodes all of a photo for the sake of its sample.
    func isDecoded(width: Int, height: Int) -> Bool {
        options.samplePixels > 0 && options.meansSide == 0 && !options.exact
            && max(width, height) >= 4 * options.side && width * height <= options.decodedJPEGPixels
    }
}
