/// A photo read from a file: pixels, and what it says about itself.
public struct Picture: Sendable {
    /// The kind of file.
    public let format: ImageFormat
    /// Pixels of the photo as it should be seen: the stored size, sides swapped where EXIF turns it by 90
    /// degrees.
    public let width: Int, height: Int
    /// The photo shrunk while decoding, upright, sRGB.
    ///
    /// Its longer side has at least ``DecodingOptions/side`` pixels where the photo has them. A JPEG, also
    /// the preview in a raw file, comes at 1/8, 1/4, 1/2 or 1/1, whichever is the smallest that suffices;
    /// another kind whole up to ``DecodingOptions/wholePixels``, else as means of n x n pixels.
    public let image: Image
    /// R, G, B, A of pixels at full resolution, sRGB, from all over the photo, in no particular order; some
    /// ``DecodingOptions/samplePixels``.
    ///
    /// A shrunk picture lacks what varies within its pixels. These have the colors that the whole photo has,
    /// as often: of a PNG they are pixels of the file; of a JPEG of more than
    /// ``DecodingOptions/decodedJPEGPixels``, of which few blocks are decoded, the means of its blocks varied
    /// as pixels of similar blocks nearby vary. Flipped or turned without loss a photo has the same. Empty
    /// when ``image`` is to be counted instead: when it is the full size, or libjpeg had to read the file.
    public let sample: [UInt8]
    /// Pixels across when ``sample`` is the means of areas of the whole photo, row by row, as they lie in the
    /// file; nil when it is pixels in no order. See ``DecodingOptions/meansSide``.
    public let sampleWidth: Int?
    /// How large what has one value is in such a ``sample``; nil when it is pixels in no order.
    public let sampleResolution: SampleResolution?
    /// A sample of ``image`` with the colors that sRGB has not; nil when the file's colors are sRGB's or
    /// fewer.
    public let wide: WideSample?
    /// Date, place, camera.
    public let metadata: PhotoMetadata
    /// Notes about oddities that are no reason to refuse the photo, one line each.
    public let notes: [String]
    /// EXIF's number by which ``sample`` is turned upright.
    let orientation: Int

    /// The photo upright in the fewest pixels that were asked for: the means of areas where there are any,
    /// else ``image``.
    package var overview: Image {
        guard let sampleWidth, sampleWidth > 0 else { return image }
        let means = Image(checkedWidth: sampleWidth, height: sample.count / 4 / sampleWidth, rgba: sample)
        return means.upright(orientation: orientation)
    }

    /// Reads a photo from the whole file's bytes, in this process or in a worker: see ``Confinement``.
    ///
    /// - Throws: ``ImageError``. A file that is cut short throws unless ``DecodingOptions/acceptsTruncated``,
    ///   and then the picture ends where the file does: rows are never invented.
    /// - Complexity: O(*n*) in the file's bytes, plus the pixels returned; a baseline JPEG at 1/8 reads each
    ///   coefficient's length, not its value, a progressive one only its DC scans.
    public init(bytes: [UInt8], options: DecodingOptions = DecodingOptions()) throws(ImageError) {
        guard let format = ImageFormat(bytes: bytes) else { throw .unknownFormat }
        guard format.isBuiltIn, let workers = Confinement.workers else {
            try self.init(decoding: bytes, format, options)
            return
        }
        var options = options
        if format == .jpeg, !options.isConfined {
            if let scanned = Picture(scanning: bytes, options) {
                self = scanned
                return
            }
            options.isForLibrary = true
        }
        self = try workers.picture(bytes, format, options)
    }

    /// Reads a photo in this process.
    init(decoding bytes: [UInt8], _ format: ImageFormat, _ options: DecodingOptions) throws(ImageError) {
        var notes: [String] = []
        var metadata = PhotoMetadata()
        let reader: any ImageReader.Type
        switch format {
        case .jpeg: reader = JPEGReader.self
        case .png: reader = PNGReader.self
        #if WebP
        case .webp: reader = WebPReader.self
        #endif
        #if HEIF
        case .heic: reader = HEIFReader.self
        #endif
        #if AVIF
        case .avif: reader = AVIFReader.self
        #endif
        #if JXL
        case .jxl: reader = JXLReader.self
        #endif
        #if TIFF
        case .tiff: reader = TIFFReader.self
        #endif
        #if GIF
        case .gif: reader = GIFReader.self
        #endif
        #if RAW
        case .raw: reader = RAWReader.self
        #endif
        #if !(WebP && HEIF && AVIF && JXL && TIFF && GIF && RAW)
        default: throw .notBuiltIn(format)
        #endif
        }
        let pixels = try reader.init(bytes: bytes, options: options).read(&metadata, notes: &notes)
        self.init(consume pixels, format, metadata, options, notes: notes)
    }

    /// Reads a JPEG by the scanner alone; nil for what it leaves to libjpeg.
    private init?(scanning bytes: [UInt8], _ options: DecodingOptions) {
        var notes: [String] = []
        var metadata = PhotoMetadata()
        let reader = JPEGReader(bytes: bytes, options: options)
        guard let pixels = reader.scanned(&metadata, notes: &notes) else { return nil }
        self.init(consume pixels, .jpeg, metadata, options, notes: notes)
    }

    /// Makes stored pixels a picture as it should be seen.
    private init(
        _ decoded: consuming StoredPixels, _ format: ImageFormat, _ metadata: PhotoMetadata,
        _ options: DecodingOptions, notes: consuming [String]
    ) {
        // Its own, so that pixels are changed where they are.
        var pixels = consume decoded
        if format == .jpeg, pixels.source == .srgb, pixels.layout == .rgba, metadata.isAdobeRGB {
            pixels.source = .adobeRGB
        }
        wide = pixels.source.convert(&pixels.image, &pixels.sample, layout: pixels.layout, notes: &notes)
        orientation = options.orientation ?? pixels.orientation ?? metadata.orientation
        let swapsSides = orientation >= 5
        self.format = format
        width = swapsSides ? pixels.fullHeight : pixels.fullWidth
        height = swapsSides ? pixels.fullWidth : pixels.fullHeight
        let stored = Image(checkedWidth: pixels.width, height: pixels.height, rgba: pixels.image)
        pixels.image = []
        image = stored.upright(orientation: orientation)
        (sample, sampleWidth, sampleResolution) = (pixels.sample, pixels.sampleWidth, pixels.sampleResolution)
        self.metadata = metadata
        self.notes = notes
    }

    /// Creates a picture of parts that a worker decoded.
    init(
        format: ImageFormat, width: Int, height: Int, image: Image, sample: [UInt8], sampleWidth: Int?,
        sampleResolution: SampleResolution?, orientation: Int, wide: WideSample?, metadata: PhotoMetadata,
        notes: [String]
    ) {
        (self.format, self.width, self.height, self.image) = (format, width, height, image)
        (self.sample, self.sampleWidth, self.sampleResolution) = (sample, sampleWidth, sampleResolution)
        (self.orientation, self.wide, self.metadata, self.notes) = (orientation, wide, metadata, notes)
    }
}
