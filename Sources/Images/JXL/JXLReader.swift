#if JXL
internal import CImage

/// Reads the picture of a JPEG XL, of an animation the first.
struct JXLReader: ImageReader {
    let bytes: [UInt8]
    let options: DecodingOptions

    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels {
        let picture = JXLPicture(options: options)
        let isCut = isContainer && ISOBoxes.isCut(bytes)
        if isContainer { describe(&metadata, notes: &notes) }
        // SAFETY: `picture` outlives the call, the only time the shim uses the pointer; what the callbacks
        // are handed is valid while they run, and they copy it.
        let status = withExtendedLifetime(picture) {
            let sink = unsafe cimage_jxl_sink(
                context: Unmanaged.passUnretained(picture).toOpaque(),
                header: { context, header in
                    unsafe receiver(JXLPicture.self, at: context)?.begin(header) ?? false
                },
                colors: { context, colors, profile, count in
                    unsafe receiver(JXLPicture.self, at: context)?.take(colors, copy(profile, count)) ?? false
                },
                pixels: { context, x, y, count, pixels in
                    unsafe receiver(JXLPicture.self, at: context)?.add(pixels, x: x, y: y, count: count)
                })
            return unsafe bytes.withUnsafeBufferPointer {
                unsafe cimage_jxl_read($0.baseAddress, $0.count, sink)
            }
        }
        if let refusal = picture.refusal { throw refusal }
        let isWhole = picture.rows == picture.height && picture.height > 0
        switch status {
        case .ok where isWhole:
            if isCut { notes.append(ImageError.endsBehindPicture) }
        case .truncated, .corrupt, .ok:
            guard !isWhole else {
                notes.append(
                    status == .truncated
                        ? ImageError.endsBehindPicture : ImageError.damagedBehindPicture(""))
                break
            }
            guard status == .truncated || isCut else { throw .corrupt("") }
            // libjxl 0.7 hands over no rows of a picture that is cut.
            throw .truncated(rows: 0, height: picture.height, scan: 1)
        default: throw ImageError(status, "")
        }
        return try picture.finish(notes: &notes)
    }

    private var isContainer: Bool { bytes.hasText("JXL ", at: 4) }

    /// Takes EXIF and XMP from their boxes. The first of each counts.
    ///
    /// - Source: ISO/IEC 18181-2, 9.3 to 9.5: four bytes say how far behind them the EXIF structure begins;
    ///   `brob` is a box of another type, packed with Brotli.
    private func describe(_ metadata: inout PhotoMetadata, notes: inout [String]) {
        var found: [String: [UInt8]] = [:]
        for box in ISOBoxes.boxes(of: bytes) {
            var type = box.type, body = Array(bytes[box.body])
            if type == "brob", body.count > 4 {
                type = String(decoding: body.prefix(4), as: UTF8.self)
                guard ["Exif", "xml "].contains(type), found[type] == nil else { continue }
                body = unpacked(Array(bytes[box.whole]))
            }
            if ["Exif", "xml "].contains(type), found[type] == nil, body.count <= options.chunkLimit {
                found[type] = body
            }
        }
        if let exif = found["Exif"], exif.count > 4 {
            let start = 4 + exif.number(at: 0, 4, bigEndian: true)
            if start < exif.count { metadata = PhotoMetadata(exif: exif[start...], notes: &notes) }
        }
        if let xmp = found["xml "] { metadata.fill(fromXMP: xmp) }
    }

    /// The contents of a packed box; none when they are more than the limit for a chunk.
    private func unpacked(_ box: [UInt8]) -> [UInt8] {
        for size in [1 << 16, options.chunkLimit] {
            // SAFETY: the shim reads the bytes of the box and writes at most `size`.
            let contents = unsafe [UInt8](unsafeUninitializedCapacity: size) { room, count in
                count = unsafe box.withUnsafeBufferPointer {
                    unsafe cimage_jxl_unpack($0.baseAddress, $0.count, room.baseAddress, size)
                }
            }
            if contents.count < size { return contents }
        }
        return []
    }
}

/// A picture as libjxl returns it: in parts of rows, group by group.
private final class JXLPicture {
    private let options: DecodingOptions
    private var share: MemoryShare?
    private(set) var refusal: ImageError?
    private var canvas: PixelCanvas?
    private var header = cimage_jxl_header()
    private var source = ColorSource.srgb
    private var note: String?
    private var isLight = false
    /// Rows of which a part came.
    private var open: [Int: (pixels: [UInt8], count: Int)] = [:]
    /// Rows from the top that are whole.
    private(set) var rows = 0

    init(options: DecodingOptions) { self.options = options }

    var height: Int { canvas?.fullHeight ?? 0 }

    /// - Returns: false, and ``refusal`` says why, when the file is not to be read.
    func begin(_ header: cimage_jxl_header) -> Bool {
        self.header = header
        let width = Int(header.width), height = Int(header.height)
        do throws(ImageError) {
            canvas = try PixelCanvas(width: width, height: height, inAnyOrder: false, options: options)
            if header.has_black { throw .unsupported("CMYK in JPEG XL") }
            let needed = UntrustedNumber(width) * UntrustedNumber(height) * bytesPerPixel
            guard let needed = needed.value(upTo: options.wholeMemoryLimit) else {
                throw .pastLimit("\(width)x\(height) in one piece needs too much memory")
            }
            share = MemoryBudget.shared.share(bytes: needed)
        } catch {
            refusal = error
            return false
        }
        return true
    }

    /// What libjxl holds of a picture, measured with version 0.7 and 12 megapixels.
    private var bytesPerPixel: UntrustedNumber {
        let channels = Int(header.channels)
        return UntrustedNumber(header.is_lossy ? 15 + max(0, channels - 4) * 4 : channels * 4)
    }

    /// - Returns: whether pixels are to come as light.
    func take(_ colors: cimage_jxl_colors, _ profile: [UInt8]) -> Bool {
        isLight = colors.transfer == 8
        let isHDR = [16, 18].contains(colors.transfer)
        if isHDR { note = CodePointColors(CodePoints(transfer: Int(colors.transfer))).note }
        guard isLight || isHDR || colors.transfer == 13 else {
            if !profile.isEmpty { source = .profile(profile) }
            return false
        }
        if !colors.is_srgb {
            // SAFETY: the bytes of a value that lives as long as the closure.
            let primaries = unsafe withUnsafeBytes(of: colors.primaries) {
                unsafe Array($0.bindMemory(to: Double.self))
            }
            source = .primaries(primaries, exponent: nil)
        }
        return isLight
    }

    @unsafe func add(_ start: UnsafeRawPointer?, x: Int, y: Int, count: Int) {
        guard let canvas, let start = unsafe start, y >= rows, y < canvas.fullHeight, x >= 0, count > 0,
            x <= canvas.fullWidth - count
        else { return }
        // SAFETY: libjxl promises `count` pixels of four samples.
        let raw = unsafe UnsafeRawBufferPointer(start: start, count: count * (isLight ? 16 : 4))
        let pixels = unsafe isLight ? stored(raw) : Array(raw)
        let width = canvas.fullWidth
        var row = open[y] ?? ([], 0)
        open[y] = nil
        if count == width {
            row.pixels = pixels
        } else {
            if row.pixels.isEmpty { row.pixels = [UInt8](repeating: 0, count: width * 4) }
            row.pixels.replaceSubrange(x * 4..<(x + count) * 4, with: pixels)
        }
        row.count += count
        open[y] = row
        while let next = open[rows], next.count >= width {
            self.canvas?.add(next.pixels, x: 0, step: 1, y: rows)
            open[rows] = nil
            rows += 1
        }
    }

    /// sRGB's curve over light; what is outside of 0 to 1 is cut.
    private func stored(_ light: UnsafeRawBufferPointer) -> [UInt8] {
        (0..<light.count / 4).map { index in
            let value = unsafe light.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
            let cut = Double(min(1, max(0, value.isNaN ? 0 : value)))
            return UInt8((index & 3 == 3 ? cut : SRGBCurve.stored(cut)) * 255 + 0.5)
        }
    }

    func finish(notes: inout [String]) throws(ImageError) -> StoredPixels {
        if let note { notes.append(note) }
        guard var pixels = canvas?.finish(notes: &notes) else { throw .corrupt("no header") }
        pixels.source = source
        if case .profile = source, header.is_gray { pixels.layout = .gray }
        // The codestream's own word; EXIF repeats it for other readers.
        pixels.orientation = Int(header.orientation)
        return pixels
    }
}
#endif
