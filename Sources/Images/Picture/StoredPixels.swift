/// Pixels as a decoder hands them over: not yet color-managed, not yet upright.
struct StoredPixels {
    /// The size of the file's picture.
    var fullWidth: Int, fullHeight: Int
    /// The size of `image`.
    var width: Int, height: Int
    /// `height * width * 4` bytes.
    var image: [UInt8]
    /// Four bytes a pixel; see ``Picture/sample``.
    var sample: [UInt8] = []
    /// Pixels across when the sample is a picture.
    var sampleWidth: Int?
    var sampleResolution: SampleResolution?
    var layout = PixelLayout.rgba
    var source = ColorSource.srgb
    /// How they are to be turned, in EXIF's numbers, where the file says it in a way of its own: the
    /// orientation of the metadata is for others then.
    var orientation: Int?
}
