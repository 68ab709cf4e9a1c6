import MoodyGallery
import Palettes
import Testing

@Suite struct ColorDepthTests {
    @Test(arguments: [
        (["COLORTERM": "truecolor", "TERM": "xterm-256color"], ColorDepth.full),
        (["COLORTERM": "24bit", "TERM": "xterm"], .full), (["TERM": "xterm-direct"], .full),
        (["TERM": "xterm-kitty"], .full), (["TERM": "screen-256color"], .indexed),
        (["TERM": "xterm-256color", "COLORTERM": ""], .indexed), (["TERM": "xterm"], .sixteen),
        (["TERM": "linux"], .sixteen), ([:], .sixteen), (["TERM": "dumb", "COLORTERM": "truecolor"], .none),
    ])
    func `a terminal has the colours that it says`(environment: [String: String], depth: ColorDepth) {
        #expect(ColorDepth(environment: environment) == depth)
    }

    /// xterm's own tables: 16 + 36 r + 6 g + b of levels 0, 95, 135, 175, 215, 255; 232...255 are 8, 18, ... 238.
    @Test(arguments: [
        ("#ff0000", 196, 101), ("#000000", 16, 40), ("#ffffff", 231, 107), ("#5f87af", 67, nil),
        ("#080808", 232, nil), ("#eeeeee", 255, nil), ("#00cd00", nil, 42), ("#7f7f7f", nil, 100),
        ("#5c5cff", nil, 104),
    ])
    func `a colour that the terminal has is that one`(hex: String, cube: Int?, ansi: Int?) throws {
        let color = try #require(RGB(hex: hex))
        if let cube {
            #expect(
                PaletteBar.text([(color, 1)], cells: 1, depth: .indexed)
                    == "\u{1B}[38;5;\(cube)m\u{1B}[48;5;\(cube)m\u{258C}\u{1B}[0m")
        }
        if let ansi {
            #expect(
                PaletteBar.text([(color, 1)], cells: 1, depth: .sixteen)
                    == "\u{1B}[\(ansi - 10)m\u{1B}[\(ansi)m\u{258C}\u{1B}[0m")
        }
    }

    @Test func `without colours a bar is as wide, and empty`() throws {
        let red = try #require(RGB(hex: "#ff0000"))
        #expect(PaletteBar.text([(red, 1)], cells: 5, depth: .none) == "     ")
        #expect(
            PaletteBar.text([(red, 1)], cells: 2)
                == "\u{1B}[38;2;255;0;0m\u{1B}[48;2;255;0;0m\u{258C}\u{258C}\u{1B}[0m")
    }
}
