#ifndef CTURBO_H
#define CTURBO_H

#include <stddef.h>
#include <stdint.h>

/// The rival: libjpeg-turbo at scale 1/8 into `rgba`, `capacity` bytes. Returns the rows decoded, 0 for a file it
/// refuses or a buffer that is too small.
int turbo_eighth(const uint8_t *bytes, size_t count, uint8_t *rgba, size_t capacity);

#endif
