import Testing

@testable import Palettes

/// Colors as CSS Color 4 writes them. #3366cc is 51, 102, 204, which are 20, 40 and 80 %; its hue is 220
/// degrees, its saturation 60 %, its lightness 50 %. By Oklab's matrices it is oklch(0.53248 0.16787
/// 262.293), and 100 % of chroma are 0.4.
@Suite struct CSSTextTests {
    @Test(arguments: [
        "#36c", "36c", "#3366cc", "3366cc", "rgb(51 102 204)", "rgb(51,102,204)", "rgb( 51 , 102 , 204 )",
        "rgb(20% 40% 80%)", "rgb(20% 102 80%)", "hsl(220 60% 50%)", "hsl(220 60 50)",
        "hsl(220deg, 60%, 50%)", "hsl(-140 60% 50%)", "hsl(580deg 60% 50%)", "oklch(0.53248 0.16787 262.293)",
        "oklch(53.248% 41.967% 262.293deg)", "rgb(51\u{FEFF}102\u{200B}204)",
        "rgb(51\u{3000}102\t204)",
    ])
    func `a color is read in each of its forms`(text: String) {
        #expect(RGB(cssText: text)?.hex == "#3366cc")
    }

    @Test(arguments: [
        ("rgb(none 102 204)", "#0066cc"), ("rgb(-5 300 0)", "#00ff00"), ("rgb(127.5 0.5 0.4)", "#800100"),
        ("rgb(-0.5 .5% 100.2%)", "#0001ff"), ("hsl(none 0% 100%)", "#ffffff"), ("#123", "#112233"),
        ("abcdef", "#abcdef"), ("a1b", "#aa11bb"),
        // ColorAide 8.13.1: red is oklch(0.62796 0.25768 29.234).
        ("oklch(0.62796 0.25768 29.234)", "#ff0000"), ("oklch(62.796%,0.25768,389.234deg)", "#ff0000"),
        ("oklch(62.796%,0.25768,-330.766)", "#ff0000"), ("oklch(1 0 none)", "#ffffff"),
    ])
    func `what lies outside is cut, halves are rounded up, percents are of each part's own whole`(
        text: String, hex: String
    ) {
        #expect(RGB(cssText: text)?.hex == hex)
    }

    @Test(arguments: [
        "", "#", "#face", "#33", "abc", "123", "336699", "face", "gggggg", "rgb(51 102)", "rgb(51 102 204 1)",
        "rgb(51 102 204 x)", "rgb(51 102 x)", "rgb(51. 102 204)", "rgb(. 102 204)", "rgb(+51 102 204)",
        "rgb(0x33 102 204)", "rgb(1e2 102 204)", "rgb(51 102 204", "rgb()", "lab(1 2 3)", "(1 2 3)",
        "rgb(--5 102 204)", "rgb(nan 102 204)", "hsl(220 60%% 50%)",
    ])
    func `anything else is no color`(text: String) { #expect(RGB(cssText: text) == nil) }
}
