#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Processes that can do nothing but compute: how they are started, what they are forbidden, how they are talked to and
// how they end. Nothing here knows what they compute. Functions that fail return a negative errno.

/// What keeps a worker from harm.
typedef struct csandbox_layers {
    bool seccomp;
    int landlock;   // its version; 0: there is none
} csandbox_layers;

/// Tries all layers in a child.
csandbox_layers csandbox_probe(void);

// ------------------------------------------------------------------------------------------- messages

/// What travels between the program and a worker. The numbers of a worker are not to be trusted.
typedef struct csandbox_message {
    int64_t kind, first, second;
} csandbox_message;

/// The kind of the message of a worker that made a forbidden call: `first` is its number.
static const int64_t csandbox_forbidden = -1;

/// Sends a message to a worker. Returns 0, or a negative errno.
int csandbox_send(int channel, csandbox_message message);

/// Sends a message to the program, by the only call that a worker may use for that.
int csandbox_answer(int channel, csandbox_message message);

/// Waits for a message.
///
/// Returns 1, or 0 after `milliseconds` (-1: none), or a negative errno; -EPIPE: the other side is gone.
int csandbox_receive(int channel, int milliseconds, csandbox_message *message);

/// Reads or writes all bytes at an offset of a shared file. Returns 0, or a negative errno.
int csandbox_get(int file, uint8_t *bytes, size_t count, size_t offset);
int csandbox_put(int file, const uint8_t *bytes, size_t count, size_t offset);

// ---------------------------------------------------------------------------------------- the program

/// A process that forks workers.
typedef struct csandbox_server {
    pid_t pid;
    int control;
    int error;   // 0, or a negative errno
} csandbox_server;

/// Starts one: `executable` with `verb` as its argument, which is to call csandbox_serve.
csandbox_server csandbox_start(const char *executable, const char *verb);

/// Closes the channel, by which it ends, and waits for its end.
void csandbox_stop(csandbox_server server);

/// A worker, as the program sees it.
typedef struct csandbox_worker {
    pid_t pid;
    int channel;
    int file;    // bytes that both sides read and write
    int error;   // 0, or a negative errno
} csandbox_worker;

/// Lets a server fork a worker.
csandbox_worker csandbox_fork(int control);

/// How a worker ended.
typedef struct csandbox_death {
    int signal;          // 0: none
    int status;          // without a signal
    size_t most_memory;  // bytes
    int error;           // 0, or a negative errno: the server is gone
} csandbox_death;

/// Closes a worker's files and waits for its end. `kills`: ends it; else only when it is slow to end by itself.
csandbox_death csandbox_end(int control, csandbox_worker worker, bool kills);

/// Sets how much memory of its own and how long a shared file a worker may have. Returns 0, or a negative errno.
int csandbox_limit(pid_t pid, size_t memory, size_t file);

/// Whether this process may write files of that length: `ulimit -f` holds for files in memory, too.
bool csandbox_may_write(size_t count);

/// Nanoseconds of processor that a process has used, or a negative errno.
int64_t csandbox_processor(pid_t pid);

/// Makes a shared file no longer than this.
void csandbox_shorten(int file, size_t count);

// ------------------------------------------------------------------------------------------- a worker

/// What a worker has: nothing else is open.
typedef struct csandbox_inside {
    int channel, file;
    csandbox_layers layers;
    size_t memory;   // bytes that it has taken before the first photo
} csandbox_inside;

/// Forks workers for the program at the other end of `control` until that is gone. `work` runs in each, confined.
void csandbox_serve(int control, void (*work)(csandbox_inside inside));

/// How many threads this process has; 0: unknown.
int csandbox_threads(void);

/// The name of a system call that a decoder might try, or NULL.
const char *csandbox_call_name(int64_t number);

/// The name of a signal, as SIGSEGV, or NULL.
const char *csandbox_signal_name(int signal);

/// What became of an attempt.
typedef enum __attribute__((enum_extensibility(closed))) csandbox_attempt {
    csandbox_unknown, csandbox_refused, csandbox_succeeded,
} csandbox_attempt;

/// Debug builds: tries what a decoder under an attacker's control might. Knows no attempt in a release build.
csandbox_attempt csandbox_attack(const char *name);

#endif
