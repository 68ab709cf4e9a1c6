// What the program and the server say to each other. Both are the same executable.
#ifndef CSANDBOX_CONTROL_H
#define CSANDBOX_CONTROL_H

#include "internal.h"

/// Fork a worker, whose descriptors come with it, or end one.
typedef struct csandbox_request {
    pid_t ends;   // 0: fork
    bool kills;
} csandbox_request;

typedef struct csandbox_reply {
    pid_t pid;    // of a new worker, or a negative errno
    csandbox_death death;
} csandbox_reply;

/// Sends bytes, and two descriptors with them if `files` is there. Returns 0, or a negative errno.
int csandbox_give(int control, const void *bytes, size_t count, const int files[2]);

/// Receives as many bytes, and two descriptors if any come. Returns 0, or a negative errno.
int csandbox_take(int control, void *bytes, size_t count, int files[2]);

#endif
