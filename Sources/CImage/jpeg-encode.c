// Writes a JPEG into the caller's buffer. libjpeg's own memory destination would allocate and grow a buffer
// that somebody must free; this one stops with cimage_too_large instead. Errors leave as in jpeg.c.

#include "CImage.h"
#include "message.h"

#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>

typedef struct writer {
    struct jpeg_error_mgr errors;   // first, so that cinfo.err is also the writer
    struct jpeg_compress_struct cinfo;
    struct jpeg_destination_mgr destination;
    jmp_buf fatal;
    cimage_jpeg_encoded result;
    const uint8_t *rgba;
    int width, height, quality;
    const uint8_t *profile;
    size_t profile_count;
    uint8_t *bytes;
    size_t capacity;
} writer;

static void on_fatal(j_common_ptr cinfo) {
    writer *w = (writer *)cinfo->err;
    char text[JMSG_LENGTH_MAX];
    cinfo->err->format_message(cinfo, text);
    cimage_keep(w->result.message, sizeof w->result.message, text);
    w->result.status = cimage_corrupt;
    longjmp(w->fatal, 1);
}

static void ignore_message(j_common_ptr cinfo, int level) { (void)cinfo; (void)level; }

static void begin(j_compress_ptr cinfo) {
    writer *w = (writer *)cinfo->err;
    w->destination.next_output_byte = w->bytes;
    w->destination.free_in_buffer = w->capacity;
}

static boolean buffer_full(j_compress_ptr cinfo) {
    writer *w = (writer *)cinfo->err;
    w->result.status = cimage_too_large;
    longjmp(w->fatal, 1);
}

static void end(j_compress_ptr cinfo) {
    writer *w = (writer *)cinfo->err;
    w->result.count = w->capacity - w->destination.free_in_buffer;
}

static void guarded(writer *w) {
    struct jpeg_compress_struct *cinfo = &w->cinfo;
    if (setjmp(w->fatal)) return;
    jpeg_create_compress(cinfo);
    w->destination.init_destination = begin;
    w->destination.empty_output_buffer = buffer_full;
    w->destination.term_destination = end;
    cinfo->dest = &w->destination;
    cinfo->image_width = (JDIMENSION)w->width;
    cinfo->image_height = (JDIMENSION)w->height;
    cinfo->input_components = 4;
    cinfo->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(cinfo);
    jpeg_set_quality(cinfo, w->quality, TRUE);
    jpeg_start_compress(cinfo, TRUE);
    if (w->profile_count) jpeg_write_icc_profile(cinfo, w->profile, (unsigned)w->profile_count);
    while (cinfo->next_scanline < cinfo->image_height) {
        JSAMPROW row = (JSAMPROW)(w->rgba + (size_t)cinfo->next_scanline * cinfo->image_width * 4);
        jpeg_write_scanlines(cinfo, &row, 1);
    }
    jpeg_finish_compress(cinfo);
}

cimage_jpeg_encoded cimage_jpeg_encode(
    const uint8_t *rgba, int width, int height, int quality, const uint8_t *profile, size_t profile_count,
    uint8_t *bytes, size_t capacity) {
    writer w = {
        .rgba = rgba, .width = width, .height = height, .quality = quality, .profile = profile,
        .profile_count = profile_count, .bytes = bytes, .capacity = capacity,
    };
    w.cinfo.err = jpeg_std_error(&w.errors);
    w.errors.error_exit = on_fatal;
    w.errors.emit_message = ignore_message;
    guarded(&w);
    jpeg_destroy_compress(&w.cinfo);
    return w.result;
}
