// Written by scripts/generate/resources.
#include "CResources.h"
#include <string.h>

// C23's #embed, which clang knows in every C: the compiler reads the file and notes that it depends on it.
#pragma clang diagnostic ignored "-Wc23-extensions"

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
        { "adding.js", { adding_js, sizeof adding_js } },
        { "begin.js", { begin_js, sizeof begin_js } },
        { "board.js", { board_js, sizeof board_js } },
        { "camera.js", { camera_js, sizeof camera_js } },
        { "colors.js", { colors_js, sizeof colors_js } },
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
        { "strips.js", { strips_js, sizeof strips_js } },
        { "view.js", { view_js, sizeof view_js } },
        { "openapi.json", { openapi_json, sizeof openapi_json } },
    };
    for (size_t index = 0; index < sizeof all / sizeof *all; index++)
        if (strcmp(all[index].name, name) == 0) return all[index].file;
    return (struct moody_resource){ NULL, 0 };
}
