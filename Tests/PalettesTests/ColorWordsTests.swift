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
}
