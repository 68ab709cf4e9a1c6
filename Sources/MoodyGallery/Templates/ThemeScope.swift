import Palettes

/// The colors of a theme by all of their names: roles, a terminal's numbers, base24's slots, and the
/// variables of tinted-theming's builders (specification 0.11).
struct ThemeScope: TemplateParent {
    private let theme: Theme

    init(_ theme: Theme) { self.theme = theme }

    var background: RGB { theme[.background] }

    func child(named name: String) -> Any? {
        let name = name.first == "*" ? String(name.dropFirst()) : name
        if let color = color(name) { return scope(color) }
        // base0A-rgb-r: the slot, and the way it is written.
        guard let hyphen = name.firstIndex(of: "-"), let slot = Self.slots[String(name[..<hyphen])] else {
            return nil
        }
        return Self.builderText(String(name[name.index(after: hyphen)...]), theme[slot])
            .map { TemplateText($0) }
    }

    private func color(_ name: String) -> RGB? {
        if let role = Self.roles[name] { return theme.color(role) }
        return Self.slots[name].map { theme[$0] }
    }

    private func scope(_ color: RGB) -> ColorScope {
        let background = theme[.background]
        return ColorScope(color: color, background: { background })
    }

    static let names = Array(roles.keys) + Array(slots.keys)

    private static let roles = Dictionary(
        uniqueKeysWithValues: Theme.Role.allCases.map { ($0.rawValue, $0) }
            // Other programs' names for text.
            + [("foreground", .text), ("cursor", .text)])

    private static let slots: [String: Theme.Slot] = {
        var slots = Dictionary(uniqueKeysWithValues: Theme.hues.map { ($0.name, $0.slot) })
        for slot in Theme.Slot.allCases { slots[slot.baseName] = slot }
        for (number, slot) in Theme.terminalSlots.enumerated() { slots["color\(number)"] = slot }
        return slots
    }()

    private static func builderText(_ name: String, _ color: RGB) -> String? {
        let hex = String(color.hex.dropFirst())
        let pairs = [hex.prefix(2), hex.dropFirst(2).prefix(2), hex.suffix(2)].map { String($0) }
        if name == "hex" { return hex }
        if name == "hex-bgr" { return pairs.reversed().joined() }
        guard let hyphen = name.lastIndex(of: "-"),
            let place = ["r", "g", "b"].firstIndex(of: String(name[name.index(after: hyphen)...]))
        else { return nil }
        let channel = [color.red, color.green, color.blue][place]
        return switch name[..<hyphen] {
        case "hex": pairs[place]
        case "rgb": String(channel)
        case "rgb16": String(Int(channel) * 257)
        case "dec": PaletteFormat.unit(channel)
        default: nil
        }
    }
}
