/// Options of decoding a photo, and the limits of its decoder.
///
/// Each limit is checked before the memory or the time it guards is spent.
public struct DecodingOptions: Sendable, Equatable {
    /// Pixels wanted on the longer side of ``Picture/image``, at least, where the photo has them.
    public var side = 320
    /// Every pixel: no shrinking unless ``imagePixelLimit`` asks for it.
    public var exact = false
    /// An orientation of EXIF, 1...8, that counts in place of the file's.
    public var orientation: Int?
    /// Keep the rows a cut file still holds, with a note, instead of throwing
    /// ``ImageError/truncated(rows:height:scan:)``.
    public var acceptsTruncated = false
    /// The most pixels a file may declare.
    public var pixelLimit = 256 * 1024 * 1024
    /// The most pixels ``Picture/image`` may have; larger photos are shrunk even when ``exact``. 32 Mi pixels
    /// are 128 MiB, twice while a photo is turned upright.
    public var imagePixelLimit = 32 * 1024 * 1024
    /// A picture of at most so many pixels is not shrunk, JPEGs apart: once unpacked its pixels cost nothing
    /// more to keep.
    public var wholePixels = 4 * 1024 * 1024
    /// Pixels wanted in ``Picture/sample``, about; 0: none.
    public var samplePixels = 65_536
    /// A JPEG of at most so many pixels is decoded in full when a sample is wanted, and the sample are pixels
    /// of it; of a larger one they are made of its blocks' means and of some blocks.
    public var decodedJPEGPixels = 0
    /// Instead of such pixels the means of areas of a JPEG, in their places, where its blocks' means are what
    /// was read: the longer side has at most so many areas, and none is smaller than a block, or a quarter of
    /// one where that was read. 0: no such sample. See ``Picture/sampleWidth``.
    public var meansSide = 0
    /// The most pixels a progressive JPEG may have for libjpeg, which keeps all its coefficients in memory.
    public var progressivePixelLimit = 40_000_000
    /// Bytes that libjpeg's coefficients and the pixels it makes of them may take together.
    public var coefficientMemoryLimit = 256 * 1024 * 1024
    /// The most scans a JPEG may have. Photos have about ten; each costs time for every block.
    public var scanLimit = 200
    /// The most times libjpeg may have to guess before the file counts as corrupt.
    public var warningLimit = 100
    /// Bytes the library may hold of a picture that it only decodes whole: HEIC, AVIF, JPEG XL, lossless
    /// WebP.
    public var wholeMemoryLimit = 256 * 1024 * 1024
    /// Bytes libpng may hold at once: a few rows, and chunks; libtiff: a strip, or a row of tiles.
    public var rowMemoryLimit = 128 * 1024 * 1024
    /// Bytes one PNG chunk beside the pixels may unpack to, or a profile or metadata item of HEIF may have.
    /// XMP packets of 50 MB have been seen in the wild.
    public var chunkLimit = 60 * 1024 * 1024

    /// Bytes that an archive may unpack to.
    package var unpackedLimit = 1_000_000_000_000

    /// Seconds of processor that a worker may take for a photo, see ``Confinement``. A worker that does
    /// nothing has as long by the clock.
    public var secondLimit = 10
    /// A worker decodes the photo whatever its kind: it comes from strangers.
    public var isConfined = false
    /// The scanner left this JPEG to libjpeg.
    var isForLibrary = false

    /// The defaults above.
    public init() {}
}
