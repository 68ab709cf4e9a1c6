import Foundation
import Palettes
import Testing

@testable import MoodyGallery

/// Single functions of the page's script, under Node: values by hand, of CSS Color 4, and of WCAG 2.2.
@Suite(.enabled(if: PageScript.node != nil, "no node here")) struct PageScriptTests {
    @Test func `colors are copied as CSS writes them`() throws {
        try PageScript.expect([
            ("hsl('#ff0080')", "\"hsl(330 100% 50%)\""), ("hsl('#008080')", "\"hsl(180 100% 25%)\""),
            ("hsl('#808080')", "\"hsl(0 0% 50%)\""), ("hsl('#8000ff')", "\"hsl(270 100% 50%)\""),
            // A gray has no hue, whatever the last bits say.
            ("oklch('#808080')", "\"oklch(0.5999 0 0)\""), ("oklch('#000000')", "\"oklch(0 0 0)\""),
            ("oklch('#ff0000')", "\"oklch(0.628 0.2577 29.23)\""),
            ("displayP3('#ff0000')", "\"color(display-p3 0.9175 0.2003 0.1386)\""),
            ("formats.rgb({hex: '#0a0b0c'})", "\"rgb(10 11 12)\""),
            (
                "formats['Display P3']({hex: '#ff0000', p3: 'color(display-p3 1 0 0)'})",
                "\"color(display-p3 1 0 0)\""
            ),
        ])
    }

    /// Black and white letters are as well read on a luminance of sqrt(1.05 * 0.05) - 0.05 = 0.179.
    @Test func `letters on a swatch are those that are read better`() throws {
        try PageScript.expect([
            ("inkOn('#757575')", "\"#fff\""), ("inkOn('#767676')", "\"#000\""),
            ("inkOn('#ffff00')", "\"#000\""), ("inkOn('#0000ff')", "\"#fff\""),
            ("contrast('#ffffff', '#000000')", "21"),
        ])
    }

    /// The command and the page read the same ways to write a color.
    @Test(arguments: [
        ("rgb(50% 0% 100%)", "#8000ff"), ("rgb(none 102 204)", "#0066cc"), ("hsl(-40 100% 50%)", "#ff00aa"),
        ("hsl(320deg 100% 50%)", "#ff00aa"), ("hsl(1040 100% 50%)", "#ff00aa"),
        ("oklch(0.6 25% 200)", "#0d9298"), ("oklch(62.796% 0.25768 29.23)", "#ff0000"),
        ("rgb(300 -5 0)", "#ff0000"), ("rgb(51,102,204)", "#3366cc"),
    ])
    func `a color is read however CSS lets it be written`(text: String, hex: String) throws {
        #expect(RGB(cssText: text)?.hex == hex)
        try PageScript.expect([("spelled('\(text)')", "\"\(hex)\"")])
    }

    @Test func `a path is searched below the folder that all photos lie in`() throws {
        try PageScript.expect(
            [
                ("commonFolder(['/a/bc/x.jpg', '/a/bd/y.jpg'])", "\"/a/\""),
                ("commonFolder(['/a/b/x.jpg'])", "\"/a/b/\""),
                ("commonFolder(['/ab/x.jpg', '/a/x.jpg'])", "\"/\""),
                ("commonFolder(['a.jpg', 'ab.jpg'])", "\"\""), ("commonFolder([])", "\"\""),
            ], after: [try PageScript.part(from: "const commonFolder =", to: "let folder = ''")])
    }

    @Test func `numbers are grouped by threes`() throws {
        try PageScript.expect(
            [
                ("grouped(999)", "\"999\""), ("grouped(1000)", "\"1,000\""),
                ("grouped(1234567)", "\"1,234,567\""),
            ], after: [try PageScript.part(from: "const grouped =", to: "// What header")])
    }

    /// A swatch is 16 pixels wide at least, as large as a finger's aim, or all are equal.
    @Test func `a strip's swatches can be seen and clicked`() throws {
        try PageScript.expect(
            [
                ("extents([0.99, 0.01], 160)", "[[0,90],[90,10]]"),
                ("extents([0.99, 0.01], 1600)", "[[0,97],[97,3]]"),
                ("extents([0.6, 0.4], 100)", "[[0,60],[60,40]]"),
                ("extents([1, 0, 0, 0], 32)", "[[0,25],[25,25],[50,25],[75,25]]"),
                ("extents([0, 0], 1000)", "[[0,50],[50,50]]"),
            ], after: [try PageScript.part(from: "const extents =", to: "const stripOf =")])
    }

    /// 960 pixels inside of the margins have five columns of 190; 1350 - 2 * 60 - 140 - 36 - 3 * 96 = 766.
    @Test func `a card of many colors names three rows of them`() throws {
        let part = try PageScript.part(from: "const cardLayout =", to: "const drawCard =")
        try PageScript.expect(
            [
                ("cardLayout(1, 32, [1080, 1350]).legend.count", "15"),
                ("cardLayout(1, 32, [1080, 1350]).photo", "[157,60,766,766]"),
                ("cardLayout(1, 15, [1080, 1350]).photo", "[157,60,766,766]"),
                ("cardLayout(0, 2, [1280, 480]).photo[3]", "0"),
            ], after: [part])
    }

    @Test func `copied CSS is one comment and one rule, whatever the name`() throws {
        let parts = [
            "const written = swatch => swatch.hex;",
            try PageScript.part(from: "const css = ({name", to: "const download ="),
        ]
        try PageScript.expect(
            [
                (
                    "css({name: '*/ }\\n.jpg', swatches: [{hex: '#112233', name: '', share: 0.004}]})",
                    #""/* \\2a / } .jpg */\n:root {\n  --color-1: #112233; /* < 1 % */\n}\n""#
                ),
                ("stemOf({name: 'a.b.jpg'})", "\"a.b\""), ("stemOf({name: '.jpg'})", "\"palette\""),
                ("stemOf({name: 'plain'})", "\"plain\""),
            ], after: parts)
    }

    @Test func `the board's palette adds up the shares of colors that look alike`() throws {
        let photo =
            "{swatches: [{hex: '#cc0000', share: 0.4, name: 'a'}, {hex: '#0000cc', share: 0.6, name: 'b'}]}"
        let other =
            "{swatches: [{hex: '#cd0101', share: 0.9, name: 'c'}, {hex: '#00cc00', share: 0.1, name: 'd'}]}"
        try PageScript.expect(
            [
                (
                    "boardPalette([\(photo), \(other)]).map(({name, share}) => [name, +share.toFixed(3)])",
                    #"[["c",0.65],["b",0.3],["d",0.05]]"#
                ),
                ("boardPalette([])", "[]"),
            ], after: [try PageScript.part(from: "const boardPalette =", to: "const boardPhotos =")])
    }

    /// ITU-T T.871: JFIF's segment follows SOI; EXIF comes behind it.
    @Test func `a moment is put behind JFIF's segment, and not into a photo that has one`() throws {
        let parts = [try PageScript.part(from: "const exifOf =", to: "\n// ---- ")]
        let jfif = "0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2",
            exif = "0xFF, 0xE1, 0, 8, 0x45, 0x78, 0x69, 0x66, 0, 0"
        let date = "new Date(1704434828009)"
        try PageScript.expect(
            [
                (
                    "[...dated(Uint8Array.from([\(jfif), 0xFF, 0xD9]), \(date)).slice(0, 10)]",
                    "[255,216,255,224,0,4,1,2,255,225]"
                ),
                (
                    "[...dated(Uint8Array.from([0xFF, 0xD8, 0xFF, 0xD9]), \(date)).slice(0, 4)]",
                    "[255,216,255,225]"
                ),
                ("dated(Uint8Array.from([\(jfif), \(exif), 0xFF, 0xD9]), \(date)).length", "20"),
                ("dated(Uint8Array.from([0x89, 0x50]), \(date)).length", "2"),
            ], after: parts)
    }

    @Test func `a color that is picked is named by the palette's nearest`() throws {
        let parts = [
            "const written = swatch => swatch.hex;",
            "let open = {swatches: [{hex: '#ff0000', name: 'red'}, {hex: '#0000ff', name: 'blue'}]};",
            try PageScript.part(from: "const nearestOf =", to: "const showPicked ="),
        ]
        try PageScript.expect(
            [
                ("wordsFor('#ff0000')", "\"#ff0000, red\""),
                ("wordsFor('#1111ee')", "\"#1111ee, near blue #0000ff\""),
                ("(open = {swatches: []}, wordsFor('#ff0000'))", "\"#ff0000\""),
            ], after: parts)
    }
}
