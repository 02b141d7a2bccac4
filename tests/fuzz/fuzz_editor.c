/// Any text as an editor has it in a desk: all that is diagnosed of it and all that can be asked,
/// at places that its bytes decide, before and after an edit. What formatting has made is
/// formatted.
#include <foliot/desk.h>
#include <stdio.h>

#include "mutations.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 4096, ROOM = 6 * LONGEST + 200 };

/// A desk and what it has said last.
typedef struct talk {
    fo_desk *desk;
    char line[ROOM];
    char said[1 << 16];
} talk;

// Works until nothing is left to do; what was said is kept as far as there is room.
static void work(talk *t)
{
    size_t length = 0;
    fo_desk_state state = FO_DESK_MORE;
    while (state != FO_DESK_IDLE) {
        state = fo_desk_work(t->desk, 0, 100000);
        for (char part[4096];;) {
            size_t count = fo_desk_take(t->desk, part, sizeof part);
            if (!count) break;
            if (count > sizeof t->said - 1 - length) count = sizeof t->said - 1 - length;
            memcpy(t->said + length, part, count);
            length += count;
        }
    }
    t->said[length] = 0;
}

static void ask(talk *t)
{
    fo_desk_give(t->desk, t->line, strlen(t->line));
    work(t);
}

static void open_text(talk *t, const uint8_t *data, size_t size)
{
    size_t at = (size_t)snprintf(t->line, sizeof t->line,
                                 "{\"id\":1,\"do\":\"open\",\"name\":\"a.mo\",\"text\":\"");
    for (size_t i = 0; i < size; i++) {
        uint8_t c = data[i];
        if (c == '"' || c == '\\')
            at += (size_t)snprintf(t->line + at, sizeof t->line - at, "\\%c", c);
        else if (c < ' ')
            at += (size_t)snprintf(t->line + at, sizeof t->line - at, "\\u%04x", c ? c : ' ');
        else
            t->line[at++] = (char)c;
    }
    snprintf(t->line + at, sizeof t->line - at, "\"}\n");
    ask(t);
}

static void ask_at(talk *t, const char *verb, unsigned line, unsigned column)
{
    snprintf(t->line, sizeof t->line,
             "{\"id\":2,\"do\":\"%s\",\"doc\":1,\"at\":[%u,%u],\"name\":\"q\"}\n", verb, line,
             column);
    ask(t);
}

static void ask_all(talk *t, const uint8_t *data, size_t size)
{
    static const char *const verbs[] = {"hover", "definition", "references", "complete", "rename"};
    static const char *const wholes[] = {"outline", "describe", "view\",\"view\":\"flat"};
    unsigned seed = (unsigned)size;
    for (size_t i = 0; i < size; i++) seed = seed * 31 + data[i];
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        snprintf(t->line, sizeof t->line, "{\"id\":3,\"do\":\"%s\",\"doc\":1}\n", wholes[i]);
        ask(t);
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        for (int k = 0; k < 3; k++)
            ask_at(t, verbs[i], (unsigned)pick(&seed, 12), (unsigned)pick(&seed, 40));
}

// The edits of a formatting that was just asked for, as a change; false: there are none, or they
// are more than is kept.
static bool make_edits(talk *t)
{
    const char *edits = strstr(t->said, "\"edits\": [");
    const char *end = edits ? strstr(edits, "]}}\n") : NULL;
    if (!end || edits[10] == ']' || end - edits > LONGEST) return false;
    snprintf(t->line, sizeof t->line,
             "{\"id\":5,\"do\":\"change\",\"doc\":1,\"version\":9,%.*s]}\n", (int)(end - edits),
             edits);
    ask(t);
    return true;
}

static void format(talk *t)
{
    snprintf(t->line, sizeof t->line, "{\"id\":4,\"do\":\"format\",\"doc\":1}\n");
    ask(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fo_message why;
    fo_desk_def def = fo_default_desk_def();
    talk *t = calloc(1, sizeof *t);
    def.memory = 256 << 20, def.work = 200000, def.table = (fo_model_table){0};
    if (t) t->desk = fo_desk_create(&def, &why);
    if (t && t->desk && size <= LONGEST) {
        open_text(t, data, size);
        ask_all(t, data, size);
        format(t);
        if (make_edits(t)) ask_all(t, data, size);
    }
    if (t) fo_desk_destroy(t->desk);
    free(t);
    return 0;
}
