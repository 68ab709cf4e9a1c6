// The program's side: the server's start and end, workers, and their limits.
#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int csandbox_give(int control, const void *bytes, size_t count, const int files[2]) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } beside = {0};
    if (files) {
        message.msg_control = &beside;
        message.msg_controllen = sizeof beside.room;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(2 * sizeof(int));
        memcpy(CMSG_DATA(header), files, 2 * sizeof(int));
    }
    for (;;) {
        ssize_t sent = sendmsg(control, &message, MSG_NOSIGNAL);
        if (sent == (ssize_t)count) return 0;
        if (sent < 0 && errno == EINTR) continue;
        return sent < 0 ? -errno : -EPIPE;
    }
}

int csandbox_take(int control, void *bytes, size_t count, int files[2]) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } beside;
    for (;;) {
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        message.msg_control = &beside;
        message.msg_controllen = sizeof beside.room;
        ssize_t received = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
        if (received < 0 && errno == EINTR) continue;
        if (received != (ssize_t)count) return received < 0 ? -errno : -EPIPE;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(2 * sizeof(int)))
            memcpy(files, CMSG_DATA(header), 2 * sizeof(int));
        return 0;
    }
}

/// Keeps what the loader needs of the environment, and nothing else.
static void keep_environment(char *kept[], int room) {
    extern char **environ;
    static const char *const names[] = {"LD_LIBRARY_PATH=", "TZ=", "TZDIR=", "MOODY_PLANTED_DECODERS="};
    int count = 0;
    // A worker's crash is told by its program.
    kept[count++] = "SWIFT_BACKTRACE=enable=no";
    for (char **variable = environ; variable && *variable; variable++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (count < room - 1 && strncmp(*variable, names[i], strlen(names[i])) == 0) kept[count++] = *variable;
    kept[count] = NULL;
}

/// Finds the file that this code was loaded from. Returns its length; 0: not found, or too long.
static size_t find_own_file(char *path, size_t room) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) return 0;
    char line[PATH_MAX + 128];
    size_t length = 0;
    const uintptr_t here = (uintptr_t)csandbox_start;
    while (length == 0 && fgets(line, sizeof line, maps)) {
        uintptr_t first, last;
        char *name = strchr(line, '/');
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &first, &last) != 2 || here < first || here >= last) continue;
        if (!name) break;
        length = strcspn(name, "\n");
        if (length >= room) break;
        memcpy(path, name, length);
        path[length] = 0;
    }
    fclose(maps);
    return length < room ? length : 0;
}

/// Whether the loader was started in place of this program, as bundles do it: `path` and `folder` are the program's.
static bool is_run_by_loader(char path[PATH_MAX], char folder[PATH_MAX]) {
    char running[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", running, sizeof running - 1);
    if (length <= 0 || find_own_file(path, PATH_MAX) == 0) return false;
    running[length] = 0;
    if (strcmp(running, path) == 0) return false;
    const char *name = strrchr(running, '/');
    if (!name || strncmp(name + 1, "ld-", 3) != 0) return false;
    strcpy(folder, path);
    *strrchr(folder, '/') = 0;
    return true;
}

csandbox_server csandbox_start(const char *executable, const char *verb) {
    csandbox_server server = {.pid = -1, .control = -1};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        server.error = -errno;
        return server;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, 0, 2);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
    posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    // A group of its own: signals of the terminal are for the program.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    char *environment[6];
    keep_environment(environment, 6);
    char path[PATH_MAX], folder[PATH_MAX];
    char *direct[] = {"moody", (char *)verb, NULL};
    char *by_loader[] = {"moody", "--library-path", folder, path, (char *)verb, NULL};
    char **arguments = is_run_by_loader(path, folder) ? by_loader : direct;
    int error = posix_spawn(&server.pid, executable, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    server.control = ends[0];
    if (error) {
        server.error = -error;
        server.pid = -1;
        close(ends[0]);
    }
    return server;
}

void csandbox_stop(csandbox_server server) {
    close(server.control);
    while (waitpid(server.pid, NULL, 0) < 0)
        if (errno != EINTR) return;
}

csandbox_worker csandbox_fork(int control) {
    csandbox_worker worker = {.pid = -1, .channel = -1, .file = -1};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        worker.error = -errno;
        return worker;
    }
    int file = memfd_create("moody", MFD_CLOEXEC);
    csandbox_request request = {0};
    csandbox_reply reply;
    int none[2];
    int error = file < 0 ? -errno : csandbox_give(control, &request, sizeof request, (int[]){ends[1], file});
    close(ends[1]);
    if (error == 0) error = csandbox_take(control, &reply, sizeof reply, none);
    if (error == 0 && reply.pid < 0) error = reply.pid;
    if (error) {
        close(ends[0]);
        if (file >= 0) close(file);
        worker.error = error;
        return worker;
    }
    worker.pid = reply.pid;
    worker.channel = ends[0];
    worker.file = file;
    return worker;
}

csandbox_death csandbox_end(int control, csandbox_worker worker, bool kills) {
    close(worker.channel);
    close(worker.file);
    csandbox_request request = {.ends = worker.pid, .kills = kills};
    csandbox_reply reply = {0};
    int none[2];
    int error = csandbox_give(control, &request, sizeof request, NULL);
    if (error == 0) error = csandbox_take(control, &reply, sizeof reply, none);
    if (error) reply.death.error = error;
    return reply.death;
}

int csandbox_limit(pid_t pid, size_t memory, size_t file) {
    struct rlimit limit;
    if (prlimit(pid, RLIMIT_DATA, NULL, &limit) != 0) return -errno;
    limit.rlim_cur = memory < limit.rlim_max ? memory : limit.rlim_max;
    if (prlimit(pid, RLIMIT_DATA, &limit, NULL) != 0) return -errno;
    if (prlimit(pid, RLIMIT_FSIZE, NULL, &limit) != 0) return -errno;
    limit.rlim_cur = file < limit.rlim_max ? file : limit.rlim_max;
    return prlimit(pid, RLIMIT_FSIZE, &limit, NULL) != 0 ? -errno : 0;
}

bool csandbox_may_write(size_t count) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= count;
}

int64_t csandbox_processor(pid_t pid) {
    clockid_t clock;
    struct timespec time;
    int error = clock_getcpuclockid(pid, &clock);
    if (error) return -error;
    if (clock_gettime(clock, &time) != 0) return -errno;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void csandbox_shorten(int file, size_t count) {
    if (lseek(file, 0, SEEK_END) > (off_t)count) {
        int cut = ftruncate(file, (off_t)count);
        (void)cut;
    }
}
