/// What a file says about its colours.
enum ColorSource: Equatable {
    /// sRGB, said or assumed.
    case srgb
    /// An ICC profile.
    case profile([UInt8])
    /// White, red, green, blue: x y each; samples are light ^ (1 / `exponent`), nil: sRGB's curve.
    case primaries([Double], exponent: Double?)
}

/// How four bytes make a pixel before they become R G B A.
enum PixelLayout: Equatable {
    case rgba
    /// R = G = B.
    case gray
    /// Inks; `inverted`: 255 is no ink, as Adobe's programs store it.
    case cmyk(inverted: Bool)
}
