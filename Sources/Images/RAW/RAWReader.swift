#if RAW
internal import CImage

/// Reads a camera's raw file through the largest preview in it: the picture as the camera developed it.
/// Its size counts as the photo's.
struct RAWReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        let isCut = isCut
        let found = RAWPreview()
        // SAFETY: `found` outlives the call, the only time the shim uses the pointer; the preview is valid
        // while the callback runs, which copies it.
        let outcome = withExtendedLifetime(found) {
            unsafe bytes.withUnsafeBufferPointer {
                unsafe cimage_raw_read(
                    $0.baseAddress, $0.count, Unmanaged.passUnretained(found).toOpaque(),
                    { context, preview, bytes, count in
                        guard let found = unsafe receiver(RAWPreview.self, at: context) else { return }
                        unsafe found.header = preview?.pointee ?? cimage_raw_preview()
                        unsafe found.bytes = copy(bytes, count)
                    })
            }
        }
        let error = ImageError.truncated(rows: 0, height: 0, scan: 1)
        let structure = TIFFStructure(bytes), message = text(outcome.message)
        if outcome.status != .ok {
            guard let preview = structure?.largestPreview else {
                if isCut { throw error }
                throw ImageError(
                    outcome.status, outcome.status == .unsupported ? "raw file: \(message)" : message)
            }
            found.bytes = Array(bytes[preview])
            found.header.jpeg = true
            notes.append("read by its preview: \(message)")
        }
        if isCut { notes.append(ImageError.endsBehindPicture) }
        if let structure { metadata = structure.metadata(notes: &notes) }
        var inner = PhotoMetadata()
        let pixels =
            found.header.jpeg
            ? try JPEGReader(bytes: found.bytes, options: options).read(&inner, notes: &notes)
            : try bitmap(found, notes: &notes)
        metadata.fill(from: inner)
        var known = found.metadata
        // LibRaw does not say which of the dates it is.
        if metadata.captured != nil { known.captured = nil }
        metadata.fill(from: known)
        // A preview that says how it lies knows best: the raw's own word is about the sensor. LibRaw knows of
        // no mirrors.
        let own = metadata.statedOrientation ?? found.orientation
        let isMirrored = [2, 4, 5, 7].contains(own),
            turn = isMirrored || outcome.status != .ok ? own : found.orientation
        let said = (width: Int(found.header.sensor_width), height: Int(found.header.sensor_height))
        let sensor = said.width > 0 ? said : structure?.largestSize ?? said
        metadata.statedOrientation =
            inner.statedOrientation
            ?? (isUpright(pixels, sensor: sensor, turn: turn) ? 1 : turn)
        return pixels
    }

    /// Whether a preview lies as the picture is to be seen: on its side where the sensor does not, or the
    /// other way round.
    private func isUpright(_ preview: StoredPixels, sensor: (width: Int, height: Int), turn: Int) -> Bool {
        turn >= 5 && sensor.width != sensor.height && preview.fullWidth != preview.fullHeight
            && (sensor.width > sensor.height) != (preview.fullWidth > preview.fullHeight)
    }

    private func bitmap(_ preview: RAWPreview, notes: inout [String]) throws(ImageError) -> StoredPixels {
        let width = Int(preview.header.width), height = Int(preview.header.height)
        let colors = Int(preview.header.colors)
        guard colors == 1 || colors == 3 else { throw .unsupported("a preview of \(colors) colors") }
        guard width > 0, height > 0, width * height * colors <= preview.bytes.count else {
            throw .corrupt("a preview smaller than it says")
        }
        var canvas = try PixelCanvas(width: width, height: height, inAnyOrder: false, options: options)
        for y in 0..<height {
            var row: [UInt8] = []
            row.reserveCapacity(width * 4)
            for x in 0..<width {
                let at = (y * width + x) * colors
                row.append(preview.bytes[at])
                row.append(preview.bytes[at + colors / 2])
                row.append(preview.bytes[at + colors - 1])
                row.append(255)
            }
            canvas.add(row, x: 0, step: 1, y: y)
        }
        return canvas.finish(notes: &notes)
    }

    /// The file is shorter than it says; not every maker's says it.
    private var isCut: Bool {
        if bytes.hasText("ftyp", at: 4) { return ISOBoxes.isCut(bytes) }
        if bytes.hasText("FUJIFILMCCD-RAW", at: 0) {
            // Preview, directory and sensor data: where, and how many bytes; after exiftool's RAF tables.
            guard bytes.count >= 108 else { return true }
            return [84, 92, 100].contains {
                bytes.number(at: $0, 4, bigEndian: true) + bytes.number(at: $0 + 4, 4, bigEndian: true)
                    > bytes.count
            }
        }
        return TIFFStructure(bytes).map { !$0.isWhole } ?? false
    }
}

/// A preview as LibRaw returns it.
private final class RAWPreview {
    var header = cimage_raw_preview()
    var bytes: [UInt8] = []

    /// EXIF's number for LibRaw's: 3 by 180 degrees, 5 to the left, 6 to the right.
    var orientation: Int { [3: 3, 5: 8, 6: 6][Int(header.flip)] ?? 1 }

    var metadata: PhotoMetadata {
        var metadata = PhotoMetadata()
        metadata.captured = CaptureDate(text(header.taken), source: .original)
        metadata.camera = PhotoMetadata.camera(make: text(header.make), model: text(header.model))
        if header.has_place {
            _ = metadata.setPlace(
                latitude: PhotoMetadata.latitude(
                    header.latitude, reference: UInt8(bitPattern: header.latitude_ref)),
                longitude: PhotoMetadata.longitude(
                    header.longitude, reference: UInt8(bitPattern: header.longitude_ref)))
        }
        return metadata
    }
}
#endif
