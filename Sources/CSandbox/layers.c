// What a worker is forbidden: two layers of Linux that need no rights, and limits.
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// ------------------------------------------------------------------------------------------- Landlock

/// The rules of Landlock: those of versions 1, 4, and 6. Kernels take as many bytes as they know.
struct landlock_rules {
    uint64_t files, network, scope;
};

/// Forbids all that this kernel's Landlock knows. Returns its version; 0: none.
static int restrict_by_landlock(void) {
    // Numbers of calls that are the same on all processors; older headers lack them.
    const long create = 444, restrict_self = 446;
    int version = (int)syscall(create, NULL, 0, 1);
    if (version < 1) return 0;
    // Actions on files by version: 13, moving between folders, truncating, devices' own.
    int actions = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    struct landlock_rules rules = {
        .files = (1ull << actions) - 1,
        .network = version >= 4 ? 3 : 0,
        .scope = version >= 6 ? 3 : 0,
    };
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int set = (int)syscall(create, &rules, size, 0);
    if (set < 0) return 0;
    bool is_set = syscall(restrict_self, set, 0) == 0;
    close(set);
    return is_set ? version : 0;
}

// -------------------------------------------------------------------------------------------- seccomp

#ifdef OWN_ARCHITECTURE

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define IF_NOT(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped)
// The lower half of an argument: what the kernel takes of a descriptor, a protection, and a flag.
#define ARGUMENT(index) LOAD(args[index])

#define ALLOW(call) IF_NOT(__NR_##call, 1), RETURN(SECCOMP_RET_ALLOW)
#define REFUSE(call) IF_NOT(__NR_##call, 1), RETURN(SECCOMP_RET_ERRNO | EPERM)
// Only on this descriptor. The standard ones are closed, and who writes to them hears so.
#define ALLOW_ON(call, descriptor)                                                                      \
    IF_NOT(__NR_##call, 6), ARGUMENT(0), IF_NOT(descriptor, 1), RETURN(SECCOMP_RET_ALLOW),              \
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 2, 1, 0), RETURN(SECCOMP_RET_ERRNO | EBADF),                \
        RETURN(SECCOMP_RET_TRAP)
// Only where these bits of an argument are these.
#define ALLOW_WHERE(call, index, bits, value)                                                           \
    IF_NOT(__NR_##call, 5), ARGUMENT(index), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits), IF_NOT(value, 1), \
        RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_TRAP)

/// Allows memory, clocks, the end, and the two descriptors of a worker.
static bool restrict_by_seccomp(void) {
    const uint32_t self = (uint32_t)getpid();
    struct sock_filter filter[] = {
        LOAD(arch), IF_NOT(OWN_ARCHITECTURE, 1), BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
        RETURN(SECCOMP_RET_KILL),
        // A mask for calls of the x32 kind lies beyond all numbers that are compared below.
        LOAD(nr),
        ALLOW_ON(read, CSANDBOX_CHANNEL), ALLOW_ON(write, CSANDBOX_CHANNEL),
        ALLOW_ON(pread64, CSANDBOX_FILE), ALLOW_ON(pwrite64, CSANDBOX_FILE),
        ALLOW(futex), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(brk),
        // Private memory of no file, never to be executed.
        IF_NOT(__NR_mmap, 8), ARGUMENT(2), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_EXEC), IF_NOT(0, 4),
        ARGUMENT(3), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAP_TYPE | MAP_ANONYMOUS),
        IF_NOT(MAP_PRIVATE | MAP_ANONYMOUS, 1), RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_TRAP),
        ALLOW_WHERE(mprotect, 2, PROT_EXEC, 0),
        ALLOW(clock_gettime), ALLOW(gettimeofday), ALLOW(getrandom), ALLOW(sysinfo), ALLOW(sched_yield),
        ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigreturn), ALLOW(rt_sigprocmask), ALLOW(restart_syscall),
        // abort(3)
        ALLOW(getpid), ALLOW(gettid), ALLOW_WHERE(tgkill, 0, 0xFFFFFFFF, self),
        // The last words of a runtime, and questions that libraries have an answer of their own for.
        REFUSE(writev), REFUSE(sched_getaffinity), REFUSE(prlimit64), REFUSE(rt_sigaction),
        RETURN(SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0) return true;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

static bool restrict_by_seccomp(void) { return false; }

#endif

/// Tells the program which call it was, and ends.
static void tell_forbidden_call(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)context;
    csandbox_message message = {.kind = csandbox_forbidden, .first = info->si_syscall};
    ssize_t written = write(CSANDBOX_CHANNEL, &message, sizeof message);
    (void)written;
    _exit(128 + SIGSYS);
}

static void limit(int what, rlim_t most) {
    struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
    setrlimit(what, &limit);
}

csandbox_layers csandbox_restrict(void) {
    csandbox_layers layers = {0};
    prctl(PR_SET_DUMPABLE, 0);
    bool may_restrict = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (may_restrict) layers.landlock = restrict_by_landlock();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 0);
    limit(RLIMIT_NPROC, 0);
    struct sigaction action = {.sa_sigaction = tell_forbidden_call, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
    if (may_restrict) layers.seccomp = restrict_by_seccomp();
    return layers;
}

csandbox_layers csandbox_probe(void) {
    csandbox_layers layers = {0};
    // Between fork and _exit only system calls: other threads may hold any lock.
    pid_t child = fork();
    if (child == 0) {
        csandbox_layers found = csandbox_restrict();
        _exit((found.seccomp ? 128 : 0) | (found.landlock & 127));
    }
    if (child < 0) return layers;
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return layers;
    if (!WIFEXITED(status)) return layers;
    layers.seccomp = WEXITSTATUS(status) & 128;
    layers.landlock = WEXITSTATUS(status) & 127;
    return layers;
}
