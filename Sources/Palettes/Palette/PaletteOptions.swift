/// The way in which a palette stands for a picture.
public enum PaletteMode: String, Sendable, CaseIterable {
    /// The colors that stand for the picture's area with the least error: k-means, as exact as it gets.
    case area
    /// The colors that people would pick: accents kept, each one a color that is in the picture.
    case representative

    public static let `default` = PaletteMode.representative
}

/// How many colors a palette is to have.
public enum PaletteSize: Hashable, Sendable {
    /// That many, 1...32 (what lies outside is brought inside), if the picture has as many that can be told
    /// apart.
    case colors(Int)
    /// As many as the picture needs: see ``Palette/init(_:options:)``.
    case auto

    /// The most colors a palette can have.
    public static let limit = 32
}

/// Pixels that are not to count.
public enum PaletteIgnore: String, Sendable, CaseIterable {
    /// Whites and whitish grays: Oklab lightness above 0.95, chroma below 0.03.
    case white
    /// Blacks: Oklab lightness below 0.22, chroma below 0.04.
    case black
    /// Grays of any lightness between white and black: Oklab chroma below 0.02.
    case grey
    /// A frame of one color around the picture: letterbox bars, mats, scanner edges.
    case border
}

/// How to make a palette of a picture. The plain value asks for five colors and ignores nothing.
public struct PaletteOptions: Hashable, Sendable {
    public var size: PaletteSize = .colors(5)
    public var mode: PaletteMode = .default
    public var ignore: Set<PaletteIgnore> = []
    /// A color that is not to count, with what looks like it (CIEDE2000 below 5): the studio's backdrop.
    public var background: RGB?

    public init() {}
}
