// LibRaw's C calls catch its exceptions and return codes.
#ifdef CIMAGE_RAW

#include "CImage.h"
#include "message.h"
#include "raw_preview.h"

#include <time.h>
#include <libraw/libraw.h>

static void refuse(cimage_raw_result *result, int code) {
    cimage_keep(result->message, sizeof result->message, libraw_strerror(code));
    switch (code) {
    case LIBRAW_UNSUFFICIENT_MEMORY:
    case LIBRAW_TOO_BIG: result->status = cimage_too_large; break;
    case LIBRAW_IO_ERROR: result->status = cimage_truncated; break;
    case LIBRAW_FILE_UNSUPPORTED:
    case LIBRAW_NO_THUMBNAIL:
    case LIBRAW_UNSUPPORTED_THUMBNAIL: result->status = cimage_unsupported; break;
    default: result->status = cimage_corrupt;
    }
}

static void describe(const libraw_data_t *raw, cimage_raw_preview *preview) {
    preview->sensor_width = raw->sizes.width;
    preview->sensor_height = raw->sizes.height;
    preview->flip = raw->sizes.flip;
    cimage_keep(preview->make, sizeof preview->make, raw->idata.make);
    cimage_keep(preview->model, sizeof preview->model, raw->idata.model);
    // LibRaw made the number with mktime, so localtime takes it back whatever the zone.
    struct tm taken;
    time_t timestamp = raw->other.timestamp;
    if (timestamp > 0 && localtime_r(&timestamp, &taken))
        strftime(preview->taken, sizeof preview->taken, "%Y:%m:%d %H:%M:%S", &taken);
    const libraw_gps_info_t *gps = &raw->other.parsed_gps;
    preview->has_place = gps->gpsparsed != 0;
    preview->latitude_ref = gps->latref;
    preview->longitude_ref = gps->longref;
    for (int i = 0; i < 3; i++) {
        preview->latitude[i] = gps->latitude[i];
        preview->longitude[i] = gps->longitude[i];
    }
}

cimage_raw_result cimage_raw_read(
    const uint8_t *bytes, size_t count, void *context,
    void (*preview)(void *context, const cimage_raw_preview *preview, const uint8_t *bytes, size_t count)) {
    cimage_raw_result result = {0};
    // Without these it prints what it meets. The names are spelled so.
    libraw_data_t *raw = libraw_init(LIBRAW_OPIONS_NO_MEMERR_CALLBACK | LIBRAW_OPIONS_NO_DATAERR_CALLBACK);
    if (!raw) {
        result.status = cimage_too_large;
        return result;
    }
    int code = libraw_open_buffer(raw, (void *)bytes, count);   // it only reads
    if (code == LIBRAW_SUCCESS)
        code = cimage_raw_preview_is_sound(raw) ? libraw_unpack_thumb(raw) : LIBRAW_DATA_ERROR;
    if (code != LIBRAW_SUCCESS) {
        refuse(&result, code);
    } else {
        cimage_raw_preview found = {0};
        describe(raw, &found);
        const libraw_thumbnail_t *thumbnail = &raw->thumbnail;
        found.jpeg = thumbnail->tformat == LIBRAW_THUMBNAIL_JPEG;
        if (found.jpeg || thumbnail->tformat == LIBRAW_THUMBNAIL_BITMAP) {
            found.width = thumbnail->twidth;
            found.height = thumbnail->theight;
            found.colors = thumbnail->tcolors;
            preview(context, &found, (const uint8_t *)thumbnail->thumb, thumbnail->tlength);
        } else {
            refuse(&result, LIBRAW_UNSUPPORTED_THUMBNAIL);
        }
    }
    libraw_close(raw);
    return result;
}

#endif
