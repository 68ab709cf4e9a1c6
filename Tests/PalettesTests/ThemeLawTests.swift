import Testing

@testable import Palettes

/// The laws that every theme meets, whatever the palette.
@Suite struct ThemeLawTests {
    static let themes = madePalettes(10_000, seed: 20_261_128).flatMap { palette in
        Theme.Variant.allCases.map { (palette, Theme(palette, $0)) }
    }

    private static let accents: [Theme.Slot] = [
        .red, .orange, .yellow, .green, .cyan, .blue, .magenta, .brown,
    ]
    private static let bright: [Theme.Slot] = [
        .brightRed, .brightYellow, .brightGreen, .brightCyan, .brightBlue, .brightMagenta,
    ]
    private static let six: [Theme.Slot] = [.red, .green, .yellow, .blue, .magenta, .cyan]

    private func least(_ value: (Theme) -> Double) -> Double {
        #expect(Self.themes.count == 20_000)
        return Self.themes.reduce(.infinity) { min($0, value($1.1)) }
    }

    private func lightness(_ theme: Theme, _ slot: Theme.Slot) -> Double {
        abs(theme[slot].lightnessContrast(on: theme[.background]))
    }

    private func ratio(_ theme: Theme, _ slot: Theme.Slot, on ground: Theme.Slot = .background) -> Double {
        theme[slot].contrast(with: theme[ground])
    }

    @Test func `text has 7 to 1 and Lc 75 on the background, 7 on surfaces, 4,5 on selections`() {
        #expect(least { ratio($0, .text) } >= 7)
        #expect(least { lightness($0, .text) } >= 75)
        #expect(least { ratio($0, .text, on: .surface) } >= 7)
        #expect(least { ratio($0, .text, on: .selection) } >= 4.5)
        #expect(least { min(ratio($0, .brightText), ratio($0, .brightestText)) } >= 7)
    }

    @Test func `comments and the text of bars have 4,5 to 1`() {
        #expect(least { ratio($0, .comment) } >= 4.5)
        #expect(least { lightness($0, .comment) } >= 45)
        #expect(least { ratio($0, .subtle, on: .surface) } >= 4.5)
    }

    @Test(arguments: accents) func `a hue has 4,5 to 1 and Lc 45`(slot: Theme.Slot) {
        #expect(least { ratio($0, slot) } >= 4.5)
        #expect(least { lightness($0, slot) } >= 45)
    }

    @Test(arguments: bright) func `a bright hue has 7 to 1 and Lc 60`(slot: Theme.Slot) {
        #expect(least { ratio($0, slot) } >= 7)
        #expect(least { lightness($0, slot) } >= 60)
    }

    @Test func `the six hues of terminals are 15 apart`() {
        let distance = least { theme in
            let labs = Self.six.map { Lab(theme[$0]) }
            return labs.indices.reduce(.infinity) { nearest, at in
                labs[..<at].reduce(nearest) { min($0, $1.difference(to: labs[at])) }
            }
        }
        #expect(distance >= 15)
    }

    @Test func `the hues are what they are called`() {
        let bands: [(Theme.Slot, center: Double, width: Double)] = [
            (.red, 25, 20), (.orange, 58, 14), (.yellow, 95, 18), (.green, 145, 24), (.cyan, 200, 22),
            (.blue, 258, 24), (.magenta, 328, 24), (.brown, 45, 20),
        ]
        for (slot, center, width) in bands {
            // 8 bits turn a hue by up to a degree and a half.
            let most = -least { -abs(LightnessChromaHue($0[slot]).turn(from: center)) }
            #expect(most <= width + 1.5, "\(slot)")
        }
    }

    @Test func `the background is dark or light, and the surface can be told from it`() {
        for (_, theme) in Self.themes {
            let lightness = Oklab(theme[.background]).lightness
            #expect(theme.variant == .dark ? lightness < 0.24 : lightness > 0.95)
        }
        #expect(least { Lab($0[.surface]).difference(to: Lab($0[.background])) } >= 3)
        #expect(Theme.terminalSlots[0] != .background)
        #expect(Set(Theme.terminalSlots).count == 16)
    }

    @Test func `roles can be read on their grounds`() {
        func ratio(_ theme: Theme, _ role: Theme.Role, on ground: Theme.Role) -> Double {
            theme.color(role).contrast(with: theme.color(ground))
        }
        for ground in [Theme.Role.background, .surface] {
            #expect(least { ratio($0, .text, on: ground) } >= 7)
            #expect(least { ratio($0, .accent, on: ground) } >= 3)
            #expect(least { ratio($0, .accentText, on: ground) } >= 4.5)
        }
        #expect(least { ratio($0, .subtle, on: .surface) } >= 4.5)
        #expect(least { min(ratio($0, .muted, on: .background), ratio($0, .border, on: .background)) } >= 4.5)
        #expect(least { ratio($0, .onAccent, on: .accent) } >= 4.5)
        #expect(least { ratio($0, .onDominant, on: .dominant) } >= 4.5)
    }

    @Test func `a palette of grays has a gray accent and eight hues`() {
        let gray = Self.themes.filter { palette, _ in
            palette.entries.allSatisfy { Oklab($0.color).chroma < 0.03 }
        }
        #expect(gray.count > 3_000)
        for (_, theme) in gray {
            #expect(theme.color(.accent) == theme[.text] && theme.color(.accentText) == theme[.text])
            // A step of 8 bits is up to 0.003.
            #expect(Oklab(theme.color(.accent)).chroma <= 0.023)
            #expect(Self.accents.allSatisfy { Oklab(theme[$0]).chroma > 0.04 })
        }
    }

    @Test func `an accent that can be read is the palette's own color`() {
        var own = 0
        for (palette, theme) in Self.themes {
            let colors = palette.entries.map { (Oklab($0.color), $0.share) }
            guard let accent = Accent(colors).map({ palette.entries[$0.index].color }) else { continue }
            let grounds = [theme[.background], theme[.surface]]
            if grounds.allSatisfy({ accent.contrast(with: $0) >= 3 }) {
                own += 1
                #expect(theme.color(.accent) == accent)
            }
        }
        #expect(own > 3_000)
    }

    /// Sums of all digits: another machine, another compiler, or an optimizer would show here.
    @Test func `every machine gives the same digits`() {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for (_, theme) in Self.themes {
            for color in theme.colors + theme.roles {
                for byte in [color.red, color.green, color.blue] {
                    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
                }
            }
        }
        #expect(String(hash, radix: 16) == "3b9a16293b1824d2")
    }
}
