public import Images
public import Palettes

/// What is asked of every photo of a run.
public struct PaletteSettings: Sendable, Equatable {
    public var palette = PaletteOptions()
    /// Every pixel, instead of enough of them.
    public var exact = false
    /// Pixels on the long side of the picture kept beside the thumbnail; nil for none.
    public var previewSide: Int?
    /// The part of the photo whose colours count; nil for all of it. Thumbnails and previews show the whole.
    /// Of this run only: a store does not remember it, as photos differ in size.
    public var crop: Crop?
    /// How far a decoder may go, and whether a photo that is cut short is taken for what is there. What is wanted of
    /// the decoder, such as the size, is set here and not looked at. Of this run only.
    public var limits = DecodingOptions()

    /// Most pixels on the long side of a thumbnail.
    static let thumbnailSide = 320
    /// Pixels of the whole photo that are counted when it is shrunk; more change palettes little:
    /// docs/PALETTES.md.
    static let samplePixels = 65_536

    public init() {}

    var decoding: DecodingOptions {
        var options = limits
        options.side = Self.thumbnailSide
        options.exact = exact
        options.samplePixels = Self.samplePixels
        return options
    }
}

/// A photo's colours: what `moody extract` prints, without a store.
public struct ExtractedPalette: Sendable {
    public let picture: Picture
    /// Its notes say so when it is of a part of the photo only.
    public let palette: Palette

    /// Reads a photo and finds its colours.
    ///
    /// Of a crop the shrunk picture is cut in proportion, read less shrunk where that would leave fewer
    /// pixels than a whole photo has. Its sampled pixels are left out: they come without their places, so
    /// nobody can tell which of them lie in the crop. A crop that lies outside the photo is a note, and the
    /// whole counts.
    ///
    /// - Throws: `ImageError`.
    public init(bytes: [UInt8], settings: PaletteSettings) throws(ImageError) {
        let picture = try Picture(bytes: bytes, options: settings.decoding)
        self.picture = picture
        guard let asked = settings.crop else {
            palette = Self.palette(of: picture, settings)
            return
        }
        var palette: Palette, note: String
        if let crop = asked.inside(width: picture.width, height: picture.height) {
            let near = try Self.picture(picture, bytes, settings, showing: crop)
            let (rgba, width) = crop.cut(near.image, width: picture.width, height: picture.height)
            palette = Palette([PixelSample(rgba: rgba, width: width)], options: settings.palette)
            palette.findWideColors(in: near, settings)
            note = "palette of \(crop)"
        } else {
            palette = Self.palette(of: picture, settings)
            note = "\(asked) lies outside the \(picture.width)x\(picture.height) photo: palette of all of it"
        }
        palette.notes.insert(note, at: 0)
        self.palette = palette
    }

    private static func palette(of picture: Picture, _ settings: PaletteSettings) -> Palette {
        var palette = Palette(samples(of: picture), options: settings.palette)
        palette.findWideColors(in: picture, settings)
        return palette
    }

    private static func samples(of picture: Picture) -> [PixelSample] {
        let image = PixelSample(rgba: picture.image.rgba, width: picture.image.width)
        if picture.sample.isEmpty { return [image] }
        // The picture shows where a border is, and weighs nothing.
        return [
            PixelSample(rgba: image.rgba, weight: 0, width: image.width), PixelSample(rgba: picture.sample),
        ]
    }

    /// The photo with as many pixels in the crop as are wanted of a whole one, if it has them.
    private static func picture(
        _ picture: Picture, _ bytes: [UInt8], _ settings: PaletteSettings, showing crop: Crop
    ) throws(ImageError) -> Picture {
        let whole = max(picture.width, picture.height), part = max(crop.width, crop.height)
        var options = settings.decoding
        options.side = min(whole, (PaletteSettings.thumbnailSide * whole + part - 1) / part)
        if settings.exact || options.side <= max(picture.image.width, picture.image.height) { return picture }
        options.samplePixels = 0
        return try Picture(bytes: bytes, options: options)
    }

    /// What was odd, a line each.
    public var notes: [String] { picture.notes + palette.notes }
}

extension Palette {
    /// Keeps the Display P3 values of colours outside sRGB, where the file has such.
    fileprivate mutating func findWideColors(in picture: Picture, _ settings: PaletteSettings) {
        guard let wide = picture.wide else { return }
        findWideColors(WidePixels(srgb: wide.srgb, displayP3: wide.displayP3), mode: settings.palette.mode)
    }
}
