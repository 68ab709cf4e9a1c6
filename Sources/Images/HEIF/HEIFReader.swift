#if HEIF
internal import CImage

/// Reads the primary picture of a HEIF file, HEVC (HEIC) or AV1 (AVIF) inside: part by part where it can be,
/// else with libheif as a whole.
struct HEIFReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        let items = HEIFItems(bytes), isCut = ISOBoxes.isCut(bytes)
        if let refusal = items.refusal { throw refusal }
        if let primary = items.primary {
            metadata = items.metadata(of: primary, limit: options.chunkLimit, notes: &notes)
        }
        guard let parts = try HEIFParts(items), let primary = items.primary else {
            return try HEIFWhole(items, isCut: isCut, options: options).read(notes: &notes)
        }
        let own = items.colors(of: primary, profileLimit: options.chunkLimit)
        let inside = items.colors(of: parts.tiles[0], profileLimit: options.chunkLimit)
        let colors = CodePointColors(
            own.points ?? inside.points, profile: own.profile.isEmpty ? inside.profile : own.profile)
        let reader = try HEIFPartReader(items, parts, inside.points ?? own.points, options: options)
        var pixels: StoredPixels
        do throws(ImageError) {
            pixels = try reader.read(notes: &notes)
        } catch .corrupt(let message) {
            // Where the file is known to end early a complaint is about that.
            throw isCut ? .truncated(rows: 0, height: parts.crop.y.count, scan: 1) : .corrupt(message)
        }
        if isCut {
            // Everything the picture needs was there.
            let error = ImageError.truncated(rows: parts.crop.y.count, height: parts.crop.y.count, scan: 1)
            guard options.acceptsTruncated else { throw error }
            notes.append("truncated: \(error)")
        }
        if let note = colors.note { notes.append(note) }
        pixels.source = colors.source
        pixels.orientation = parts.orientation
        return pixels
    }

    /// Pixels on either side of a picture, or of a part that one is put together from.
    static let sideLimit: CInt = 32_768

    /// The prefix of libheif's refusals: a later version may read the file.
    static let library =
        Codecs.versions.first { $0.name == "libheif" }.map { "libheif \($0.version): " } ?? ""
}
#endif
