// libwebp returns codes, jumps nowhere and says nothing in words.
#ifdef CIMAGE_WEBP

#include "CImage.h"

#include <webp/decode.h>
#include <webp/demux.h>

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

static cimage_range range_of(const uint8_t *bytes, const WebPData part) {
    return (cimage_range){.start = part.bytes ? (size_t)(part.bytes - bytes) : 0, .count = part.size};
}

static cimage_range chunk(const WebPDemuxer *demuxer, const uint8_t *bytes, const char *name) {
    WebPChunkIterator found;
    cimage_range range = {0};
    if (WebPDemuxGetChunk(demuxer, name, 1, &found)) range = range_of(bytes, found.chunk);
    WebPDemuxReleaseChunkIterator(&found);
    return range;
}

cimage_webp_parts cimage_webp_find(const uint8_t *bytes, size_t count) {
    cimage_webp_parts parts = {.status = cimage_corrupt};
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
    WebPDemuxer *demuxer = WebPDemuxPartial(&(WebPData){.bytes = bytes, .size = count}, &state);
    if (!demuxer) {
        if (state == WEBP_DEMUX_PARSING_HEADER) parts.status = cimage_truncated;
        return parts;
    }
    parts.status = state == WEBP_DEMUX_DONE ? cimage_ok : cimage_truncated;
    parts.canvas_width = (int)WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH);
    parts.canvas_height = (int)WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT);
    WebPIterator frame;
    if (WebPDemuxGetFrame(demuxer, 1, &frame)) {
        parts.left = frame.x_offset;
        parts.top = frame.y_offset;
        parts.frame = range_of(bytes, frame.fragment);
    }
    WebPDemuxReleaseIterator(&frame);
    parts.profile = chunk(demuxer, bytes, "ICCP");
    parts.exif = chunk(demuxer, bytes, "EXIF");
    parts.xmp = chunk(demuxer, bytes, "XMP ");
    WebPDemuxDelete(demuxer);
    return parts;
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
