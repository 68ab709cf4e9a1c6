#define _GNU_SOURCE
#include "CArchives.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

void carchives_prepare(void) {
    // Without it libarchive has no names for members of zips whose names are UTF-8.
    locale_t names = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (names) uselocale(names);
}

static void *run_thread(void *ends) {
    carchives_prepare();
    csandbox_message open;
    int channel = ((int *)ends)[0], file = ((int *)ends)[1];
    free(ends);
    if (csandbox_receive(channel, -1, &open) == 1) carchives_read(channel, file, open);
    close(channel);
    close(file);
    return NULL;
}

int carchives_begin(csandbox_worker *worker) {
    int ends[2], *own = malloc(2 * sizeof(int));
    if (!own) return -ENOMEM;
    int file = memfd_create("moody", MFD_CLOEXEC);
    if (file < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        int error = -errno;
        if (file >= 0) close(file);
        free(own);
        return error;
    }
    *worker = (csandbox_worker){.pid = 0, .channel = ends[0], .file = file};
    own[0] = ends[1];
    own[1] = dup(file);
    pthread_t thread;
    int error = own[1] < 0 ? errno : pthread_create(&thread, NULL, run_thread, own);
    if (error == 0) {
        pthread_detach(thread);
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        close(ends[i]);
        if (own[1] >= 0 && i == 0) close(own[1]);
    }
    close(file);
    free(own);
    return -error;
}

#ifndef CARCHIVES

const char *carchives_version(void) { return NULL; }
void carchives_read(int channel, int file, csandbox_message open) { (void)channel, (void)file, (void)open; }

#else

#include <archive.h>
#include <archive_entry.h>

/// Members of an archive: more are an attack.
static const int64_t most_members = 10000000;

const char *carchives_version(void) { return archive_version_string(); }

typedef struct reading {
    int channel, file;
    struct archive *archive;
    int64_t length, position;
    int64_t limit, given;   // bytes that it may unpack to; those of members of zips so far
    int64_t members;
    bool is_too_large, is_over;
    bool lacks_size;   // this member's length stands behind it
    int64_t left;      // bytes of a member of a tar that were not read
    uint8_t *input, *output;
} reading;

static bool answer(reading *r, carchives_kind kind, int64_t first, int64_t second) {
    return csandbox_answer(r->channel, (csandbox_message){.kind = kind, .first = first, .second = second}) == 0;
}

static bool is_zip(reading *r) {
    return (archive_format(r->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
}

/// Whether what was unpacked so far is too much.
static bool is_past_limit(reading *r) {
    int64_t filtered = archive_filter_count(r->archive) > 1 ? archive_filter_bytes(r->archive, 0) : 0;
    if (r->given > r->limit || filtered > r->limit - r->given) r->is_too_large = true;
    return r->is_too_large;
}

// ----------------------------------------------------------------------------- the archive's bytes

static la_ssize_t read_input(struct archive *archive, void *of, const void **bytes) {
    reading *r = of;
    *bytes = r->input;
    if (is_past_limit(r)) {
        archive_set_error(archive, E2BIG, "it unpacks to too much");
        return -1;
    }
    csandbox_message message;
    int64_t from = r->length < 0 ? -1 : r->position;
    if (!answer(r, carchives_wants, from, (int64_t)carchives_output)
        || csandbox_receive(r->channel, -1, &message) != 1 || message.kind != carchives_bytes) {
        r->is_over = true;
        archive_set_error(archive, EPIPE, "nobody reads it");
        return -1;
    }
    int error = (int)message.first;
    if (message.first >= 0 && message.first <= (int64_t)carchives_output)
        error = csandbox_get(r->file, r->input, (size_t)message.first, 0);
    if (error) {
        archive_set_error(archive, -error, "%s", strerror(-error));
        return -1;
    }
    r->position += message.first;
    return (la_ssize_t)message.first;
}

static la_int64_t skip_input(struct archive *archive, void *of, la_int64_t count) {
    (void)archive;
    reading *r = of;
    if (r->length < 0 || count < 0) return 0;
    int64_t skipped = count < r->length - r->position ? count : r->length - r->position;
    r->position += skipped;
    return skipped;
}

static la_int64_t seek_input(struct archive *archive, void *of, la_int64_t offset, int whence) {
    (void)archive;
    reading *r = of;
    int64_t start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? r->position : r->length, place;
    if (__builtin_add_overflow(start, offset, &place) || place < 0) return ARCHIVE_FATAL;
    r->position = place < r->length ? place : r->length;
    return r->position;
}

static int open_archive(reading *r) {
    struct archive *a = r->archive;
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_filter_xz(a);
    archive_read_support_format_tar(a);
    if (r->length >= 0) archive_read_support_format_zip_seekable(a);
    archive_read_support_format_zip_streamable(a);
    // Archives may be joined.
    archive_read_set_format_option(a, "tar", "read_concatenated_archives", "1");
    archive_read_set_read_callback(a, read_input);
    if (r->length >= 0) {
        archive_read_set_skip_callback(a, skip_input);
        archive_read_set_seek_callback(a, seek_input);
    }
    archive_read_set_callback_data(a, r);
    return archive_read_open1(a);
}

// ------------------------------------------------------------------------------------------- the members

static bool answer_text(reading *r, carchives_kind kind, const char *text) {
    if (!text) text = "it cannot be read";
    size_t count = strnlen(text, 400);
    if (r->is_too_large) return answer(r, carchives_too_large, 0, 0);
    return csandbox_put(r->file, (const uint8_t *)text, count, carchives_output) == 0
        && answer(r, kind, (int64_t)count, 0);
}

/// Reads more of a member. Returns what libarchive does: a count, 0 at the end, or an error.
static la_ssize_t read_member(reading *r, size_t most) {
    la_ssize_t count = archive_read_data(r->archive, r->output, most);
    if (count == 0 && r->left > 0) {
        // A hole at the end, which libarchive leaves out.
        count = r->left < (int64_t)most ? (la_ssize_t)r->left : (la_ssize_t)most;
        memset(r->output, 0, (size_t)count);
    }
    if (count > 0) r->left -= count;
    if (count > 0 && is_zip(r)) r->given += count;
    if (is_past_limit(r)) return ARCHIVE_FATAL;
    return count;
}

static bool answer_data(reading *r, int64_t most) {
    if (most < 1 || most > (int64_t)carchives_most) return false;
    la_ssize_t count = read_member(r, (size_t)most);
    if (count == ARCHIVE_FATAL || r->is_too_large)
        return answer_text(r, carchives_failed, archive_error_string(r->archive));
    if (count < 0) return answer_text(r, carchives_damaged, archive_error_string(r->archive));
    return csandbox_put(r->file, r->output, (size_t)count, carchives_output) == 0
        && answer(r, carchives_data, count, 0);
}

static bool answer_member(reading *r, struct archive_entry *entry) {
    const char *name = archive_entry_pathname(entry);
    if (!name) name = "";
    size_t length = strnlen(name, 65536);
    // libarchive gives the parts of a second before 1970 without their sign.
    const long parts = archive_entry_mtime_is_set(entry) ? archive_entry_mtime_nsec(entry) : 0;
    carchives_member member = {
        .size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1,
        .seconds = archive_entry_mtime_is_set(entry) ? archive_entry_mtime(entry) : 0,
        .nanoseconds = archive_entry_mtime(entry) < 0 ? -parts : parts,
        .is_encrypted = archive_entry_is_encrypted(entry) != 0,
        .is_link = archive_entry_hardlink(entry) && archive_entry_size(entry) == 0,
    };
    return csandbox_put(r->file, (const uint8_t *)&member, sizeof member, carchives_output) == 0
        && csandbox_put(r->file, (const uint8_t *)name, length, carchives_output + sizeof member) == 0
        && answer(r, carchives_found, (int64_t)length, 0);
}

static bool answer_next(reading *r) {
    for (;;) {
        struct archive_entry *entry = NULL;
        // A member whose length stands behind it is unpacked to be passed over.
        while (r->lacks_size && read_member(r, carchives_most) > 0) {}
        if (r->is_too_large) return answer(r, carchives_too_large, 0, 0);
        int result = archive_read_next_header(r->archive, &entry);
        if (result == ARCHIVE_EOF) return answer(r, carchives_end, 0, 0);
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
            return answer_text(r, carchives_failed, archive_error_string(r->archive));
        r->lacks_size = !archive_entry_size_is_set(entry);
        r->left = is_zip(r) || r->lacks_size ? 0 : archive_entry_size(entry);
        if (archive_filter_count(r->archive) > 2)
            return answer_text(r, carchives_failed, "compressed more than once");
        if (++r->members > most_members)
            return answer_text(r, carchives_failed, "more than 10 million members");
        // Links have no type of their own where they have no bytes.
        if (archive_entry_filetype(entry) == AE_IFREG || archive_entry_hardlink(entry))
            return answer_member(r, entry);
    }
}

void carchives_read(int channel, int file, csandbox_message open) {
    reading r = {.channel = channel, .file = file, .length = open.first, .limit = open.second};
    r.archive = archive_read_new();
    r.input = malloc(carchives_output);
    r.output = malloc(carchives_most);
    bool is_open = false, is_ready = open.kind == carchives_open && r.archive && r.input && r.output;
    csandbox_message message;
    while (is_ready && csandbox_receive(channel, -1, &message) == 1) {
        bool goes_on = message.kind == carchives_next || message.kind == carchives_more;
        if (goes_on && !is_open) {
            is_open = open_archive(&r) >= ARCHIVE_WARN;
            goes_on = is_open;
            if (!is_open) answer_text(&r, carchives_failed, archive_error_string(r.archive));
        }
        if (goes_on) goes_on = message.kind == carchives_next ? answer_next(&r) : answer_data(&r, message.first);
        if (!goes_on || r.is_over) break;
    }
    archive_read_free(r.archive);
    free(r.input);
    free(r.output);
}

#endif
