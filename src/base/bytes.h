/// Numbers and texts as bytes, in one order on every machine (little endian), for files that are
/// read again; and such a file in blocks, each with its checksum:
///
///     name (16 bytes, padded with zeros) | { tag (4) | 0 (4) | length (8) | bytes | XXH64 (8) }*
///
/// The checksum is of all bytes of the block before it. The last block is "end ", without bytes.
#ifndef FOI_BYTES_H
#define FOI_BYTES_H

#include <foliot/memory.h>
#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ----------------------------------------------------------------------------------------- writing

/// Bytes being written. Where memory lacks, `failed` is set and nothing more is kept.
typedef struct foi_bytes {
    const fo_allocator *allocator;
    unsigned char *list;
    size_t count, room;
    size_t block; ///< where the present block begins
    bool failed;
} foi_bytes;

void foi_bytes_put(foi_bytes *b, const void *bytes, size_t count);
void foi_put_u8(foi_bytes *b, uint8_t value);
void foi_put_u32(foi_bytes *b, uint32_t value);
void foi_put_u64(foi_bytes *b, uint64_t value);
void foi_put_f64(foi_bytes *b, double value);
void foi_put_f64s(foi_bytes *b, const double *values, size_t count);
/// NULL counts as "".
void foi_put_text(foi_bytes *b, const char *text);

void foi_bytes_begin(foi_bytes *b, const char *name);
void foi_bytes_block(foi_bytes *b, const char tag[4]);
void foi_bytes_block_end(foi_bytes *b);
void foi_bytes_end(foi_bytes *b);
void foi_bytes_free(foi_bytes *b);

// ----------------------------------------------------------------------------------------- reading

/// Bytes being read. What does not fit gives zeros and sets `failed`, with the name of the first
/// thing that was wrong.
typedef struct foi_slice {
    const unsigned char *at, *end;
    bool failed;
    const char *wrong;
} foi_slice;

void foi_slice_fail(foi_slice *s, const char *wrong);
size_t foi_slice_left(const foi_slice *s);
uint8_t foi_take_u8(foi_slice *s);
uint32_t foi_take_u32(foi_slice *s);
uint64_t foi_take_u64(foi_slice *s);
double foi_take_f64(foi_slice *s);
void foi_take(foi_slice *s, void *bytes, size_t count);
void foi_take_f64s(foi_slice *s, double *values, size_t count);
/// A text, in the bytes themselves; "" on failure.
const char *foi_take_text(foi_slice *s);
/// The same with bounds, inclusive; `what` says what is wrong where it is not within them.
uint32_t foi_take_upto(foi_slice *s, uint32_t most, const char *what);
bool foi_take_bool(foi_slice *s, const char *what);
int8_t foi_take_sign(foi_slice *s, const char *what);
double foi_take_finite(foi_slice *s, const char *what);

/// Checks a whole file of blocks: its name, every length and every checksum, and that it ends where
/// it says. FO_ERROR_FORMAT with what is wrong; `path` is for the message.
fo_status foi_blocks_check(const void *bytes, size_t count, const char *name, const char *path,
                           fo_message *why);
/// The bytes of the block with that tag, in a file that was checked; failed when there is none.
foi_slice foi_blocks_find(const void *bytes, size_t count, const char tag[4]);

// ------------------------------------------------------------------------------------------- files

/// Puts a file in place whole: beside it first, then fsync and rename. What was there before stays
/// as it is on any failure.
fo_status foi_file_save(const char *path, const void *bytes, size_t count,
                        const fo_allocator *allocator, fo_message *why);
/// Reads a whole plain file; anything else (a folder, a device, a FIFO) is refused without waiting.
/// The bytes are freed by the caller; a zero follows them.
fo_status foi_file_load(const char *path, const fo_allocator *allocator, unsigned char **bytes,
                        size_t *count, fo_message *why);

/// The file that `path` means for somebody who may use only what is in `folder`: a relative path
/// without "..", or one that begins with the folder. NULL folder: any. The name is in new memory;
/// NULL and a message when it is refused.
char *foi_file_within(const char *path, const char *folder, const fo_allocator *allocator,
                      fo_message *why);
/// Opens such a file as open() does. What the folder holds may be a stranger's as the document is,
/// so links below it are not followed (errno ELOOP), whoever exchanges them meanwhile; the folder
/// itself may be one. NULL folder: as open().
int foi_file_open(const char *path, const char *folder, int flags);
/// Opens a plain file to read; NULL where it is none or cannot be read, and *wrong says why.
FILE *foi_file_plain(const char *path, const char **wrong);
/// All bytes of a file of any kind, on the heap; a pipe that is silent for so many seconds is given
/// up. NULL and a message on failure.
char *foi_file_gather(const char *path, int seconds, size_t most, size_t *count, fo_message *why);
/// The same with a message, of a document that may use `folder`; devices, FIFOs and folders are
/// refused without waiting for anybody.
FILE *foi_file_read(const char *path, const char *folder, fo_message *why);
/// Whether foi_file_make could, as things are: FO_OK, or what it would say. Nothing is changed, and
/// one that another run is writing is none of its business.
fo_status foi_file_makeable(const char *path, const char *folder,
                            bool (*ours)(FILE *file, const void *self), const void *self,
                            fo_message *why);
/// Makes a plain file, or empties one, for this process alone: one that another process is writing
/// is refused, and one that is neither empty nor `ours` (NULL: all are) or was made by others, too.
/// `folder`: as with foi_file_open.
FILE *foi_file_make(const char *path, const char *folder,
                    bool (*ours)(FILE *file, const void *self), const void *self, fo_message *why);

#endif
