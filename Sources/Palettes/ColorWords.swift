/// Words for colors as people use them in a search.
///
/// The borders were drawn by hand in Oklab's hue, lightness and chroma, and hold for the eleven basic words
/// on the forty photos of Tests/MoodyGalleryTests/Fixtures/eleven-words.json, whose table was written by
/// looking at them.
public enum ColorWords {
    public typealias Edges = ColorRegion.Edges

    /// The names of the survey as people write them, and CSS's keywords; "grey" so spelled. Where both have a
    /// word, the survey's wins: it is what people mean, CSS's is often an extreme.
    public static let names: [String: RGB] = {
        func plain(_ name: ColorName) -> (String, RGB) {
            (
                name.name.split(separator: "gray", omittingEmptySubsequences: false).joined(
                    separator: "grey"), name.color
            )
        }
        return Dictionary((ColorName.survey + ColorName.css).map(plain)) { first, _ in first }
    }()

    /// A word's parts of the colors.
    public static let regions: [String: [ColorRegion]] = {
        var regions = basic.merging(further) { first, _ in first }
        for (word, other) in [
            ("violet", "purple"), ("turquoise", "teal"), ("fuchsia", "magenta"), ("aqua", "cyan"),
        ] {
            regions[word] = regions[other]
        }
        return regions
    }()

    /// Berlin and Kay's eleven.
    private static let basic: [String: [ColorRegion]] = [
        "black": [
            ColorRegion(lightness: .to(0.24, 0.31), chroma: .to(0.02, 0.038)),
            // So dark that no hue is seen.
            ColorRegion(lightness: .to(0.14, 0.19), chroma: .to(0.08, 0.12)),
        ],
        "white": [ColorRegion(lightness: .from(0.78, 0.88), chroma: .to(0.02, 0.042))],
        "grey": [ColorRegion(lightness: Edges(0.29, 0.38, 0.78, 0.85), chroma: .to(0.018, 0.036))],
        "red": [
            ColorRegion(
                hue: Edges(2, 12, 36, 44), lightness: Edges(0.25, 0.35, 0.66, 0.74), chroma: .from(0.08, 0.12)
            )
        ],
        "orange": [
            ColorRegion(hue: Edges(36, 44, 72, 82), lightness: .from(0.54, 0.62), chroma: .from(0.085, 0.12))
        ],
        "yellow": [
            ColorRegion(
                hue: Edges(82, 90, 112, 120), lightness: .from(0.66, 0.74), chroma: .from(0.055, 0.08))
        ],
        "green": [
            ColorRegion(
                hue: Edges(112, 120, 165, 180), lightness: .from(0.12, 0.2), chroma: .from(0.025, 0.055)),
            // Leaves in the shade are yellow by their hue, and nobody calls them so.
            ColorRegion(
                hue: Edges(98, 106, 120, 130), lightness: Edges(0.12, 0.2, 0.6, 0.68),
                chroma: .from(0.035, 0.06)),
        ],
        "blue": [ColorRegion(hue: Edges(212, 226, 276, 290), chroma: .from(0.022, 0.05))],
        "purple": [
            ColorRegion(hue: Edges(276, 288, 330, 345), chroma: .from(0.022, 0.045)),
            // Plum, aubergine: of a hue that is pink where it is light.
            ColorRegion(
                hue: Edges(325, 335, 353, 362), lightness: .to(0.55, 0.62),
                chroma: Edges(0.045, 0.065, 0.11, 0.14)),
        ],
        "pink": [
            ColorRegion(
                hue: Edges(328, 340, 376, 390), lightness: .from(0.46, 0.54), chroma: .from(0.055, 0.08))
        ],
        "brown": [
            ColorRegion(
                hue: Edges(28, 42, 88, 100), lightness: Edges(0.18, 0.26, 0.66, 0.76),
                chroma: Edges(0.028, 0.05, 0.115, 0.14))
        ],
    ]

    private static let further: [String: [ColorRegion]] = [
        "beige": [
            ColorRegion(
                hue: Edges(50, 65, 100, 112), lightness: Edges(0.7, 0.76, 0.94, 0.97),
                chroma: Edges(0.015, 0.028, 0.07, 0.095))
        ],
        "cream": [
            ColorRegion(
                hue: Edges(60, 72, 112, 122), lightness: .from(0.84, 0.9),
                chroma: Edges(0.01, 0.018, 0.08, 0.1))
        ],
        "olive": [
            ColorRegion(
                hue: Edges(94, 102, 122, 132), lightness: Edges(0.26, 0.36, 0.64, 0.74),
                chroma: Edges(0.035, 0.055, 0.14, 0.17))
        ],
        "teal": [
            ColorRegion(
                hue: Edges(160, 172, 208, 220), lightness: Edges(0.22, 0.3, 0.78, 0.88),
                chroma: .from(0.03, 0.055))
        ],
        "cyan": [
            ColorRegion(
                hue: Edges(180, 190, 218, 230), lightness: .from(0.7, 0.78), chroma: .from(0.06, 0.09))
        ],
        "magenta": [
            ColorRegion(hue: Edges(318, 328, 355, 365), lightness: .from(0.3, 0.4), chroma: .from(0.11, 0.15))
        ],
        "gold": [
            ColorRegion(
                hue: Edges(70, 78, 98, 106), lightness: Edges(0.54, 0.62, 0.9, 0.94),
                chroma: .from(0.09, 0.115))
        ],
        "navy": [
            ColorRegion(
                hue: Edges(240, 252, 280, 290), lightness: .to(0.3, 0.38), chroma: .from(0.035, 0.055))
        ],
    ]

    /// The region that a word names: by itself, as a plural, or in another language; nil for none.
    public static func region(_ word: String) -> String? {
        if regions[word] != nil { return word }
        if word.hasSuffix("s"), regions[String(word.dropLast())] != nil { return String(word.dropLast()) }
        return aliases[word]
    }

    /// Which side of a color.
    public static let modifiers: [String: ColorRegion] = {
        var modifiers: [String: ColorRegion] = [
            "dark": ColorRegion(lightness: .to(0.42, 0.54)),
            "deep": ColorRegion(lightness: .to(0.5, 0.6), chroma: .from(0.05, 0.08)),
            "light": ColorRegion(lightness: .from(0.6, 0.72)),
            "pale": ColorRegion(lightness: .from(0.68, 0.78), chroma: .to(0.09, 0.12)),
            "pastel": ColorRegion(lightness: .from(0.72, 0.79), chroma: Edges(0.02, 0.035, 0.1, 0.13)),
            "bright": ColorRegion(lightness: .from(0.5, 0.62), chroma: .from(0.09, 0.125)),
            "vivid": ColorRegion(chroma: .from(0.11, 0.15)),
            "neon": ColorRegion(lightness: .from(0.6, 0.7), chroma: .from(0.15, 0.19)),
            "muted": ColorRegion(chroma: Edges(0.012, 0.024, 0.08, 0.12)),
            "warm": ColorRegion(hue: Edges(-40, -25, 105, 118), chroma: .from(0.03, 0.06)),
            "cool": ColorRegion(hue: Edges(140, 160, 280, 300), chroma: .from(0.025, 0.05)),
        ]
        for (word, other) in [
            ("saturated", "vivid"), ("intense", "vivid"), ("colorful", "vivid"), ("vibrant", "vivid"),
            ("dusty", "muted"),
            ("dull", "muted"), ("faded", "muted"), ("soft", "pastel"),
        ] { modifiers[word] = modifiers[other] }
        return modifiers
    }()
}
