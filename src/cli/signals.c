#include "cli/signals.h"

#include <stdlib.h>
#include <string.h>

static bool signals_make(const command *c, size_t count, signals *s)
{
    *s = (signals){.list = calloc(count ? count : 1, sizeof *s->list)};
    if (!s->list) complain(c, "out of memory");
    return s->list;
}

static bool add(const command *c, const char *name, fo_system system, signals *s)
{
    fo_message why = {0};
    if (!fo_failed(fo_system_find(system, name, &s->list[s->count], &why))) {
        s->count++;
        return true;
    }
    complain_usage(c, "%s", why.text);
    signals_free(s);
    return false;
}

// Cuts the first name off; commas in brackets are part of it: value(3,2), x[1,2].
static char *next_name(char **rest)
{
    char *name = *rest, *at = name;
    int depth = 0;
    if (!name) return NULL;
    for (; *at && (*at != ',' || depth > 0); at++)
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
    *rest = *at ? at + 1 : NULL;
    *at = 0;
    return name;
}

static bool add_named(const command *c, const char *name, fo_system system, signals *s)
{
    if (*name) return add(c, name, system, s);
    complain_usage(c, "expected names of signals with commas between them, found an empty one");
    signals_free(s);
    return false;
}

bool signals_parse(const command *c, const char *text, fo_system system, signals *s)
{
    size_t count = 1;
    for (const char *at = text; *at; at++) count += *at == ',';
    char *names = strdup(text), *rest = names;
    bool fine = names && signals_make(c, count, s);
    for (char *name; fine && (name = next_name(&rest));) fine = add_named(c, name, system, s);
    free(names);
    return fine;
}

bool signals_find(const command *c, const char *const *names, fo_system system, signals *s)
{
    size_t count = 0;
    while (names[count]) count++;
    bool fine = signals_make(c, count, s);
    for (size_t i = 0; fine && i < count; i++) fine = add(c, names[i], system, s);
    return fine;
}

static void add_all(signals *s, fo_quantity quantity, uint32_t count, size_t at_most)
{
    for (uint32_t i = 0; i < count && s->count < at_most; i++)
        s->list[s->count++] = (fo_reference){quantity, i};
}

bool signals_usual(const command *c, fo_system system, size_t at_most, signals *s)
{
    fo_shape shape = fo_system_shape(system);
    size_t all = (size_t)shape.states + shape.discretes + shape.outputs;
    if (all < at_most) at_most = all;
    if (!signals_make(c, at_most, s)) return false;
    add_all(s, FO_STATE, shape.states, at_most);
    add_all(s, FO_DISCRETE, shape.discretes, at_most);
    add_all(s, FO_OUTPUT, shape.outputs, at_most);
    return true;
}

bool signals_outputs(const command *c, fo_system system, signals *s)
{
    uint32_t count = fo_system_shape(system).outputs;
    if (!signals_make(c, count, s)) return false;
    add_all(s, FO_OUTPUT, count, count);
    return true;
}

void signals_free(signals *s)
{
    free(s->list);
    *s = (signals){0};
}
