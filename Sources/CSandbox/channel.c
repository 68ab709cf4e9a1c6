// Messages and shared bytes between the program, the server, and workers.
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int csandbox_send(int channel, csandbox_message message) {
    for (;;) {
        ssize_t sent = send(channel, &message, sizeof message, MSG_NOSIGNAL);
        if (sent == (ssize_t)sizeof message) return 0;
        if (sent < 0 && errno == EINTR) continue;
        return sent < 0 ? -errno : -EPIPE;
    }
}

int csandbox_answer(int channel, csandbox_message message) {
    ssize_t sent = write(channel, &message, sizeof message);
    return sent == (ssize_t)sizeof message ? 0 : sent < 0 ? -errno : -EPIPE;
}

int csandbox_receive(int channel, int milliseconds, csandbox_message *message) {
    if (milliseconds >= 0) {
        struct pollfd wanted = {.fd = channel, .events = POLLIN};
        int ready = poll(&wanted, 1, milliseconds);
        if (ready <= 0) return ready < 0 && errno != EINTR ? -errno : 0;
    }
    for (;;) {
        ssize_t received = read(channel, message, sizeof *message);
        if (received == (ssize_t)sizeof *message) return 1;
        if (received < 0 && errno == EINTR) continue;
        return received < 0 && errno != ECONNRESET ? -errno : -EPIPE;
    }
}

int csandbox_get(int file, uint8_t *bytes, size_t count, size_t offset) {
    for (size_t done = 0; done < count;) {
        ssize_t part = pread(file, bytes + done, count - done, (off_t)(offset + done));
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return part < 0 ? -errno : -ENODATA;
        done += (size_t)part;
    }
    return 0;
}

int csandbox_put(int file, const uint8_t *bytes, size_t count, size_t offset) {
    for (size_t done = 0; done < count;) {
        ssize_t part = pwrite(file, bytes + done, count - done, (off_t)(offset + done));
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return part < 0 ? -errno : -EFBIG;
        done += (size_t)part;
    }
    return 0;
}

const char *csandbox_signal_name(int signal) {
    switch (signal) {
    case SIGSEGV: return "SIGSEGV";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGFPE: return "SIGFPE";
    case SIGTRAP: return "SIGTRAP";
    case SIGKILL: return "SIGKILL";
    case SIGSYS: return "SIGSYS";
    default: return NULL;
    }
}

const char *csandbox_call_name(int64_t number) {
    switch (number) {
    case __NR_openat: return "openat";
    case __NR_unlinkat: return "unlinkat";
    case __NR_read: return "read";
    case __NR_write: return "write";
    case __NR_pread64: return "pread64";
    case __NR_pwrite64: return "pwrite64";
    case __NR_ftruncate: return "ftruncate";
    case __NR_truncate: return "truncate";
    case __NR_close: return "close";
    case __NR_dup: return "dup";
    case __NR_fcntl: return "fcntl";
    case __NR_ioctl: return "ioctl";
    case __NR_mmap: return "mmap";
    case __NR_mprotect: return "mprotect";
    case __NR_socket: return "socket";
    case __NR_socketpair: return "socketpair";
    case __NR_connect: return "connect";
    case __NR_sendto: return "sendto";
    case __NR_recvmsg: return "recvmsg";
    case __NR_clone: return "clone";
    case __NR_clone3: return "clone3";
    case __NR_execve: return "execve";
    case __NR_kill: return "kill";
    case __NR_tgkill: return "tgkill";
    case __NR_ptrace: return "ptrace";
    case __NR_process_vm_readv: return "process_vm_readv";
    case __NR_chdir: return "chdir";
    case __NR_fchmodat: return "fchmodat";
    case __NR_getdents64: return "getdents64";
    case __NR_memfd_create: return "memfd_create";
    case __NR_prctl: return "prctl";
    case __NR_setuid: return "setuid";
    case __NR_nanosleep: return "nanosleep";
    case __NR_clock_nanosleep: return "clock_nanosleep";
    case __NR_ppoll: return "ppoll";
    case __NR_newfstatat: return "newfstatat";
    case __NR_fstat: return "fstat";
    case __NR_statx: return "statx";
    case __NR_readlinkat: return "readlinkat";
    case __NR_faccessat: return "faccessat";
    case __NR_getuid: return "getuid";
    case __NR_getppid: return "getppid";
    case __NR_uname: return "uname";
    case __NR_sysinfo: return "sysinfo";
    case __NR_io_uring_setup: return "io_uring_setup";
#ifdef __x86_64__
    case __NR_open: return "open";
    case __NR_stat: return "stat";
    case __NR_fork: return "fork";
    case __NR_vfork: return "vfork";
    case __NR_unlink: return "unlink";
    case __NR_chmod: return "chmod";
    case __NR_readlink: return "readlink";
    case __NR_access: return "access";
    case __NR_poll: return "poll";
#endif
    default: return NULL;
    }
}
