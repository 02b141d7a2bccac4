#include "base/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __unix__
#include <poll.h>
#endif
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/made.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/whole_write.h"

// As much as a second process is worth that writes it, see base/whole_write.h.
enum { BUFFER = 1 << 20 };
static const double IDLE = 0.5; // seconds that a row waits at most while the simulation works

// ------------------------------------------------------------------------------------- fields

size_t foi_field_size(const char *text)
{
    return 2 * FOI_ESCAPE_GROWTH * strlen(text) + 3;
}

static char *put_plain_field(char *at, const char *text)
{
    size_t length = strlen(text);
    bool quoted =
        strpbrk(text, ",\"\r\n") || (length && (text[0] == ' ' || text[length - 1] == ' '));
    if (!quoted) return (char *)memcpy(at, text, length) + length;
    *at++ = '"';
    for (; *text; text++) {
        if (*text == '"') *at++ = '"';
        *at++ = *text;
    }
    *at++ = '"';
    return at;
}

// A text with control characters stands, written out, in the second half of the room first: the
// field, which has at most two letters for one of it, cannot overtake it.
char *foi_put_field(char *at, const char *text)
{
    if (foi_text_is_plain(text, "")) return put_plain_field(at, text);
    size_t half = FOI_ESCAPE_GROWTH * strlen(text) + 1;
    foi_text_escape(text, "", at + half, half + 1);
    return put_plain_field(at, at + half);
}

// ------------------------------------------------------------------------------------- opening

static void release(foi_writer *w)
{
    foi_free(w->allocator, w->path);
    foi_free(w->allocator, w->buffer);
    w->path = NULL, w->buffer = NULL;
}

// The checksum of the bytes before `end`: the header and what stands just before the end are those
// of no other run. All of a long file would be too much to read at every checkpoint.
static bool sum_before(int fd, uint64_t end, uint64_t *hash)
{
    enum { PART = 1 << 14 };
    char part[PART];
    uint64_t from[2] = {0, end > PART ? end - PART : 0};
    *hash = end;
    for (int i = 0; i < 2; i++) {
        size_t wanted = end < PART ? (size_t)end : PART, got = 0;
        while (got < wanted) {
            ssize_t n = pread(fd, part + got, wanted - got, (off_t)(from[i] + got));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            got += (size_t)n;
        }
        *hash = foi_hash_of(part, wanted, *hash);
    }
    return true;
}

bool foi_writer_mark(const foi_writer *w, foi_mark *mark)
{
    struct stat about;
    if (fo_failed(w->failed.status) || fstat(w->fd, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    *mark = (foi_mark){.bytes = (uint64_t)about.st_size, .rows = w->rows, .last = w->kept};
    return sum_before(w->fd, mark->bytes, &mark->hash);
}

bool foi_mark_at(int fd, uint64_t bytes, uint64_t rows, foi_mark *mark)
{
    *mark = (foi_mark){.bytes = bytes, .rows = rows};
    return sum_before(fd, bytes, &mark->hash);
}

// The file as it was at the mark; NULL: it is.
static const char *other_file(int fd, const foi_mark *mark)
{
    struct stat about;
    uint64_t hash;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return "it is no plain file";
    if (mark->last > mark->bytes || mark->rows > mark->bytes) return "the checkpoint is wrong";
    if ((uint64_t)about.st_size < mark->bytes) return "it is shorter than it was then";
    if (!sum_before(fd, mark->bytes, &hash)) return "it cannot be read";
    return hash == mark->hash ? NULL : "its rows are not those of that run";
}

// A pipe by its name wants a reader: it is waited for, and so is one that does not read on, but not
// for ever.
static int open_pipe(const char *path)
{
    int fd = -1;
#ifdef __unix__
    int64_t begun = foi_clock_now();
    do {
        fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 || errno != ENXIO) return fd;
        poll(NULL, 0, 50);
    } while (foi_clock_seconds(begun, foi_clock_now()) < FOI_PIPE_PATIENCE);
    errno = ETIMEDOUT;
#else
    fd = open(path, O_WRONLY | O_CLOEXEC);
#endif
    return fd;
}

// True when a full pipe takes more, or the write is to be tried anyway.
static bool wait_for_reader(const foi_writer *w)
{
#ifdef __unix__
    struct pollfd reader = {.fd = w->fd, .events = POLLOUT};
    int64_t begun = foi_clock_now();
    while (foi_clock_seconds(begun, foi_clock_now()) < FOI_PIPE_PATIENCE)
        if (poll(&reader, 1, 1000) > 0) return true;
    errno = ETIMEDOUT;
    return false;
#else
    (void)w;
    return false;
#endif
}

// Opens the file for this writer alone: what another run is writing is left as it is, and only then
// it is emptied, or cut off where it is gone on with. The lock ends with the file, also when the
// process dies.
static fo_status open_alone(foi_writer *w, const char *path, const foi_mark *mark, fo_message *why)
{
    int make = mark ? 0 : O_CREAT;
    struct stat about;
    bool there = stat(path, &about) == 0, strange = there && !S_ISREG(about.st_mode);
    if (there && S_ISFIFO(about.st_mode) && !mark)
        w->fd = open_pipe(path);
    else
        w->fd = open(path, (strange ? O_WRONLY : O_RDWR) | make | O_CLOEXEC, 0666);
    if (w->fd < 0 && errno == ETIMEDOUT)
        return fo_fail(why, FO_ERROR_INPUT, "cannot write %s: nobody has read it for %d s", path,
                       FOI_PIPE_PATIENCE);
    if (w->fd < 0 && errno == EACCES) w->fd = open(path, O_WRONLY | make | O_CLOEXEC, 0666);
    if (w->fd < 0)
        return fo_fail(why, FO_ERROR_INPUT, "cannot write %s: %s", path, strerror(errno));
    w->plain = fstat(w->fd, &about) == 0 && S_ISREG(about.st_mode);
    if (!w->plain && !mark) return FO_OK;
    if (!foi_lock_alone(w->fd)) {
        close(w->fd);
        return fo_fail(why, FO_ERROR_INPUT, "another run is writing %s", path);
    }
    const char *other = mark ? other_file(w->fd, mark) : NULL;
    if (other) {
        close(w->fd);
        return fo_fail(why, FO_ERROR_INPUT, "cannot continue %s: %s", path, other);
    }
    off_t end = mark ? (off_t)mark->bytes : 0;
    foi_file_sign(w->fd, false);
    if (foi_cut(w->fd, end) == 0 && (lseek)(w->fd, end, SEEK_SET) == end) return FO_OK;
    int error = errno;
    close(w->fd);
    return fo_fail(why, FO_ERROR_INPUT, "cannot write %s: %s", path, strerror(error));
}

static fo_status begin(foi_writer *w, const char *path, size_t row_size, const foi_mark *mark,
                       const fo_allocator *allocator, fo_message *why)
{
    bool standard = strcmp(path, "-") == 0;
    *w = (foi_writer){.allocator = allocator, .size = BUFFER + 2 * row_size, .fd = STDOUT_FILENO};
    w->path = foi_copy_text(allocator, standard ? "standard output" : path);
    w->buffer = foi_new(allocator, w->size, 1);
    if (!w->path || !w->buffer) {
        release(w);
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the rows of %s", path);
    }
    struct stat about;
    if (standard) w->plain = fstat(w->fd, &about) == 0 && S_ISREG(about.st_mode);
    if (!standard && fo_failed(open_alone(w, path, mark, why))) {
        release(w);
        return FO_ERROR_INPUT;
    }
    w->flushed = foi_clock_now();
    return FO_OK;
}

fo_status foi_writer_open(foi_writer *w, const char *path, size_t row_size,
                          const fo_allocator *allocator, fo_message *why)
{
    return begin(w, path, row_size, NULL, allocator, why);
}

fo_status foi_writer_resume(foi_writer *w, const char *path, size_t row_size, const foi_mark *mark,
                            const fo_allocator *allocator, fo_message *why)
{
    fo_status status = begin(w, path, row_size, mark, allocator, why);
    if (status != FO_OK) return status;
    w->headed = true, w->rows = (size_t)mark->rows, w->kept = (size_t)mark->last;
    return FO_OK;
}

// ------------------------------------------------------------------------------------- writing

// How many whole rows the bytes hold, and where the last of them ends. A line break inside quotes
// ends no row.
static size_t whole_rows(const char *bytes, size_t count, size_t *end)
{
    size_t rows = 0;
    bool quoted = false;
    *end = 0;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '"') quoted = !quoted;
        if (bytes[i] == '\n' && !quoted) rows++, *end = i + 1;
    }
    return rows;
}

// The disk took only `written` bytes: counts what is lost and cuts what it has of the last row.
// False when the file still ends in a part of a row.
// (lseek): the function, where a header has a macro of that name.
static bool cut(foi_writer *w, size_t written)
{
    size_t end, all_end, rows = whole_rows(w->buffer, written, &end);
    size_t lost = whole_rows(w->buffer, w->used, &all_end) - rows;
    if (!w->headed && rows == 0) lost--; // the header is not counted
    w->rows -= lost;
    w->used = w->last = 0;
    if (end == written) return true;
    struct stat about;
    off_t at = (lseek)(w->fd, 0, SEEK_CUR);
    if (at < 0 || fstat(w->fd, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    return ftruncate(w->fd, at - (off_t)(written - end)) == 0;
}

static fo_status fail(foi_writer *w, size_t written, int error)
{
    bool whole = cut(w, written);
    if (error == EPIPE)
        return fo_fail(&w->failed, FO_ERROR_CANCELLED, "nobody reads %s any more", w->path);
    return fo_fail(&w->failed, FO_ERROR_INPUT, "writing %s failed after %zu rows: %s; %s", w->path,
                   w->rows, error == ETIMEDOUT ? "nobody reads on" : strerror(error),
                   whole ? "the rows before are valid"
                         : "the rows before are valid, the last line is a part of one");
}

static fo_status report(const foi_writer *w, fo_message *why)
{
    if (why && fo_failed(w->failed.status)) *why = w->failed;
    return w->failed.status;
}

// Writes the first `count` bytes that wait.
static fo_status flush(foi_writer *w, size_t count, fo_message *why)
{
    size_t written = 0;
    while (!fo_failed(w->failed.status) && written < count) {
        const char *from = w->buffer + written;
        size_t left = count - written;
        ssize_t n = w->plain ? foi_write_whole(w->fd, from, left) : write(w->fd, from, left);
        if (n > 0) written += (size_t)n;
        if (n < 0 && errno == EAGAIN && w->fd != STDOUT_FILENO && wait_for_reader(w)) continue;
        if (n < 0 && errno != EINTR) fail(w, written, errno);
        if (n == 0) fail(w, written, ENOSPC);
    }
    if (fo_failed(w->failed.status)) return report(w, why);
    if (count) w->headed = true;
    memmove(w->buffer, w->buffer + count, w->used - count);
    w->used -= count;
    w->last = w->last > count ? w->last - count : 0;
    w->flushed = foi_clock_now();
    return FO_OK;
}

char *foi_writer_row(foi_writer *w, fo_message *why)
{
    size_t row_size = (w->size - BUFFER) / 2;
    if (fo_failed(report(w, why))) return NULL;
    if (w->used + row_size > w->size && fo_failed(flush(w, w->last, why))) return NULL;
    return w->buffer + w->used;
}

void foi_writer_row_end(foi_writer *w, const char *end)
{
    bool header = !w->headed && w->used == 0;
    w->last = w->used, w->kept = 0;
    w->used = (size_t)(end - w->buffer);
    if (!header) w->rows++;
}

// The last row is in a plain file already: it is cut off.
static void cut_last(foi_writer *w)
{
    off_t at = (lseek)(w->fd, -(off_t)w->kept, SEEK_CUR);
    if (at < 0 || ftruncate(w->fd, at) != 0)
        fo_fail(&w->failed, FO_ERROR_INPUT, "the last row of %s cannot be written anew: %s",
                w->path, strerror(errno));
    w->kept = 0;
}

void foi_writer_take_back(foi_writer *w)
{
    if (fo_failed(w->failed.status)) return;
    if (w->kept) cut_last(w);
    w->used = w->last;
    w->rows--;
}

fo_status foi_writer_keep(foi_writer *w, fo_message *why)
{
    struct stat about;
    bool plain = fstat(w->fd, &about) == 0 && S_ISREG(about.st_mode);
    size_t row = w->used - w->last;
    if (!plain) return flush(w, w->last, why); // what is in a pipe cannot be taken back
    fo_status status = flush(w, w->used, why);
    if (fo_failed(status)) return status;
    if (row && w->rows) w->kept = row;
    if (fsync(w->fd) == 0) return FO_OK;
    fo_fail(&w->failed, FO_ERROR_INPUT, "writing %s failed: %s", w->path, strerror(errno));
    return report(w, why);
}

fo_status foi_writer_idle(foi_writer *w, fo_message *why)
{
    if (w->last == 0 || foi_clock_seconds(w->flushed, foi_clock_now()) < IDLE)
        return report(w, why);
    return flush(w, w->last, why);
}

fo_status foi_writer_flush(foi_writer *w, fo_message *why)
{
    return flush(w, w->used, why);
}

fo_status foi_writer_close(foi_writer *w, fo_message *why)
{
    flush(w, w->used, why);
    if (w->fd != STDOUT_FILENO) foi_file_sign(w->fd, true);
    if (w->fd != STDOUT_FILENO && close(w->fd) != 0 && !fo_failed(w->failed.status))
        fo_fail(&w->failed, FO_ERROR_INPUT, "closing %s failed: %s", w->path, strerror(errno));
    fo_status status = report(w, why);
    release(w);
    return status;
}
