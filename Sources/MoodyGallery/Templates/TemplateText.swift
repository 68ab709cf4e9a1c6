import Palettes
import Texts

/// A text that a template names.
struct TemplateText: TemplateValue {
    let renderText: String
    /// A section of an empty text is left out.
    var isNull: Bool { renderText.isEmpty }

    init(_ text: String) { renderText = text }

    func child(named: String) -> Any? { nil }
}

/// A color and the ways that programs write it.
struct ColorScope: TemplateValue {
    let color: RGB
    /// What its contrast is told with; a theme's, which is derived when it is asked for.
    let background: () -> RGB

    var renderText: String { color.hex }
    var isNull: Bool { false }

    func child(named name: String) -> Any? {
        // Never a stranger's text: with a star, which asks for the text as it is, and without are the same.
        switch name.first == "*" ? String(name.dropFirst()) : name {
        case "on": ColorScope(color: color.textColor, background: background)
        case let name: Self.text(name, color, on: background).map { TemplateText($0) }
        }
    }

    static let names = [
        "hex", "hex6", "r", "g", "b", "rgb", "gpl", "unit", "css-rgb", "hsl", "oklch", "lab", "argb", "bgr",
        "x11", "luminance", "contrast", "on",
    ]

    private static func text(_ name: String, _ color: RGB, on background: () -> RGB) -> String? {
        let channels = [color.red, color.green, color.blue]
        let digits = String(color.hex.dropFirst())
        return switch name {
        case "hex": color.hex
        case "hex6": digits
        case "r": String(color.red)
        case "g": String(color.green)
        case "b": String(color.blue)
        case "rgb": channels.map { String($0) }.joined(separator: ", ")
        case "gpl": channels.map { padded($0) }.joined(separator: " ")
        case "unit": channels.map { PaletteFormat.unit($0) }.joined(separator: ", ")
        case "css-rgb": "rgb(\(channels.map { String($0) }.joined(separator: " ")))"
        case "hsl": PaletteFormat.hsl(color)
        case "oklch": PaletteFormat.oklch(Oklab(color))
        case "lab": PaletteFormat.lab(Lab(color))
        case "argb": "ff" + digits
        case "bgr": Hexadecimal.text([color.blue, color.green, color.red])
        case "x11": "rgb:" + channels.map { Hexadecimal.text([$0]) }.joined(separator: "/")
        case "luminance": PaletteFormat.fixed(color.luminance, digits: 4)
        case "contrast": PaletteFormat.fixed(color.contrast(with: background()), digits: 2)
        default: nil
        }
    }

    private static func padded(_ channel: UInt8) -> String {
        let digits = String(channel)
        return String(repeating: " ", count: 3 - digits.count) + digits
    }
}

/// A color of a palette, with its share and its place.
struct SwatchScope: TemplateValue {
    let color: ColorScope
    let entry: Palette.Entry
    /// From 1.
    let number: Int
    /// Of the palette, 0...1: the shares of the colors before it.
    let start: Double
    /// The name of the nearest color of the user's list, which is text of strangers.
    let near: String?
    let escape: TemplateEscape

    var renderText: String { color.renderText }
    var isNull: Bool { false }

    func child(named name: String) -> Any? {
        if let near, name == "*name" || name == "*near" { return TemplateText(near) }
        switch name.first == "*" ? String(name.dropFirst()) : name {
        case "near": return TemplateText(near.map { escape.text($0) } ?? "")
        case "name": return TemplateText(near.map { escape.text($0) } ?? entry.color.name)
        case let name: return own(name)
        }
    }

    private func own(_ name: String) -> Any? {
        switch name {
        case "n": TemplateText(String(number))
        case "share": TemplateText(PaletteFormat.share(entry.share))
        case "fraction": TemplateText("\((entry.share * 1e6).rounded() / 1e6)")
        case "start": TemplateText(PaletteFormat.share(start))
        case "end": TemplateText(PaletteFormat.share(min(1, start + entry.share)))
        case "p3": TemplateText(entry.displayP3?.css ?? "")
        default: color.child(named: name)
        }
    }

    static let names = ["n", "share", "fraction", "start", "end", "name", "near", "p3"] + ColorScope.names
}
