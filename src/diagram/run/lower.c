// A diagram's flow as a program: node by node into terms, and these into rates, guards and outputs.
#include "diagram/run/lower.h"

#include <stdio.h>
#include <string.h>

// Double `at` of a signal.
static foi_term part_of(foi_lower *l, const foi_signal *signal, uint32_t at)
{
    return signal->fixed ? foi_term_number(l->terms, signal->fixed[at])
                         : l->signals[signal->offset + at];
}

// ------------------------------------------------------------------------------------- one node

static bool inputs_known(const foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < n->input_count; i++) {
        const foi_signal *u = n->inputs[i];
        if ((n->through >> i & 1) && !u->fixed && l->signals[u->offset] == FOI_NO_TERM)
            return false;
    }
    return true;
}

static void put_held(foi_lower *l, const foi_node *n)
{
    uint32_t held = n->hold;
    for (uint32_t i = 0; i < n->output_count; i++)
        for (uint32_t k = 0; k < foi_array_width(&n->outputs[i].shape); k++)
            l->signals[n->outputs[i].offset + k] = foi_term_memory(l->terms, held++);
}

// False when the node has no terms.
static bool lower_outputs(foi_lower *l, const foi_node *n)
{
    if (!n->type->output || !n->output_count || n->outputs[0].fixed) return true;
    if (n->held) {
        put_held(l, n);
        return true;
    }
    foi_run r = {.diagram = l->diagram, .lower = l};
    if (!n->type->expressed || n->loop || !inputs_known(l, n)) return false;
    l->unfit = foi_terms_full(l->terms);
    if (!l->unfit) n->type->output(n, &r);
    l->unfit |= foi_terms_full(l->terms);
    for (uint32_t i = 0; i < n->output_count && l->unfit; i++)
        l->signals[n->outputs[i].offset] = FOI_NO_TERM;
    return !l->unfit;
}

static bool lower_rest(foi_lower *l, const foi_node *n)
{
    bool flows = n->type->rates && n->state_count, watches = n->type->watch && n->guard_count;
    foi_run r = {.diagram = l->diagram, .lower = l};
    if (!flows && !watches) return true;
    if (!n->type->expressed) return false;
    l->unfit = false;
    if (flows) n->type->rates(n, &r, NULL);
    if (watches && !l->unfit) n->type->watch(n, &r);
    return !l->unfit && !foi_terms_full(l->terms);
}

// ----------------------------------------------------------------------------------- the diagram

static void fill_terms(foi_term *list, size_t count)
{
    for (size_t i = 0; i < count; i++) list[i] = FOI_NO_TERM;
}

static bool begin(foi_lower *l, foi_diagram *d, foi_arena *arena)
{
    *l = (foi_lower){.diagram = d};
    l->terms = foi_terms_create(d->memory_count, d->allocator);
    l->signals = foi_arena_new(arena, (size_t)d->width + 1, sizeof *l->signals);
    l->rates = foi_arena_new(arena, (size_t)d->state_count + 1, sizeof *l->rates);
    l->guards = foi_arena_new(arena, (size_t)d->guard_count + 1, sizeof *l->guards);
    l->checked = foi_arena_new(arena, (size_t)d->width + 1, sizeof *l->checked);
    if (!l->terms || !l->signals || !l->rates || !l->guards || !l->checked) return false;
    fill_terms(l->signals, d->width);
    fill_terms(l->rates, d->state_count);
    fill_terms(l->guards, d->guard_count);
    return true;
}

// What rates and guards depend on, by index; in place of an algebraic loop all its nodes.
static bool *mark_needed(const foi_diagram *d, foi_arena *arena)
{
    bool *needed = foi_arena_new(arena, d->node_count, sizeof *needed);
    for (uint32_t i = 0; needed && i < d->needed_count; i++) {
        const foi_node *n = d->needed[i];
        if (&d->nodes[n->index] == n) needed[n->index] = true;
        for (uint32_t k = 0; &d->nodes[n->index] != n && k < d->node_count; k++)
            if (d->nodes[k].loop == n) needed[k] = true;
    }
    return needed;
}

// Some node whose rates or guards have no terms, or NULL.
static const foi_node *lower_flow(foi_lower *l)
{
    const foi_diagram *d = l->diagram;
    for (uint32_t i = 0; i < d->node_count; i++)
        if (!lower_rest(l, &d->nodes[i])) return &d->nodes[i];
    for (uint32_t i = 0; i < d->guard_count; i++)
        if (l->guards[i] == FOI_NO_TERM) return d->guard_owners[i];
    for (uint32_t i = 0; i < d->node_count; i++)
        for (uint32_t k = 0; k < d->nodes[i].state_count; k++)
            if (l->rates[d->nodes[i].state + k] == FOI_NO_TERM) return &d->nodes[i];
    return NULL;
}

// The first node that rates and guards need and that has no terms, or NULL; the first one of the
// others in *other.
static const foi_node *lower_nodes(foi_lower *l, const bool *needed, const foi_node **other)
{
    const foi_diagram *d = l->diagram;
    *other = NULL;
    for (uint32_t i = 0; i < d->node_count; i++) {
        const foi_node *n = d->order[i];
        if (lower_outputs(l, n)) continue;
        if (needed[n->index]) return n;
        if (!*other) *other = n;
    }
    return lower_flow(l);
}

// What the system shows, and which of it must be finite.
static foi_term *list_outputs(foi_lower *l, foi_diagram *d, foi_arena *arena)
{
    foi_term *list = foi_arena_new(arena, (size_t)d->output_count + 1, sizeof *list);
    d->finite = foi_arena_new(&d->arena, (size_t)d->output_count + 1, sizeof *d->finite);
    if (!list || !d->finite) return NULL;
    for (uint32_t i = 0; i < d->output_count; i++) {
        const foi_signal *signal = d->outputs[i].signal;
        list[i] = part_of(l, signal, d->outputs[i].at);
        if (!signal->fixed && l->checked[signal->offset + d->outputs[i].at])
            d->finite[d->finite_count++] = i;
    }
    return list;
}

static fo_status make_program(foi_lower *l, foi_diagram *d, bool outputs, foi_arena *arena,
                              fo_message *why)
{
    foi_lowered_def def = {.name = d->name,
                           .rates = l->rates,
                           .guards = l->guards,
                           .rate_count = d->state_count,
                           .guard_count = d->guard_count,
                           .output_count = d->output_count,
                           .scratch = d->description.scratch};
    if (outputs) def.outputs = list_outputs(l, d, arena);
    if (arena->failed || d->arena.failed)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for a diagram");
    d->lowered = foi_lowered_create(l->terms, &def, why);
    return d->lowered ? FO_OK : FO_ERROR_MEMORY;
}

fo_status foi_diagram_lower(foi_build *b)
{
    foi_diagram *d = b->diagram;
    foi_lower l;
    foi_arena arena;
    const foi_node *other = NULL;
    fo_status status = FO_OK;
    foi_arena_begin(&arena, d->allocator, 0);
    bool *needed = begin(&l, d, &arena) ? mark_needed(d, &arena) : NULL;
    if (!needed) {
        status = fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    } else {
        d->stuck = lower_nodes(&l, needed, &other);
        bool flows = d->state_count || d->guard_count;
        if (!d->stuck && !(other && !flows)) {
            status = make_program(&l, d, !other, &arena, b->why);
            d->shown = !other;
        }
        if (!d->stuck) d->stuck = other;
        if (d->stuck && d->stuck->loop) d->unfit = ", which stands in an algebraic loop";
        if (d->stuck && foi_terms_full(l.terms)) d->unfit = ": there are too many operations";
    }
    foi_terms_destroy(l.terms);
    foi_arena_end(&arena);
    if (status == FO_OK && d->lowered) d->description.scratch = foi_lowered_scratch(d->lowered);
    return status;
}

// ----------------------------------------------------------------------------------- the choice

static fo_status refuse_program(const foi_diagram *d, fo_message *why)
{
    return fo_fail(why, FO_ERROR_UNFIT,
                   "the diagram cannot run as a program because of node '%s' (%s)%s",
                   d->stuck->name, d->stuck->type->name,
                   d->unfit ? d->unfit : ", which cannot be written as an expression");
}

fo_status fo_diagram_run_as(fo_diagram *diagram, fo_diagram_way way, fo_message *why)
{
    foi_diagram *d = &diagram->diagram;
    if (way == FO_DIAGRAM_PROGRAM && !d->lowered) return refuse_program(d, why);
    foi_diagram_choose(d, way == FO_DIAGRAM_PROGRAM);
    return FO_OK;
}

const char *fo_diagram_how(const fo_diagram *diagram, char *text, size_t size)
{
    const foi_diagram *d = &diagram->diagram;
    const char *how = !d->program ? "node by node"
                      : d->shown  ? "program"
                                  : "program; outputs node by node";
    bool stuck = d->program ? !d->shown : !d->lowered;
    if (stuck)
        snprintf(text, size, "%s, because of '%s' (%s)%s", how, d->stuck->name,
                 d->stuck->type->name, d->unfit ? d->unfit : "");
    else
        snprintf(text, size, "%s", how);
    return text;
}
