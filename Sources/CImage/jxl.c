// libjxl returns codes without words.
#ifdef CIMAGE_JXL

#include "CImage.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <jxl/decode.h>

static cimage_jxl_header header_of(const JxlDecoder *decoder, const JxlBasicInfo *info) {
    cimage_jxl_header header = {
        .width = (int)info->xsize, .height = (int)info->ysize,
        .channels = (int)(info->num_color_channels + info->num_extra_channels),
        .is_gray = info->num_color_channels == 1,
        .is_lossy = !info->uses_original_profile,
        .orientation = (int)info->orientation,
    };
    for (uint32_t i = 0; i < info->num_extra_channels; i++) {
        JxlExtraChannelInfo channel;
        if (JxlDecoderGetExtraChannelInfo(decoder, i, &channel) == JXL_DEC_SUCCESS)
            header.has_black = header.has_black || channel.type == JXL_CHANNEL_BLACK;
    }
    return header;
}

// What is not stored in a color space of its own becomes sRGB where it was that, else Rec. 2020 with sRGB's
// curve. The high dynamic range stays as it is.
static void prefer(JxlDecoder *decoder, const JxlBasicInfo *info, JxlPixelFormat format) {
    if (info->uses_original_profile) return;
    JxlColorEncoding stored;
    bool is_known = JxlDecoderGetColorAsEncodedProfile(
        decoder, &format, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &stored) == JXL_DEC_SUCCESS;
    if (is_known && (stored.transfer_function == JXL_TRANSFER_FUNCTION_PQ ||
                     stored.transfer_function == JXL_TRANSFER_FUNCTION_HLG)) return;
    bool is_gray = info->num_color_channels == 1;
    bool is_srgb = is_known && stored.white_point == JXL_WHITE_POINT_D65 && stored.primaries == JXL_PRIMARIES_SRGB;
    JxlColorEncoding wanted = {
        .color_space = is_gray ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB,
        .white_point = JXL_WHITE_POINT_D65,
        .primaries = is_gray || is_srgb ? JXL_PRIMARIES_SRGB : JXL_PRIMARIES_2100,
        .transfer_function = JXL_TRANSFER_FUNCTION_SRGB,
        .rendering_intent = JXL_RENDERING_INTENT_RELATIVE,
    };
    JxlDecoderSetPreferredColorProfile(decoder, &wanted);
}

static cimage_jxl_colors colors_of(const JxlDecoder *decoder, JxlPixelFormat format) {
    cimage_jxl_colors colors = {0};
    JxlColorEncoding encoding;
    if (JxlDecoderGetColorAsEncodedProfile(
            decoder, &format, JXL_COLOR_PROFILE_TARGET_DATA, &encoding) != JXL_DEC_SUCCESS) return colors;
    colors.transfer = (int)encoding.transfer_function;
    const double *xy[] = {encoding.white_point_xy, encoding.primaries_red_xy, encoding.primaries_green_xy,
        encoding.primaries_blue_xy};
    for (int i = 0; i < 8; i++) colors.primaries[i] = xy[i / 2][i % 2];
    colors.is_srgb = encoding.color_space == JXL_COLOR_SPACE_GRAY ||
        (encoding.white_point == JXL_WHITE_POINT_D65 && encoding.primaries == JXL_PRIMARIES_SRGB);
    return colors;
}

// Returns NULL when there is none.
static uint8_t *profile_of(const JxlDecoder *decoder, JxlPixelFormat format, size_t *count) {
    *count = 0;
    size_t size = 0;
    if (JxlDecoderGetICCProfileSize(decoder, &format, JXL_COLOR_PROFILE_TARGET_DATA, &size) != JXL_DEC_SUCCESS)
        return NULL;
    uint8_t *profile = malloc(size);
    if (profile && JxlDecoderGetColorAsICCProfile(
            decoder, &format, JXL_COLOR_PROFILE_TARGET_DATA, profile, size) == JXL_DEC_SUCCESS) *count = size;
    return profile;
}

static cimage_status read_on(JxlDecoder *decoder, cimage_jxl_sink sink) {
    JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    JxlBasicInfo info;
    for (;;) {
        switch (JxlDecoderProcessInput(decoder)) {
        case JXL_DEC_BASIC_INFO:
            if (JxlDecoderGetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS) return cimage_corrupt;
            if (!sink.header(sink.context, header_of(decoder, &info))) return cimage_stopped;
            break;
        case JXL_DEC_COLOR_ENCODING: {
            prefer(decoder, &info, format);
            cimage_jxl_colors colors = colors_of(decoder, format);
            size_t count;
            uint8_t *profile = profile_of(decoder, format, &count);
            // Eight bits of light are too few.
            if (sink.colors(sink.context, colors, profile, count)) format.data_type = JXL_TYPE_FLOAT;
            free(profile);
            break;
        }
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
            if (JxlDecoderSetImageOutCallback(decoder, &format, sink.pixels, sink.context) != JXL_DEC_SUCCESS)
                return cimage_unsupported;
            break;
        case JXL_DEC_FULL_IMAGE: return cimage_ok;
        case JXL_DEC_NEED_MORE_INPUT: return cimage_truncated;
        default: return cimage_corrupt;
        }
    }
}

cimage_status cimage_jxl_read(const uint8_t *bytes, size_t count, cimage_jxl_sink sink) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (!decoder) return cimage_too_large;
    cimage_status status = cimage_too_large;
    int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE;
    if (JxlDecoderSubscribeEvents(decoder, events) == JXL_DEC_SUCCESS &&
        JxlDecoderSetKeepOrientation(decoder, JXL_TRUE) == JXL_DEC_SUCCESS &&
        JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE) == JXL_DEC_SUCCESS &&
        JxlDecoderSetInput(decoder, bytes, count) == JXL_DEC_SUCCESS) status = read_on(decoder, sink);
    JxlDecoderDestroy(decoder);
    return status;
}

size_t cimage_jxl_unpack(const uint8_t *box, size_t count, uint8_t *unpacked, size_t size) {
    static const uint8_t start[] = {0, 0, 0, 12, 'J', 'X', 'L', ' ', 13, 10, 0x87, 10,
        0, 0, 0, 20, 'f', 't', 'y', 'p', 'j', 'x', 'l', ' ', 0, 0, 0, 0, 'j', 'x', 'l', ' '};
    uint8_t *file = malloc(sizeof start + count);
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    size_t written = 0;
    if (file && decoder) {
        memcpy(file, start, sizeof start);
        memcpy(file + sizeof start, box, count);
        JxlBoxType type = "";
        JxlDecoderStatus status = JXL_DEC_ERROR;
        if (JxlDecoderSubscribeEvents(decoder, JXL_DEC_BOX) == JXL_DEC_SUCCESS &&
            JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE) == JXL_DEC_SUCCESS &&
            JxlDecoderSetInput(decoder, file, sizeof start + count) == JXL_DEC_SUCCESS) {
            JxlDecoderCloseInput(decoder);
            do status = JxlDecoderProcessInput(decoder);
            while (status == JXL_DEC_BOX && JxlDecoderGetBoxType(decoder, type, JXL_FALSE) == JXL_DEC_SUCCESS &&
                   memcmp(type, "brob", 4) != 0);
        }
        if (status == JXL_DEC_BOX && JxlDecoderSetBoxBuffer(decoder, unpacked, size) == JXL_DEC_SUCCESS) {
            JxlDecoderProcessInput(decoder);
            written = size - JxlDecoderReleaseBoxBuffer(decoder);
        }
    }
    if (decoder) JxlDecoderDestroy(decoder);
    free(file);
    return written;
}

#endif
