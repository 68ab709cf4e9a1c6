// libde265 returns codes and lists its warnings.
#ifdef CIMAGE_HEIF

#include "CImage.h"
#include "message.h"

#include <libde265/de265.h>
#include <malloc.h>

// Pixels: those of some 60 MB of planes. Tiles are far below.
#define LARGE_PICTURE (20 * 1000 * 1000)

typedef struct reader {
    cimage_hevc_request request;
    cimage_planes_result result;
    bool refused;
} reader;

// What the coded picture asks for, which need not be what its container said.
static int get_buffer(
    de265_decoder_context *decoder, struct de265_image_spec *spec, struct de265_image *image, void *data) {
    reader *r = data;
    if (spec->width <= 0 || spec->height <= 0 || spec->width > r->request.most_pixels / spec->height) {
        r->refused = true;
        return 0;
    }
    // The planes of a large picture are most of what this process will ever hold: what others have freed is given
    // back first, on every thread's heap.
    if (spec->width > LARGE_PICTURE / spec->height) malloc_trim(0);
    return de265_get_default_image_allocation_functions()->get_buffer(decoder, spec, image, NULL);
}

static void release_buffer(de265_decoder_context *decoder, struct de265_image *image, void *data) {
    (void)data;
    de265_get_default_image_allocation_functions()->release_buffer(decoder, image, NULL);
}

static void fail(reader *r, cimage_status status, const char *text) {
    if (r->result.status != cimage_ok) return;
    r->result.status = status;
    cimage_keep(r->result.message, sizeof r->result.message, text);
}

// Units one after the other, each behind its length.
static bool push(reader *r, de265_decoder_context *decoder, const uint8_t *bytes, size_t count, size_t size) {
    for (size_t at = 0; at < count;) {
        size_t length = 0;
        if (count - at < size) return false;
        for (size_t i = 0; i < size; i++) length = length << 8 | bytes[at + i];
        at += size;
        if (length > count - at || length > 1 << 30) return false;
        if (length > 0 && de265_push_NAL(decoder, bytes + at, (int)length, 0, NULL) != DE265_OK) {
            fail(r, cimage_too_large, "libde265 needs more memory than there is");
            return false;
        }
        at += length;
    }
    return true;
}

static void keep_warnings(reader *r, de265_decoder_context *decoder) {
    for (de265_error w = de265_get_warning(decoder); w != DE265_OK; w = de265_get_warning(decoder)) {
        // These two are about libde265, not about the picture.
        if (w == DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING ||
            w == DE265_WARNING_NUMBER_OF_THREADS_LIMITED_TO_MAXIMUM || w == DE265_WARNING_SPS_MISSING_CANNOT_DECODE_SEI)
            continue;
        if (r->result.warnings++ == 0)
            cimage_keep(r->result.message, sizeof r->result.message, de265_get_error_text(w));
    }
}

static void hand_over(reader *r, const struct de265_image *image, cimage_planes_sink sink) {
    int luma_stride = 0, blue_stride = 0, red_stride = 0;
    enum de265_chroma chroma = de265_get_chroma_format(image);
    cimage_planes planes = {
        .width = de265_get_image_width(image, 0), .height = de265_get_image_height(image, 0),
        .depth = de265_get_bits_per_pixel(image, 0),
        .across = chroma == de265_chroma_mono ? 0 : chroma == de265_chroma_444 ? 1 : 2,
        .down = chroma == de265_chroma_mono ? 0 : chroma == de265_chroma_420 ? 2 : 1,
        .matrix = de265_get_image_matrix_coefficients(image),
        .full_range = de265_get_image_full_range_flag(image) != 0,
        .luma = de265_get_image_plane(image, 0, &luma_stride),
    };
    planes.luma_stride = luma_stride;
    if (chroma != de265_chroma_mono) {
        planes.blue = de265_get_image_plane(image, 1, &blue_stride);
        planes.red = de265_get_image_plane(image, 2, &red_stride);
        planes.color_stride = blue_stride;
        if (!planes.blue || !planes.red || blue_stride != red_stride ||
            de265_get_bits_per_pixel(image, 1) != planes.depth)
            return fail(r, cimage_unsupported, "planes of different kinds");
    }
    if (!planes.luma) return fail(r, cimage_corrupt, "no picture in the coded data");
    sink.picture(sink.context, &planes);
}

cimage_planes_result cimage_hevc_read(
    const uint8_t *parameters, size_t parameter_count, const uint8_t *bytes, size_t count,
    cimage_hevc_request request, cimage_planes_sink sink) {
    reader r = {.request = request};
    de265_decoder_context *decoder = de265_new_decoder();
    if (!decoder) {
        fail(&r, cimage_too_large, "libde265 needs more memory than there is");
        return r.result;
    }
    struct de265_image_allocation allocation = {.get_buffer = get_buffer, .release_buffer = release_buffer};
    de265_set_image_allocation_functions(decoder, &allocation, &r);
    if (!push(&r, decoder, parameters, parameter_count, 4) ||
        !push(&r, decoder, bytes, count, (size_t)request.length_size))
        fail(&r, cimage_corrupt, "a coded part longer than its picture");
    const struct de265_image *image = NULL;
    if (r.result.status == cimage_ok && de265_flush_data(decoder) == DE265_OK) {
        int more = 1;
        de265_error error = DE265_OK;
        while (more && !image && error == DE265_OK) {
            more = 0;
            error = de265_decode(decoder, &more);
            image = de265_get_next_picture(decoder);
        }
        if (error != DE265_OK)
            fail(&r, r.refused ? cimage_too_large : error == DE265_ERROR_NOT_IMPLEMENTED_YET ? cimage_unsupported
                : error == DE265_ERROR_OUT_OF_MEMORY ? cimage_too_large : cimage_corrupt, de265_get_error_text(error));
    }
    if (r.result.status == cimage_ok) {
        keep_warnings(&r, decoder);
        if (r.refused) fail(&r, cimage_too_large, "a coded picture larger than it is announced");
        else if (!image) fail(&r, cimage_corrupt, "no picture in the coded data");
        else hand_over(&r, image, sink);
    }
    de265_free_decoder(decoder);
    return r.result;
}

#endif
