// Written by scripts/generate/resources.
#include "CResources.h"
#include <string.h>

// C23's #embed, which clang knows in every C: the compiler reads the file and notes that it depends on it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char Templates_alacritty_toml_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/alacritty.toml.mustache"
};

static const unsigned char Templates_base16_yaml_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/base16.yaml.mustache"
};

static const unsigned char Templates_base24_yaml_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/base24.yaml.mustache"
};

static const unsigned char Templates_css_css_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/css.css.mustache"
};

static const unsigned char Templates_foot_ini_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/foot.ini.mustache"
};

static const unsigned char Templates_ghostty_conf_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/ghostty.conf.mustache"
};

static const unsigned char Templates_gpl_gpl_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/gpl.gpl.mustache"
};

static const unsigned char Templates_gtk_css_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/gtk.css.mustache"
};

static const unsigned char Templates_hyprland_conf_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/hyprland.conf.mustache"
};

static const unsigned char Templates_kitty_conf_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/kitty.conf.mustache"
};

static const unsigned char Templates_rofi_rasi_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/rofi.rasi.mustache"
};

static const unsigned char Templates_scss_scss_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/scss.scss.mustache"
};

static const unsigned char Templates_shell_sh_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/shell.sh.mustache"
};

static const unsigned char Templates_sway_conf_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/sway.conf.mustache"
};

static const unsigned char Templates_tailwind_css_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/tailwind.css.mustache"
};

static const unsigned char Templates_theme_tokens_json_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/theme-tokens.json.mustache"
};

static const unsigned char Templates_tmux_conf_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/tmux.conf.mustache"
};

static const unsigned char Templates_tokens_json_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/tokens.json.mustache"
};

static const unsigned char Templates_vscode_jsonc_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/vscode.jsonc.mustache"
};

static const unsigned char Templates_wezterm_toml_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/wezterm.toml.mustache"
};

static const unsigned char Templates_xresources_Xresources_mustache[] = {
#embed "../MoodyGallery/Resources/Templates/xresources.Xresources.mustache"
};

static const unsigned char adding_js[] = {
#embed "../MoodyGallery/Resources/adding.js"
};

static const unsigned char begin_js[] = {
#embed "../MoodyGallery/Resources/begin.js"
};

static const unsigned char board_js[] = {
#embed "../MoodyGallery/Resources/board.js"
};

static const unsigned char camera_js[] = {
#embed "../MoodyGallery/Resources/camera.js"
};

static const unsigned char colors_js[] = {
#embed "../MoodyGallery/Resources/colors.js"
};

static const unsigned char deleting_js[] = {
#embed "../MoodyGallery/Resources/deleting.js"
};

static const unsigned char exif_js[] = {
#embed "../MoodyGallery/Resources/exif.js"
};

static const unsigned char files_js[] = {
#embed "../MoodyGallery/Resources/files.js"
};

static const unsigned char live_css[] = {
#embed "../MoodyGallery/Resources/live.css"
};

static const unsigned char live_js[] = {
#embed "../MoodyGallery/Resources/live.js"
};

static const unsigned char page_css[] = {
#embed "../MoodyGallery/Resources/page.css"
};

static const unsigned char photos_js[] = {
#embed "../MoodyGallery/Resources/photos.js"
};

static const unsigned char pick_js[] = {
#embed "../MoodyGallery/Resources/pick.js"
};

static const unsigned char query_js[] = {
#embed "../MoodyGallery/Resources/query.js"
};

static const unsigned char rows_js[] = {
#embed "../MoodyGallery/Resources/rows.js"
};

static const unsigned char scrubber_js[] = {
#embed "../MoodyGallery/Resources/scrubber.js"
};

static const unsigned char search_js[] = {
#embed "../MoodyGallery/Resources/search.js"
};

static const unsigned char sections_js[] = {
#embed "../MoodyGallery/Resources/sections.js"
};

static const unsigned char share_js[] = {
#embed "../MoodyGallery/Resources/share.js"
};

static const unsigned char similar_js[] = {
#embed "../MoodyGallery/Resources/similar.js"
};

static const unsigned char stream_js[] = {
#embed "../MoodyGallery/Resources/stream.js"
};

static const unsigned char strips_js[] = {
#embed "../MoodyGallery/Resources/strips.js"
};

static const unsigned char view_js[] = {
#embed "../MoodyGallery/Resources/view.js"
};

static const unsigned char openapi_json[] = {
#embed "../MoodyServer/Resources/openapi.json"
};

struct moody_resource moody_resource(const char *name) {
    static const struct { const char *name; struct moody_resource file; } all[] = {
        { "Templates/alacritty.toml.mustache", { Templates_alacritty_toml_mustache, sizeof Templates_alacritty_toml_mustache } },
        { "Templates/base16.yaml.mustache", { Templates_base16_yaml_mustache, sizeof Templates_base16_yaml_mustache } },
        { "Templates/base24.yaml.mustache", { Templates_base24_yaml_mustache, sizeof Templates_base24_yaml_mustache } },
        { "Templates/css.css.mustache", { Templates_css_css_mustache, sizeof Templates_css_css_mustache } },
        { "Templates/foot.ini.mustache", { Templates_foot_ini_mustache, sizeof Templates_foot_ini_mustache } },
        { "Templates/ghostty.conf.mustache", { Templates_ghostty_conf_mustache, sizeof Templates_ghostty_conf_mustache } },
        { "Templates/gpl.gpl.mustache", { Templates_gpl_gpl_mustache, sizeof Templates_gpl_gpl_mustache } },
        { "Templates/gtk.css.mustache", { Templates_gtk_css_mustache, sizeof Templates_gtk_css_mustache } },
        { "Templates/hyprland.conf.mustache", { Templates_hyprland_conf_mustache, sizeof Templates_hyprland_conf_mustache } },
        { "Templates/kitty.conf.mustache", { Templates_kitty_conf_mustache, sizeof Templates_kitty_conf_mustache } },
        { "Templates/rofi.rasi.mustache", { Templates_rofi_rasi_mustache, sizeof Templates_rofi_rasi_mustache } },
        { "Templates/scss.scss.mustache", { Templates_scss_scss_mustache, sizeof Templates_scss_scss_mustache } },
        { "Templates/shell.sh.mustache", { Templates_shell_sh_mustache, sizeof Templates_shell_sh_mustache } },
        { "Templates/sway.conf.mustache", { Templates_sway_conf_mustache, sizeof Templates_sway_conf_mustache } },
        { "Templates/tailwind.css.mustache", { Templates_tailwind_css_mustache, sizeof Templates_tailwind_css_mustache } },
        { "Templates/theme-tokens.json.mustache", { Templates_theme_tokens_json_mustache, sizeof Templates_theme_tokens_json_mustache } },
        { "Templates/tmux.conf.mustache", { Templates_tmux_conf_mustache, sizeof Templates_tmux_conf_mustache } },
        { "Templates/tokens.json.mustache", { Templates_tokens_json_mustache, sizeof Templates_tokens_json_mustache } },
        { "Templates/vscode.jsonc.mustache", { Templates_vscode_jsonc_mustache, sizeof Templates_vscode_jsonc_mustache } },
        { "Templates/wezterm.toml.mustache", { Templates_wezterm_toml_mustache, sizeof Templates_wezterm_toml_mustache } },
        { "Templates/xresources.Xresources.mustache", { Templates_xresources_Xresources_mustache, sizeof Templates_xresources_Xresources_mustache } },
        { "adding.js", { adding_js, sizeof adding_js } },
        { "begin.js", { begin_js, sizeof begin_js } },
        { "board.js", { board_js, sizeof board_js } },
        { "camera.js", { camera_js, sizeof camera_js } },
        { "colors.js", { colors_js, sizeof colors_js } },
        { "deleting.js", { deleting_js, sizeof deleting_js } },
        { "exif.js", { exif_js, sizeof exif_js } },
        { "files.js", { files_js, sizeof files_js } },
        { "live.css", { live_css, sizeof live_css } },
        { "live.js", { live_js, sizeof live_js } },
        { "page.css", { page_css, sizeof page_css } },
        { "photos.js", { photos_js, sizeof photos_js } },
        { "pick.js", { pick_js, sizeof pick_js } },
        { "query.js", { query_js, sizeof query_js } },
        { "rows.js", { rows_js, sizeof rows_js } },
        { "scrubber.js", { scrubber_js, sizeof scrubber_js } },
        { "search.js", { search_js, sizeof search_js } },
        { "sections.js", { sections_js, sizeof sections_js } },
        { "share.js", { share_js, sizeof share_js } },
        { "similar.js", { similar_js, sizeof similar_js } },
        { "stream.js", { stream_js, sizeof stream_js } },
        { "strips.js", { strips_js, sizeof strips_js } },
        { "view.js", { view_js, sizeof view_js } },
        { "openapi.json", { openapi_json, sizeof openapi_json } },
    };
    for (size_t index = 0; index < sizeof all / sizeof *all; index++)
        if (strcmp(all[index].name, name) == 0) return all[index].file;
    return (struct moody_resource){ NULL, 0 };
}
