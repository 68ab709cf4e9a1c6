import Palettes

/// How many colors a terminal shows, and how they are asked for (ECMA-48 8.3.117, ISO 8613-6).
package enum ColorDepth: Int, Sendable, Comparable, CaseIterable {
    case none
    /// The eight of ECMA-48 and their bright ones, taken to be xterm's: people choose their own.
    case sixteen
    /// A cube of 6 x 6 x 6 and 24 grays. xterm's 256colres.h
    case indexed
    /// 24 bits.
    case full

    package static func < (a: ColorDepth, b: ColorDepth) -> Bool { a.rawValue < b.rawValue }

    /// The depth that a terminal's environment variables name; sixteen colors when they name none.
    ///
    /// `COLORTERM` is where terminals of 24 bits say so; `TERM` names what is known of the terminal. One
    /// that is called dumb has none.
    package init(environment: [String: String]) {
        let term = environment["TERM"] ?? ""
        let isFull = ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
        if term == "dumb" {
            self = .none
        } else if isFull || Self.fullTerms.contains(where: term.contains) {
            self = .full
        } else {
            self = term.contains("256color") ? .indexed : .sixteen
        }
    }

    private static let fullTerms = [
        "direct", "truecolor", "kitty", "alacritty", "foot", "ghostty", "wezterm",
    ]

    /// The parameters that set the color of text; empty for ``none``.
    func text(_ color: RGB) -> String { code(color, indexed: 38, first: 30, bright: 90) }

    /// The escape sequence of the background color.
    func ground(_ color: RGB) -> String { code(color, indexed: 48, first: 40, bright: 100) }

    private func code(_ color: RGB, indexed: Int, first: Int, bright: Int) -> String {
        switch self {
        case .none: return ""
        case .sixteen:
            let number = nearest(color, among: Self.ansi)
            return "\(number < 8 ? first + number : bright + number - 8)"
        case .indexed: return "\(indexed);5;\(16 + nearest(color, among: Self.cube))"
        case .full: return "\(indexed);2;\(color.red);\(color.green);\(color.blue)"
        }
    }

    /// By Oklab; of those as near as each other the first.
    private func nearest(_ color: RGB, among others: [Oklab]) -> Int {
        let own = Oklab(color)
        var best = 0, least = Double.infinity
        for (index, other) in others.enumerated() {
            let (l, a, b) = (own.lightness - other.lightness, own.a - other.a, own.b - other.b)
            let far = l * l + a * a + b * b
            if far < least { (best, least) = (index, far) }
        }
        return best
    }

    /// xterm's colors 0...15.
    private static let ansi: [Oklab] = [
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ].map { (code: UInt32) in
        Oklab(RGB(red: UInt8(code >> 16), green: UInt8(code >> 8 & 255), blue: UInt8(code & 255)))
    }

    /// xterm's colors 16...255.
    private static let cube: [Oklab] = {
        let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
        let cube = steps.flatMap { red in
            steps.flatMap { green in steps.map { RGB(red: red, green: green, blue: $0) } }
        }
        let grays = (0..<24).map { UInt8(8 + 10 * $0) }.map { RGB(red: $0, green: $0, blue: $0) }
        return (cube + grays).map { Oklab($0) }
    }()
}
