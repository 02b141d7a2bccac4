/// A file of rows being written: it always ends after a whole row, also when the disk is full.
#ifndef FOI_WRITER_H
#define FOI_WRITER_H

#include <foliot/memory.h>
#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Seconds without a reader after which a pipe that was opened by its name is given up. Standard
/// output has no such limit: a person may look at it for as long as they like.
enum { FOI_PIPE_PATIENCE = 10 };

typedef struct foi_writer {
    const fo_allocator *allocator;
    char *path; ///< for messages
    int fd;
    bool plain;   ///< it is a plain file
    char *buffer; ///< whole rows that wait to be written
    size_t size, used;
    size_t last;       ///< where the last row starts; it may still be taken back
    size_t kept;       ///< bytes of the last row, when it is in the file already
    size_t rows;       ///< handed over and not lost, without the header
    bool headed;       ///< the header is in the file
    int64_t flushed;   ///< when, on base/clock.h
    fo_message failed; ///< FO_OK, or why nothing more can be written
} foi_writer;

/// Opens `path` ("-": standard output) for rows of at most `row_size` bytes. On failure nothing is
/// left to close.
fo_status foi_writer_open(foi_writer *w, const char *path, size_t row_size,
                          const fo_allocator *allocator, fo_message *why);

/// Where a file of rows stands, so that another process can go on with it.
typedef struct foi_mark {
    uint64_t bytes, rows;
    uint64_t last; ///< bytes of the last row, which may still be taken back
    uint64_t hash; ///< of the bytes before, as many as are looked at
} foi_mark;

/// After foi_writer_keep. False where the file is no plain one: nothing can be gone on with.
bool foi_writer_mark(const foi_writer *w, foi_mark *mark);
/// The same for a file that somebody else has looked through, with so many rows in its first bytes.
bool foi_mark_at(int fd, uint64_t bytes, uint64_t rows, foi_mark *mark);
/// Opens a file to go on after the mark; what was written after it is cut off. A file that is
/// shorter or another one is refused and left as it is.
fo_status foi_writer_resume(foi_writer *w, const char *path, size_t row_size, const foi_mark *mark,
                            const fo_allocator *allocator, fo_message *why);
/// Room for one more row of at most the row size; NULL when writing failed. The first row is the
/// header.
char *foi_writer_row(foi_writer *w, fo_message *why);
/// The row from foi_writer_row is whole: it ends before `end`.
void foi_writer_row_end(foi_writer *w, const char *end);
/// Forgets the last row.
void foi_writer_take_back(foi_writer *w);
/// Writes what waits, but for the last row, if that has not been done for a while.
fo_status foi_writer_idle(foi_writer *w, fo_message *why);
/// Writes all that waits, and returns when the disk has it.
fo_status foi_writer_keep(foi_writer *w, fo_message *why);
/// Writes all that waits: w->rows are those that the file has then. No row can be taken back after
/// it.
fo_status foi_writer_flush(foi_writer *w, fo_message *why);
/// Writes all that waits, closes and frees.
fo_status foi_writer_close(foi_writer *w, fo_message *why);

/// Bytes that foi_put_field needs at most.
size_t foi_field_size(const char *text);
/// Writes a field of CSV, quoted where RFC 4180 asks for it. Returns where it ends.
char *foi_put_field(char *at, const char *text);

#endif
