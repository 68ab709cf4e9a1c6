package import Images
package import Palettes

/// The settings for every photo of a run.
package struct PaletteSettings: Sendable, Equatable {
    package var palette = PaletteOptions()
    /// Every pixel, instead of enough of them.
    package var exact = false
    /// Pixels on the long side of the picture kept beside the thumbnail; nil for none.
    package var previewSide: Int?
    /// The part of the photo whose colors count; nil for all of it. Thumbnails and previews show the whole.
    /// Applies to this run only: a store does not remember it, as photos differ in size.
    package var crop: Crop?
    /// How far a decoder may go, and whether a photo that is cut short is taken for what is there. What is
    /// wanted of the decoder, such as the size, is set here and not looked at. Of this run only.
    package var limits = DecodingOptions()

    /// Most pixels on the long side of a thumbnail.
    static let thumbnailSide = 320
    /// Pixels of the whole photo that are counted when it is shrunk; more change palettes little:
    /// docs/measurements/PALETTES.md.
    static let samplePixels = 300_000
    /// JPEGs of so many pixels are decoded in full for an area palette: 48 MiB of them.
    static let decodedPixels = 12 * 1024 * 1024

    package init() {}

    /// The settings for a photo with a sidecar.
    package func turned(by sidecar: Sidecar?) -> PaletteSettings {
        var settings = self
        settings.limits.orientation = sidecar?.metadata.statedOrientation
        return settings
    }

    var decoding: DecodingOptions {
        var options = limits
        options.side = Self.thumbnailSide
        options.exact = exact
        // Representative palettes are made of the photo shrunk further than this.
        options.samplePixels = palette.mode == .area ? Self.samplePixels : 0
        options.decodedJPEGPixels = palette.mode == .area ? Self.decodedPixels : 0
        if palette.mode == .representative {
            // A border is looked for where it is sharp.
            options.meansSide = palette.ignore.contains(.border) ? Int.max : PixelSample.overviewSide
        }
        return options
    }
}
