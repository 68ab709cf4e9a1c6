/// How large the areas of a photo are that have one value each in the means of it: the finer, the sharper
/// these are.
///
/// Across and down, as the file is stored, in pixels of the ``Picture/sample``; a block of a JPEG that is
/// read by its means, of light and of the chroma that many files have at half the resolution.
public struct SampleResolution: Sendable, Equatable {
    /// The sizes of the areas that have one value each, across and down: of lightness and of color.
    public var light: SIMD2<Float>, color: SIMD2<Float>

    /// Creates a grain.
    public init(light: SIMD2<Float>, color: SIMD2<Float>) { (self.light, self.color) = (light, color) }

    static func * (resolution: SampleResolution, scale: SIMD2<Float>) -> SampleResolution {
        SampleResolution(light: resolution.light * scale, color: resolution.color * scale)
    }
}
