import TestSupport
import Testing

@testable import Palettes

@Suite struct ColorNameTests {
    @Test func `there are 148 keywords, 949 survey names and 16 basic words, without a gap`() {
        #expect(ColorName.css.count == 148)
        #expect(ColorName.survey.count == 949)
        #expect(RGB.basicNames.count == 16)
        #expect(Set(ColorName.css.map(\.name)).count == 148)
        #expect(Set(ColorName.survey.map(\.name)).count == 949)
        let survey = Set(ColorName.survey.map(\.name))
        for basic in BasicColor.allCases {
            #expect(basic.typicalNames.isSubset(of: survey), "\(basic.typicalNames.subtracting(survey))")
        }
    }

    /// CSS Color 4, section 6.1, and https://xkcd.com/color/rgb/.
    @Test(arguments: [
        ("rebeccapurple", "#663399"), ("aliceblue", "#f0f8ff"), ("yellowgreen", "#9acd32"),
        ("Teal", "#008080"),
        ("GREY", "#808080"), ("gray", "#808080"), ("tomato", "#ff6347"),
    ])
    func `keywords are read in any case`(name: String, hex: String) {
        #expect(RGB(cssName: name)?.hex == hex)
    }

    @Test func `other words are no keywords`() {
        for name in ["", "cloudy blue", "transparent", "#fff", "red "] { #expect(RGB(cssName: name) == nil) }
    }

    @Test(arguments: [
        ("#663399", "rebecca purple"), ("#acc2d9", "cloudy blue"), ("#ff0000", "red"), ("#0000ff", "blue"),
        ("#f97306", "orange"), ("#029386", "teal"), ("#696969", "dim grey"), ("#000000", "black"),
    ])
    func `a color in the tables has its own name`(hex: String, name: String) {
        #expect(RGB(hex: hex)?.name == name)
    }

    @Test func `names are the nearest by CIEDE2000, compared with all`() {
        let names = ColorName.display
        var random = SplitMix64(seed: 949)
        let labs = names.map { Lab($0.color) }
        for round in 0..<400 {
            var color = RGB.random(using: &random)
            // Among the blues hue and chroma lean on each other; dark grays are near many names.
            if round % 4 == 1 { color = RGB(red: color.red / 4, green: color.green / 4, blue: color.blue) }
            if round % 4 == 2 { color = RGB(red: color.red, green: color.red, blue: color.red ^ 3) }
            let lab = Lab(color), differences = labs.map { $0.difference(to: lab) }
            let nearest = differences.indices.min { differences[$0] < differences[$1] }
            #expect(color.name == nearest.map { names[$0].name }, "\(color)")
        }
    }

    @Test(arguments: [
        ("#101010", "black"), ("#fafafa", "white"), ("#9a9a9a", "grey"), ("#b01818", "red"),
        ("#e8842c", "orange"), ("#f2d43a", "yellow"), ("#1f4d2b", "green"), ("#5a9e4b", "green"),
        ("#2b5fa8", "blue"), ("#9cc9ec", "blue"), ("#12204a", "blue"), ("#7d3c98", "purple"),
        ("#f4a6bd", "pink"), ("#5c3a1e", "brown"), ("#dcc9a0", "beige"), ("#6b7320", "olive"),
        ("#1f8a86", "teal"), ("#58e8ee", "cyan"), ("#c2187b", "magenta"),
    ])
    func `everyday colors are filed under the word people would look for`(hex: String, word: String) {
        #expect(RGB(hex: hex)?.basicName == word)
    }

    @Test func `no printed name is indelicate, silly, dull or spelled in two ways`() {
        let names = Set(ColorName.display.map(\.name))
        for name in [
            "poop brown", "puke", "ugly yellow", "baby shit green", "bland", "windows blue", "dimgray",
            "dark gray",
            "blue/green", "liliac", "dull blue", "darkblue",
        ] {
            #expect(!names.contains(name), "\(name)")
        }
        #expect(!names.contains { $0.contains("gray") })
        // No two are one name written together and apart.
        let joined = ColorName.display.map { $0.name.filter { $0 != " " } }
        let twice = Set(joined.filter { name in joined.count { $0 == name } > 1 })
        #expect(twice.subtracting(["red", "blue"]).isEmpty, "\(twice)")
    }

    @Test func `dark is darker than the name alone, and light is lighter`() {
        let names = Dictionary(grouping: ColorName.display, by: \.name)
        var compared = 0
        for (words, sign) in [
            (["dark", "deep", "dim", "very dark", "darkish"], -1.0),
            (["light", "pale", "very light", "lightish"], 1),
        ] {
            for entry in ColorName.display {
                guard let word = words.first(where: { entry.name.hasPrefix($0 + " ") }),
                    let bases = names[String(entry.name.dropFirst(word.count + 1))]
                else { continue }
                for base in bases {
                    compared += 1
                    let step = Lab(entry.color).lightness - Lab(base.color).lightness
                    #expect(step * sign > 0, "\(entry.name) beside \(base.name): \(step)")
                }
            }
        }
        #expect(compared > 100)
    }
}

@Suite struct ContrastTests {
    /// WebAIM's contrast checker and WCAG 2.2's own figures.
    @Test(arguments: [
        ("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#767676", "#ffffff", 4.54),
        ("#0000ff", "#ffffff", 8.59), ("#ff0000", "#ffffff", 4.0), ("#336699", "#336699", 1.0),
    ])
    func `contrast agrees with published ratios, both ways`(first: String, second: String, ratio: Double)
        throws
    {
        let first = try #require(RGB(hex: first)), second = try #require(RGB(hex: second))
        #expect(abs(first.contrast(with: second) - ratio) < 0.005)
        #expect(first.contrast(with: second) == second.contrast(with: first))
    }

    @Test func `text on any color can be read`() {
        var random = SplitMix64(seed: 21)
        for _ in 0..<2_000 {
            let color = RGB.random(using: &random)
            #expect(color.contrast(with: color.textColor) >= 4.5)
        }
        #expect(RGB.white.textColor == .black && RGB.black.textColor == .white)
    }
}
