extension Theme.Variant {
    /// The lightness that text goes to when it has to be easier to read.
    var textEnd: Double { self == .dark ? 1 : 0 }

    /// 1 toward lighter text, -1 toward darker.
    fileprivate var step: Double { self == .dark ? 1 : -1 }

    fileprivate func choose(_ dark: Double, _ light: Double) -> Double { self == .dark ? dark : light }
}

extension Theme {
    /// Derives the theme of a palette; one without colors has that of a middle gray.
    ///
    /// Lightness decides what can be read, and so is chosen here; hue and chroma are the palette's where it
    /// has a color of a slot's hue. Linear in colors; about half a millisecond.
    public init(_ palette: Palette, _ variant: Variant) {
        let entries = palette.entries.isEmpty ? [Self.gray] : palette.entries
        let ramp = Ramp(entries, variant)
        let hues = Hues(entries, variant, ground: ramp.background.color)
        var colors = [RGB](repeating: .black, count: Slot.allCases.count)
        for (slot, color) in ramp.slots { colors[slot.rawValue] = color.color }
        for (slot, color) in hues.slots { colors[slot.rawValue] = color.color }
        self.variant = variant
        self.colors = colors
        roles = Self.roles(of: entries, colors: colors, variant: variant)
    }
}

/// Backgrounds and texts: one hue, from the background to the brightest text.
private struct Ramp {
    let background: LightnessChromaHue
    private(set) var slots: [(Theme.Slot, LightnessChromaHue)] = []

    init(_ entries: [Palette.Entry], _ variant: Theme.Variant) {
        let ground = Self.ground(entries, variant)
        let range = variant == .dark ? 0.17...0.23 : 0.955...0.985
        background = LightnessChromaHue(
            lightness: min(max(ground.lightness, range.lowerBound), range.upperBound),
            chroma: min(ground.chroma, variant.choose(0.03, 0.012)), hue: ground.hue)
        let color = background.color
        let lab = Lab(color)
        let end = variant.textEnd
        var surface = background
        surface.lightness += variant.step * 0.05
        surface = surface.moved(toward: end) { Lab($0).difference(to: lab) >= 3 }
        var selection = background
        selection.lightness += variant.step * 0.11
        let (surfaceColor, selectionColor) = (surface.color, selection.color)

        // Text has less color than its ground: at a third of the light it would look stronger.
        var comment = background
        comment.chroma = min(comment.chroma, 0.02)
        var text = comment
        var brightest = comment
        comment.lightness += variant.step * 0.30
        comment = comment.moved(toward: end) { $0.isReadable(on: color, ratio: 4.5, lightness: 45) }
        text.lightness = variant.choose(0.87, 0.33)
        text = text.moved(toward: end) {
            $0.isReadable(on: color, ratio: 7, lightness: 75) && $0.contrast(with: surfaceColor) >= 7
                && $0.contrast(with: selectionColor) >= 4.5
        }
        brightest.lightness = variant.choose(0.985, 0.12)
        var deep = background
        deep.lightness += (1 - end - deep.lightness) / 3
        var deepest = background
        deepest.lightness += (1 - end - deepest.lightness) * 2 / 3
        slots = [
            (.background, background), (.surface, surface), (.selection, selection), (.comment, comment),
            (.subtle, comment.halfway(to: text)), (.text, text), (.brightText, text.halfway(to: brightest)),
            (.brightestText, brightest), (.deepBackground, deep), (.deepestBackground, deepest),
        ]
    }

    /// The palette's darkest large color, or its lightest; the first of two that are as good.
    private static func ground(_ entries: [Palette.Entry], _ variant: Theme.Variant) -> LightnessChromaHue {
        var best = LightnessChromaHue(entries[0].color)
        var most = -1.0
        for entry in entries {
            let color = LightnessChromaHue(entry.color)
            let nearness = variant == .dark ? 1 - color.lightness : color.lightness
            let worth = entry.share * nearness * nearness
            if worth > most {
                best = color
                most = worth
            }
        }
        return best
    }
}

/// The eight hues of syntax, and the six bright ones.
private struct Hues {
    private(set) var slots: [(Theme.Slot, LightnessChromaHue)] = []

    private struct Band {
        let slot: Theme.Slot
        let bright: Theme.Slot?
        /// Degrees.
        let center: Double, width: Double
        /// Preferred lightness. Red and green differ on purpose, for those who do not see the hues.
        let dark: Double, light: Double
        var strength = 1.0
    }

    private static let bands = [
        Band(slot: .red, bright: .brightRed, center: 25, width: 20, dark: 0.70, light: 0.39),
        Band(slot: .yellow, bright: .brightYellow, center: 95, width: 18, dark: 0.82, light: 0.56),
        Band(slot: .green, bright: .brightGreen, center: 145, width: 24, dark: 0.85, light: 0.545),
        Band(slot: .cyan, bright: .brightCyan, center: 200, width: 22, dark: 0.77, light: 0.54),
        Band(slot: .blue, bright: .brightBlue, center: 258, width: 24, dark: 0.71, light: 0.53),
        Band(slot: .magenta, bright: .brightMagenta, center: 328, width: 24, dark: 0.72, light: 0.53),
        Band(slot: .orange, bright: nil, center: 58, width: 14, dark: 0.75, light: 0.56),
        Band(slot: .brown, bright: nil, center: 45, width: 20, dark: 0.60, light: 0.45, strength: 0.7),
    ]
    /// The first bands of the list: those that a terminal's programs tell things apart by.
    private static let apartCount = 6
    private static let chromas = 0.09...0.17

    private struct Colorful {
        let color: LightnessChromaHue
        let worth: Double
    }

    init(_ entries: [Palette.Entry], _ variant: Theme.Variant, ground: RGB) {
        let colorful = entries.compactMap { entry -> Colorful? in
            let color = LightnessChromaHue(entry.color)
            guard color.chroma >= Accent.leastChroma, 0.15 < color.lightness, color.lightness < 0.97 else {
                return nil
            }
            return Colorful(
                color: color, worth: color.chroma * entry.share.squareRoot().squareRoot())
        }
        let level = colorful.isEmpty ? 0 : Self.level(entries)
        var wanted = Self.bands.map { band in
            var color = LightnessChromaHue(
                lightness: variant.choose(band.dark, band.light), chroma: level, hue: band.center)
            var most = 0.0
            for one in colorful where abs(one.color.turn(from: band.center)) <= band.width {
                if one.worth > most {
                    color.hue = one.color.hue
                    color.chroma = one.color.chroma
                    most = one.worth
                }
            }
            let chroma = min(max(color.chroma, Self.chromas.lowerBound), Self.chromas.upperBound)
            color.chroma = band.strength * chroma
            return color
        }
        func readable(_ color: LightnessChromaHue, ratio: Double, lightness: Double) -> LightnessChromaHue {
            color.moved(toward: variant.textEnd) {
                $0.isReadable(on: ground, ratio: ratio, lightness: lightness)
            }
        }
        var found = wanted.map { readable($0, ratio: 4.5, lightness: 45) }
        for round in 1...4 {
            let near = Self.near(found)
            if near.isEmpty { break }
            for at in near {
                let center = Self.bands[at].center
                let turn = wanted[at].turn(from: center)
                wanted[at].hue = center + (round == 4 ? 0 : turn / 2)
                wanted[at].chroma += 0.02
                found[at] = readable(wanted[at], ratio: 4.5, lightness: 45)
            }
        }
        for (band, color) in zip(Self.bands, found) {
            slots.append((band.slot, color))
            guard let bright = band.bright else { continue }
            var lifted = color
            lifted.lightness = min(max(color.lightness + variant.step * 0.07, 0), 1)
            slots.append((bright, readable(lifted, ratio: 7, lightness: 60)))
        }
    }

    /// How colorful the photo is: half of the mean chroma, half of the largest.
    private static func level(_ entries: [Palette.Entry]) -> Double {
        var sum = 0.0
        var weights = 0.0
        var most = 0.0
        for entry in entries {
            let chroma = Oklab(entry.color).chroma
            let weight = entry.share.squareRoot()
            sum += chroma * weight
            weights += weight
            most = max(most, chroma)
        }
        return (weights > 0 ? sum / weights : 0) / 2 + most / 2
    }

    /// Places of the colors that are too near to another one.
    private static func near(_ colors: [LightnessChromaHue]) -> [Int] {
        let labs = colors.prefix(apartCount).map { Lab($0.color) }
        return labs.indices.filter { at in
            labs.indices.contains { $0 != at && labs[$0].difference(to: labs[at]) < 15 }
        }
    }
}

extension LightnessChromaHue {
    fileprivate func halfway(to other: LightnessChromaHue) -> LightnessChromaHue {
        var color = self
        color.lightness = (lightness + other.lightness) / 2
        return color
    }
}

extension RGB {
    /// - Parameter lightness: the least Lc, whichever of the two is lighter.
    fileprivate func isReadable(on ground: RGB, ratio: Double, lightness: Double) -> Bool {
        contrast(with: ground) >= ratio && abs(lightnessContrast(on: ground)) >= lightness
    }
}
