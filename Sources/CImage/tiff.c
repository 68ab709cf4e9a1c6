// libtiff returns codes; its words come through handlers that belong to the open file.
#ifdef CIMAGE_TIFF

#include "CImage.h"
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

typedef struct reader {
    cimage_tiff_sink sink;
    cimage_tiff_result result;
    const uint8_t *bytes;
    size_t count, position, memory_limit;
    int errors;
    bool reads_pixels;
} reader;

// Words begin with the file's name, which libtiff is not told, and a colon.
static void keep_words(char *field, size_t size, const char *format, va_list arguments) {
    char text[200];
    vsnprintf(text, sizeof text, format, arguments);
    const char *words = text;
    while (*words == ':' || *words == ' ') words++;
    cimage_keep(field, size, words);
}

static int on_error(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff; (void)module;
    reader *r = data;
    if (r->errors++ == 0) keep_words(r->result.message, sizeof r->result.message, format, arguments);
    return 1;
}

static int on_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff; (void)module;
    reader *r = data;
    // About the directory there is always something to say. About pixels it says what it had to guess.
    if (r->reads_pixels && r->result.warnings++ == 0)
        keep_words(r->result.warning, sizeof r->result.warning, format, arguments);
    return 1;
}

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t wanted) {
    reader *r = handle;
    size_t left = r->position < r->count ? r->count - r->position : 0;
    size_t n = (size_t)wanted < left ? (size_t)wanted : left;
    memcpy(to, r->bytes + r->position, n);
    r->position += n;
    return (tmsize_t)n;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t wanted) {
    (void)handle; (void)from; (void)wanted;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    reader *r = handle;
    toff_t base = whence == SEEK_CUR ? r->position : whence == SEEK_END ? r->count : 0;
    // Beyond the end is a place like another: nothing is read there.
    r->position = base + offset;
    return r->position;
}

static int close_nothing(thandle_t handle) { (void)handle; return 0; }

static toff_t size(thandle_t handle) { return ((reader *)handle)->count; }

static int map(thandle_t handle, void **base, toff_t *length) {
    reader *r = handle;
    *base = (void *)r->bytes;   // libtiff only reads a file that was opened for reading
    *length = r->count;
    return 1;
}

static void unmap(thandle_t handle, void *base, toff_t length) { (void)handle; (void)base; (void)length; }

static int number(TIFF *tiff, uint32_t tag, int otherwise) {
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : otherwise;
}

// Bytes of so many pixels in a row, as stored: a row begins with a byte.
static size_t bytes_of(uint64_t pixels, const cimage_tiff_header *header) {
    return (size_t)((pixels * (uint64_t)header->samples * (uint64_t)header->bits + 7) / 8);
}

// The larger of what reading tiles as samples holds: a tile, and the rows of the picture that a row of tiles covers.
static size_t tile_memory(TIFF *tiff, const cimage_tiff_header *header) {
    uint32_t rows = 0;
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &rows);
    uint64_t tile = TIFFTileSize64(tiff), row = bytes_of((uint64_t)header->width, header);
    if (rows > (uint32_t)header->height) rows = (uint32_t)header->height;
    if (tile == 0 || (rows > 0 && row > SIZE_MAX / rows)) return SIZE_MAX;
    return tile > row * rows ? (size_t)tile : (size_t)(row * rows);
}

static cimage_tiff_reading read_header(reader *r, TIFF *tiff, cimage_tiff_header *header) {
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    header->width = width > 0x7fffffff ? 0 : (int)width;
    header->height = height > 0x7fffffff ? 0 : (int)height;
    header->bits = number(tiff, TIFFTAG_BITSPERSAMPLE, 1);
    header->samples = number(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    header->sample_format = number(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    header->photometric = number(tiff, TIFFTAG_PHOTOMETRIC, -1);
    header->compression = number(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    header->planar = number(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    header->ink_set = number(tiff, TIFFTAG_INKSET, INKSET_CMYK);
    uint16_t extras = 0;
    const uint16_t *meanings = NULL;
    header->extra = -1;
    // Libtiff makes up a meaning where the file gives none.
    if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &extras, &meanings) && extras > 0)
        header->extra = meanings[0];
    header->tiled = TIFFIsTiled(tiff) != 0;
    header->tile_memory = header->tiled ? tile_memory(tiff, header) : 0;
    uint32_t profile_count = 0;
    const uint8_t *profile = NULL;
    if (!TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &profile_count, &profile)) profile_count = 0;
    return r->sink.header(r->sink.context, *header, profile, profile_count);
}

// TIFF 6.0, section 21: without coefficients CCIR 601-1's hold. Some writers give three zeros, which make no colors.
static void mend_coefficients(TIFF *tiff) {
    float *luma = NULL, usual[3] = {0.299f, 0.587f, 0.114f};
    if (TIFFGetField(tiff, TIFFTAG_YCBCRCOEFFICIENTS, &luma) && luma && !(luma[1] > 0))
        TIFFSetField(tiff, TIFFTAG_YCBCRCOEFFICIENTS, usual);   // of the directory in memory
}

static void *allocate(reader *r, size_t rows, size_t row_size) {
    bool fits = row_size > 0 && rows <= r->memory_limit / row_size;
    void *memory = fits ? malloc(rows * row_size) : NULL;
    if (!memory) {
        r->result.status = cimage_too_large;
        cimage_keep(r->result.message, sizeof r->result.message, "a strip or tile needs too much memory");
    }
    return memory;
}

static void refuse(reader *r) {
    if (r->result.status == cimage_ok) r->result.status = cimage_corrupt;
}

static void read_samples(reader *r, TIFF *tiff, const cimage_tiff_header *header) {
    size_t row_size = (size_t)TIFFScanlineSize64(tiff);
    if (row_size != bytes_of((uint64_t)header->width, header)) {
        cimage_keep(r->result.message, sizeof r->result.message, "rows of another size than their samples need");
        return refuse(r);
    }
    uint8_t *row = allocate(r, 1, row_size);
    if (!row) return;
    for (int y = 0; y < header->height; y++) {
        if (TIFFReadScanline(tiff, row, (uint32_t)y, 0) < 0 || r->errors) {
            refuse(r);
            break;
        }
        r->sink.row(r->sink.context, y, row, row_size);
        r->result.rows = y + 1;
    }
    free(row);
}

// A row of tiles at a time; what hangs over the picture's edges is left out.
static void read_tiles(reader *r, TIFF *tiff, const cimage_tiff_header *header) {
    uint32_t tile_width = 0, tile_height = 0, width = (uint32_t)header->width, height = (uint32_t)header->height;
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &tile_height);
    size_t pixel = (size_t)header->samples * (size_t)header->bits / 8, tile_row = (size_t)TIFFTileRowSize64(tiff);
    if (tile_width == 0 || tile_height == 0 || tile_row != tile_width * pixel) {
        cimage_keep(r->result.message, sizeof r->result.message, "tiles of another size than their samples need");
        return refuse(r);
    }
    size_t row_size = width * pixel;
    uint8_t *band = allocate(r, tile_height < height ? tile_height : height, row_size);
    uint8_t *tile = band ? allocate(r, tile_height, tile_row) : NULL;
    for (uint32_t y = 0; tile && y < height; y += tile_height) {
        uint32_t rows = height - y < tile_height ? height - y : tile_height;
        for (uint32_t x = 0; x < width; x += tile_width) {
            if (TIFFReadTile(tiff, tile, x, y, 0, 0) < 0 || r->errors) {
                refuse(r);
                goto done;
            }
            size_t columns = width - x < tile_width ? width - x : tile_width;
            for (uint32_t i = 0; i < rows; i++)
                memcpy(band + i * row_size + x * pixel, tile + i * tile_row, columns * pixel);
            if (width - x <= tile_width) break;
        }
        for (uint32_t i = 0; i < rows; i++) {
            r->sink.row(r->sink.context, (int)(y + i), band + i * row_size, row_size);
            r->result.rows = (int)(y + i + 1);
        }
        if (height - y <= tile_height) break;
    }
done:
    free(tile);
    free(band);
}

// Planes apart: a strip of each at a time, put together sample by sample.
static void read_planes(reader *r, TIFF *tiff, const cimage_tiff_header *header) {
    uint32_t step = 0, height = (uint32_t)header->height;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &step);
    if (step == 0 || step > height) step = height;
    size_t size = (size_t)header->bits / 8, samples = (size_t)header->samples;
    size_t plane_row = (size_t)header->width * size, row_size = plane_row * samples;
    if ((size_t)TIFFScanlineSize64(tiff) != plane_row) {
        cimage_keep(r->result.message, sizeof r->result.message, "rows of another size than their samples need");
        return refuse(r);
    }
    uint8_t *band = allocate(r, step, row_size);
    uint8_t *plane = band ? allocate(r, step, plane_row) : NULL;
    for (uint32_t y = 0; plane && y < height; y += step) {
        uint32_t rows = height - y < step ? height - y : step;
        for (size_t sample = 0; sample < samples; sample++) {
            tmsize_t wanted = (tmsize_t)(rows * plane_row);
            uint32_t strip = TIFFComputeStrip(tiff, y, (uint16_t)sample);
            if (TIFFReadEncodedStrip(tiff, strip, plane, wanted) != wanted || r->errors) {
                refuse(r);
                goto done;
            }
            for (size_t i = 0; i < rows * (size_t)header->width; i++)
                memcpy(band + (i * samples + sample) * size, plane + i * size, size);
        }
        for (uint32_t i = 0; i < rows; i++) {
            r->sink.row(r->sink.context, (int)(y + i), band + i * row_size, row_size);
            r->result.rows = (int)(y + i + 1);
        }
        if (height - y <= step) break;
    }
done:
    free(plane);
    free(band);
}

// Strip by strip, or a row of tiles at a time. The picture is asked for as it is stored: turning it is not
// libtiff's business.
static void read_rgba(reader *r, TIFF *tiff, const cimage_tiff_header *header) {
    char text[1024] = "";
    mend_coefficients(tiff);
    TIFFRGBAImage image;
    if (!TIFFRGBAImageOK(tiff, text) || !TIFFRGBAImageBegin(&image, tiff, 1, text)) {
        // What it said before says more.
        if (!r->result.message[0]) cimage_keep(r->result.message, sizeof r->result.message, text);
        r->result.status = cimage_unsupported;
        return;
    }
    image.orientation = image.req_orientation = ORIENTATION_TOPLEFT;
    uint32_t step = 0, height = (uint32_t)header->height;
    TIFFGetFieldDefaulted(tiff, header->tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &step);
    if (step == 0 || step > height) step = height;
    size_t width = (size_t)header->width;
    uint32_t *raster = allocate(r, step, width * 4);
    uint8_t *row = raster ? allocate(r, 1, width * 4) : NULL;
    for (uint32_t y = 0; row && y < height; y += step) {
        uint32_t rows = height - y < step ? height - y : step;
        memset(raster, 0, rows * width * 4);
        image.row_offset = (int)y;
        image.col_offset = 0;
        if (!TIFFRGBAImageGet(&image, raster, header->width, rows) || r->errors) {
            refuse(r);
            break;
        }
        for (uint32_t i = 0; i < rows; i++) {
            for (size_t x = 0; x < width; x++) {
                uint32_t pixel = raster[i * width + x];
                row[x * 4] = TIFFGetR(pixel);
                row[x * 4 + 1] = TIFFGetG(pixel);
                row[x * 4 + 2] = TIFFGetB(pixel);
                row[x * 4 + 3] = TIFFGetA(pixel);
            }
            r->sink.row(r->sink.context, (int)(y + i), row, width * 4);
            r->result.rows = (int)(y + i + 1);
        }
    }
    free(row);
    free(raster);
    TIFFRGBAImageEnd(&image);
}

cimage_tiff_result cimage_tiff_read(
    const uint8_t *bytes, size_t count, size_t memory_limit, cimage_tiff_sink sink) {
    reader r = {.sink = sink, .bytes = bytes, .count = count, .memory_limit = memory_limit};
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) {
        r.result.status = cimage_too_large;
        return r.result;
    }
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, &r);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, &r);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)memory_limit);
    TIFF *tiff = TIFFClientOpenExt(
        "", "r", &r, read_bytes, write_bytes, seek, close_nothing, size, map, unmap, options);
    TIFFOpenOptionsFree(options);
    if (!tiff) {
        refuse(&r);
        return r.result;
    }
    // What it could do without: a field of a kind that it does not know, say.
    if (r.errors) {
        r.result.warnings++;
        memcpy(r.result.warning, r.result.message, sizeof r.result.warning);
        r.result.message[0] = 0;
        r.errors = 0;
    }
    cimage_tiff_header header = {0};
    cimage_tiff_reading reading = read_header(&r, tiff, &header);
    r.reads_pixels = true;
    switch (reading) {
    case cimage_tiff_stop: r.result.status = cimage_stopped; break;
    case cimage_tiff_samples:
        (header.planar == PLANARCONFIG_SEPARATE ? read_planes : header.tiled ? read_tiles : read_samples)(
            &r, tiff, &header);
        break;
    case cimage_tiff_rgba: read_rgba(&r, tiff, &header); break;
    }
    TIFFClose(tiff);
    return r.result;
}

#endif
