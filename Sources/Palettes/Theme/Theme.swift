/// Twenty-four colors for a terminal or an editor, derived from a palette, in which all text can be read.
///
/// The slots are those of tinted-theming's base16 and base24. Any palette has a theme in both variants, and
/// every theme meets the laws that are written at ``Slot``, each on the color as it is written, 8 bits per
/// channel. The same palette gives the same colors on every machine.
public struct Theme: Equatable, Sendable {
    public enum Variant: String, CaseIterable, Sendable {
        case dark, light
    }

    /// What a slot is for, in the order of base24.
    public enum Slot: Int, CaseIterable, Sendable {
        /// Backgrounds: of the window, of bars, of selections.
        case background, surface, selection
        /// Comments; at least 4.5 : 1 on `background`.
        case comment
        /// Text of bars: half-way from `comment` to `text`; at least 4.5 : 1 on `surface`.
        case subtle
        /// At least 7 : 1 on `background` and `surface`, 4.5 on `selection`.
        case text
        case brightText, brightestText
        /// Syntax and the terminal's colors; at least 4.5 : 1 on `background`, and inside their hues.
        case red, orange, yellow, green, cyan, blue, magenta, brown
        /// Beyond `background`, away from `text`.
        case deepBackground, deepestBackground
        /// At least 7 : 1 on `background`.
        case brightRed, brightYellow, brightGreen, brightCyan, brightBlue, brightMagenta

        /// "base00"..."base0F", "base10"..."base17".
        public var baseName: String {
            "base" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16, uppercase: true)
        }
    }

    public let variant: Variant
    let colors: [RGB]
    let roles: [RGB]

    public subscript(slot: Slot) -> RGB { colors[slot.rawValue] }

    public func color(_ role: Role) -> RGB { roles[role.place] }

    /// The slots of a terminal's colors 0...15. Color 0 is no background: what is written in it can be seen.
    public static let terminalSlots: [Slot] = [
        .surface, .red, .green, .yellow, .blue, .magenta, .cyan, .text, .comment, .brightRed, .brightGreen,
        .brightYellow, .brightBlue, .brightMagenta, .brightCyan, .brightestText,
    ]

    /// The color that stands for a palette without any.
    static let gray = Palette.Entry(color: RGB(red: 128, green: 128, blue: 128), share: 1)
}
