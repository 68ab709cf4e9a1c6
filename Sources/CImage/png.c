// libpng leaves errors through longjmp too; see jpeg.c for why the one setjmp is in `guarded`. The callbacks
// into the caller are called between libpng's functions, never from inside one, so no jump crosses them.

#include "CImage.h"
#include "message.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <png.h>

typedef struct reader {
    png_structp png;
    png_infop info;
    jmp_buf fatal;
    cimage_png_sink sink;
    cimage_png_result result;
    const uint8_t *bytes;
    size_t count, position, chunk_limit, memory_limit, held;
    bool refused;   // an allocation
    bool complete;  // every row was handed over
    uint8_t *row;
} reader;

// libpng believes a chunk's length before it has seen the chunk: its limits only make it warn.
static png_voidp allocate(png_structp png, png_alloc_size_t size) {
    reader *r = png_get_mem_ptr(png);
    void *memory = size <= r->memory_limit - r->held ? malloc(size) : NULL;
    if (!memory) {
        r->refused = true;
        return NULL;
    }
    size_t usable = malloc_usable_size(memory);
    r->held += usable < r->memory_limit - r->held ? usable : r->memory_limit - r->held;
    return memory;
}

static void release(png_structp png, png_voidp memory) {
    reader *r = png_get_mem_ptr(png);
    size_t usable = malloc_usable_size(memory);
    r->held -= usable < r->held ? usable : r->held;
    free(memory);
}

static void on_fatal(png_structp png, png_const_charp text) {
    reader *r = png_get_error_ptr(png);
    if (r->complete) {
        cimage_keep(r->result.behind, sizeof r->result.behind, text);
        longjmp(r->fatal, 1);
    }
    cimage_keep(r->result.message, sizeof r->result.message, text);
    if (r->result.status == cimage_ok) r->result.status = r->refused ? cimage_too_large : cimage_corrupt;
    longjmp(r->fatal, 1);
}

// Of the colors: what libpng makes nothing of in an iCCP chunk it leaves out.
static void on_warning(png_structp png, png_const_charp text) {
    reader *r = png_get_error_ptr(png);
    if (r->result.warning[0] == 0 && strncmp(text, "iCCP", 4) == 0)
        cimage_keep(r->result.warning, sizeof r->result.warning, text);
}

static void read_bytes(png_structp png, png_bytep to, size_t wanted) {
    reader *r = png_get_io_ptr(png);
    if (wanted > r->count - r->position) {
        if (r->complete) r->result.ended = true;
        else r->result.status = cimage_truncated;
        png_error(png, "file ends early");
    }
    memcpy(to, r->bytes + r->position, wanted);
    r->position += wanted;
}

static void read_header(reader *r, cimage_png_header *header) {
    png_structp png = r->png;
    png_infop info = r->info;
    png_read_info(png, info);
    header->width = (int)png_get_image_width(png, info);
    header->height = (int)png_get_image_height(png, info);
    header->gray = !(png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR);
    header->interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    header->depth = png_get_bit_depth(png, info) == 16 ? 16 : 8;
    header->srgb = png_get_valid(png, info, PNG_INFO_sRGB) != 0;
    header->has_gamma = png_get_gAMA(png, info, &header->gamma) != 0;
    double *p = header->primaries;
    header->has_primaries = png_get_cHRM(png, info, p, p + 1, p + 2, p + 3, p + 4, p + 5, p + 6, p + 7) != 0;
}

static void set_transforms(reader *r, const cimage_png_header *header) {
    png_structp png = r->png;
    png_set_expand(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
    const uint16_t one = 1;
    if (header->depth == 16 && *(const uint8_t *)&one) png_set_swap(png);
    png_read_update_info(png, r->info);
}

// Without png_set_interlace_handling libpng hands out each pass as the small picture it is, so that an
// interlaced file needs no more memory than a plain one.
static void read_rows(reader *r, const cimage_png_header *header) {
    size_t row_size = png_get_rowbytes(r->png, r->info);
    if (row_size != (size_t)header->width * 4 * (header->depth / 8)) png_error(r->png, "row size");
    r->row = png_malloc(r->png, row_size);
    r->result.passes = header->interlaced ? 7 : 1;
    for (int pass = 0; pass < r->result.passes; pass++) {
        cimage_png_row row = {.step = 1, .count = header->width};
        int first = 0, rows = header->height, step = 1;
        if (header->interlaced) {
            row.x = PNG_PASS_START_COL(pass);
            row.step = PNG_PASS_COL_OFFSET(pass);
            row.count = (int)PNG_PASS_COLS((unsigned)header->width, pass);
            first = PNG_PASS_START_ROW(pass);
            step = PNG_PASS_ROW_OFFSET(pass);
            rows = (int)PNG_PASS_ROWS((unsigned)header->height, pass);
        }
        r->result.pass = pass + 1;
        r->result.rows = 0;
        if (row.count == 0) continue;
        for (int i = 0; i < rows; i++) {
            png_read_row(r->png, r->row, NULL);
            row.y = first + i * step;
            r->sink.row(r->sink.context, row, r->row);
            r->result.rows = row.y + 1;
        }
    }
    r->complete = true;
    png_read_end(r->png, r->info);
}

// From the `first` on; the number of those there are.
static int hand_over_words(reader *r, int first) {
    png_textp texts = NULL;
    int count = 0;
    png_get_text(r->png, r->info, &texts, &count);
    for (int i = first; i < count; i++) {
        // Of iTXt the other length counts.
        size_t length = texts[i].compression > 0 ? texts[i].itxt_length : texts[i].text_length;
        if (texts[i].key && texts[i].text)
            r->sink.words(r->sink.context, texts[i].key, (const uint8_t *)texts[i].text, length);
    }
    return count;
}

static void guarded(reader *r, cimage_png_header *header) {
    if (setjmp(r->fatal)) return;
    png_set_read_fn(r->png, r, read_bytes);
    png_set_user_limits(r->png, 0x7fffffff, 0x7fffffff);
    png_set_chunk_malloc_max(r->png, r->chunk_limit);
    png_set_chunk_cache_max(r->png, 100);
    read_header(r, header);
    png_charp name;
    int compression;
    png_bytep profile = NULL;
    png_uint_32 profile_count = 0;
    png_get_iCCP(r->png, r->info, &name, &compression, &profile, &profile_count);
    if (!r->sink.header(r->sink.context, *header, profile, profile_count)) {
        r->result.status = cimage_stopped;
        return;
    }
    int words = hand_over_words(r, 0);
    set_transforms(r, header);
    read_rows(r, header);
    hand_over_words(r, words);
}

cimage_png_result cimage_png_read(
    const uint8_t *bytes, size_t count, size_t chunk_limit, size_t memory_limit, cimage_png_sink sink) {
    reader r = {
        .sink = sink, .bytes = bytes, .count = count, .chunk_limit = chunk_limit,
        .memory_limit = memory_limit,
    };
    cimage_png_header header = {0};
    r.png = png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, &r, on_fatal, on_warning, &r, allocate, release);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    if (r.info) guarded(&r, &header);
    else r.result.status = cimage_too_large;
    if (r.png && r.row) png_free(r.png, r.row);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    return r.result;
}

cimage_png_encoded cimage_png_encode(
    const uint8_t *rgb, int width, int height, uint8_t *bytes, size_t capacity) {
    cimage_png_encoded encoded = {cimage_ok, capacity, ""};
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t count = capacity;
    if (!png_image_write_to_memory(&image, bytes, &count, 0, rgb, 0, NULL)) {
        encoded.status = cimage_too_large;
        count = 0;
        cimage_keep(encoded.message, sizeof encoded.message, image.message);
    }
    encoded.count = count;
    return encoded;
}
