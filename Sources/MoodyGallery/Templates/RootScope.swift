import Palettes

/// All that a template names at its outermost level.
final class RootScope: TemplateParent {
    private let photos: [PhotoScope]
    private let variant: Theme.Variant
    private let escape: TemplateEscape

    /// - Parameter photos: at least one; themes are of the first.
    init(_ photos: [TemplatePhoto], _ variant: Theme.Variant, _ escape: TemplateEscape) {
        var identifiers = SwatchIdentifiers()
        self.photos = photos.map {
            PhotoScope($0, slug: identifiers.identifier(for: $0.name), variant, escape)
        }
        self.variant = variant
        self.escape = escape
    }

    func child(named name: String) -> Any? {
        if name == "*moody" || name == "*scheme-description" { return TemplateText(made) }
        if name == "*scheme-name" { return TemplateText(photos.first?.photo.stem ?? "") }
        switch name.first == "*" ? String(name.dropFirst()) : name {
        case "photos": return photos
        case "photo": return photos.first
        case "single": return photos.count == 1
        case "columns": return TemplateText(String(min(32, largestPalette)))
        case "moody", "scheme-description": return TemplateText(escape.text(made))
        case "version": return TemplateText(MoodyVersion.number)
        case "variant", "scheme-variant": return TemplateText(variant.rawValue)
        case "scheme-name": return TemplateText(escape.text(photos.first?.photo.stem ?? ""))
        case "scheme-author": return TemplateText("moody")
        case "scheme-slug": return photos.first?.child(named: "slug")
        case "scheme-slug-underscored":
            let slug = photos.first?.child(named: "slug") as? TemplateText
            return TemplateText(slug?.renderText.replacing("-", with: "_") ?? "")
        case "scheme-system": return TemplateText("base24")
        case "scheme-is-dark-variant": return variant == .dark
        case "scheme-is-light-variant": return variant == .light
        default: return photos.first?.colors(name)
        }
    }

    static let names =
        [
            "photos", "photo", "single", "columns", "moody", "version", "variant", "colors", "dark", "light",
            "scheme-name", "scheme-description", "scheme-author", "scheme-slug", "scheme-slug-underscored",
            "scheme-system", "scheme-variant", "scheme-is-dark-variant", "scheme-is-light-variant",
        ] + ThemeScope.names

    private var largestPalette: Int { photos.map(\.photo.palette.entries.count).max() ?? 0 }

    private var made: String {
        let of = photos.count == 1 ? photos[0].photo.name : "\(photos.count) photos"
        return "\(TemplateFormat.marker) \(of)"
    }
}
