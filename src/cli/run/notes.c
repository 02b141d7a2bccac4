#include "cli/run/notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 20 };

static void print(void *self, double t, const char *text)
{
    notes *n = self;
    (void)t;
    const char *end = strstr(text, "; if that goes on");
    if (end && strstr(text, "' chatters: "))
        snprintf(n->chatter, sizeof n->chatter, "%.*s", (int)(end - text), text);
    if (n->count++ < FIRST) complain(n->command, "%s", text);
}

fo_observer notes_observer(notes *n)
{
    return (fo_observer){.self = n, .interval = -1, .note = print};
}

void notes_end(const notes *n)
{
    if (n->count > FIRST)
        complain(n->command, "%" PRIu64 " more warnings are not shown", n->count - FIRST);
}
