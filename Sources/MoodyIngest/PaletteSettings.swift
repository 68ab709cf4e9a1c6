public import Images
public import Palettes

/// What is asked of every photo of a run.
public struct PaletteSettings: Sendable, Equatable {
    public var palette = PaletteOptions()
    /// Every pixel, instead of enough of them.
    public var exact = false
    /// Pixels on the long side of the picture kept beside the thumbnail; nil for none.
    public var previewSide: Int?

    /// Pixels on the long side of a thumbnail.
    static let thumbnailSide = 320

    public init() {}

    var decoding: DecodingOptions {
        var options = DecodingOptions()
        options.side = Self.thumbnailSide
        options.exact = exact
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
        if !picture.detail.isEmpty { samples.append(PixelSample(rgba: picture.detail, weight: 1)) }
        palette = Palette(samples, options: settings.palette)
    }

    /// What was odd, a line each.
    public var notes: [String] { picture.notes + palette.notes }
}
