#if HEIF
internal import CImage

/// Reads the primary picture of a HEIF file, HEVC (HEIC) inside, part by part.
struct HEIFReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        let items = HEIFItems(bytes), isCut = ISOBoxes.isCut(bytes)
        if let refusal = items.refusal { throw refusal }
        if let primary = items.primary {
            metadata = items.metadata(of: primary, limit: options.chunkLimit, notes: &notes)
        }
        let parts: HEIFParts
        do throws(ImageError) { parts = try HEIFParts(items) } catch {
            // Where the file is known to end early a complaint is about that.
            throw isCut ? .truncated(rows: 0, height: 0, scan: 1) : error
        }
        let primary = items.primary ?? 0
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
        if isCut { notes.append(ImageError.endsBehindPicture) }
        if let note = colors.note { notes.append(note) }
        pixels.source = colors.source
        pixels.orientation = parts.orientation
        return pixels
    }
}
#endif
