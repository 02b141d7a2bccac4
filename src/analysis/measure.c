#include "analysis/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

// ----------------------------------------------------------------------------------- reading them

static const char *const reducer_names[FOI_REDUCE_KINDS] = {
    "min",     "max",   "mean", "integral", "rms",   "settling", "overshoot",
    "initial", "final", "at",   "count",    "first", "last"};

const char *foi_reducer_word(foi_reducer_kind kind)
{
    return reducer_names[kind];
}

static bool is_of_moments(foi_reducer_kind kind)
{
    return kind >= FOI_REDUCE_COUNT;
}

static bool is_of_rows(foi_reducer_kind kind)
{
    return kind <= FOI_REDUCE_INITIAL;
}

static bool is_of_pieces(foi_reducer_kind kind)
{
    return kind <= FOI_REDUCE_OVERSHOOT;
}

static fo_status find_signal(void *self, const char *name, size_t *index, fo_message *why)
{
    foi_measures *m = self;
    fo_reference found = {FO_TIME, 0};
    fo_status status = FO_OK;
    char full[256];
    if (strcmp(name, "time") != 0 && fo_system_find(m->system, name, &found, NULL) != FO_OK) {
        // "k" for "springs[1].k"; the message is about the name as it was written
        status = fo_system_complete(m->system, name, full, sizeof full, NULL);
        if (status == FO_OK) status = fo_system_find(m->system, full, &found, NULL);
        if (status != FO_OK) return fo_system_find(m->system, name, &found, why);
    }
    for (*index = 0; *index < m->signal_count; ++*index)
        if (m->signals[*index].quantity == found.quantity &&
            m->signals[*index].index == found.index)
            return FO_OK;
    fo_reference *list =
        foi_grow(m->allocator, m->signals, m->signal_count, m->signal_count + 1, sizeof *list);
    if (!list) return fo_fail(why, FO_ERROR_MEMORY, "no memory for measures");
    m->signals = list;
    m->signals[m->signal_count++] = found;
    return FO_OK;
}

static bool try_events(foi_nearest *near, const char *name, const fo_events *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->list[i].name, name) == 0) return true;
        foi_nearest_try(near, list->list[i].name);
    }
    return false;
}

static bool try_guards(foi_nearest *near, const char *name, const fo_guards *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->list[i].name, name) == 0) return true;
        foi_nearest_try(near, list->list[i].name);
    }
    return false;
}

static fo_status check_event(const foi_measures *m, const char *name, fo_message *why)
{
    const fo_description *about = m->system.about;
    foi_nearest near = foi_nearest_to(name);
    if (try_guards(&near, name, &about->guards) || try_guards(&near, name, &about->conditions) ||
        try_events(&near, name, &about->moments) || try_events(&near, name, &about->events))
        return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "the model has no event '%s'%s", name,
                   foi_nearest_hint(&near));
}

// All up to the closing bracket, without spaces around it or quotes: "h < 0" is a name of a guard.
static fo_status read_event(const foi_measures *m, foi_reducer *r, const char **at, fo_message *why)
{
    const char *begin = *at, *end;
    int depth = 0;
    foi_skip_spaces(&begin);
    for (end = begin; *end && (depth || *end != ')'); end++) depth += (*end == '(') - (*end == ')');
    *at = end;
    while (end > begin && end[-1] == ' ') end--;
    if (end - begin >= 2 && (*begin == '"' || *begin == '\'') && end[-1] == *begin) begin++, end--;
    if (end == begin || (size_t)(end - begin) >= sizeof r->event)
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s needs the name of an event",
                       reducer_names[r->kind]);
    memcpy(r->event, begin, (size_t)(end - begin));
    return check_event(m, r->event, why);
}

static fo_status read_second(foi_reducer *r, const char **at, fo_message *why)
{
    bool needed = r->kind == FOI_REDUCE_AT, may = needed || r->kind == FOI_REDUCE_SETTLING;
    r->number = 0.02;
    if (**at != ',' && needed)
        return fo_fail(why, FO_ERROR_ARGUMENT, "'at' needs a signal and a time: at(x, 2)");
    if (**at != ',') return FO_OK;
    if (!may)
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s takes one argument", reducer_names[r->kind]);
    char *end;
    r->number = strtod(++*at, &end);
    bool good = end != *at && isfinite(r->number) && (needed || r->number > 0);
    *at = end;
    foi_skip_spaces(at);
    if (good) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "%s needs a number as its second argument",
                   reducer_names[r->kind]);
}

static fo_status read_arguments(foi_measures *m, foi_reducer *r, const char **at, fo_message *why)
{
    const foi_arithmetic_scope inside = {m, find_signal, NULL, ",)", false};
    fo_status status;
    if (is_of_moments(r->kind)) {
        status = read_event(m, r, at, why);
    } else {
        status = foi_arithmetic_read(&r->inner, m->text, at, &inside, m->allocator, why);
        if (status == FO_OK) status = read_second(r, at, why);
    }
    if (status != FO_OK) return status;
    if (**at != ')')
        return fo_fail(why, FO_ERROR_ARGUMENT, "expected ')' at the end of %s",
                       reducer_names[r->kind]);
    ++*at;
    return FO_OK;
}

static fo_status read_reducer(void *self, const char *name, const char **at, size_t *index,
                              bool *known, fo_message *why)
{
    foi_measures *m = self;
    foi_reducer r = {0};
    for (; r.kind < FOI_REDUCE_KINDS; r.kind++)
        if (strcmp(name, reducer_names[r.kind]) == 0) break;
    *known = r.kind < FOI_REDUCE_KINDS;
    if (!*known) return FO_OK;
    fo_status status = read_arguments(m, &r, at, why);
    if (status == FO_OK && is_of_pieces(r.kind))
        status = foi_reducer_bounds_make(&r, m->signals, m->signal_count, m->allocator, why);
    foi_reducer *list = NULL;
    if (status == FO_OK) {
        list = foi_grow(m->allocator, m->reducers, m->reducer_count, m->reducer_count + 1,
                        sizeof *list);
        if (!list) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for measures");
    }
    if (status != FO_OK) {
        foi_reducer_destroy(&r, m->allocator);
        return status;
    }
    m->rows |= is_of_rows(r.kind), m->moments |= is_of_moments(r.kind);
    m->pieces |= is_of_pieces(r.kind);
    m->settles |= r.kind == FOI_REDUCE_SETTLING;
    m->reducers = list;
    *index = m->reducer_count++;
    m->reducers[*index] = r;
    return FO_OK;
}

static fo_status read_measure(foi_measures *m, const char *text, fo_message *why)
{
    const foi_arithmetic_scope outside = {m, find_signal, read_reducer, "", false};
    const char *at = text;
    m->text = text;
    m->texts[m->count] = foi_copy_text(m->allocator, text);
    if (!m->texts[m->count]) return fo_fail(why, FO_ERROR_MEMORY, "no memory for measures");
    fo_status status =
        foi_arithmetic_read(&m->list[m->count], text, &at, &outside, m->allocator, why);
    m->count++;
    if (status == FO_OK) return FO_OK;
    fo_message_prefix(why, "measure '%s': ", text);
    if (status != FO_ERROR_FORMAT) return status;
    if (why) why->status = FO_ERROR_ARGUMENT; // of a definition, not of a document
    return FO_ERROR_ARGUMENT;
}

fo_status foi_measures_read(foi_measures *m, fo_system system, const char *const *texts,
                            size_t count, const fo_allocator *allocator, fo_message *why)
{
    *m = (foi_measures){.system = system, .allocator = allocator};
    m->list = foi_new(allocator, count, sizeof *m->list);
    m->texts = foi_new(allocator, count, sizeof *m->texts);
    fo_status status = FO_OK;
    if (!m->list || !m->texts) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for measures");
    for (size_t i = 0; i < count && status == FO_OK; i++) status = read_measure(m, texts[i], why);
    if (status != FO_OK) foi_measures_destroy(m);
    return status;
}

void foi_measures_destroy(foi_measures *m)
{
    for (size_t i = 0; i < m->count; i++) {
        foi_arithmetic_destroy(&m->list[i], m->allocator);
        foi_free(m->allocator, m->texts[i]);
    }
    for (size_t i = 0; i < m->reducer_count; i++)
        foi_reducer_destroy(&m->reducers[i], m->allocator);
    foi_free(m->allocator, m->list);
    foi_free(m->allocator, m->texts);
    foi_free(m->allocator, m->reducers);
    foi_free(m->allocator, m->signals);
    *m = (foi_measures){0};
}
