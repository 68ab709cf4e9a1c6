import Palettes

/// A photo: what is known of it, its colors, and its theme.
final class PhotoScope: TemplateValue {
    let photo: TemplatePhoto
    private let slug: String
    private let variant: Theme.Variant
    private let escape: TemplateEscape
    private lazy var dark = ThemeScope(Theme(photo.palette, .dark))
    private lazy var light = ThemeScope(Theme(photo.palette, .light))

    init(_ photo: TemplatePhoto, slug: String, _ variant: Theme.Variant, _ escape: TemplateEscape) {
        self.photo = photo
        self.slug = slug
        self.variant = variant
        self.escape = escape
    }

    var renderText: String { escape.text(photo.name) }
    var isNull: Bool { false }

    func child(named name: String) -> Any? {
        if let raw = name.first == "*" ? foreign(String(name.dropFirst())) : nil { return TemplateText(raw) }
        let name = name.first == "*" ? String(name.dropFirst()) : name
        if let foreign = foreign(name) { return TemplateText(escape.text(foreign)) }
        switch name {
        case "slug": return TemplateText(slug)
        case "selector": return TemplateText(photo.selector)
        case "date": return TemplateText(photo.date)
        case "day": return TemplateText(photo.day)
        case "width": return TemplateText(photo.width)
        case "height": return TemplateText(photo.height)
        case "id": return TemplateText(photo.id)
        case "wide": return photo.palette.entries.contains { $0.displayP3 != nil }
        default: return colors(name)
        }
    }

    /// Colors alone, which a template of one photo names without `photo.`.
    func colors(_ name: String) -> Any? {
        switch name {
        case "colors": swatches()
        case "dark": dark
        case "light": light
        default: theme.child(named: name)
        }
    }

    private var theme: ThemeScope { variant == .dark ? dark : light }

    /// Text of strangers.
    private func foreign(_ name: String) -> String? {
        switch name {
        case "name": photo.name
        case "title": photo.title
        case "stem": photo.stem
        case "path": photo.path
        case "camera": photo.camera
        case "country": photo.country
        default: nil
        }
    }

    static let names = [
        "name", "title", "stem", "slug", "path", "selector", "date", "day", "camera", "width", "height",
        "country", "id", "wide", "colors", "dark", "light",
    ]

    private func swatches() -> [SwatchScope] {
        var start = 0.0
        return photo.palette.entries.enumerated().map { index, entry in
            defer { start += entry.share }
            return SwatchScope(
                color: ColorScope(color: entry.color, background: { self.theme.background }), entry: entry,
                number: index + 1, start: min(1, start),
                near: photo.names?.match(entry.color)?.name, escape: escape)
        }
    }
}

extension TemplatePhoto {
    /// The name without its ending.
    var stem: String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }
}
