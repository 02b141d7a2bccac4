// The description of a composition: the parts' descriptions one after the other, "part.name".
#include <stdio.h>
#include <string.h>

#include "system/compose.h"

const char *foi_port_name(const foi_part *part, fo_quantity quantity, uint32_t index, char *text,
                          size_t size)
{
    char name[64];
    fo_system_name(part->system, (fo_reference){quantity, index}, name, sizeof name);
    snprintf(text, size, "%s%s%s", part->name, *part->name ? "." : "", name);
    return text;
}

// All names lie in one block. They are made twice: first only counted, then written.
typedef struct names {
    char *text; ///< NULL while counting
    size_t used;
} names;

static const char *add_text(names *n, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = n->text ? n->text + n->used : NULL;
    if (copy) memcpy(copy, text, size);
    n->used += size;
    return copy;
}

static const char *add_name(names *n, const foi_part *part, const char *name, const char *letter,
                            uint32_t index)
{
    char numbered[32];
    if (!name) {
        snprintf(numbered, sizeof numbered, "%s[%u]", letter, index);
        name = numbered;
    }
    size_t prefix = strlen(part->name), dot = prefix ? 1 : 0;
    size_t size = prefix + dot + strlen(name) + 1;
    char *copy = n->text ? n->text + n->used : NULL;
    if (copy) {
        memcpy(copy, part->name, prefix);
        if (dot) copy[prefix] = '.';
        memcpy(copy + prefix + dot, name, size - prefix - dot);
    }
    n->used += size;
    return copy;
}

// One kind of variables over all parts.
typedef struct kind {
    const char *letter;
    size_t list;  ///< offset of its list in fo_description
    size_t count; ///< offset of its count in fo_shape
} kind;

#define KIND(letter, field)                                                \
    {                                                                      \
        letter, offsetof(fo_description, field), offsetof(fo_shape, field) \
    }

static const kind variable_kinds[] = {KIND("x", states), KIND("d", discretes), KIND("u", inputs),
                                      KIND("y", outputs), KIND("p", parameters)};

static const fo_variables *list_of(const fo_description *about, const kind *k)
{
    return (const fo_variables *)((const char *)about + k->list);
}

static uint32_t count_of(const foi_part *part, const kind *k)
{
    uint32_t count;
    memcpy(&count, (const char *)&part->shape + k->count, sizeof count);
    return count;
}

static bool is_connected(const fo_composition *c, const foi_part *part, const kind *k, uint32_t i)
{
    return k->letter[0] == 'u' && c->u_source[part->u + i] == FOI_NO_INDEX;
}

// Entries up to the last one that a part describes: those after it need no name.
static size_t described(const fo_composition *c, const kind *k)
{
    size_t all = 0, until = 0;
    for (uint32_t j = 0; j < c->part_count; j++) {
        const foi_part *part = &c->parts[j];
        size_t named = list_of(part->system.about, k)->count;
        for (uint32_t i = 0; i < count_of(part, k); i++) {
            if (is_connected(c, part, k, i)) continue;
            all++;
            if (i < named) until = all;
        }
    }
    return until;
}

static void describe_variables(const fo_composition *c, const kind *k, fo_variable *list,
                               size_t count, names *n)
{
    size_t at = 0;
    for (uint32_t j = 0; j < c->part_count; j++) {
        const foi_part *part = &c->parts[j];
        const fo_variables *from = list_of(part->system.about, k);
        for (uint32_t i = 0; i < count_of(part, k) && at < count; i++) {
            if (is_connected(c, part, k, i)) continue;
            fo_variable v = {0};
            if (i < from->count) v = from->list[i];
            v.name = add_name(n, part, v.name, k->letter, i);
            if (k->letter[0] == 'y') v.direct = part->reached && foi_output_direct(part, i);
            if (list) list[at] = v;
            at++;
        }
    }
}

// Guards keep their places for good, so all that are there at the start are described.
static void describe_guards(const fo_composition *c, bool conditions, fo_guard *list, names *n)
{
    size_t at = 0;
    for (uint32_t j = 0; j < c->part_count; j++) {
        const foi_part *part = &c->parts[j];
        const fo_description *about = part->system.about;
        const fo_guards *from = conditions ? &about->conditions : &about->guards;
        uint32_t count = conditions ? part->shape.conditions : part->shape.guards;
        for (uint32_t i = 0; i < count; i++) {
            fo_guard g = {0};
            if (i < from->count) g = from->list[i];
            g.name = add_name(n, part, g.name, conditions ? "c" : "g", i);
            g.bounded = g.bounded && foi_part_has_bounds(part);
            if (list) list[at] = g;
            at++;
        }
    }
}

static void describe_events(const fo_composition *c, bool moments, fo_event *list, names *n)
{
    size_t at = 0;
    for (uint32_t j = 0; j < c->part_count; j++) {
        const foi_part *part = &c->parts[j];
        const fo_description *about = part->system.about;
        const fo_events *from = moments ? &about->moments : &about->events;
        uint32_t count = moments ? part->moments : (uint32_t)about->events.count;
        for (uint32_t i = 0; i < count; i++) {
            fo_event e = {0};
            if (i < from->count) e = from->list[i];
            e.name = add_name(n, part, e.name, "moment", i);
            if (list) list[at] = e;
            at++;
        }
    }
}

// Lists of the description as far as they are made: counts are right in both rounds.
static void describe(fo_composition *c, const fo_composition_def *def, names *n)
{
    fo_description *about = &c->about;
    fo_variable *variables = c->variables;
    about->name = add_text(n, def->name ? def->name : "composition");
    if (def->about) about->about = add_text(n, def->about);
    for (size_t q = 0; q < FO_COUNT(variable_kinds); q++) {
        const kind *k = &variable_kinds[q];
        fo_variables *to = (fo_variables *)((char *)about + k->list);
        to->list = variables;
        to->count = described(c, k);
        describe_variables(c, k, variables, to->count, n);
        if (variables) variables += to->count;
    }
    fo_guard *guards = c->guards;
    about->guards = (fo_guards){guards, c->shape.guards};
    describe_guards(c, false, guards, n);
    if (guards) guards += c->shape.guards;
    about->conditions = (fo_guards){guards, c->shape.conditions};
    describe_guards(c, true, guards, n);
    fo_event *events = c->events;
    about->moments.list = events;
    describe_events(c, true, events, n);
    if (events) events += about->moments.count;
    about->events.list = events;
    describe_events(c, false, events, n);
}

fo_status foi_compose_describe(fo_composition *c, const fo_composition_def *def, fo_message *why)
{
    const fo_allocator *a = c->allocator;
    fo_description *about = &c->about;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const fo_description *its = c->parts[i].system.about;
        about->moments.count += c->parts[i].moments;
        about->events.count += its->events.count;
        about->stiff = about->stiff || its->stiff;
        about->outputs_fail = about->outputs_fail || its->outputs_fail;
        about->follows = about->follows || its->follows;
        about->abrupt = about->abrupt || its->abrupt;
        about->constrained = about->constrained || its->constrained;
        if (its->max_step > 0 && (about->max_step == 0 || its->max_step < about->max_step))
            about->max_step = its->max_step;
    }
    names n = {0};
    describe(c, def, &n);
    size_t variables = about->states.count + about->discretes.count + about->inputs.count +
                       about->outputs.count + about->parameters.count;
    c->texts = foi_new(a, n.used, 1);
    c->variables = foi_new(a, variables, sizeof *c->variables);
    c->guards = foi_new(a, (size_t)c->shape.guards + c->shape.conditions, sizeof *c->guards);
    c->events = foi_new(a, about->moments.count + about->events.count, sizeof *c->events);
    if (!c->texts || !c->variables || !c->guards || !c->events)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the names of %u parts", c->part_count);
    n = (names){.text = c->texts};
    describe(c, def, &n);
    about->pairs = c->shape.pairs;
    about->memory = c->shape.memory;
    about->scratch = c->shape.scratch;
    return FO_OK;
}
