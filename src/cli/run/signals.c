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

static bool give_up(signals *s)
{
    signals_free(s);
    return false;
}

static bool push(const command *c, fo_reference which, signals *s)
{
    fo_reference *list = realloc(s->list, (s->count + 1) * sizeof *list);
    if (!list) {
        complain(c, "out of memory");
        return false;
    }
    s->list = list;
    list[s->count++] = which;
    return true;
}

static bool add(const command *c, const char *name, fo_system system, signals *s)
{
    fo_message why = {0};
    fo_reference found;
    if (!fo_failed(fo_system_find(system, name, &found, &why)))
        return push(c, found, s) || give_up(s);
    complain_usage(c, "%s", why.text);
    return give_up(s);
}

// '*' stands for any letters, '?' for one; brackets are part of names.
bool signals_match(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL;
    for (; *name;) {
        if (*pattern == '*') {
            star = ++pattern, from = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++, name++;
        } else if (star) {
            pattern = star, name = ++from; // the last star takes one more
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

static bool has(const signals *s, fo_reference which)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].quantity == which.quantity && s->list[i].index == which.index) return true;
    return false;
}

// All states, discretes, outputs and inputs whose names match.
static bool add_pattern(const command *c, const char *pattern, fo_system system, signals *s)
{
    fo_shape shape = fo_system_shape(system);
    const struct {
        fo_quantity quantity;
        uint32_t count;
    } all[] = {{FO_STATE, shape.states},
               {FO_DISCRETE, shape.discretes},
               {FO_OUTPUT, shape.outputs},
               {FO_INPUT, shape.inputs}};
    bool any = false;
    for (size_t q = 0; q < sizeof all / sizeof *all; q++)
        for (uint32_t i = 0; i < all[q].count; i++) {
            char name[256];
            const fo_reference which = {all[q].quantity, i};
            if (!signals_match(pattern, fo_system_name(system, which, name, sizeof name))) continue;
            any = true;
            if (!has(s, which) && !push(c, which, s)) return give_up(s);
        }
    if (any) return true;
    complain_usage(c, "no signal of '%s' matches '%s'; 'foliot show' lists them",
                   system.about->name, pattern);
    return give_up(s);
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
    if (strpbrk(name, "*?")) return add_pattern(c, name, system, s);
    if (*name) return add(c, name, system, s);
    complain_usage(c, "expected names of signals with commas between them, found an empty one");
    return give_up(s);
}

bool signals_parse(const command *c, const char *text, fo_system system, signals *s)
{
    char *names = strdup(text), *rest = names;
    bool fine = names && signals_make(c, 0, s);
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
