/// Words for colors as people use them in a search.
///
/// The regions are fitted to the answers of the xkcd color survey (`surveyed`, which a script writes);
/// docs/PAGE.md has what they find in photos. The sides (dark, pale, vivid) are the authors'.
package enum ColorWords {
    package typealias Edges = ColorRegion.Edges

    /// The names of the survey as people write them, and CSS's keywords; "grey" so spelled. Where both have a
    /// word, the survey's wins: it is what people mean, CSS's is often an extreme.
    package static let names: [String: RGB] = {
        func plain(_ name: ColorName) -> (String, RGB) {
            (
                name.name.split(separator: "gray", omittingEmptySubsequences: false).joined(
                    separator: "grey"), name.color
            )
        }
        return Dictionary((ColorName.survey + ColorName.css).map(plain)) { first, _ in first }
    }()

    /// The words for parts of the colors, each once and spelled as on pages, in order.
    package static let keywords = surveyed.keys.map { $0 == "grey" ? "gray" : $0 }.sorted()

    /// The parts of the colors that a word names.
    package static let regions: [String: [ColorRegion]] = {
        var regions = surveyed
        for (word, other) in [
            ("violet", "purple"), ("turquoise", "teal"), ("fuchsia", "magenta"), ("aqua", "cyan"),
        ] {
            regions[word] = regions[other]
        }
        return regions
    }()

    /// The region that a word names: by itself, as a plural, or in another language; nil for none.
    package static func region(_ word: String) -> String? {
        if regions[word] != nil { return word }
        if word.hasSuffix("s"), regions[String(word.dropLast())] != nil { return String(word.dropLast()) }
        return aliases[word]
    }

    /// Which side of a color.
    package static let modifiers: [String: ColorRegion] = {
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
