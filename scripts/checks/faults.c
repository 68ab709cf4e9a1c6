// Makes one call of a program fail, or kills the program there; preloaded by scripts/checks/faults.
//
// FAULT_BELOW: calls count whose file is below this folder.
// FAULT_KIND: which calls: write, sync, rename, open, read, link, unlink, mkdir, lock, map, truncate; or change, which is
//     all that change something.
// FAULT_AT: which of them, from 1; 0 for none, to count them.
// FAULT_ERRNO: what the call fails with, instead of being made; 0: the program is killed as it makes the call.
// FAULT_STAYS: 1 where all calls of the kind from then on fail, as on a full disk.
// FAULT_COUNT: a file that gets the number of calls at the end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *below, *kind;
static int at, number, stays;
static atomic_int count;

__attribute__((constructor)) static void begin(void) {
    below = getenv("FAULT_BELOW");
    kind = getenv("FAULT_KIND");
    at = atoi(getenv("FAULT_AT") ?: "0");
    number = atoi(getenv("FAULT_ERRNO") ?: "0");
    stays = atoi(getenv("FAULT_STAYS") ?: "0");
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULT_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%d\n", count);
    fclose(file);
}

static int changes(const char *name) {
    return strcmp(name, "read") && strcmp(name, "map") && strcmp(name, "lock");
}

/// Whether a call fails: errno is set then.
static int fails(const char *name, const char *path) {
    if (!below || !kind || !path || strncmp(path, below, strlen(below))) return 0;
    if (strcmp(kind, "change") ? strcmp(kind, name) : !changes(name)) return 0;
    int now = ++count;
    if (!at || now < at || (now > at && !stays)) return 0;
    if (!number) kill(getpid(), SIGKILL);
    errno = number;
    return 1;
}

static const char *of(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = file < 0 ? -1 : readlink(link, path, 4095);
    if (length < 0) return NULL;
    path[length] = 0;
    return path;
}

static int fails_file(const char *name, int file) {
    int saved = errno;
    char path[4096];
    if (fails(name, of(file, path))) return 1;
    errno = saved;
    return 0;
}

/// The path of a name in a folder that is open, or of one that is relative to the working folder.
static int fails_at(const char *name, int folder, const char *path) {
    if (path[0] == '/') return fails(name, path);
    char whole[8192], part[4096];
    if (folder == AT_FDCWD ? !getcwd(part, sizeof part) : !of(folder, part)) return 0;
    snprintf(whole, sizeof whole, "%s/%s", part, path);
    return fails(name, whole);
}

#define CALL(result, name, parameters, arguments, failing) \
    result name parameters { \
        static result (*real) parameters; \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        if (failing) return (result)-1; \
        return real arguments; \
    }

CALL(ssize_t, write, (int f, const void *b, size_t n), (f, b, n), fails_file("write", f))
CALL(ssize_t, pwrite, (int f, const void *b, size_t n, off_t o), (f, b, n, o), fails_file("write", f))
CALL(ssize_t, pwrite64, (int f, const void *b, size_t n, off64_t o), (f, b, n, o), fails_file("write", f))
CALL(ssize_t, writev, (int f, const struct iovec *v, int n), (f, v, n), fails_file("write", f))
CALL(ssize_t, sendfile, (int f, int s, off_t *o, size_t n), (f, s, o, n), fails_file("write", f))
CALL(ssize_t, sendfile64, (int f, int s, off64_t *o, size_t n), (f, s, o, n), fails_file("write", f))
CALL(ssize_t, read, (int f, void *b, size_t n), (f, b, n), fails_file("read", f))
CALL(ssize_t, pread, (int f, void *b, size_t n, off_t o), (f, b, n, o), fails_file("read", f))
CALL(ssize_t, pread64, (int f, void *b, size_t n, off64_t o), (f, b, n, o), fails_file("read", f))
CALL(int, fsync, (int f), (f), fails_file("sync", f))
CALL(int, fdatasync, (int f), (f), fails_file("sync", f))
CALL(int, ftruncate, (int f, off_t n), (f, n), fails_file("truncate", f))
CALL(int, ftruncate64, (int f, off64_t n), (f, n), fails_file("truncate", f))
CALL(int, flock, (int f, int o), (f, o), fails_file("lock", f))
CALL(int, rename, (const char *a, const char *b), (a, b), fails_at("rename", AT_FDCWD, b))
CALL(int, renameat, (int c, const char *a, int d, const char *b), (c, a, d, b), fails_at("rename", d, b))
CALL(int, renameat2, (int c, const char *a, int d, const char *b, unsigned o), (c, a, d, b, o),
     fails_at("rename", d, b))
CALL(int, link, (const char *a, const char *b), (a, b), fails_at("link", AT_FDCWD, b))
CALL(int, linkat, (int c, const char *a, int d, const char *b, int o), (c, a, d, b, o), fails_at("link", d, b))
CALL(int, unlink, (const char *a), (a), fails_at("unlink", AT_FDCWD, a))
CALL(int, unlinkat, (int d, const char *a, int o), (d, a, o), fails_at("unlink", d, a))
CALL(int, mkdir, (const char *a, mode_t m), (a, m), fails_at("mkdir", AT_FDCWD, a))
CALL(int, mkdirat, (int d, const char *a, mode_t m), (d, a, m), fails_at("mkdir", d, a))
CALL(void *, mmap, (void *a, size_t n, int p, int o, int f, off_t s), (a, n, p, o, f, s), fails_file("map", f))
CALL(void *, mmap64, (void *a, size_t n, int p, int o, int f, off64_t s), (a, n, p, o, f, s), fails_file("map", f))

// fcntl takes a pointer or a number as its third argument; a register holds both.
#define CONTROL(name) \
    int name(int f, int command, ...) { \
        static int (*real)(int, int, ...); \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        va_list list; \
        va_start(list, command); \
        void *argument = va_arg(list, void *); \
        va_end(list); \
        if ((command == F_SETLK || command == F_SETLKW) && fails_file("lock", f)) return -1; \
        return real(f, command, argument); \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

/// What opens a file to change it is "open"; what only reads is "read".
static const char *opening(int flags) {
    return (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT ? "open" : "read";
}

#define OPEN(name, parameters, arguments, failing) \
    int name parameters { \
        static int (*real) parameters; \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        if (failing) return -1; \
        return real arguments; \
    }

OPEN(open, (const char *a, int flags, ...), (a, flags, mode), fails_at(opening(flags), AT_FDCWD, a))
OPEN(open64, (const char *a, int flags, ...), (a, flags, mode), fails_at(opening(flags), AT_FDCWD, a))
OPEN(openat, (int d, const char *a, int flags, ...), (d, a, flags, mode), fails_at(opening(flags), d, a))
OPEN(openat64, (int d, const char *a, int flags, ...), (d, a, flags, mode), fails_at(opening(flags), d, a))
