#ifndef MOODY_CRESOURCES_H
#define MOODY_CRESOURCES_H

#include <stddef.h>

/// The bytes of a file of a Resources folder, in the program itself: they stay as long as it runs.
struct moody_resource {
    const unsigned char *bytes;
    size_t count;
};

/// By the file's path in its folder; without bytes for another name.
struct moody_resource moody_resource(const char *name);

#endif
