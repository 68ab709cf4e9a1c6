#include <malloc.h>
#include "CImage.h"
#include "message.h"

#include <stdio.h>
#include <jpeglib.h>
#include <png.h>
#include <lcms2.h>
#include <xxhash.h>

void cimage_hash(const uint8_t *bytes, size_t count, uint8_t hash[16]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
    for (int i = 0; i < 16; i++) hash[i] = canonical.digest[i];
}

cimage_version cimage_codec_version(int index) {
    cimage_version v = {.name = ""};
    unsigned n;
    switch (index) {
    case 0:
        v.name = "libjpeg-turbo";
        n = LIBJPEG_TURBO_VERSION_NUMBER;
        snprintf(v.version, sizeof v.version, "%u.%u.%u", n / 1000000, n / 1000 % 1000, n % 1000);
        break;
    case 1:
        v.name = "libpng";
        cimage_keep(v.version, sizeof v.version, png_get_libpng_ver(NULL));
        break;
    case 2:
        v.name = "lcms2";
        n = (unsigned)cmsGetEncodedCMMversion();
        snprintf(v.version, sizeof v.version, "%u.%u", n / 1000, n % 1000 / 10);
        break;
    case 3:
        v.name = "libexif";
        cimage_keep(v.version, sizeof v.version, "0.6");   // neither its headers nor the library say more
        break;
    case 4:
        v.name = "xxHash";
        n = XXH_versionNumber();
        snprintf(v.version, sizeof v.version, "%u.%u.%u", n / 10000, n / 100 % 100, n % 100);
        break;
    }
    return v;
}

void cimage_keep_memory(size_t kept, size_t mapped) {
    mallopt(M_TRIM_THRESHOLD, (int)kept);
    mallopt(M_MMAP_THRESHOLD, (int)mapped);
}
