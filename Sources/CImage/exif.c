// libexif needs neither setjmp nor callbacks but one: its log tells whether it met damage.

#include "CImage.h"
#include "message.h"

#include <math.h>
#include <string.h>
#include <libexif/exif-data.h>

static void on_log(
    ExifLog *log, ExifLogCode code, const char *domain, const char *format, va_list arguments, void *to) {
    (void)log; (void)domain; (void)format; (void)arguments;
    cimage_exif *exif = to;
    if (code != EXIF_LOG_CODE_CORRUPT_DATA && code != EXIF_LOG_CODE_NO_MEMORY) return;
    if (!exif->damaged) cimage_keep(exif->message, sizeof exif->message, exif_log_code_get_message(code));
    exif->damaged = true;
}

// Bytes as stored, without what follows the first NUL; not exif_entry_get_value, which translates and
// reformats.
static void keep_text(const ExifEntry *entry, char *field, size_t size) {
    if (!entry || !entry->data || entry->format != EXIF_FORMAT_ASCII) return;
    size_t n = 0;
    for (; n < entry->size && entry->data[n] && n + 1 < size; n++) field[n] = (char)entry->data[n];
    field[n] = 0;
}

static bool keep_rationals(const ExifEntry *entry, ExifByteOrder order, double to[3]) {
    // Some programs write them signed.
    if (!entry || !entry->data ||
        (entry->format != EXIF_FORMAT_RATIONAL && entry->format != EXIF_FORMAT_SRATIONAL)) return false;
    bool is_signed = entry->format == EXIF_FORMAT_SRATIONAL;
    size_t n = entry->size / 8;
    if (n == 0) return false;
    for (size_t i = 0; i < 3; i++) {
        to[i] = 0;
        if (i >= n) continue;
        if (is_signed) {
            ExifSRational r = exif_get_srational(entry->data + 8 * i, order);
            to[i] = r.denominator ? (double)r.numerator / r.denominator : (double)NAN;
        } else {
            ExifRational r = exif_get_rational(entry->data + 8 * i, order);
            to[i] = r.denominator ? (double)r.numerator / r.denominator : (double)NAN;
        }
    }
    return true;
}

// A whole number in whichever type a program chose; 0 for none.
static int whole_number(const ExifEntry *entry, ExifByteOrder order) {
    if (!entry || !entry->data) return 0;
    switch (entry->format) {
    case EXIF_FORMAT_BYTE: case EXIF_FORMAT_SBYTE: return entry->size >= 1 ? entry->data[0] : 0;
    case EXIF_FORMAT_SHORT: return entry->size >= 2 ? exif_get_short(entry->data, order) : 0;
    case EXIF_FORMAT_SSHORT: return entry->size >= 2 ? exif_get_sshort(entry->data, order) : 0;
    case EXIF_FORMAT_LONG: case EXIF_FORMAT_SLONG: return entry->size >= 4 ? exif_get_slong(entry->data, order) : 0;
    default: return 0;
    }
}

static char first_letter(const ExifEntry *entry) {
    char text[4] = {0};
    keep_text(entry, text, sizeof text);
    return text[0];
}

static ExifEntry *entry(ExifData *data, ExifIfd ifd, int tag) {
    return exif_content_get_entry(data->ifd[ifd], (ExifTag)tag);
}

static void keep(ExifData *data, cimage_exif *exif) {
    ExifByteOrder order = exif_data_get_byte_order(data);
    exif->orientation = whole_number(entry(data, EXIF_IFD_0, EXIF_TAG_ORIENTATION), order);
#define KEEP(ifd, tag, field) keep_text(entry(data, ifd, tag), exif->field, sizeof exif->field)
    KEEP(EXIF_IFD_0, EXIF_TAG_MAKE, make);
    KEEP(EXIF_IFD_0, EXIF_TAG_MODEL, model);
    // Some HTC phones put them into the wrong directory.
    if (!exif->make[0]) KEEP(EXIF_IFD_EXIF, EXIF_TAG_MAKE, make);
    if (!exif->model[0]) KEEP(EXIF_IFD_EXIF, EXIF_TAG_MODEL, model);
    KEEP(EXIF_IFD_EXIF, EXIF_TAG_DATE_TIME_ORIGINAL, original);
    KEEP(EXIF_IFD_EXIF, EXIF_TAG_DATE_TIME_DIGITIZED, digitized);
    // Some programs write all into one directory.
    if (!exif->original[0]) KEEP(EXIF_IFD_0, EXIF_TAG_DATE_TIME_ORIGINAL, original);
    if (!exif->digitized[0]) KEEP(EXIF_IFD_0, EXIF_TAG_DATE_TIME_DIGITIZED, digitized);
    KEEP(EXIF_IFD_0, EXIF_TAG_DATE_TIME, modified);
    KEEP(EXIF_IFD_EXIF, EXIF_TAG_SUB_SEC_TIME, modified_fraction);
    KEEP(EXIF_IFD_EXIF, EXIF_TAG_OFFSET_TIME, modified_offset);
    KEEP(EXIF_IFD_EXIF, EXIF_TAG_SUB_SEC_TIME_ORIGINAL, original_fraction);
    KEEP(EXIF_IFD_EXIF, EXIF_TAG_SUB_SEC_TIME_DIGITIZED, digitized_fraction);
    KEEP(EXIF_IFD_EXIF, EXIF_TAG_OFFSET_TIME_ORIGINAL, original_offset);
    KEEP(EXIF_IFD_EXIF, EXIF_TAG_OFFSET_TIME_DIGITIZED, digitized_offset);
    KEEP(EXIF_IFD_GPS, EXIF_TAG_GPS_DATE_STAMP, gps_date);
    KEEP(EXIF_IFD_INTEROPERABILITY, EXIF_TAG_INTEROPERABILITY_INDEX, interoperability);
#undef KEEP
    ExifEntry *time = entry(data, EXIF_IFD_GPS, EXIF_TAG_GPS_TIME_STAMP);
    exif->has_gps_time = keep_rationals(time, order, exif->gps_time);
    ExifEntry *latitude = entry(data, EXIF_IFD_GPS, EXIF_TAG_GPS_LATITUDE);
    exif->has_latitude = keep_rationals(latitude, order, exif->latitude);
    ExifEntry *longitude = entry(data, EXIF_IFD_GPS, EXIF_TAG_GPS_LONGITUDE);
    exif->has_longitude = keep_rationals(longitude, order, exif->longitude);
    exif->latitude_ref = first_letter(entry(data, EXIF_IFD_GPS, EXIF_TAG_GPS_LATITUDE_REF));
    exif->longitude_ref = first_letter(entry(data, EXIF_IFD_GPS, EXIF_TAG_GPS_LONGITUDE_REF));
}

cimage_exif cimage_exif_read(const uint8_t *bytes, size_t count) {
    cimage_exif exif = {0};
    if (count < 14 || count > 1 << 26) return exif;
    ExifLog *log = exif_log_new();
    ExifData *data = exif_data_new();
    if (data) {
        if (log) {
            exif_log_set_func(log, on_log, &exif);
            exif_data_log(data, log);
        }
        // What the file says, not what the specification would have liked it to say.
        exif_data_unset_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS);
        exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
        exif_data_load_data(data, bytes, (unsigned)count);
        exif.found = true;
        keep(data, &exif);
        exif_data_unref(data);
    }
    if (log) exif_log_unref(log);
    return exif;
}
