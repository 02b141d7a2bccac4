/// Rows that reach a file whole, also where the process is killed while the system copies them.
///
/// The system copies what is written page by page (4 KiB), and between two pages it looks whether
/// the process has been killed; then the file ends in the middle of a row. No order of calls helps:
/// a file grows page by page. So what crosses a page is written by a short-lived process that
/// shares the memory and the file, as posix_spawn's does until it executes something. A kill of
/// this process, or of its group, does not reach that one, which writes what it has begun and ends.
#ifndef FOI_WHOLE_WRITE_H
#define FOI_WHOLE_WRITE_H

#include <foliot/memory.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/// As write(): so many bytes were written, or -1 and errno. For plain files; others are written to
/// as they are. Where no such process can be made, whole lines are written page by page, and only
/// the line that crosses a page can be torn.
ssize_t foi_write_whole(int fd, const char *bytes, size_t count);

/// Locks a file for this process alone; the lock ends with the file, also when the process dies.
/// False where another one has it. What was written for a process that is gone is waited for, some
/// tenths of a second.
bool foi_lock_alone(int fd);
/// A file that is put in place again and again, and first late, such as a checkpoint, is claimed
/// through another one beside it, PATH.lock, which is there as long as the claim.
typedef struct foi_claim {
    bool held;
    int fd;
    char *path; ///< of the lock
} foi_claim;

/// False where another process has it. Where no lock can be made there is none: whoever writes the
/// file says what is wrong. What a killed process left of a lock is taken over.
bool foi_claim_file(foi_claim *claim, const char *path, const fo_allocator *allocator);
/// Also where nothing is held.
void foi_claim_end(foi_claim *claim, const fo_allocator *allocator);

/// Cuts a plain file to `size` bytes; 0, or -1 and errno. One that has that size is not touched:
/// what was once cut to nothing is written out at its close by some file systems, which takes time
/// that a process which is to end does not have.
int foi_cut(int fd, off_t size);

/// A stream that hands what it is given to foi_write_whole whenever it is flushed, and takes `file`
/// with it when it is closed. `lines`: it is flushed after each. Nothing may be written to `file`
/// meanwhile. NULL without memory: `file` is as before.
FILE *foi_whole_stream(FILE *file, bool lines);

#endif
