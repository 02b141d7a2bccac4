/// A talk with a desk, for the tests.
#ifndef TESTS_DESK_TALK_H
#define TESTS_DESK_TALK_H

#include <foliot/desk.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

typedef struct talk {
    fo_desk *desk;
    char *said; ///< all that the desk has said, and a zero; frames have zeros, too
    size_t length;
} talk;

static inline talk begin(const fo_allocator *allocator)
{
    fo_message why;
    fo_desk_def def = fo_default_desk_def();
    def.allocator = allocator;
    return (talk){fo_desk_create(&def, &why), calloc(1, 1), 0};
}

static inline void end(talk *t)
{
    fo_desk_destroy(t->desk);
    free(t->said);
}

static inline void listen(talk *t)
{
    char buffer[4096];
    for (size_t count; (count = fo_desk_take(t->desk, buffer, sizeof buffer));) {
        char *grown = realloc(t->said, t->length + count + 1);
        if (!grown) abort();
        t->said = grown;
        memcpy(t->said + t->length, buffer, count);
        t->length += count;
        t->said[t->length] = 0;
    }
}

/// Hands over lines, each with its end.
static inline void tell(talk *t, const char *lines)
{
    CHECK_INT((long long)fo_desk_give(t->desk, lines, strlen(lines)), (long long)strlen(lines));
}

/// Works until it has said `part`, at most so often.
static inline bool says(talk *t, const char *part, int most)
{
    for (int i = 0; i < most; i++) {
        fo_desk_work(t->desk, 0, 1000);
        listen(t);
        if (memmem(t->said, t->length, part, strlen(part))) return true;
    }
    return false;
}

/// Hands over a line and works until nothing is left to do; what was said before is forgotten.
static inline void exchange(talk *t, const char *line)
{
    tell(t, line);
    tell(t, "\n");
    t->length = 0, t->said[0] = 0;
    fo_desk_state state = FO_DESK_MORE;
    for (int i = 0; i < 100000 && state != FO_DESK_IDLE; i++) {
        state = fo_desk_work(t->desk, 0, 100000);
        listen(t);
    }
    CHECK_INT(state, FO_DESK_IDLE);
}

#endif
