/// Lines from a stream that may be slow, hostile or endless: bounded memory, bounded work.
#ifndef CLI_LIVE_LINES_H
#define CLI_LIVE_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { LINES_LONGEST = 1024, LINES_PER_SLICE = 200 };

typedef struct lines {
    char text[LINES_LONGEST];
    size_t used;
    bool skipping;  ///< the rest of a line that was too long
    double slice;   ///< when the present slice of time began [s]
    int taken;      ///< lines in it
    size_t scanned; ///< bytes that hold no end of line
    bool ended;     ///< the stream has
} lines;

/// No more may be taken before the next slice of 10 ms: at most 20,000 lines a second.
bool lines_throttled(lines *l, double now);
/// Reads what is there; the stream must not block. False when it has ended and all is taken.
bool lines_read(lines *l, int fd);
/// The next line, without its end; NULL: none yet. Valid until the next call. A line that is too
/// long comes as its beginning.
const char *lines_next(lines *l);

#endif
