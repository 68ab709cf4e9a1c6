import Palettes

/// Which moods a search finds, and in which order. The twin of Resources/search.js: the same photos in the
/// same order.
///
/// Each clause gives a mood a worth, and what has nothing of a clause is not found; the worths multiply.
struct MoodSearch: Sendable {
    /// What a search finds of one mood.
    struct Match: Sendable, Equatable {
        /// The index of the mood among those searched.
        let index: Int
        /// Of a million.
        let total: Double
        /// The number of the search's colors that the mood is called by: says which of two comes first that
        /// are worth as much.
        let names: Int
    }

    var terms: [SearchTerm]
    /// ``Lab/distance(to:)`` up to which a color is near another.
    var within = 10.0
    /// The least share of a photo, 0...1, that a color must have.
    var share = 0.0
    /// Whether nearness alone counts: for what lies beyond the tolerance.
    var isFarther = false
    /// Whether folders and places are among the texts that are searched.
    var privacy = PagePrivacy(showsPaths: true, showsPlaces: true)

    static let million = 1e6

    /// Those that have something of every clause, most first; where two have as much, those that are called
    /// so, then as they came.
    func matches(in moods: some Sequence<SearchMood>) -> [Match] {
        var found: [Match] = []
        for (index, mood) in moods.enumerated() {
            if let (total, names) = total(of: mood) {
                found.append(Match(index: index, total: total, names: names))
            }
        }
        guard terms.contains(where: { $0.color != nil && !$0.isNegated }) else { return found }
        return found.sorted { ($0.total, $0.names, -$0.index) > ($1.total, $1.names, -$1.index) }
    }

    /// Nil when the mood has nothing of a clause.
    func total(of mood: SearchMood) -> (total: Double, names: Int)? {
        total(
            worth: { color(of: terms[$0], in: mood) }, hasText: { Self.hasText(terms[$0], mood) })
    }

    /// - Parameters:
    ///   - worth: how much of a term's color a mood has, 0...1.
    ///   - hasText: whether it has a term's words.
    func total(worth: (Int) -> Double, hasText: (Int) -> Bool) -> (total: Double, names: Int)? {
        var total = Self.million, at = 0
        while at < terms.count {
            let isFirst = at == 0, clause = terms[at].clause
            var best = 0.0
            while at < terms.count, terms[at].clause == clause {
                let own = self.worth(at, worth, hasText)
                best = max(best, terms[at].isNegated ? (own > 0 ? 0 : Self.million) : own)
                at += 1
            }
            if best == 0 { return nil }
            total = isFirst ? best : total * (best / Self.million)
        }
        if total == 0 { return nil }
        let names = terms.indices.count { terms[$0].isColor && !terms[$0].isNegated && hasText($0) }
        return (total, names)
    }

    /// A name tells what a photo that lacks the color is about, and is worth next to nothing beside it.
    private func worth(_ term: Int, _ worth: (Int) -> Double, _ hasText: (Int) -> Bool) -> Double {
        if terms[term].color == nil { return hasText(term) ? Self.million : 0 }
        // Rounded, so that the last bits of two machines do not decide.
        let value = (worth(term) * Self.million).rounded(.toNearestOrAwayFromZero)
        return value > 0 ? value : terms[term].isColor && !isFarther && hasText(term) ? 1 : 0
    }

    private func color(of term: SearchTerm, in mood: SearchMood) -> Double {
        switch term.color {
        case nil: 0
        case .phrase(let phrase): value(of: phrase, in: mood)
        case .point(_, let lab): value(of: lab, in: mood)
        case .like(let palette): likeness(of: palette, to: mood)
        }
    }

    // MARK: What lies farther away

    /// A search for colors that are meant exactly shows so many: where fewer are near, the next nearest
    /// follow.
    static let enough = 12

    /// The search for those beyond the tolerance; nil for a search that asks for anything but colors as
    /// points.
    var farther: MoodSearch? {
        let isOfPoints = terms.enumerated().allSatisfy { number, term in
            if case .point = term.color { !term.isNegated && term.clause == number } else { false }
        }
        guard !terms.isEmpty && isOfPoints && !isFarther else { return nil }
        return MoodSearch(terms: terms, within: within * 2.5, share: share, isFarther: true, privacy: privacy)
    }

    // MARK: Colors

    /// The least part of a photo, each color weighed by how far it is what a phrase says.
    static let leastOfPhrase = 0.005
    /// A mood ("muted") is said of a third of a photo.
    static let leastOfMood = 1 / 3.0

    static func least(of phrase: ColorPhrase) -> Double { phrase.isMood ? leastOfMood : leastOfPhrase }

    private func value(of phrase: ColorPhrase, in mood: SearchMood) -> Double {
        var part = PhrasePart()
        for swatch in mood.swatches {
            part.add(
                phrase.membership(lightness: swatch.lightness, chroma: swatch.chroma, hue: swatch.hue),
                swatch.share)
        }
        return part.value(of: phrase, share)
    }

    /// A swatch counts for its nearness and for how much there is of it: half a photo of nearly that color
    /// stands before a sliver of exactly that. A mood counts for its best.
    private func value(of lab: Lab, in mood: SearchMood) -> Double {
        var value = 0.0, amount = 0.0
        for swatch in mood.swatches {
            guard let worth = worth(of: lab, swatch.lab, share: swatch.share) else { continue }
            value = max(value, worth)
            amount += swatch.share
        }
        return amount < share ? 0 : min(1, value)
    }

    /// What a swatch is worth to a search for a color; nil for nothing.
    func worth(of lab: Lab, _ other: Lab, share: Double) -> Double? {
        if isFarther && share < Self.leastOfPhrase { return nil }
        return Self.nearness(lab, other, within: within).map { $0 * (isFarther ? 1 : share) }
    }

    /// Nil beyond the tolerance; 1 at the color itself, 1/16 at the tolerance.
    static func nearness(_ lab: Lab, _ other: Lab, within: Double) -> Double? {
        // No distance is smaller than that of the lightnesses divided by 1.75, the most its scale can be.
        if abs(lab.lightness - other.lightness) > within * 1.75 { return nil }
        let far = lab.distance(to: other)
        return far > within ? nil : nearness(of: far, within: within)
    }

    /// Of a distance not beyond the tolerance.
    static func nearness(of distance: Double, within: Double) -> Double {
        let near = 1 - distance / (2 * within)
        return near * near * near * near
    }

    // MARK: Photos like one

    /// Below this two photos are not alike.
    static let leastLikeness = 0.15

    /// How near each color of the one is to the nearest of the other, and the other way round.
    ///
    /// - Source: Pan and Westland, "Comparative evaluation of color differences between color palettes",
    ///   2018: the mean of both ways agrees best with people.
    private func likeness(of palette: [SearchSwatch], to mood: SearchMood) -> Double {
        var nearest = Array(repeating: 0.0, count: mood.swatches.count), best: [Double] = []
        for own in palette {
            var most = 0.0
            for (at, swatch) in mood.swatches.enumerated() {
                let much = Self.likeness(of: own.lab, to: swatch.lab, within: within)
                most = max(most, much)
                nearest[at] = max(nearest[at], much)
            }
            best.append(most)
        }
        let there = Self.likeness(of: palette, best: best)
        let back = Self.likeness(of: mood.swatches, best: nearest)
        return there * back < Self.leastLikeness ? 0 : there * back
    }

    /// How near a color is to another; nothing beyond twice the tolerance.
    static func likeness(of lab: Lab, to other: Lab, within: Double) -> Double {
        if abs(lab.lightness - other.lightness) > within * 3.5 { return 0 }
        let far = lab.distance(to: other)
        return far > within * 2 ? 0 : 1 - far / (2 * within)
    }

    /// One way: of each color of a palette the most that was found. A palette without colors is like none.
    static func likeness(of palette: [SearchSwatch], best: some RandomAccessCollection<Double>) -> Double {
        var value = 0.0, weight = 0.0
        for (swatch, most) in zip(palette, best) {
            value += swatch.saliency * most
            weight += swatch.saliency
        }
        return weight > 0 ? value / weight : 0
    }

    // MARK: Texts

    private static func hasText(_ term: SearchTerm, _ mood: SearchMood) -> Bool {
        if term.isDate { return mood.day.hasPrefix(term.text) }
        return !term.words.isEmpty
            && term.words.allSatisfy { word in mood.words.contains { term.holds(word, in: $0) } }
    }
}
