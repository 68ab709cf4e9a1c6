import MoodyGallery
import Palettes
import Testing

@Suite struct ColorDepthTests {
    struct Said: Sendable {
        let term: String, colorTerm: String, depth: ColorDepth
    }

    static let said: [Said] = [
        Said(term: "xterm-256color", colorTerm: "truecolor", depth: .full),
        Said(term: "xterm", colorTerm: "24bit", depth: .full),
        Said(term: "xterm-direct", colorTerm: "", depth: .full),
        Said(term: "xterm-kitty", colorTerm: "", depth: .full),
        Said(term: "screen-256color", colorTerm: "", depth: .indexed),
        Said(term: "xterm", colorTerm: "", depth: .sixteen),
        Said(term: "linux", colorTerm: "", depth: .sixteen),
        Said(term: "dumb", colorTerm: "truecolor", depth: .none),
    ]

    @Test(arguments: said)
    func `a terminal has the colors that it says`(said: Said) {
        #expect(ColorDepth(environment: ["TERM": said.term, "COLORTERM": said.colorTerm]) == said.depth)
        #expect(ColorDepth(environment: [:]) == .sixteen)
    }

    struct Known: Sendable {
        let hex: String, cube: Int?, ground: Int?
    }

    /// xterm's own tables: 16 + 36 r + 6 g + b of levels 0, 95, 135, 175, 215, 255; 232...255 are 8, 18, ...
    /// 238.
    static let known: [Known] = [
        Known(hex: "#ff0000", cube: 196, ground: 101), Known(hex: "#000000", cube: 16, ground: 40),
        Known(hex: "#ffffff", cube: 231, ground: 107), Known(hex: "#5f87af", cube: 67, ground: nil),
        Known(hex: "#080808", cube: 232, ground: nil), Known(hex: "#eeeeee", cube: 255, ground: nil),
        Known(hex: "#00cd00", cube: nil, ground: 42), Known(hex: "#7f7f7f", cube: nil, ground: 100),
        Known(hex: "#5c5cff", cube: nil, ground: 104),
    ]

    @Test(arguments: known)
    func `a color that the terminal has is that one`(known: Known) throws {
        let color = try #require(RGB(hex: known.hex)), end = "\u{258C}\u{1B}[0m"
        if let cube = known.cube {
            let bar = PaletteBar.text([(color, 1)], cells: 1, depth: .indexed)
            #expect(bar == "\u{1B}[38;5;\(cube)m\u{1B}[48;5;\(cube)m" + end)
        }
        if let ground = known.ground {
            let bar = PaletteBar.text([(color, 1)], cells: 1, depth: .sixteen)
            #expect(bar == "\u{1B}[\(ground - 10)m\u{1B}[\(ground)m" + end)
        }
    }

    @Test func `without colors a bar is as wide, and empty`() throws {
        let red = try #require(RGB(hex: "#ff0000"))
        #expect(PaletteBar.text([(red, 1)], cells: 5, depth: .none) == "     ")
        #expect(
            PaletteBar.text([(red, 1)], cells: 2)
                == "\u{1B}[38;2;255;0;0m\u{1B}[48;2;255;0;0m\u{258C}\u{258C}\u{1B}[0m")
    }
}
