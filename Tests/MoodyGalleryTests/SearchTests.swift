import Palettes
import Testing

@testable import MoodyGallery

@Suite struct SearchTests {
    private static func mood(_ colors: [(String, Double)], _ texts: [String] = [], day: Int32 = 0)
        -> SearchMood
    {
        SearchMood(
            swatches: colors.map { SearchSwatch(RGB(hex: $0.0)!, share: $0.1) }, texts: texts, day: day)
    }

    private static func found(_ query: String, _ moods: [SearchMood], share: Double = 0, within: Double = 10)
        -> [Int]
    {
        MoodSearch(terms: SearchTerm.all(in: query), within: within, share: share).matches(in: moods).map(
            \.index)
    }

    @Test func `names of the survey are read as people write them, longest first`() {
        for (query, count) in [
            ("ocean blue", 1), ("terracotta", 1), ("rust", 1), ("cream", 1), ("sage", 1), ("dark red", 1),
            ("teal orange", 2), ("midnight blue harbour", 2), ("rgb(51, 102, 204) #36c", 2), ("", 0),
            (" ,; ", 0),
        ] {
            let terms = SearchTerm.all(in: query)
            #expect(terms.count == count, "\(query)")
            #expect(terms.allSatisfy { ($0.color == nil) == ($0.text == "harbour") }, "\(query)")
        }
    }

    /// CSS Color 4's own examples, and the hexes that Chromium computes.
    @Test(arguments: [
        ("#36c", "#3366cc"), ("36c", "#3366cc"), ("3366cc", "#3366cc"), ("rgb(51 102 204)", "#3366cc"),
        ("rgb(20%, 40%, 80%)", "#3366cc"),
        ("hsl(220 60% 50%)", "#3366cc"), ("hsl(-140 60% 50%)", "#3366cc"),
        ("oklch(62.8% 0.25768 29.234)", "#ff0000"),
        ("oklch(0.5 0 none)", "#636363"), ("oklch(40.1% 0.123 21.57)", "#7d2429"),
        ("oklch(59.69% 0.156 49.77)", "#c65d07"), ("oklch(59.69% 39% 49.77deg)", "#c65d07"),
        ("oklch(40.1% 30.75% 21.57)", "#7d2429"),
    ])
    func `colors are read as CSS writes them`(text: String, hex: String) {
        #expect(RGB(cssText: text)?.hex == hex)
    }

    @Test func `what is no color is none`() {
        for text in [
            "", "336699", "rgb(1 2)", "rgb(1 2 3", "oklch(a b c)", "lab(1 2 3)", "#12", "336", "abc",
            "rgb(1 2 nan)", "rgb(5. 5. 5.)", "rgb(1e2 5 5)", "rgb(- 1 2)",
        ] {
            #expect(RGB(cssText: text) == nil, "\(text)")
        }
    }

    @Test func `half a photo of nearly a color stands before a sliver of exactly that`() {
        let moods = [
            Self.mood([("#008080", 0.02), ("#ffffff", 0.98)]),
            Self.mood([("#0a8a84", 0.5), ("#ffffff", 0.5)]),
        ]
        #expect(Self.found("#008080", moods) == [1, 0])
        #expect(Self.found("teal", moods) == [1, 0])
        #expect(Self.found("teal", moods, share: 0.1) == [1])
        #expect(Self.found("#008080", moods, share: 0.1) == [1])
    }

    @Test func `all terms must hold, and both grey and gray, color and color do`() {
        let moods = [
            Self.mood([("#c83232", 0.5), ("#808080", 0.5)], ["Harbour color.jpg"]),
            Self.mood([("#c83232", 1)]),
            Self.mood([("#808080", 1)]),
        ]
        #expect(Self.found("red", moods) == [1, 0])
        #expect(Self.found("red grey", moods) == [0])
        #expect(Self.found("gray", moods) == [2, 0])
        #expect(Self.found("red harb", moods) == [0])
        #expect(Self.found("colour", moods) == [0])
        #expect(Self.found("purple", moods) == [])
    }

    /// Differences by color-science 0.4.6: CIEDE2000 18.27 and 16.98, HyAB 127.4 and 62.9.
    @Test func `a grey is not near to a strong color`() {
        let moods = [Self.mood([("#6e7d7f", 1)]), Self.mood([("#ff4e9d", 0.1), ("#ffffff", 0.9)])]
        #expect(Self.found("#ff00ff", moods, within: 20) == [1])
        let pink = Lab(RGB(hex: "#ff00ff")!), grey = Lab(RGB(hex: "#6e7d7f")!)
        #expect(pink.difference(to: grey) < 18.5 && pink.distance(to: grey) > 30)
    }

    @Test func `a name breaks ties, and finds what lacks the color at the end`() {
        let moods = [
            Self.mood([("#202020", 1)], ["green.jpg"]), Self.mood([("#0a8a2a", 0.02), ("#fff", 0.98)]),
            Self.mood([("#0a8a2a", 1)]), Self.mood([("#0a8a2a", 1)], ["green.jpg"]),
        ]
        #expect(Self.found("green", moods) == [3, 2, 1, 0])
        #expect(Self.found("#0a8a2a", moods) == [2, 3, 1])
        #expect(Self.found("-green", moods) == [])
        #expect(Self.found("not green", moods + [Self.mood([("#0000ff", 1)])]) == [4])
    }

    @Test func `alternatives, what must not be there, and words between terms`() {
        let teal = ("#008080", 0.5), navy = ("#101a50", 0.5), white = ("#ffffff", 0.5)
        let moods = [
            Self.mood([teal, white]), Self.mood([navy, white]), Self.mood([teal, navy]), Self.mood([white]),
        ]
        #expect(Set(Self.found("teal or navy", moods)) == [0, 1, 2])
        #expect(Self.found("teal and navy", moods) == [2])
        #expect(Self.found("teal & navy", moods) == [2])
        #expect(Self.found("teal+navy", moods) == [2])
        #expect(Self.found("teal not navy", moods) == [0])
        #expect(Self.found("teal -navy", moods) == [0])
        #expect(Self.found("teal without navy", moods) == [0])
        #expect(Set(Self.found("not teal", moods)) == [1, 3])
        #expect(Set(Self.found("not teal or navy", moods)) == [1, 2, 3])
        // Where they stand between nothing they are words.
        #expect(Self.found("or", [Self.mood([], ["or.jpg"])]) == [0])
        #expect(Self.found("not", [Self.mood([], ["not.jpg"])]) == [0])
    }

    @Test func `plurals, other languages and letters as they are typed`() {
        let red = Self.mood([("#c02020", 1)])
        for query in ["red", "reds", "rot", "rouges", "rojo", "rosso", "vermelho", "rood"] {
            #expect(Self.found(query, [red]) == [0], "\(query)")
        }
        for query in ["grün", "gruen", "grun", "vert", "verde", "groen"] {
            #expect(Self.found(query, [Self.mood([("#209030", 1)])]) == [0], "\(query)")
        }
        for (query, name) in [
            ("οδός", "ΟΔΟΣ"), ("ΟΔΟΣ", "Οδοσαβ"), ("strasse", "Straße"), ("straße", "STRASSE"),
            ("aero", "Ærø"), ("lodz", "Łódź"), ("oeuvre", "Œuvre"),
        ] {
            #expect(Self.found(query, [Self.mood([], [name])]) == [0], "\(query)")
        }
    }

    @Test func `a word such as muted holds for a third of a photo`() {
        let muted = ("#7a8a78", 0.3), strong = ("#ff0000", 0.7)
        #expect(Self.found("muted", [Self.mood([muted, strong])]) == [])
        #expect(Self.found("muted", [Self.mood([("#7a8a78", 0.4), ("#ff0000", 0.6)])]) == [0])
        #expect(Self.found("vibrant", [Self.mood([muted, strong]), Self.mood([muted])]) == [0])
    }

    @Test func `the tolerance is CIEDE2000`() {
        let far = Lab(RGB(hex: "#3366cc")!).distance(to: Lab(RGB(hex: "#2f7ed8")!))
        let moods = [Self.mood([("#2f7ed8", 1)])]
        #expect(Self.found("#3366cc", moods, within: far + 0.01) == [0])
        #expect(Self.found("#3366cc", moods, within: far - 0.01) == [])
    }

    @Test func `text is found by its words, never as letters within one`() {
        let mood = Self.mood(
            [], ["shared/IMG_0001.jpg", "DarkIvy", "Reykjavík", "Canon EOS 5D"], day: 20_240_628)
        for query in [
            "img", "0001", "ivy", "darkivy", "reykjavik", "eos", "2024", "june", "2024-06", "2024-06-28",
            "share", "5d",
        ] {
            #expect(Self.found(query, [mood]) == [0], "\(query)")
        }
        for query in ["red", "vy", "mg", "001", "2024-07", "jpg red", "hared"] {
            #expect(Self.found(query, [mood]) == [], "\(query)")
        }
        // A word that is a color is in a name only when it is all of a word there.
        #expect(Self.found("red", [Self.mood([], ["red door.jpg"]), Self.mood([], ["redwood.jpg"])]) == [0])
    }

    @Test func `photos like one have its colors in its shares`() {
        let palette = [("#1c5da6", 0.6), ("#d4bf92", 0.4)].map { SearchSwatch(RGB(hex: $0.0)!, share: $0.1) }
        let moods = [
            Self.mood([("#1c5da6", 0.1), ("#000000", 0.9)]), Self.mood([("#2060a8", 0.5), ("#d8c090", 0.5)]),
            Self.mood([("#1c5da6", 0.6), ("#d4bf92", 0.4)]), Self.mood([("#00ff00", 1)]),
        ]
        let search = MoodSearch(terms: [SearchTerm(like: palette)])
        // The blue in the night is like a part of it, and comes last.
        #expect(search.matches(in: moods).map(\.index) == [2, 1, 0])
    }

    @Test func `a side of a color is darker, paler or more vivid`() {
        let moods = ["#5a0f12", "#d42020", "#d8a0a0", "#9bd3ae", "#1f4d2b"].map { Self.mood([($0, 1)]) }
        #expect(Self.found("dark red", moods) == [0])
        #expect(Self.found("vivid red", moods) == [1])
        #expect(Self.found("dark", moods) == [0, 4])
        #expect(Self.found("pastel green", moods) == [3])
        #expect(Self.found("dark green", moods) == [4])
    }
}
