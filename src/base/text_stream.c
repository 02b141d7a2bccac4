#include "base/text_stream.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

// All of the bytes, or none and from there on none.
static ssize_t put(void *self, const char *bytes, size_t count)
{
    foi_text_stream *s = self;
    if (s->lacked || count >= SIZE_MAX / 4 - s->size) s->lacked = true;
    if (!s->lacked && s->size + count >= s->room) {
        size_t room = 2 * (s->size + count) + 1;
        char *grown = foi_grow(s->allocator, s->text, s->room, room, 1);
        if (grown)
            s->text = grown, s->room = room;
        else
            s->lacked = true;
    }
    if (s->lacked) {
        errno = ENOMEM;
        return 0;
    }
    memcpy(s->text + s->size, bytes, count);
    s->size += count;
    s->text[s->size] = 0;
    return (ssize_t)count;
}

bool foi_text_open(foi_text_stream *s, const fo_allocator *allocator)
{
    enum { FIRST = 512 };
    *s = (foi_text_stream){.allocator = allocator, .text = foi_new(allocator, FIRST, 1)};
    s->room = FIRST;
    if (s->text) s->out = fopencookie(s, "w", (cookie_io_functions_t){.write = put});
    if (s->out) setvbuf(s->out, s->buffer, _IOFBF, sizeof s->buffer);
    if (!s->out) foi_text_free(s);
    return s->out;
}

bool foi_text_close(foi_text_stream *s)
{
    FILE *out = s->out;
    s->out = NULL;
    if (out && ferror(out)) s->lacked = true;
    if (out && fclose(out) != 0) s->lacked = true;
    return s->text && !s->lacked;
}

bool foi_text_closed(foi_text_stream *s)
{
    s->out = NULL;
    return s->text && !s->lacked;
}

char *foi_text_take(foi_text_stream *s)
{
    char *text = NULL;
    if (foi_text_close(s)) text = s->text, s->text = NULL;
    foi_text_free(s);
    return text;
}

void foi_text_free(foi_text_stream *s)
{
    foi_text_close(s);
    foi_free(s->allocator, s->text);
    *s = (foi_text_stream){0};
}
