package import Images
package import Palettes

/// A photo's colors: what `moody extract` prints, without a store.
package struct ExtractedPalette: Sendable {
    package let picture: Picture
    /// Its notes say so when it is of a part of the photo only.
    package let palette: Palette

    /// Reads a photo and finds its colors.
    ///
    /// For a crop, the reduced picture is cut in proportion, and read less reduced if that would leave fewer
    /// pixels than a whole photo has. Its sampled pixels are left out: they come without their places, so
    /// nobody can tell which of them lie in the crop.
    package init(bytes: [UInt8], settings: PaletteSettings) throws(PaletteError) {
        var workspace = PaletteWorkspace()
        try self.init(bytes: bytes, settings: settings, using: &workspace)
    }

    /// As ``init(bytes:settings:)``, with memory that serves again: for those who read many.
    init(
        bytes: [UInt8], settings: PaletteSettings, using workspace: inout PaletteWorkspace
    ) throws(PaletteError) {
        let sample: PixelSample?
        do throws(ImageError) { (picture, sample) = try Self.read(bytes, settings) } catch {
            throw .image(error)
        }
        guard let asked = settings.crop else {
            palette = Self.palette(of: picture, sample, settings, using: &workspace)
            return
        }
        guard let crop = asked.inside(width: picture.width, height: picture.height) else {
            throw .cropOutside(asked, width: picture.width, height: picture.height)
        }
        let near: Picture
        do throws(ImageError) { near = try Self.picture(picture, bytes, settings, showing: crop) } catch {
            throw .image(error)
        }
        let (rgba, width) = crop.cut(near.image, width: picture.width, height: picture.height)
        var palette = Palette(
            [PixelSample(rgba: rgba, width: width)], options: settings.palette, using: &workspace)
        palette.findWideColors(in: near, settings)
        palette.notes.insert("palette of \(crop)", at: 0)
        self.palette = palette
    }

    /// The photo as ``PaletteSettings/decoding`` asks for it; with a sample of its pixels where its means
    /// alone lack most of what varies: a fine pattern.
    ///
    /// Photos that are read again vary little in their means, as few photos do.
    private static func read(
        _ bytes: [UInt8], _ settings: PaletteSettings
    ) throws(ImageError) -> (Picture, sample: PixelSample?) {
        let picture = try Picture(bytes: bytes, options: settings.decoding)
        let means = PixelSample(rgba: picture.image.rgba, width: picture.image.width)
        guard settings.palette.mode == .representative, picture.image.width < picture.width,
            means.variance < Self.littleVariance
        else { return (picture, nil) }
        var options = settings.decoding
        (options.samplePixels, options.meansSide) = (PaletteSettings.samplePixels, 0)
        let again = try Picture(bytes: bytes, options: options)
        let sample = PixelSample(rgba: again.sample.isEmpty ? again.image.rgba : again.sample)
        return (picture, sample.isFinePattern(besides: means) ? sample : nil)
    }

    /// The variance of a photo with little detail, of red, green, and blue together: 24 levels each.
    private static let littleVariance = 3.0 * 24 * 24

    private static func palette(
        of picture: Picture, _ sample: PixelSample?, _ settings: PaletteSettings,
        using workspace: inout PaletteWorkspace
    ) -> Palette {
        let samples = sample.map { [$0] } ?? samples(of: picture)
        var palette = Palette(samples, options: settings.palette, using: &workspace)
        palette.findWideColors(in: picture, settings)
        return palette
    }

    private static func samples(of picture: Picture) -> [PixelSample] {
        let image = PixelSample(rgba: picture.image.rgba, width: picture.image.width)
        if picture.sample.isEmpty { return [image] }
        if let width = picture.sampleWidth {
            let resolution = picture.sampleResolution.map {
                PixelSample.Resolution(light: $0.light, color: $0.color)
            }
            let means = PixelSample(rgba: picture.sample, width: width, resolution: resolution ?? .pixel)
            // Where that would lose most of what varies the picture itself is counted.
            return image.isFinePattern(besides: means) ? [image] : [means]
        }
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
        (options.samplePixels, options.meansSide) = (0, 0)
        return try Picture(bytes: bytes, options: options)
    }

    /// Notes about oddities, one line each.
    package var notes: [String] { picture.notes + palette.notes }
}

extension Palette {
    /// Keeps the Display P3 values of colors outside sRGB, where the file has such.
    fileprivate mutating func findWideColors(in picture: Picture, _ settings: PaletteSettings) {
        guard let wide = picture.wide else { return }
        findWideColors(WidePixels(srgb: wide.srgb, displayP3: wide.displayP3), mode: settings.palette.mode)
    }
}

/// Why a photo has no palette.
package enum PaletteError: Error, CustomStringConvertible {
    case image(ImageError)
    /// The part that was asked for has no pixel in common with the photo.
    case cropOutside(Crop, width: Int, height: Int)

    package var description: String {
        switch self {
        case .image(let error): error.description
        case .cropOutside(let crop, let width, let height):
            "\(crop) lies outside the \(width)x\(height) photo"
        }
    }

    /// Whether the file is none for this build: no picture, or of a kind that it was made without. What is
    /// named as a picture is one, and so is what the user named if only the build is to blame.
    package func isOfOtherFile(named name: [UInt8], byUser isNamed: Bool) -> Bool {
        switch self {
        case .image(.unknownFormat): !isNamedAsPicture(name)
        case .image(.notBuiltIn): !isNamed && !isNamedAsPicture(name)
        default: false
        }
    }
}
