/// Pixels of a picture twice: as sRGB shows them, and in Display P3, which has more colors.
public struct WideSample: Sendable, Equatable {
    /// R, G, B, A, straight alpha; the same pixels in the same order, spread over the picture.
    public let srgb: [UInt8], displayP3: [UInt8]

    /// About the most pixels there are.
    static let limit = 32_768
}
