// libheif returns errors as values and catches its own exceptions.
#ifdef CIMAGE_HEIF

#define _GNU_SOURCE

#include "CImage.h"
#include "message.h"

#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <libheif/heif.h>

// Bytes. Tiles are far below.
#define LARGE_PICTURE (60 * 1000 * 1000)

typedef struct reader {
    cimage_heif_sink sink;
    cimage_heif_result result;
    size_t chunk_limit;
} reader;

static bool failed(reader *r, struct heif_error error) {
    if (error.code == heif_error_Ok) return false;
    cimage_keep(r->result.message, sizeof r->result.message, error.message);
    if (error.subcode == heif_suberror_End_of_data) {
        r->result.status = cimage_truncated;
    } else if (error.subcode == heif_suberror_Security_limit_exceeded ||
               error.code == heif_error_Memory_allocation_error) {
        r->result.status = cimage_too_large;
    } else if (error.code == heif_error_Unsupported_feature ||
               error.code == heif_error_Unsupported_filetype) {
        r->result.status = cimage_unsupported;
    } else {
        r->result.status = cimage_corrupt;
    }
    return true;
}

// Whether the process can have so many bytes more, and a quarter for what is not reckoned.
static bool has_room(size_t bytes) {
    if (bytes > SIZE_MAX / 2) return false;
    void *room = mmap(NULL, bytes + bytes / 4 + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return false;
    munmap(room, bytes + bytes / 4 + 1);
    return true;
}

static void lack_memory(reader *r) {
    r->result.status = cimage_too_large;
    cimage_keep(r->result.message, sizeof r->result.message, "there is not enough memory to decode it");
}

// libheif 1.15 cannot limit the threads of a decoder. dav1d starts one for each processor that its caller may run
// on, and each thread holds a part of a picture: on one processor it works in its caller's thread alone. Moody has
// a thread for each photo already. Where this is refused the decoder is only larger.
static struct heif_error decode(
    reader *r, const struct heif_image_handle *handle, struct heif_image **image, enum heif_colorspace space,
    enum heif_chroma chroma, const struct heif_decoding_options *options, size_t memory) {
    struct heif_error error = {heif_error_Memory_allocation_error, heif_suberror_Unspecified, ""};
    // As in hevc.c: what other photos have freed is given back before a large one.
    if (memory > LARGE_PICTURE) malloc_trim(0);
    if (!has_room(memory)) {
        lack_memory(r);
        return error;
    }
    cpu_set_t before, one;
    int processor = sched_getcpu();
    bool is_bound = false;
    if (processor >= 0 && processor < CPU_SETSIZE && sched_getaffinity(0, sizeof before, &before) == 0) {
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        is_bound = sched_setaffinity(0, sizeof one, &one) == 0;
    }
    error = heif_decode_image(handle, image, space, chroma, options);
    if (is_bound) sched_setaffinity(0, sizeof before, &before);
    if (!failed(r, error)) return error;
    // Decoders do not say why they fail.
    if (r->result.status == cimage_corrupt && !has_room(memory)) lack_memory(r);
    return error;
}

static void read_nclx(const struct heif_image_handle *handle, cimage_heif_header *header) {
    struct heif_color_profile_nclx *nclx = NULL;
    struct heif_error error = heif_image_handle_get_nclx_color_profile(handle, &nclx);
    if (error.code != heif_error_Ok || !nclx) return;
    header->has_nclx = true;
    header->primaries = (int)nclx->color_primaries;
    header->transfer = (int)nclx->transfer_characteristics;
    heif_nclx_color_profile_free(nclx);
}

// How many bytes decoding may take; 0: not to be done.
static size_t read_header(reader *r, const struct heif_image_handle *handle, cimage_heif_header *header) {
    header->width = heif_image_handle_get_width(handle);
    header->height = heif_image_handle_get_height(handle);
    header->depth = heif_image_handle_get_luma_bits_per_pixel(handle);
    header->alpha = heif_image_handle_has_alpha_channel(handle) != 0;
    header->premultiplied = heif_image_handle_is_premultiplied_alpha(handle) != 0;
    read_nclx(handle, header);
    size_t count = heif_image_handle_get_raw_color_profile_size(handle);
    uint8_t *profile = count > 0 && count <= r->chunk_limit ? malloc(count) : NULL;
    if (profile && heif_image_handle_get_raw_color_profile(handle, profile).code != heif_error_Ok) {
        free(profile);
        profile = NULL;
    }
    size_t memory = r->sink.header(r->sink.context, *header, profile, profile ? count : 0);
    free(profile);
    if (memory == 0) r->result.status = cimage_stopped;
    return memory;
}

static void read_pixels(
    reader *r, const struct heif_image_handle *handle, const cimage_heif_header *header, size_t memory) {
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (!options) {
        r->result.status = cimage_too_large;
        return;
    }
    options->convert_hdr_to_8bit = 1;
    options->strict_decoding = 1;
    r->result.is_decoding = true;
    struct heif_image *image = NULL;
    bool alpha = header->alpha;
    enum heif_chroma chroma = alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    if (decode(r, handle, &image, heif_colorspace_RGB, chroma, options, memory).code == heif_error_Ok) {
        int stride = 0;
        const uint8_t *plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
        uint8_t *row = malloc((size_t)header->width * 4);
        // The sides that were promised and checked are those that come, or nothing does.
        if (!plane || heif_image_get_primary_width(image) != header->width ||
            heif_image_get_primary_height(image) != header->height ||
            stride < header->width * (alpha ? 4 : 3)) {
            r->result.status = cimage_corrupt;
            cimage_keep(r->result.message, sizeof r->result.message, "picture of another size than promised");
        } else if (!row) {
            r->result.status = cimage_too_large;
        } else {
            for (int y = 0; y < header->height; y++) {
                const uint8_t *from = plane + (size_t)y * (size_t)stride;
                if (alpha) {
                    r->sink.row(r->sink.context, y, from);
                    continue;
                }
                for (int x = 0; x < header->width; x++) {
                    row[x * 4] = from[x * 3];
                    row[x * 4 + 1] = from[x * 3 + 1];
                    row[x * 4 + 2] = from[x * 3 + 2];
                    row[x * 4 + 3] = 255;
                }
                r->sink.row(r->sink.context, y, row);
            }
        }
        free(row);
    }
    if (image) heif_image_release(image);
    heif_decoding_options_free(options);
}

static int chroma_across(enum heif_chroma chroma) {
    return chroma == heif_chroma_monochrome ? 0 : chroma == heif_chroma_444 ? 1 : 2;
}

static void hand_over(reader *r, const struct heif_image *image, cimage_planes_sink sink) {
    int luma_stride = 0, blue_stride = 0, red_stride = 0;
    enum heif_chroma chroma = heif_image_get_chroma_format(image);
    enum heif_channel luma = heif_channel_Y, blue = heif_channel_Cb;
    cimage_planes planes = {
        .across = chroma_across(chroma),
        .down = chroma == heif_chroma_monochrome ? 0 : chroma == heif_chroma_420 ? 2 : 1,
        .matrix = 2, .full_range = true,
        .luma = heif_image_get_plane_readonly(image, heif_channel_Y, &luma_stride),
        .blue = heif_image_get_plane_readonly(image, heif_channel_Cb, &blue_stride),
        .red = heif_image_get_plane_readonly(image, heif_channel_Cr, &red_stride),
    };
    if (!planes.luma) {
        // What is coded as green, blue and red libheif hands over by these names.
        planes.luma = heif_image_get_plane_readonly(image, heif_channel_G, &luma_stride);
        planes.blue = heif_image_get_plane_readonly(image, heif_channel_B, &blue_stride);
        planes.red = heif_image_get_plane_readonly(image, heif_channel_R, &red_stride);
        luma = heif_channel_G;
        blue = heif_channel_B;
        planes.across = planes.down = 1;
    }
    planes.width = heif_image_get_width(image, luma);
    planes.height = heif_image_get_height(image, luma);
    planes.depth = heif_image_get_bits_per_pixel_range(image, luma);
    planes.luma_stride = luma_stride;
    planes.color_stride = blue_stride;
    struct heif_color_profile_nclx *nclx = NULL;
    if (heif_image_get_nclx_color_profile(image, &nclx).code == heif_error_Ok && nclx) {
        planes.matrix = (int)nclx->matrix_coefficients;
        planes.full_range = nclx->full_range_flag != 0;
        heif_nclx_color_profile_free(nclx);
    }
    if (luma == heif_channel_G) planes.matrix = 0;
    bool colored = planes.across > 0;
    if (!planes.luma || (colored && (!planes.blue || !planes.red || blue_stride != red_stride ||
        heif_image_get_bits_per_pixel_range(image, blue) != planes.depth))) {
        r->result.status = cimage_unsupported;
        cimage_keep(r->result.message, sizeof r->result.message, "planes of different kinds");
        return;
    }
    sink.picture(sink.context, &planes);
}

cimage_planes_result cimage_heif_planes(
    const uint8_t *bytes, size_t count, int side_limit, size_t memory, cimage_planes_sink sink) {
    reader r = {.chunk_limit = 0};
    cimage_planes_result result = {0};
    struct heif_context *context = heif_context_alloc();
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    struct heif_image_handle *handle = NULL;
    struct heif_image *image = NULL;
    if (!context || !options) {
        r.result.status = cimage_too_large;
    } else {
        options->strict_decoding = 1;
        options->ignore_transformations = 1;
        heif_context_set_maximum_image_size_limit(context, side_limit);
        heif_context_set_max_decoding_threads(context, 0);
        if (!failed(&r, heif_context_read_from_memory_without_copy(context, bytes, count, NULL)) &&
            !failed(&r, heif_context_get_primary_image_handle(context, &handle)) &&
            decode(&r, handle, &image, heif_colorspace_undefined, heif_chroma_undefined, options, memory).code ==
                heif_error_Ok)
            hand_over(&r, image, sink);
    }
    if (image) heif_image_release(image);
    if (handle) heif_image_handle_release(handle);
    if (options) heif_decoding_options_free(options);
    if (context) heif_context_free(context);
    result.status = r.result.status;
    cimage_keep(result.message, sizeof result.message, r.result.message);
    return result;
}

cimage_heif_result cimage_heif_read(
    const uint8_t *bytes, size_t count, int side_limit, size_t chunk_limit, cimage_heif_sink sink) {
    reader r = {.sink = sink, .chunk_limit = chunk_limit};
    struct heif_context *context = heif_context_alloc();
    if (!context) {
        r.result.status = cimage_too_large;
        return r.result;
    }
    heif_context_set_maximum_image_size_limit(context, side_limit);
    // Moody has a thread for each photo already.
    heif_context_set_max_decoding_threads(context, 0);
    struct heif_image_handle *handle = NULL;
    cimage_heif_header header = {0};
    size_t memory = 0;
    if (!failed(&r, heif_context_read_from_memory_without_copy(context, bytes, count, NULL)) &&
        !failed(&r, heif_context_get_primary_image_handle(context, &handle)) &&
        (memory = read_header(&r, handle, &header)) > 0) {
        read_pixels(&r, handle, &header, memory);
    }
    if (handle) heif_image_handle_release(handle);
    heif_context_free(context);
    return r.result;
}

#endif
