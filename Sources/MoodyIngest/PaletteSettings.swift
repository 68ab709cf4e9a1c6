public import Images
public import Palettes

/// What is asked of every photo of a run.
public struct PaletteSettings: Sendable, Equatable {
    public var palette = PaletteOptions()
    /// Every pixel, instead of enough of them.
    public var exact = false
    /// Pixels on the long side of the picture kept beside the thumbnail; nil for none.
    public var previewSide: Int?

    /// Most pixels on the long side of a thumbnail.
    static let thumbnailSide = 320
    /// Pixels of blocks read in full, of which the inside of blocks is known: some 1,560 blocks.
    static let detailPixels = 100_000
    /// What they weigh against the means of all blocks. Measured with the number of blocks: docs/PALETTES.md.
    static let detailWeight = 3.0
    /// Pixels wanted of the decoder on the long side. Less than a thumbnail may have: from 2,048 pixels on a photo
    /// is then read at 1/8 by its DC coefficients, several times as fast as at 1/4, and its thumbnail has 256.
    static let decodedSide = 256

    public init() {}

    var decoding: DecodingOptions {
        var options = DecodingOptions()
        options.side = Self.decodedSide
        options.exact = exact
        options.detailPixels = Self.detailPixels
        return options
    }
}

/// A photo's colours: what `moody extract` prints, without a store.
public struct ExtractedPalette: Sendable {
    public let picture: Picture
    public let palette: Palette

    /// - Throws: `ImageError`.
    public init(bytes: [UInt8], settings: PaletteSettings) throws(ImageError) {
        picture = try Picture(bytes: bytes, options: settings.decoding)
        var samples = [PixelSample(rgba: picture.image.rgba, weight: 1, width: picture.image.width)]
        // Block means of the whole, and some blocks in full: together as good as every pixel.
        if !picture.detail.isEmpty {
            samples.append(PixelSample(rgba: picture.detail, weight: PaletteSettings.detailWeight))
        }
        palette = Palette(samples, options: settings.palette)
    }

    /// What was odd, a line each.
    public var notes: [String] { picture.notes + palette.notes }
}
