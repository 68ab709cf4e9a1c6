#include "CImage.h"

#include <malloc.h>
#include <stdio.h>
#include <jpeglib.h>
#include <png.h>
#include <lcms2.h>
#include <xxhash.h>
#ifdef CIMAGE_WEBP
#include <webp/decode.h>
#endif
#ifdef CIMAGE_HEIF
#include <libde265/de265.h>
#endif
#ifdef CIMAGE_AVIF
#include <avif/avif.h>
#endif
#ifdef CIMAGE_JXL
#include <jxl/decode.h>
#endif
#ifdef CIMAGE_TIFF
#include <tiffio.h>
#endif
#ifdef CIMAGE_GIF
#include <gif_lib.h>
#endif
#ifdef CIMAGE_RAW
#include <libraw/libraw.h>
#endif

void cimage_hash(const uint8_t *bytes, size_t count, uint8_t hash[16]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
    for (int i = 0; i < 16; i++) hash[i] = canonical.digest[i];
}

static cimage_version numbers(const char *name, unsigned first, unsigned second, unsigned third) {
    cimage_version v = {.name = name};
    snprintf(v.version, sizeof v.version, "%u.%u.%u", first, second, third);
    return v;
}

void cimage_keep_memory(size_t kept, size_t mapped) {
    mallopt(M_TRIM_THRESHOLD, (int)kept);
    mallopt(M_MMAP_THRESHOLD, (int)mapped);
}
static cimage_version words(const char *name, const char *text) {
    cimage_version v = {.name = name};
    // TIFFGetVersion answers in lines, LibRaw with "-Release" behind the number: the number is what counts.
    while (*text && (*text < '0' || *text > '9')) text++;
    size_t n = 0;
    for (; ((text[n] >= '0' && text[n] <= '9') || text[n] == '.') && n + 1 < sizeof v.version; n++)
        v.version[n] = text[n];
    return v;
}

static cimage_version jpeg(void) {
    unsigned n = LIBJPEG_TURBO_VERSION_NUMBER;
    return numbers("libjpeg-turbo", n / 1000000, n / 1000 % 1000, n % 1000);
}

static cimage_version png(void) { return words("libpng", png_get_libpng_ver(NULL)); }

static cimage_version lcms(void) {
    unsigned n = (unsigned)cmsGetEncodedCMMversion();
    cimage_version v = {.name = "lcms2"};
    snprintf(v.version, sizeof v.version, "%u.%u", n / 1000, n % 1000 / 10);
    return v;
}

static cimage_version xxhash(void) {
    unsigned n = XXH_versionNumber();
    return numbers("xxHash", n / 10000, n / 100 % 100, n % 100);
}

#ifdef CIMAGE_WEBP
static cimage_version webp(void) {
    unsigned n = (unsigned)WebPGetDecoderVersion();
    return numbers("libwebp", n >> 16, n >> 8 & 255, n & 255);
}
#endif
#ifdef CIMAGE_HEIF
static cimage_version hevc(void) { return words("libde265", de265_get_version()); }
#endif
#ifdef CIMAGE_AVIF
static cimage_version avif(void) { return words("libavif", avifVersion()); }
#endif
#ifdef CIMAGE_JXL
static cimage_version jxl(void) {
    unsigned n = JxlDecoderVersion();
    return numbers("libjxl", n / 1000000, n / 1000 % 1000, n % 1000);
}
#endif
#ifdef CIMAGE_TIFF
static cimage_version tiff(void) { return words("libtiff", TIFFGetVersion()); }
#endif
#ifdef CIMAGE_GIF
static cimage_version gif(void) { return numbers("giflib", GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE); }
#endif
#ifdef CIMAGE_RAW
static cimage_version raw(void) { return words("LibRaw", libraw_version()); }
#endif

static cimage_version (*const codecs[])(void) = {
    jpeg, png, lcms, xxhash,
#ifdef CIMAGE_WEBP
    webp,
#endif
#ifdef CIMAGE_HEIF
    hevc,
#endif
#ifdef CIMAGE_AVIF
    avif,
#endif
#ifdef CIMAGE_JXL
    jxl,
#endif
#ifdef CIMAGE_TIFF
    tiff,
#endif
#ifdef CIMAGE_GIF
    gif,
#endif
#ifdef CIMAGE_RAW
    raw,
#endif
};

int cimage_codec_count(void) { return (int)(sizeof codecs / sizeof *codecs); }

cimage_version cimage_codec_version(int index) { return codecs[index](); }
