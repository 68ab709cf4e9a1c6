// giflib returns codes. DGifSlurp, which reads every picture into memory, is not used.
#ifdef CIMAGE_GIF

#include "CImage.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <gif_lib.h>

typedef struct reader {
    cimage_gif_sink sink;
    cimage_gif_result result;
    const uint8_t *bytes;
    size_t count, position;
    bool ended;
} reader;

static int read_bytes(GifFileType *gif, GifByteType *to, int wanted) {
    reader *r = gif->UserData;
    size_t left = r->count - r->position;
    size_t n = (size_t)wanted < left ? (size_t)wanted : left;
    if (n < (size_t)wanted) r->ended = true;
    memcpy(to, r->bytes + r->position, n);
    r->position += n;
    return (int)n;
}

static void refuse(reader *r, int code) {
    const char *text = GifErrorString(code);
    cimage_keep(r->result.message, sizeof r->result.message, text ? text : "no picture");
    r->result.status = r->ended ? cimage_truncated
        : code == D_GIF_ERR_NOT_ENOUGH_MEM ? cimage_too_large : cimage_corrupt;
}

static bool read_extension(GifFileType *gif, cimage_gif_header *header) {
    int code = 0;
    GifByteType *block = NULL;
    if (DGifGetExtension(gif, &code, &block) == GIF_ERROR) return false;
    while (block) {
        GraphicsControlBlock control;
        if (code == GRAPHICS_EXT_FUNC_CODE && block[0] == 4 &&
            DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
            header->transparent = control.TransparentColor;
        if (DGifGetExtensionNext(gif, &block) == GIF_ERROR) return false;
    }
    return true;
}

static bool read_rows(reader *r, GifFileType *gif) {
    int width = gif->Image.Width, height = gif->Image.Height;
    GifByteType *row = width > 0 ? malloc((size_t)width) : NULL;
    if (!row) {
        gif->Error = D_GIF_ERR_NOT_ENOUGH_MEM;
        return false;
    }
    // GIF89a, appendix E: every eighth row from 0, from 4, every fourth from 2, every second from 1.
    static const int firsts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    int passes = gif->Image.Interlace ? 4 : 1;
    bool good = true;
    for (int pass = 0; good && pass < passes; pass++) {
        int step = passes == 1 ? 1 : steps[pass];
        for (int y = passes == 1 ? 0 : firsts[pass]; good && y < height; y += step) {
            good = DGifGetLine(gif, row, width) == GIF_OK;
            if (!good) break;
            r->sink.row(r->sink.context, y, row);
            r->result.rows++;
        }
    }
    free(row);
    return good;
}

static bool read_picture(reader *r, GifFileType *gif, cimage_gif_header *header) {
    if (DGifGetImageDesc(gif) == GIF_ERROR) return false;
    header->canvas_width = gif->SWidth;
    header->canvas_height = gif->SHeight;
    header->left = gif->Image.Left;
    header->top = gif->Image.Top;
    header->width = gif->Image.Width;
    header->height = gif->Image.Height;
    header->interlaced = gif->Image.Interlace;
    const ColorMapObject *map = gif->Image.ColorMap ? gif->Image.ColorMap : gif->SColorMap;
    header->colors = map ? map->ColorCount : 0;
    for (int i = 0; i < header->colors && i < 256; i++) {
        header->palette[i * 3] = map->Colors[i].Red;
        header->palette[i * 3 + 1] = map->Colors[i].Green;
        header->palette[i * 3 + 2] = map->Colors[i].Blue;
    }
    if (!r->sink.header(r->sink.context, *header)) {
        r->result.status = cimage_stopped;
        return true;
    }
    return read_rows(r, gif);
}

cimage_gif_result cimage_gif_read(const uint8_t *bytes, size_t count, cimage_gif_sink sink) {
    reader r = {.sink = sink, .bytes = bytes, .count = count};
    int code = 0;
    GifFileType *gif = DGifOpen(&r, read_bytes, &code);
    if (!gif) {
        refuse(&r, code);
        return r.result;
    }
    cimage_gif_header header = {.transparent = -1};
    bool good = true, done = false;
    while (good && !done) {
        GifRecordType kind = UNDEFINED_RECORD_TYPE;
        good = DGifGetRecordType(gif, &kind) == GIF_OK;
        if (!good) break;
        if (kind == EXTENSION_RECORD_TYPE) {
            good = read_extension(gif, &header);
        } else {
            good = kind == IMAGE_DESC_RECORD_TYPE && read_picture(&r, gif, &header);
            done = true;
        }
    }
    if (!good) refuse(&r, gif->Error);
    DGifCloseFile(gif, NULL);
    return r.result;
}

#endif
