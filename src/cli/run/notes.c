#include "cli/run/notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 20 };

// The first of them as "`y = 1 / x` (line 3) at t = 1".
static void keep_pole(notes *n, const char *text)
{
    static const char passes[] = " passes a pole";
    const char *found = strstr(text, passes);
    const char *end = found ? strstr(found, ": it is infinite") : NULL;
    if (!end || n->poles++) return;
    snprintf(n->pole, sizeof n->pole, "%.*s%.*s", (int)(found - text), text,
             (int)(end - found - (ptrdiff_t)strlen(passes)), found + strlen(passes));
}

static void print(void *self, double t, const char *text)
{
    notes *n = self;
    (void)t;
    const char *end = strstr(text, "; if that goes on");
    if (end && strstr(text, "' chatters: "))
        snprintf(n->chatter, sizeof n->chatter, "%.*s", (int)(end - text), text);
    keep_pole(n, text);
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
