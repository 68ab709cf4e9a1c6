/// A part of the colors that people have one word for: ranges of Oklab's hue, lightness and chroma, with soft
/// edges.
package struct ColorRegion: Hashable, Sendable {
    /// Four corners of how much a value belongs: nothing outside the outer two, all of it inside the inner
    /// two, and in proportion between.
    package struct Edges: Hashable, Sendable {
        package var begins: Double, isFull: Double, isFullUntil: Double, ends: Double

        /// Without labels, as four numbers in their order: tables of colors are rows of these.
        package init(_ begins: Double, _ isFull: Double, _ isFullUntil: Double, _ ends: Double) {
            (self.begins, self.isFull, self.isFullUntil, self.ends) = (begins, isFull, isFullUntil, ends)
        }

        static func from(_ begins: Double, _ isFull: Double) -> Edges { Edges(begins, isFull, 8, 9) }
        static func to(_ isFullUntil: Double, _ ends: Double) -> Edges { Edges(-9, -8, isFullUntil, ends) }

        /// 0...1
        func membership(_ value: Double) -> Double {
            if value < isFull { return value <= begins ? 0 : (value - begins) / (isFull - begins) }
            if value <= isFullUntil { return 1 }
            return value >= ends ? 0 : (ends - value) / (ends - isFullUntil)
        }

        /// The membership of an angle of 0..<360 degrees; the corners may lie beyond.
        func membership(angle: Double) -> Double {
            if angle < begins { return membership(angle + 360) }
            return membership(angle - 360 >= begins ? angle - 360 : angle)
        }

        var widened: Edges {
            Edges(begins - 0.15, isFull - 0.15, isFullUntil + 0.15, ends + 0.15)
        }
    }

    /// Degrees, and Oklab's own scales; nil where all will do.
    package var hue: Edges?, lightness: Edges?, chroma: Edges?

    package init(hue: Edges? = nil, lightness: Edges? = nil, chroma: Edges? = nil) {
        (self.hue, self.lightness, self.chroma) = (hue, lightness, chroma)
    }

    /// How much a color belongs to it, 0...1.
    ///
    /// - Parameters: the color's own, so that whoever asks often need not compute them each time.
    func membership(lightness: Double, chroma: Double, hue: Double) -> Double {
        (self.hue?.membership(angle: hue) ?? 1) * (self.lightness?.membership(lightness) ?? 1)
            * (self.chroma?.membership(chroma) ?? 1)
    }
}

/// The meaning of a phrase such as "teal" or "dark red": regions of which one will do, and sides of them that
/// all must hold.
package struct ColorPhrase: Hashable, Sendable {
    package let regions: [ColorRegion]
    package let sides: [ColorRegion]
    /// Whether it is a word such as "muted" alone, which is said of a photo as a whole.
    package let isMood: Bool

    /// Reads words, lower case, with "grey" so spelled; nil when they are not such a phrase.
    ///
    /// The last is a word for a color, and those before it say which side: dark, pale, vivid. One of those
    /// may stand alone. The last may be a plural, or a word of another language. A side of lightness widens
    /// what it is said of: a dark yellow is darker than what is called yellow.
    package init?(_ words: some BidirectionalCollection<String>) {
        guard let last = words.last else { return nil }
        let own = ColorWords.region(last).flatMap { ColorWords.regions[$0] }
        let before = own == nil ? Array(words) : Array(words.dropLast())
        let sides = before.compactMap { ColorWords.modifiers[$0] }
        guard sides.count == before.count, own != nil || before.count == 1 else { return nil }
        let widens = sides.contains { $0.lightness != nil }
        regions = (own ?? [ColorRegion()]).map { region in
            var region = region
            if widens { region.lightness = region.lightness?.widened }
            return region
        }
        (self.sides, isMood) = (sides, own == nil)
    }

    /// How much a color is what the phrase says, 0...1.
    package func membership(lightness: Double, chroma: Double, hue: Double) -> Double {
        var side = 1.0, most = 0.0
        for region in sides { side *= region.membership(lightness: lightness, chroma: chroma, hue: hue) }
        if side == 0 { return 0 }
        for region in regions {
            most = max(most, region.membership(lightness: lightness, chroma: chroma, hue: hue))
        }
        return side * most
    }

    /// Whether it matters which hue a color has.
    package var asksForHue: Bool { (regions + sides).contains { $0.hue != nil } }

    /// The cells that hold all colors which are at all what the phrase says, and few others, in order; of
    /// each, how much a color in it is what the phrase says at most, 0...1.
    ///
    /// - Complexity: a look at each cell, some 20,000.
    package var bounds: [(cell: Int16, most: Double)] {
        (0..<ColorCell.count).lazy.map { ColorCell(number: $0) }.compactMap { cell in
            guard cell.mayHoldColors else { return nil }
            let span = ColorSpan(cell)
            var most = 0.0
            for region in regions { most = max(most, span.most(of: region)) }
            for side in sides where most > 0 { most *= span.most(of: side) }
            return most > 0 ? (cell.number, most) : nil
        }
    }
}
