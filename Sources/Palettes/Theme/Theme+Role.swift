extension Theme {
    /// What a color of a design is for.
    public enum Role: String, CaseIterable, Sendable {
        case background, surface, selection
        /// At least 7 : 1 on `background` and `surface`.
        case text
        /// At least 4.5 : 1 on `surface`.
        case subtle
        /// At least 4.5 : 1 on `background`.
        case muted
        case border
        /// The color that the photo is remembered by, its lightness moved as little as 3 : 1 on `background`
        /// and `surface` needs. A gray photo's is `text`.
        case accent
        /// `accent`, moved on to 4.5 : 1.
        case accentText = "accent-text"
        /// Black or white: at least 4.5 : 1 on `accent`.
        case onAccent = "on-accent"
        /// The palette's largest color as it is.
        case dominant
        /// Black or white: at least 4.5 : 1 on `dominant`.
        case onDominant = "on-dominant"

        var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The colors of all roles, in their order.
    static func roles(of entries: [Palette.Entry], colors: [RGB], variant: Variant) -> [RGB] {
        func slot(_ slot: Slot) -> RGB { colors[slot.rawValue] }
        let grounds = [slot(.background), slot(.surface)]
        let remembered = Accent(entries.map { (Oklab($0.color), $0.share) }).map { entries[$0.index].color }
        var accent = slot(.text)
        var accentText = accent
        if let remembered {
            accent = Self.readable(remembered, on: grounds, ratio: 3, variant)
            accentText = Self.readable(accent, on: grounds, ratio: 4.5, variant)
        }
        let largest = entries.reduce(entries[0]) { $1.share > $0.share ? $1 : $0 }
        return Role.allCases.map { role in
            switch role {
            case .background: slot(.background)
            case .surface: slot(.surface)
            case .selection: slot(.selection)
            case .text: slot(.text)
            case .subtle: slot(.subtle)
            case .muted, .border: slot(.comment)
            case .accent: accent
            case .accentText: accentText
            case .onAccent: accent.textColor
            case .dominant: largest.color
            case .onDominant: largest.color.textColor
            }
        }
    }

    private static func readable(
        _ color: RGB, on grounds: [RGB], ratio: Double, _ variant: Variant
    ) -> RGB {
        let isEnough = { (color: RGB) in grounds.allSatisfy { color.contrast(with: $0) >= ratio } }
        // As it is, and not by way of Oklab.
        if isEnough(color) { return color }
        return LightnessChromaHue(color).moved(toward: variant.textEnd, until: isEnough).color
    }
}
