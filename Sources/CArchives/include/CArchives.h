#ifndef CARCHIVES_H
#define CARCHIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CSandbox.h>

// Reads tar and zip archives with libarchive, for a program at the other end of a channel: it asks for the
// archive's bytes and gives those of the members, in a file that both sides have. It opens no file.

/// The kinds of messages. The numbers of a reader are not to be trusted.
typedef enum __attribute__((enum_extensibility(open))) carchives_kind : int64_t {
    // From the program.

    /// The first message. `first`: the archive's length, or -1 where it cannot be read at any place; `second`:
    /// bytes that it may unpack to.
    carchives_open = 16,
    /// To the next member.
    carchives_next = 17,
    /// Up to `first` more bytes of this member, carchives_most at most.
    carchives_more = 18,
    /// `first` bytes of the archive begin the file; 0: there are no more. Negative: an errno.
    carchives_bytes = 19,

    // From the reader.

    /// Up to `second` bytes of the archive, from byte `first` on; -1: those that come next.
    carchives_wants = 32,
    /// A regular file: a carchives_member and `first` bytes of its name lie at carchives_output.
    carchives_found = 33,
    /// `first` bytes of the member lie at carchives_output; 0: there are no more.
    carchives_data = 34,
    /// The rest of this member cannot be read. `first` bytes of a reason lie at carchives_output.
    carchives_damaged = 35,
    /// There are no more members.
    carchives_end = 36,
    /// The rest of the archive cannot be read. `first` bytes of a reason lie at carchives_output.
    carchives_failed = 37,
    /// It unpacks to more than it may.
    carchives_too_large = 38,
} carchives_kind;

/// Where in the file what a reader gives begins; the archive's bytes lie before it.
static const size_t carchives_output = 256 << 10;
/// How many bytes it gives at once.
static const size_t carchives_most = 1 << 20;

typedef struct carchives_member {
    int64_t size;   // as the archive says, which may be wrong; -1: it says none
    int64_t seconds, nanoseconds;
    int64_t is_encrypted, is_link;
} carchives_member;

/// The version of libarchive, or NULL where none is built in.
const char *carchives_version(void);

/// Lets names be UTF-8. For the thread that reads archives, while files can be opened.
void carchives_prepare(void);

/// Reads an archive until the program is gone. `open` is its first message.
void carchives_read(int channel, int file, csandbox_message open);

/// Begins a thread of this process that reads an archive as a worker does. Returns 0, or a negative errno.
int carchives_begin(csandbox_worker *worker);

#endif
