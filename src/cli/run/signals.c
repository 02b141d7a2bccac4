#include "cli/run/signals.h"

#include <stdint.h>
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

bool signals_rows(const command *c, const fo_model *model, size_t at_most, signals *s)
{
    size_t count;
    const fo_reference *rows = fo_model_rows(model, &count);
    if (at_most < count) count = at_most;
    if (!signals_make(c, count, s)) return false;
    memcpy(s->list, rows, count * sizeof *rows);
    s->count = count;
    return true;
}

bool signals_ranks(const command *c, const fo_model *model, fo_system system, signals *s)
{
    size_t count;
    const fo_reference *rows = fo_model_rows(model, &count);
    bool states = count && rows[0].quantity == FO_STATE;
    uint32_t own = fo_system_shape(system).states, outputs = fo_system_shape(system).outputs;
    if (!states) return signals_rows(c, model, SIZE_MAX, s);
    if (!signals_make(c, (size_t)own + outputs, s)) return false;
    for (uint32_t i = 0; i < own; i++) s->list[s->count++] = (fo_reference){FO_STATE, i};
    for (uint32_t i = 0; i < outputs; i++) s->list[s->count++] = (fo_reference){FO_OUTPUT, i};
    return true;
}

void signals_free(signals *s)
{
    free(s->list);
    *s = (signals){0};
}
