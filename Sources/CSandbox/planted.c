// Debug builds only: what a decoder under an attacker's control might try. Tests name an attempt inside a photo.
#define _GNU_SOURCE
#include "internal.h"

#ifdef DEBUG

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static bool open_file(void) { return open("/etc/passwd", O_RDONLY) >= 0; }
static bool create_file(void) { return open("/tmp/moody-planted", O_WRONLY | O_CREAT, 0600) >= 0; }
static bool remove_file(void) { return unlink("/tmp/moody-victim") == 0; }
static bool truncate_file(void) { return truncate("/tmp/moody-victim", 0) == 0; }
static bool reopen_channel(void) { return open("/proc/self/fd/4", O_RDWR) >= 0; }
static bool list_folder(void) { return open("/", O_RDONLY | O_DIRECTORY) >= 0; }
static bool look_at_file(void) {
    struct stat status;
    return stat("/etc/passwd", &status) == 0;
}
static bool change_folder(void) { return chdir("/tmp") == 0; }
static bool change_mode(void) { return chmod("/tmp/moody-victim", 0777) == 0; }

/// Any descriptor beside the two of a worker.
static bool read_descriptor(void) {
    char byte;
    for (int other = 0; other < 1024; other++)
        if (other != CSANDBOX_CHANNEL && other != CSANDBOX_FILE && (read(other, &byte, 1) >= 0 || errno != EBADF))
            return true;
    return false;
}
static bool write_descriptor(void) {
    for (int other = 0; other < 1024; other++)
        if (other != CSANDBOX_CHANNEL && other != CSANDBOX_FILE && (write(other, "", 1) >= 0 || errno != EBADF))
            return true;
    return false;
}
static bool shorten_descriptor(void) { return ftruncate(CSANDBOX_FILE, 0) == 0; }

static bool connect_tcp(void) {
    int file = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return file >= 0 && (connect(file, (struct sockaddr *)&address, sizeof address) == 0 || errno == ECONNREFUSED);
}
static bool send_udp(void) {
    int file = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return file >= 0 && sendto(file, "", 1, 0, (struct sockaddr *)&address, sizeof address) == 1;
}
static bool connect_unix(void) { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }
static bool pass_descriptor(void) {
    struct msghdr message = {0};
    return recvmsg(CSANDBOX_CHANNEL, &message, MSG_DONTWAIT) >= 0 || errno == EAGAIN;
}

static bool fork_itself(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    return child > 0;
}
static void *do_nothing(void *context) { return context; }
static bool begin_thread(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, do_nothing, NULL) == 0;
}
static bool execute(void) {
    char *arguments[] = {"true", NULL};
    return execv("/bin/true", arguments) == 0;
}
// The first process stands for all others: what may reach it may reach the program.
static bool signal_other(void) { return kill(1, 0) == 0; }
static bool signal_thread(void) { return syscall(__NR_tgkill, 1, 1, 0) == 0 || errno == EPERM; }
static bool trace_other(void) { return ptrace(PTRACE_SEIZE, 1, NULL, NULL) == 0; }
static bool read_other_memory(void) {
    char byte;
    struct iovec own = {.iov_base = &byte, .iov_len = 1}, theirs = {.iov_base = (void *)0x400000, .iov_len = 1};
    return process_vm_readv(1, &own, 1, &theirs, 1, 0) == 1;
}
static bool make_executable(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}
static bool turn_executable(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
}
static bool share_memory(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}
static bool map_file(void) { return mmap(NULL, 4096, PROT_READ, MAP_SHARED, CSANDBOX_FILE, 0) != MAP_FAILED; }
static bool make_file_of_memory(void) { return memfd_create("planted", 0) >= 0; }
static bool lift_limits(void) {
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}
static bool begin_ring(void) {
    char parameters[256] = {0};
    return syscall(425, 1, parameters) >= 0;
}
#ifdef __x86_64__
static bool call_by_x32(void) { return syscall(0x40000000 | 39) >= 0; }
#endif

static bool crash(void) {
    *(volatile int *)8 = 1;
    return true;
}
static bool give_up(void) { abort(); }
static bool loop(void) {
    for (volatile int turns = 0;; turns++) {}
}
static bool sleep_forever(void) {
    static int never;
    for (;;) syscall(__NR_futex, &never, FUTEX_WAIT, 0, NULL, NULL, 0);
}
static bool allocate(void) {
    for (;;) memset(malloc(1 << 20), 1, 1 << 20);
}
static bool write_past_limit(void) {
    static uint8_t bytes[1 << 20];
    for (size_t at = 0; at < (8ull << 30); at += sizeof bytes)
        if (csandbox_put(CSANDBOX_FILE, bytes, sizeof bytes, at) != 0) return false;
    return true;
}

static const struct {
    const char *name;
    bool (*attempt)(void);
} attempts[] = {
    {"open", open_file}, {"create", create_file}, {"unlink", remove_file}, {"truncate", truncate_file},
    {"reopen", reopen_channel}, {"list", list_folder}, {"stat", look_at_file}, {"chdir", change_folder},
    {"chmod", change_mode}, {"read", read_descriptor}, {"write", write_descriptor},
    {"ftruncate", shorten_descriptor}, {"connect", connect_tcp}, {"udp", send_udp}, {"unix", connect_unix},
    {"recvmsg", pass_descriptor}, {"fork", fork_itself}, {"thread", begin_thread}, {"exec", execute},
    {"kill", signal_other}, {"tgkill", signal_thread}, {"ptrace", trace_other}, {"peek", read_other_memory},
    {"mmap-exec", make_executable}, {"mprotect-exec", turn_executable}, {"mmap-shared", share_memory},
    {"mmap-file", map_file}, {"memfd", make_file_of_memory}, {"setrlimit", lift_limits}, {"io_uring", begin_ring},
#ifdef __x86_64__
    {"x32", call_by_x32},
#endif
    {"crash", crash}, {"abort", give_up}, {"loop", loop}, {"sleep", sleep_forever}, {"allocate", allocate},
    {"fill", write_past_limit},
};

csandbox_attempt csandbox_attack(const char *name) {
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        if (strcmp(name, attempts[i].name) == 0)
            return attempts[i].attempt() ? csandbox_succeeded : csandbox_refused;
    return csandbox_unknown;
}

#else

csandbox_attempt csandbox_attack(const char *name) {
    (void)name;
    return csandbox_unknown;
}

#endif
