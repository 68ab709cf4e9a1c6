import Testing

@testable import Palettes

/// Regions of words beside the names that the survey's people gave to single colors, a table of its own.
@Suite struct ColorWordsTests {
    private static let basic = [
        "black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown",
    ]

    private static func membership(_ word: String, _ color: RGB) throws -> Double {
        let color = Oklab(color), phrase = try #require(ColorPhrase([word]))
        return phrase.membership(lightness: color.lightness, chroma: color.chroma, hue: color.hue)
    }

    /// Names such as "dusty blue".
    private static func colors(called word: String) -> [RGB] {
        ColorName.survey.filter {
            $0.name.split(separator: " ").last.map { $0 == "gray" ? "grey" : $0 } == word[...]
        }.map(\.color)
    }

    @Test func `a word's own color is what the word says`() throws {
        for word in ColorWords.surveyed.keys.sorted() {
            let color = try #require(ColorWords.names[word], "\(word)")
            #expect(try Self.membership(word, color) > 0.9, "\(word)")
        }
    }

    @Test func `nearly all colors that are called a kind of blue are blue, and so on`() throws {
        var found = 0, all = 0
        for word in Self.basic {
            let colors = Self.colors(called: word)
            #expect(colors.count > 1, "\(word)")
            found += try colors.count { try Self.membership(word, $0) > 0.25 }
            all += colors.count
        }
        #expect(all > 500)
        #expect(Double(found) > 0.95 * Double(all))
    }

    @Test(arguments: [
        ("red", "green"), ("yellow", "blue"), ("orange", "blue"), ("pink", "green"), ("black", "white"),
    ])
    func `words that are opposites share no color`(one: String, other: String) throws {
        for color in Self.colors(called: one) {
            #expect(try Self.membership(other, color) == 0, "\(color.hex)")
        }
        for color in Self.colors(called: other) {
            #expect(try Self.membership(one, color) == 0, "\(color.hex)")
        }
    }

    /// Rounding gives grays a hue.
    @Test func `a grey has no hue, and every lightness of it a word`() throws {
        for level in UInt8.min...UInt8.max {
            let grey = RGB(red: level, green: level, blue: level)
            let words = try Self.basic.filter { try Self.membership($0, grey) > 0.1 }
            #expect(
                !words.isEmpty && Set(words).isSubset(of: ["black", "grey", "white"]), "\(level): \(words)")
        }
    }

    @Test func `sides are read before a color, and alone one at a time`() {
        #expect(ColorPhrase(["dark", "muted", "blue"])?.sides.count == 2)
        #expect(ColorPhrase(["dark"])?.isMood == true && ColorPhrase(["dark", "blue"])?.isMood == false)
        for words in [[], ["dark", "muted"], ["blue", "dark"], ["bright", "sky"], ["blue", "red"]] {
            #expect(ColorPhrase(words) == nil, "\(words)")
        }
    }

    @Test(arguments: [
        ("violet", "purple"), ("turquoise", "teal"), ("fuchsia", "magenta"), ("aqua", "cyan"),
        ("saturated", "vivid"), ("vibrant", "vivid"), ("dusty", "muted"), ("faded", "muted"),
        ("soft", "pastel"),
    ])
    func `two words for one thing mean the same, and others do not`(word: String, other: String) throws {
        let (one, two) = try (#require(ColorPhrase([word])), #require(ColorPhrase([other])))
        #expect(one == two)
        #expect(try one != #require(ColorPhrase(["warm"])) && one != #require(ColorPhrase(["red"])))
    }

    /// CSS's deep pink has the hue 357 degrees, its dodger blue 253.
    @Test func `warm and cool are opposite sides, also beyond the hue of 0 degrees`() throws {
        let pink = RGB(red: 255, green: 20, blue: 147), blue = RGB(red: 30, green: 144, blue: 255)
        #expect(try Self.membership("warm", pink) == 1 && Self.membership("cool", pink) == 0)
        #expect(try Self.membership("cool", blue) == 1 && Self.membership("warm", blue) == 0)
    }

    /// The survey's dark yellow is darker than what is called yellow, its light purple lighter than purple.
    @Test func `a side of lightness widens what it is said of, and a side of chroma does not`() throws {
        for (side, word) in [("dark", "yellow"), ("light", "purple")] {
            let plain = try #require(ColorPhrase([word])), phrase = try #require(ColorPhrase([side, word]))
            for (narrow, wide) in zip(plain.regions, phrase.regions) {
                let narrow = try #require(narrow.lightness), wide = try #require(wide.lightness)
                #expect(abs(narrow.begins - wide.begins - 0.15) < 1e-9)
                #expect(abs(wide.ends - narrow.ends - 0.15) < 1e-9)
            }
            #expect(try #require(ColorPhrase(["vivid", word])).regions == plain.regions)
        }
    }

    @Test(arguments: [
        (ColorRegion.Edges(-20, -10, 10, 20), [350: 1.0, 345: 0.5, 5: 1, 15: 0.5, 30: 0, 330: 0, 180: 0]),
        (ColorRegion.Edges(350, 355, 385, 390), [10: 1.0, 352: 0.4, 28: 0.4, 100: 0, 340: 0, 359: 1]),
        (ColorRegion.Edges(80, 100, 120, 140), [110: 1.0, 90: 0.5, 130: 0.5, 80: 0, 140: 0, 300: 0]),
    ])
    func `a hue belongs however its corners are turned`(edges: ColorRegion.Edges, found: [Double: Double]) {
        for (angle, share) in found {
            #expect(abs(edges.membership(angle: angle) - share) < 1e-9, "\(angle)")
        }
    }

    /// A product: what is on neither side by half is a quarter of it.
    @Test func `a color is what a phrase says by the product of its sides`() throws {
        let phrase = try #require(ColorPhrase(["vivid", "light", "red"]))
        let red = try #require(ColorPhrase(["light", "red"])).regions
        let vivid = try #require(ColorWords.modifiers["vivid"])
        let light = try #require(ColorWords.modifiers["light"])
        var most = 0.0
        for chroma in stride(from: 0.11, through: 0.16, by: 0.01) {
            func share(_ region: ColorRegion) -> Double {
                region.membership(lightness: 0.68, chroma: chroma, hue: 27)
            }
            let product = share(vivid) * share(light) * (red.map(share).max() ?? 0)
            #expect(abs(phrase.membership(lightness: 0.68, chroma: chroma, hue: 27) - product) < 1e-9)
            most = max(most, product)
        }
        #expect(most > 0.1)
    }
}
