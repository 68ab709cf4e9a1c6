/// Some pixels of a picture, and how much they count beside its other samples.
///
/// A decoder may hand over the whole picture shrunk, every pixel of a part of it, or both: see
/// ``Palette/init(_:options:)``.
public struct PixelSample: Sendable {
    /// Red, green, blue, alpha: 4 bytes a pixel, 8-bit sRGB, alpha not multiplied in. Alpha is weight, not
    /// color: a pixel of alpha 128 counts half, one below 13 (5 %) not at all. Bytes after the last whole
    /// pixel are not read.
    public var rgba: [UInt8]
    /// The weight of all pixels of this sample together, relative to the other samples. Above 0; a sample of
    /// no or negative weight is not counted, but may show where a border is.
    public var weight: Double
    /// Pixels across, when these are the rows of a picture from top to bottom; else nil. Only with it can a
    /// border be found.
    public var width: Int?
    /// How sharp such a picture is.
    public var resolution: Resolution

    /// How large the areas of a picture are that have one value each, across and down, in its own pixels: for
    /// light, and for chroma, which most photos keep at half the resolution.
    public struct Resolution: Sendable, Equatable {
        public var light: SIMD2<Float>, color: SIMD2<Float>

        /// A value for each pixel.
        public static let pixel = Resolution(light: SIMD2(1, 1), color: SIMD2(1, 1))

        public init(light: SIMD2<Float>, color: SIMD2<Float>) { (self.light, self.color) = (light, color) }
    }

    public init(rgba: [UInt8], weight: Double = 1, width: Int? = nil, resolution: Resolution = .pixel) {
        self.rgba = rgba
        self.weight = weight
        self.width = width
        self.resolution = resolution
    }

    var pixelCount: Int { rgba.count / 4 }
}
