/// A template that is part of moody: a format by name.
package struct ShippedTemplate: Sendable {
    package let name: String
    /// Of files in that format, without a dot.
    package let ending: String
    /// What the format is for.
    package let summary: String
    /// The template's text.
    package let bytes: [UInt8]

    package var format: TemplateFormat {
        get throws(TemplateError) {
            try TemplateFormat(bytes, name: name, ending: ending, isShipped: true)
        }
    }

    /// Returns the template of that name.
    package static func named(_ name: String) -> ShippedTemplate? { all.first { $0.name == name } }

    /// Swatch files, then themes.
    package static let all = [
        ShippedTemplate(
            name: "css", ending: "css", summary: "Custom properties of CSS",
            bytes: EmbeddedFile.bytes("Templates/css.css.mustache")),
        ShippedTemplate(
            name: "scss", ending: "scss", summary: "Variables and maps of Sass",
            bytes: EmbeddedFile.bytes("Templates/scss.scss.mustache")),
        ShippedTemplate(
            name: "tailwind", ending: "css", summary: "Theme variables of Tailwind CSS 4",
            bytes: EmbeddedFile.bytes("Templates/tailwind.css.mustache")),
        ShippedTemplate(
            name: "tokens", ending: "tokens.json", summary: "Design tokens (DTCG 2025.10)",
            bytes: EmbeddedFile.bytes("Templates/tokens.json.mustache")),
        ShippedTemplate(
            name: "gpl", ending: "gpl", summary: "Palettes of GIMP, Inkscape, Krita",
            bytes: EmbeddedFile.bytes("Templates/gpl.gpl.mustache")),
        ShippedTemplate(
            name: "theme-tokens", ending: "tokens.json", summary: "Roles in both variants as design tokens",
            bytes: EmbeddedFile.bytes("Templates/theme-tokens.json.mustache")),
        ShippedTemplate(
            name: "xresources", ending: "Xresources", summary: "xterm, urxvt, and others by xrdb",
            bytes: EmbeddedFile.bytes("Templates/xresources.Xresources.mustache")),
        ShippedTemplate(
            name: "kitty", ending: "conf", summary: "kitty, a terminal",
            bytes: EmbeddedFile.bytes("Templates/kitty.conf.mustache")),
        ShippedTemplate(
            name: "alacritty", ending: "toml", summary: "Alacritty, a terminal",
            bytes: EmbeddedFile.bytes("Templates/alacritty.toml.mustache")),
        ShippedTemplate(
            name: "foot", ending: "ini", summary: "foot, a terminal",
            bytes: EmbeddedFile.bytes("Templates/foot.ini.mustache")),
        ShippedTemplate(
            name: "wezterm", ending: "toml", summary: "WezTerm, a terminal",
            bytes: EmbeddedFile.bytes("Templates/wezterm.toml.mustache")),
        ShippedTemplate(
            name: "ghostty", ending: "conf", summary: "Ghostty, a terminal",
            bytes: EmbeddedFile.bytes("Templates/ghostty.conf.mustache")),
        ShippedTemplate(
            name: "base16", ending: "yaml", summary: "A scheme of tinted-theming, 16 colors",
            bytes: EmbeddedFile.bytes("Templates/base16.yaml.mustache")),
        ShippedTemplate(
            name: "base24", ending: "yaml", summary: "A scheme of tinted-theming, 24 colors",
            bytes: EmbeddedFile.bytes("Templates/base24.yaml.mustache")),
        ShippedTemplate(
            name: "gtk", ending: "css", summary: "Colors of GTK and waybar",
            bytes: EmbeddedFile.bytes("Templates/gtk.css.mustache")),
        ShippedTemplate(
            name: "rofi", ending: "rasi", summary: "rofi, a launcher",
            bytes: EmbeddedFile.bytes("Templates/rofi.rasi.mustache")),
        ShippedTemplate(
            name: "vscode", ending: "jsonc", summary: "A color theme of Visual Studio Code",
            bytes: EmbeddedFile.bytes("Templates/vscode.jsonc.mustache")),
        ShippedTemplate(
            name: "tmux", ending: "conf", summary: "tmux",
            bytes: EmbeddedFile.bytes("Templates/tmux.conf.mustache")),
        ShippedTemplate(
            name: "hyprland", ending: "conf", summary: "Variables of Hyprland",
            bytes: EmbeddedFile.bytes("Templates/hyprland.conf.mustache")),
        ShippedTemplate(
            name: "sway", ending: "conf", summary: "Variables and borders of sway and i3",
            bytes: EmbeddedFile.bytes("Templates/sway.conf.mustache")),
        ShippedTemplate(
            name: "shell", ending: "sh", summary: "Variables of shells",
            bytes: EmbeddedFile.bytes("Templates/shell.sh.mustache")),
    ]
}
