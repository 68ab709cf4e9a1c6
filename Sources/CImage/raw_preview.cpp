// What LibRaw's C calls do not tell, and has to be looked at before a preview is unpacked: 0.20 takes a few of the
// file's numbers at their word and writes behind its own memory. Mended in 0.21, whose internals are other ones.
#ifdef CIMAGE_RAW

#include <libraw/libraw.h>
#include "raw_preview.h"

#if LIBRAW_VERSION < LIBRAW_MAKE_VERSION(0, 21, 0)

namespace {

// A derived class may name what is protected; nothing is ever one of these.
struct Inside : LibRaw {
    static bool is_sound(LibRaw &raw) {
        const libraw_thumbnail_t &thumbnail = raw.imgdata.thumbnail;
        // Channels one after the other: memory for width x height of each, into which the length is read.
        if (raw.*(&Inside::write_thumb) == &Inside::layer_thumb
            && thumbnail.tlength > unsigned(thumbnail.twidth) * thumbnail.theight)
            return false;
        // Strips are read one after the other, those of less than no bytes as well.
        const auto &ifds = raw.*(&Inside::tiff_ifd);
        const unsigned count = (raw.*(&Inside::libraw_internal_data)).identify_data.tiff_nifds;
        for (unsigned i = 0; i < count && i < LIBRAW_IFD_MAXCOUNT; i++)
            for (int strip = 0; ifds[i].strip_byte_counts && strip < ifds[i].strip_byte_counts_count; strip++)
                if (ifds[i].strip_byte_counts[strip] < 0) return false;
        return true;
    }
};

}  // namespace

extern "C" int cimage_raw_preview_is_sound(libraw_data_t *raw) {
    return Inside::is_sound(*static_cast<LibRaw *>(raw->parent_class));
}

#else

extern "C" int cimage_raw_preview_is_sound(libraw_data_t *) { return 1; }

#endif
#endif
