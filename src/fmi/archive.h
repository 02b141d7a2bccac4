/// The archive of an FMU: a zip file from somebody else.
///
/// It is read by its central directory, all names are judged before anything is unpacked, and what
/// is produced is limited by its own size, not by what headers promise.
#ifndef FOI_ARCHIVE_H
#define FOI_ARCHIVE_H

#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"

typedef struct foi_archive foi_archive;

/// Reads the whole file and checks its list of entries: names (no absolute ones, no "..", no
/// backslash, none twice, also not in other case), kinds (no links, nothing encrypted), sizes.
/// NULL on failure.
foi_archive *foi_archive_open(const char *path, const fo_allocator *a, fo_message *why);
void foi_archive_close(foi_archive *z);

/// Whether there is a file of this name.
bool foi_archive_has(const foi_archive *z, const char *name);
/// How many entries there are, and the name of one; folders end with '/'.
size_t foi_archive_count(const foi_archive *z);
const char *foi_archive_name(const foi_archive *z, size_t index);

/// The content of a file, with a zero behind it; NULL on failure. To be freed by the caller.
char *foi_archive_read(foi_archive *z, const char *name, size_t *size, fo_message *why);

/// Writes all files whose name begins with `prefix` below the folder `to`, which must exist. On
/// failure what was written is there still: the caller removes the folder.
fo_status foi_archive_unpack(foi_archive *z, const char *prefix, const char *to, fo_message *why);

/// Writing: files one after the other, stored; dates are fixed, so that equal content gives equal
/// bytes.
typedef struct foi_archive_writer foi_archive_writer;
foi_archive_writer *foi_archive_create(const char *path, const fo_allocator *a, fo_message *why);
void foi_archive_add(foi_archive_writer *w, const char *name, const void *data, size_t size,
                     bool program);
/// Puts the file in place, whole or not at all, and frees the writer.
fo_status foi_archive_finish(foi_archive_writer *w, fo_message *why);

#endif
