import Palettes

/// Which moods a search finds, and in which order. The twin of Resources/search.js: the same photos in the
/// same order.
///
/// Each term gives a mood a value of 0...1, and what has none of a term is not found; the values multiply.
struct MoodSearch: Sendable {
    /// What a search finds of one mood.
    struct Match: Sendable, Equatable {
        /// The place of the mood among those searched.
        let index: Int
        /// Of 1e6 to the power of the number of terms.
        let total: Double
    }

    var terms: [SearchTerm]
    /// CIEDE2000 up to which a colour is near another.
    var within = 10.0
    /// The least share of a photo, 0...1, that a colour must have.
    var share = 0.0

    /// Those that have something of every term, most first; where two have as much, as they came.
    func matches(in moods: some Sequence<SearchMood>) -> [Match] {
        var found: [Match] = []
        for (index, mood) in moods.enumerated() {
            if let total = total(of: mood) { found.append(Match(index: index, total: total)) }
        }
        guard terms.contains(where: { $0.color != nil }) else { return found }
        return found.sorted { ($0.total, -$0.index) > ($1.total, -$1.index) }
    }

    /// Nil when the mood has nothing of a term.
    func total(of mood: SearchMood) -> Double? {
        var total = 1.0
        for term in terms {
            // Rounded, so that the last bits of two machines do not decide.
            total *= (value(of: term, in: mood) * 1e6).rounded(.toNearestOrAwayFromZero)
            if total == 0 { return nil }
        }
        return total
    }

    private func value(of term: SearchTerm, in mood: SearchMood) -> Double {
        let text = Self.hasText(term, mood) ? 1.0 : 0
        switch term.color {
        case nil: return text
        case .phrase(let phrase): return max(text, value(of: phrase, in: mood))
        case .point(_, let lab): return max(text, value(of: lab, in: mood))
        case .like(let palette): return likeness(of: palette, to: mood)
        }
    }

    // MARK: Colours

    /// What is less of a photo than this is not seen to be in it.
    static let leastOfPhrase = 0.015

    private func value(of phrase: ColorPhrase, in mood: SearchMood) -> Double {
        var value = 0.0, amount = 0.0
        for swatch in mood.swatches {
            let much = phrase.membership(
                lightness: swatch.lightness, chroma: swatch.chroma, hue: swatch.hue)
            value += much * swatch.share
            amount += swatch.share * (much > 0.5 ? 1 : much)
        }
        return value < Self.leastOfPhrase || amount < share ? 0 : min(1, value)
    }

    /// A swatch counts for its nearness and for how much there is of it: half a photo of nearly that colour
    /// stands before a sliver of exactly that. A mood counts for its best.
    private func value(of lab: Lab, in mood: SearchMood) -> Double {
        var value = 0.0, amount = 0.0
        for swatch in mood.swatches {
            guard let nearness = Self.nearness(lab, swatch.lab, within: within) else { continue }
            value = max(value, nearness * swatch.share)
            amount += swatch.share
        }
        return amount < share ? 0 : min(1, value)
    }

    /// Nil beyond the tolerance; 1 at the colour itself, 1/16 at the tolerance.
    static func nearness(_ lab: Lab, _ other: Lab, within: Double) -> Double? {
        // No difference is smaller than that of the lightnesses divided by 1.75, the most its scale can be.
        if abs(lab.lightness - other.lightness) > within * 1.75 { return nil }
        let far = lab.difference(to: other)
        return far > within ? nil : nearness(of: far, within: within)
    }

    /// Of a difference not beyond the tolerance.
    static func nearness(of difference: Double, within: Double) -> Double {
        let near = 1 - difference / (2 * within)
        return near * near * near * near
    }

    /// Of each colour of the one, how near and how much there is in the other. Below a fifth two photos are
    /// not alike.
    private func likeness(of palette: [SearchSwatch], to mood: SearchMood) -> Double {
        Self.likeness(of: palette) { place in
            mood.swatches.reduce(0) { best, swatch in
                max(
                    best,
                    Self.likeness(
                        of: palette[place], to: swatch.lab, share: swatch.share, within: within))
            }
        }
    }

    /// How near a colour is to another, and how much there is of it.
    static func likeness(of own: SearchSwatch, to lab: Lab, share: Double, within: Double) -> Double {
        if abs(own.lab.lightness - lab.lightness) > within * 3.5 { return 0 }
        let far = own.lab.difference(to: lab)
        if far > within * 2 { return 0 }
        let near = 1 - far / (2 * within)
        return near * near * min(1, share / own.share)
    }

    /// - Parameter best: of each colour of the palette the most that was found.
    static func likeness(of palette: [SearchSwatch], best: (Int) -> Double) -> Double {
        var value = 0.0, total = 0.0
        for place in palette.indices {
            value += palette[place].share * best(place)
            total += palette[place].share
        }
        value = total > 0 ? value / total : 0
        return value < 0.2 ? 0 : value
    }

    // MARK: Texts

    private static func hasText(_ term: SearchTerm, _ mood: SearchMood) -> Bool {
        if term.isDate { return mood.day.hasPrefix(term.text) }
        return !term.words.isEmpty
            && term.words.allSatisfy { word in mood.words.contains { term.holds(word, in: $0) } }
    }
}
