// libavif returns codes; its diagnostics say more.
#ifdef CIMAGE_AVIF

#include "CImage.h"
#include "message.h"

#include <malloc.h>
#include <stdlib.h>
#include <avif/avif.h>

// Rows that become colors at once. Even, so that a row of halved color is never parted.
#define BAND 64
// Bytes. What other photos have freed is given back to the system before a larger picture.
#define LARGE_PICTURE (60 * 1000 * 1000)
// Pixels by which a coded picture may exceed the one that is shown, on each side: those of a tile.
#define OVERHANG 1024

static void fail(cimage_avif_result *result, avifDecoder *decoder, avifResult code, size_t memory) {
    const char *text = decoder->diag.error[0] ? decoder->diag.error : avifResultToString(code);
    cimage_keep(result->message, sizeof result->message, text);
    void *room = NULL;
    switch (code) {
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_WAITING_ON_IO:
    case AVIF_RESULT_IO_ERROR: result->status = cimage_truncated; return;
    case AVIF_RESULT_OUT_OF_MEMORY: result->status = cimage_too_large; return;
    case AVIF_RESULT_INVALID_FTYP:
    case AVIF_RESULT_NO_AV1_ITEMS_FOUND:
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_REFORMAT_FAILED:
    case AVIF_RESULT_NOT_IMPLEMENTED: result->status = cimage_unsupported; return;
    default: result->status = cimage_corrupt;
    }
    // The decoder does not say that it wanted memory.
    if (memory > 0 && !(room = malloc(memory))) {
        result->status = cimage_too_large;
        cimage_keep(result->message, sizeof result->message, "there is not enough memory to decode it");
    }
    free(room);
}

static cimage_avif_header header_of(const avifDecoder *decoder) {
    const avifImage *image = decoder->image;
    const avifCleanApertureBox *clap = &image->clap;
    avifPixelFormatInfo format;
    avifGetPixelFormatInfo(image->yuvFormat, &format);
    cimage_avif_header header = {
        .width = (int)image->width, .height = (int)image->height, .depth = (int)image->depth,
        .across = format.monochrome ? 0 : format.chromaShiftX + 1,
        .down = format.monochrome ? 0 : format.chromaShiftY + 1,
        .alpha = decoder->alphaPresent,
        .primaries = image->colorPrimaries, .transfer = image->transferCharacteristics,
        .cropped = (image->transformFlags & AVIF_TRANSFORM_CLAP) != 0,
        .turns = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle & 3 : 0,
        .mirror = image->transformFlags & AVIF_TRANSFORM_IMIR ? image->imir.mode & 1 : -1,
    };
    const uint32_t aperture[] = {clap->widthN, clap->widthD, clap->heightN, clap->heightD,
        clap->horizOffN, clap->horizOffD, clap->vertOffN, clap->vertOffD};
    for (int i = 0; i < 8; i++) header.aperture[i] = (int32_t)aperture[i];
    return header;
}

static avifResult hand_over(const avifImage *image, uint32_t rows, cimage_avif_sink sink, int *done) {
    avifImage *band = avifImageCreateEmpty();
    uint8_t *pixels = malloc((size_t)image->width * 4 * BAND);
    avifResult code = band && pixels ? AVIF_RESULT_OK : AVIF_RESULT_OUT_OF_MEMORY;
    for (uint32_t top = 0; code == AVIF_RESULT_OK && top < rows; top += BAND) {
        avifCropRect part = {0, top, image->width, rows - top < BAND ? rows - top : BAND};
        code = avifImageSetViewRect(band, image, &part);
        if (code != AVIF_RESULT_OK) break;
        avifRGBImage colors;
        avifRGBImageSetDefaults(&colors, band);
        colors.depth = 8;
        colors.format = AVIF_RGB_FORMAT_RGBA;
        // Others look at rows that lie in the next band.
        colors.chromaUpsampling = AVIF_CHROMA_UPSAMPLING_NEAREST;
        colors.pixels = pixels;
        colors.rowBytes = image->width * 4;
        code = avifImageYUVToRGB(band, &colors);
        for (uint32_t y = 0; code == AVIF_RESULT_OK && y < part.height; y++, (*done)++)
            sink.row(sink.context, (int)(top + y), pixels + (size_t)y * colors.rowBytes);
    }
    free(pixels);
    if (band) avifImageDestroy(band);
    return code;
}

cimage_avif_result cimage_avif_read(
    const uint8_t *bytes, size_t count, bool keeps_rows, cimage_avif_sink sink) {
    cimage_avif_result result = {0};
    avifDecoder *decoder = avifDecoderCreate();
    if (!decoder) {
        result.status = cimage_too_large;
        return result;
    }
    // Moody has a thread for each photo already.
    decoder->maxThreads = 1;
    decoder->allowIncremental = keeps_rows;
    // Usual encoders leave out `pixi`, or the size of an alpha picture.
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    avifResult code = avifDecoderSetIOMemory(decoder, bytes, count);
    size_t memory = 0;
    if (code == AVIF_RESULT_OK) code = avifDecoderParse(decoder);
    if (code == AVIF_RESULT_OK) {
        const avifImage *image = decoder->image;
        cimage_avif_texts texts = {
            .profile = image->icc.data, .profile_count = image->icc.size,
            .exif = image->exif.data, .exif_count = image->exif.size,
            .xmp = image->xmp.data, .xmp_count = image->xmp.size,
        };
        memory = sink.header(sink.context, header_of(decoder), texts);
        if (memory == 0) {
            result.status = cimage_stopped;
        } else {
            uint64_t coded = ((uint64_t)image->width + OVERHANG) * (image->height + OVERHANG);
            if (coded < decoder->imageSizeLimit) decoder->imageSizeLimit = (uint32_t)coded;
            if (memory > LARGE_PICTURE) malloc_trim(0);
            code = avifDecoderNextImage(decoder);
            uint32_t rows = code == AVIF_RESULT_OK ? image->height : avifDecoderDecodedRowCount(decoder);
            if (rows > 0) {
                avifResult colored = hand_over(decoder->image, rows, sink, &result.rows);
                if (colored != AVIF_RESULT_OK) code = colored;
            }
        }
    }
    if (code != AVIF_RESULT_OK) fail(&result, decoder, code, memory);
    avifDecoderDestroy(decoder);
    return result;
}

#endif
