// What Swift's module of glibc lacks: what is declared under _GNU_SOURCE alone, and epoll(7).
#ifndef CLINUX_H
#define CLINUX_H

#include <sys/epoll.h>

static const unsigned int linux_rename_noreplace = 1;
static const int linux_ofd_getlk = 36;
static const int linux_ofd_setlk = 37;

/// rename(2)
extern int renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned int flags);

#endif
