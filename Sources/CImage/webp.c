// libwebp returns codes, jumps nowhere and says nothing in words.
#ifdef CIMAGE_WEBP

#include "CImage.h"

#include <webp/decode.h>

static cimage_status status_of(VP8StatusCode code) {
    switch (code) {
    case VP8_STATUS_OK: return cimage_ok;
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED: return cimage_truncated;
    case VP8_STATUS_OUT_OF_MEMORY: return cimage_too_large;
    case VP8_STATUS_UNSUPPORTED_FEATURE: return cimage_unsupported;
    case VP8_STATUS_USER_ABORT: return cimage_stopped;
    default: return cimage_corrupt;
    }
}

cimage_webp_header cimage_webp_measure(const uint8_t *bytes, size_t count) {
    cimage_webp_header header = {0};
    WebPBitstreamFeatures features;
    header.status = status_of(WebPGetFeatures(bytes, count, &features));
    if (header.status != cimage_ok) return header;
    header.width = features.width;
    header.height = features.height;
    header.alpha = features.has_alpha != 0;
    header.lossless = features.format == 2;
    return header;
}

cimage_webp_result cimage_webp_decode(
    const uint8_t *bytes, size_t count, int width, int height, bool scaled, uint8_t *pixels) {
    cimage_webp_result result = {.status = cimage_unsupported};
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return result;
    config.options.use_scaling = scaled;
    config.options.scaled_width = width;
    config.options.scaled_height = height;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = width * 4;
    config.output.u.RGBA.size = (size_t)width * 4 * (size_t)height;
    // The incremental decoder, fed once: it alone says how many rows a cut file held.
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
    if (!decoder) {
        result.status = cimage_too_large;
        return result;
    }
    result.status = status_of(WebPIUpdate(decoder, bytes, count));
    int rows = 0;
    if (WebPIDecGetRGB(decoder, &rows, NULL, NULL, NULL)) result.rows = rows;
    WebPIDelete(decoder);
    WebPFreeDecBuffer(&config.output);
    return result;
}

#endif
