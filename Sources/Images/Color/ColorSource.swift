/// The color space that a file declares.
enum ColorSource: Equatable {
    /// sRGB, said or assumed.
    case srgb
    /// An ICC profile.
    case profile([UInt8])
    /// White, red, green, blue: x y each; samples are light ^ (1 / `exponent`), nil: sRGB's curve.
    case primaries([Double], exponent: Double?)

    /// - Source: Adobe RGB (1998) Color Image Encoding, 4.3: primaries, D65, gamma 563/256.
    static let adobeRGB = ColorSource.primaries(
        [0.3127, 0.3290, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06], exponent: 563.0 / 256)
}

/// How four bytes make a pixel before they become R G B A.
enum PixelLayout: Equatable {
    case rgba
    /// R = G = B.
    case gray
    /// Inks; `inverted`: 255 is no ink, as Adobe's programs store it.
    case cmyk(inverted: Bool)
}
