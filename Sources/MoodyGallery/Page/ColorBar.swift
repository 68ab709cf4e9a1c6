import Palettes

/// The words for colors that a collection has, each in its strongest color of that word: the buttons above
/// a page's photos.
struct ColorBar {
    let entries: [(word: String, hex: String)]

    /// In the order of the rainbow, grays last.
    private static let words = [
        "red", "orange", "brown", "yellow", "green", "teal", "blue", "purple", "pink", "white", "grey",
        "black",
    ]
    private static let grays: Set<String> = ["white", "grey", "black"]
    /// The least share of a color in all photos together for it to be offered.
    private static let least = 0.002

    init(of rows: [MoodRow]) {
        let swatches = rows.flatMap(\.swatches).map {
            (hex: $0.hex, SearchSwatch(RGB(red: $0.red, green: $0.green, blue: $0.blue), share: $0.share))
        }
        entries = Self.words.compactMap { word in
            guard let phrase = ColorPhrase([word]) else { return nil }
            var sum = 0.0, most = 0.0, strongest: String?
            for (hex, swatch) in swatches {
                let fit = phrase.membership(
                    lightness: swatch.lightness, chroma: swatch.chroma, hue: swatch.hue)
                // A color that most people call otherwise does not stand for the word.
                if fit < 0.5 { continue }
                sum += fit * swatch.share
                // The strongest stands for its word, not the largest; of grays the one with least color.
                let strength = Self.grays.contains(word) ? 1 / (0.01 + swatch.chroma) : 0.05 + swatch.chroma
                let worth = fit * fit * fit * swatch.share.squareRoot() * strength
                if worth > most { (most, strongest) = (worth, hex) }
            }
            guard sum >= Self.least * Double(rows.count) else { return nil }
            return strongest.map { (word, $0) }
        }
    }

    /// Nothing where there is nothing to choose from.
    var html: HTML {
        if entries.count < 2 { return "<div role=\"group\" aria-label=\"Colors\" id=\"bar\" hidden></div>" }
        var buttons: HTML = ""
        for (word, hex) in entries {
            buttons += """
                <button value="\(word)" title="\(word)" aria-label="\(word)" aria-pressed="false">\
                <svg class="chip" aria-hidden="true"><rect width="100%" height="100%" \
                fill="\(hex)"/></svg><span aria-hidden="true">\(word)</span></button>
                """
        }
        return "<div role=\"group\" aria-label=\"Colors\" id=\"bar\">\(buttons)</div>"
    }
}
