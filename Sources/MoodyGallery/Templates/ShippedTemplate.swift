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
            bytes: PackageResources.css_css_mustache),
        ShippedTemplate(
            name: "scss", ending: "scss", summary: "Variables and maps of Sass",
            bytes: PackageResources.scss_scss_mustache),
        ShippedTemplate(
            name: "tailwind", ending: "css", summary: "Theme variables of Tailwind CSS 4",
            bytes: PackageResources.tailwind_css_mustache),
        ShippedTemplate(
            name: "tokens", ending: "tokens.json", summary: "Design tokens (DTCG 2025.10)",
            bytes: PackageResources.tokens_json_mustache),
        ShippedTemplate(
            name: "gpl", ending: "gpl", summary: "Palettes of GIMP, Inkscape, Krita",
            bytes: PackageResources.gpl_gpl_mustache),
        ShippedTemplate(
            name: "theme-tokens", ending: "tokens.json", summary: "Roles in both variants as design tokens",
            bytes: PackageResources.theme_tokens_json_mustache),
        ShippedTemplate(
            name: "xresources", ending: "Xresources", summary: "xterm, urxvt, and others by xrdb",
            bytes: PackageResources.xresources_Xresources_mustache),
        ShippedTemplate(
            name: "kitty", ending: "conf", summary: "kitty, a terminal",
            bytes: PackageResources.kitty_conf_mustache),
        ShippedTemplate(
            name: "alacritty", ending: "toml", summary: "Alacritty, a terminal",
            bytes: PackageResources.alacritty_toml_mustache),
        ShippedTemplate(
            name: "foot", ending: "ini", summary: "foot, a terminal",
            bytes: PackageResources.foot_ini_mustache),
        ShippedTemplate(
            name: "wezterm", ending: "toml", summary: "WezTerm, a terminal",
            bytes: PackageResources.wezterm_toml_mustache),
        ShippedTemplate(
            name: "ghostty", ending: "conf", summary: "Ghostty, a terminal",
            bytes: PackageResources.ghostty_conf_mustache),
        ShippedTemplate(
            name: "base16", ending: "yaml", summary: "A scheme of tinted-theming, 16 colors",
            bytes: PackageResources.base16_yaml_mustache),
        ShippedTemplate(
            name: "base24", ending: "yaml", summary: "A scheme of tinted-theming, 24 colors",
            bytes: PackageResources.base24_yaml_mustache),
        ShippedTemplate(
            name: "gtk", ending: "css", summary: "Colors of GTK and waybar",
            bytes: PackageResources.gtk_css_mustache),
        ShippedTemplate(
            name: "rofi", ending: "rasi", summary: "rofi, a launcher",
            bytes: PackageResources.rofi_rasi_mustache),
        ShippedTemplate(
            name: "vscode", ending: "jsonc", summary: "A color theme of Visual Studio Code",
            bytes: PackageResources.vscode_jsonc_mustache),
        ShippedTemplate(
            name: "tmux", ending: "conf", summary: "tmux", bytes: PackageResources.tmux_conf_mustache),
        ShippedTemplate(
            name: "hyprland", ending: "conf", summary: "Variables of Hyprland",
            bytes: PackageResources.hyprland_conf_mustache),
        ShippedTemplate(
            name: "sway", ending: "conf", summary: "Variables and borders of sway and i3",
            bytes: PackageResources.sway_conf_mustache),
        ShippedTemplate(
            name: "shell", ending: "sh", summary: "Variables of shells",
            bytes: PackageResources.shell_sh_mustache),
    ]
}
