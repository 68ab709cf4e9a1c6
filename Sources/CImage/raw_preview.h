#ifndef CIMAGE_RAW_PREVIEW_H
#define CIMAGE_RAW_PREVIEW_H

#include <libraw/libraw.h>

#ifdef __cplusplus
extern "C"
#endif
/// Whether the preview of an opened file can be unpacked without harm.
int cimage_raw_preview_is_sound(libraw_data_t *raw);

#endif
