#include "cli/live/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const double SLICE = 0.01;

bool lines_throttled(lines *l, double now)
{
    if (now - l->slice >= SLICE || now < l->slice) l->slice = now, l->taken = 0;
    return l->taken >= LINES_PER_SLICE;
}

bool lines_read(lines *l, int fd)
{
    size_t room = sizeof l->text - 1 - l->used;
    if (l->ended || !room) return !l->ended || l->used;
    ssize_t got = read(fd, l->text + l->used, room);
    if (got > 0) l->used += (size_t)got;
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        l->ended = true;
    return !l->ended || l->used;
}

// Takes the first `length` bytes away; the line before them has been read.
static void drop(lines *l, size_t length)
{
    l->used -= length;
    memmove(l->text, l->text + length, l->used);
}

// `scanned` bytes at the front are the line that was given out last.
const char *lines_next(lines *l)
{
    drop(l, l->scanned);
    l->scanned = 0;
    for (;;) {
        char *end = memchr(l->text, '\n', l->used);
        bool full = l->used == sizeof l->text - 1;
        if (!end && !full && !(l->ended && l->used)) return NULL;
        size_t length = end ? (size_t)(end - l->text) : l->used;
        size_t whole = end ? length + 1 : length;
        bool rest = l->skipping;
        l->skipping = !end && !l->ended;
        if (rest) {
            drop(l, whole);
            if (!l->used) return NULL;
            continue;
        }
        for (size_t i = 0; i < length; i++)
            if (!l->text[i]) l->text[i] = 1; // a zero byte is no end of a text
        l->text[length] = 0;
        l->scanned = whole;
        l->taken++;
        return l->text;
    }
}
