// The process that forks workers: small, of one thread, with one socket to the program and nothing else open.
#define _GNU_SOURCE
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "control.h"

/// Closes all descriptors from `first` on.
static void close_from(int first) {
#ifdef __NR_close_range
    if (syscall(__NR_close_range, first, ~0U, 0) == 0) return;
#endif
    struct rlimit limit;
    int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1 << 20 ? (int)limit.rlim_cur : 1 << 20;
    for (int descriptor = first; descriptor < end; descriptor++) close(descriptor);
}

/// Bytes of data and stack that this process has.
static size_t own_memory(void) {
    size_t total, resident, shared, text, library, data = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return 64 << 20;
    int found = fscanf(file, "%zu %zu %zu %zu %zu %zu", &total, &resident, &shared, &text, &library, &data);
    fclose(file);
    return found == 6 ? data * (size_t)sysconf(_SC_PAGESIZE) : 64 << 20;
}

int csandbox_threads(void) {
    DIR *folder = opendir("/proc/self/task");
    if (!folder) return 0;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') count++;
    closedir(folder);
    return count;
}

/// Makes the two descriptors the only ones, at their numbers.
static void keep_only(int channel, int file) {
    // Both lie above their new numbers, or are them already: the server has 0 to 3.
    channel = fcntl(channel, F_DUPFD, 16);
    file = fcntl(file, F_DUPFD, 16);
    if (channel < 0 || file < 0) _exit(1);
    if (dup2(channel, CSANDBOX_CHANNEL) < 0 || dup2(file, CSANDBOX_FILE) < 0) _exit(1);
    for (int descriptor = 0; descriptor < 3; descriptor++) close(descriptor);
    close_from(CSANDBOX_FILE + 1);
}

static _Noreturn void begin_worker(
    int channel, int file, pid_t server, void (*work)(csandbox_inside inside)) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server) _exit(0);
    size_t memory = own_memory();
    keep_only(channel, file);
    signal(SIGXFSZ, SIG_IGN);
    csandbox_inside inside = {
        .channel = CSANDBOX_CHANNEL, .file = CSANDBOX_FILE, .memory = memory, .layers = csandbox_restrict()};
    work(inside);
    _exit(0);
}

/// Waits for a worker's end; one that lingers is killed.
static csandbox_death wait_for(pid_t pid, bool kills) {
    csandbox_death death = {0};
    struct rusage usage = {0};
    int status = 0;
    if (kills) kill(pid, SIGKILL);
    for (int waited = 0;; waited++) {
        pid_t ended = wait4(pid, &status, kills || waited > 1000 ? 0 : WNOHANG, &usage);
        if (ended == pid) break;
        if (ended < 0 && errno != EINTR) {
            death.error = -errno;
            return death;
        }
        if (ended == 0) {
            struct timespec pause = {.tv_nsec = 1000000};
            nanosleep(&pause, NULL);
            if (waited == 1000) kill(pid, SIGKILL);
        }
    }
    death.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    death.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    death.most_memory = (size_t)usage.ru_maxrss * 1024;
    return death;
}

/// The kernel is to end a worker before the program, should memory run out.
static void offer_to_the_killer(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t written = write(file, "500", 3);
    (void)written;
    close(file);
}

static int compare_bytes(const void *left, const void *right) {
    return *(const unsigned char *)left - *(const unsigned char *)right;
}

/// Lets the C library read the files that it reads once: the time zone, and how much memory there is.
static void warm_up(void) {
    unsigned char many[4096] = {1};
    qsort(many, sizeof many, 1, compare_bytes);
    // Without a name it would look at its file each time.
    setenv("TZ", ":/etc/localtime", 0);
    tzset();
}

void csandbox_serve(int control, void (*work)(csandbox_inside inside)) {
    // Ctrl-C and the like are for the program, which ends this process by closing its socket.
    const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    offer_to_the_killer();
    warm_up();
    const pid_t self = getpid();
    for (;;) {
        csandbox_request request;
        int files[2] = {-1, -1};
        if (csandbox_take(control, &request, sizeof request, files) != 0) return;
        csandbox_reply reply = {0};
        if (request.ends > 0) {
            reply.death = wait_for(request.ends, request.kills);
        } else {
            pid_t child = files[1] < 0 ? -1 : fork();
            if (child == 0) begin_worker(files[0], files[1], self, work);
            reply.pid = child < 0 ? -errno : child;
        }
        for (int i = 0; i < 2; i++)
            if (files[i] >= 0) close(files[i]);
        if (csandbox_give(control, &reply, sizeof reply, NULL) != 0) return;
    }
}
