import Palettes

/// A color of a palette as a search looks at it.
struct SearchSwatch: Sendable {
    /// 0...1, to a millionth, which is what a page knows.
    let share: Double
    let lab: Lab
    /// Oklab's; hue in degrees.
    let lightness: Double, a: Double, b: Double, chroma: Double, hue: Double
    /// How much it says of its photo to a person: the square root of its share, a gray or what is nearly
    /// black a third.
    let saliency: Double

    init(_ color: RGB, share: Double) {
        self.share = rounded(share, 1e6)
        let oklab = Oklab(color)
        (lab, lightness, a, b) = (Lab(color), oklab.lightness, oklab.a, oklab.b)
        (chroma, hue) = (oklab.chroma, oklab.hue)
        saliency = self.share.squareRoot() * (1 / 3.0 + 2 / 3.0 * min(1, oklab.chroma / 0.1))
    }
}

/// What a search knows of a mood: its colors and its words.
struct SearchMood: Sendable {
    let swatches: [SearchSwatch]
    let words: [String]
    /// "2024-06-28"; empty when the day is not known.
    let day: String

    /// - Parameter texts: name, folder, place, camera.
    init(swatches: [SearchSwatch], texts: [String], day: Int32) {
        self.swatches = swatches
        let date = Day(day)
        self.day = date?.iso ?? ""
        words = texts.flatMap { SearchText.words($0) } + (date?.words ?? [])
    }
}

extension Day {
    /// "2024", "june"
    var words: [String] { [String(iso.prefix(4)), monthName.lowercased()] }
}
