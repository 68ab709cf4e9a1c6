// Copies a library's words into a fixed field, always NUL-terminated, control characters replaced by a space
// so that a message stays one line whatever the file put into it.
#ifndef CIMAGE_MESSAGE_H
#define CIMAGE_MESSAGE_H

#include <stddef.h>

static inline void cimage_keep(char *field, size_t size, const char *text) {
    size_t n = 0;
    for (; text && text[n] && n + 1 < size; n++) {
        unsigned char c = (unsigned char)text[n];
        field[n] = c < 32 || c >= 127 ? ' ' : (char)c;
    }
    field[n] = 0;
}

#endif
