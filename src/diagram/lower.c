// A diagram's flow as a program: node by node into terms, and these into rates, guards and outputs.
#include "diagram/lower.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------ for the lowerings

foi_term foi_lower_nothing(foi_lower *l)
{
    return foi_lower_1(l, FOI_G_SQRT, foi_lower_number(l, -1));
}

// Double `at` of a signal.
static foi_term part_of(foi_lower *l, const foi_signal *signal, uint32_t at)
{
    return signal->fixed ? foi_lower_number(l, signal->fixed[at]) : l->signals[signal->offset + at];
}

foi_term foi_lower_in(foi_lower *l, const foi_node *n, uint32_t port, uint32_t i)
{
    const foi_signal *signal = n->inputs[port];
    uint32_t at = foi_array_size(&signal->shape) == 1 ? 0 : i;
    return part_of(l, signal, foi_lower_is_complex(n, port) ? 2 * at : at);
}

foi_term foi_lower_imaginary(foi_lower *l, const foi_node *n, uint32_t port, uint32_t i)
{
    const foi_signal *signal = n->inputs[port];
    uint32_t at = foi_array_size(&signal->shape) == 1 ? 0 : i;
    if (!foi_lower_is_complex(n, port)) return foi_lower_number(l, 0);
    return part_of(l, signal, 2 * at + 1);
}

void foi_lower_put(foi_lower *l, const foi_node *n, uint32_t i, foi_term value)
{
    if (foi_lower_puts_complex(n))
        foi_lower_put_complex(l, n, i, value, foi_lower_number(l, 0));
    else
        l->signals[n->outputs[0].offset + i] = value;
}

void foi_lower_put_at(foi_lower *l, const foi_node *n, uint32_t port, uint32_t i, foi_term re,
                      foi_term im)
{
    const foi_signal *y = &n->outputs[port];
    if (y->shape.kind == FOI_SIGNAL_COMPLEX) {
        l->signals[y->offset + 2 * i] = re;
        l->signals[y->offset + 2 * i + 1] = im;
    } else {
        l->signals[y->offset + i] = re;
    }
}

void foi_lower_put_complex(foi_lower *l, const foi_node *n, uint32_t i, foi_term re, foi_term im)
{
    foi_lower_put_at(l, n, 0, i, re, im);
}

void foi_lower_copy(foi_lower *l, const foi_node *n, uint32_t i, uint32_t port, uint32_t j)
{
    foi_lower_put_complex(l, n, i, foi_lower_in(l, n, port, j), foi_lower_imaginary(l, n, port, j));
}

void foi_lower_check(foi_lower *l, const foi_node *n)
{
    const foi_signal *y = &n->outputs[0];
    memset(l->checked + y->offset, true, foi_array_width(&y->shape) * sizeof *l->checked);
}

static const foi_setting *setting(foi_lower *l, const foi_node *n, const char *parameter,
                                  bool choice)
{
    const foi_parameter *p = n->type->parameters;
    for (uint32_t i = 0; p && p[i].name; i++)
        if ((p[i].kind == FOI_PARAMETER_CHOICE) == choice && strcmp(p[i].name, parameter) == 0)
            return &n->settings[i];
    l->unfit = true;
    return NULL;
}

const foi_array *foi_lower_array(foi_lower *l, const foi_node *n, const char *parameter)
{
    const foi_setting *s = setting(l, n, parameter, false);
    if (s && s->value.data) return &s->value;
    l->unfit = true;
    return &l->none;
}

double foi_lower_parameter(foi_lower *l, const foi_node *n, const char *parameter, uint32_t i)
{
    return foi_real_at(foi_lower_array(l, n, parameter), i);
}

foi_term foi_lower_value(foi_lower *l, const foi_node *n, const char *parameter, uint32_t i)
{
    return foi_lower_number(l, foi_lower_parameter(l, n, parameter, i));
}

int foi_lower_choice(foi_lower *l, const foi_node *n, const char *parameter)
{
    const foi_setting *s = setting(l, n, parameter, true);
    return s ? s->choice : 0;
}

bool foi_lower_expect(foi_lower *l, const foi_node *n, uint32_t inputs)
{
    if (n->input_count != inputs) l->unfit = true;
    return n->input_count == inputs;
}

foi_term foi_lower_side(foi_lower *l, const foi_node *n, uint32_t index, foi_term g)
{
    if (!n->guard_count) return foi_lower_1(l, FOI_G_SIGN, g);
    l->guards[n->guard + index] = g;
    return foi_term_memory(l->terms, 2 + n->guard + index);
}

foi_term foi_lower_own(foi_lower *l, const foi_node *n, uint32_t i)
{
    return foi_term_memory(l->terms, n->own + i);
}

// By halves, so that the depth is that of a binary search.
foi_term foi_lower_pick(foi_lower *l, foi_term u, const double *thresholds, const double *values,
                        uint32_t count)
{
    if (count == 1) return foi_lower_number(l, values[0]);
    uint32_t half = count / 2;
    foi_term below = foi_lower_pick(l, u, thresholds, values, half);
    foi_term above = foi_lower_pick(l, u, thresholds + half, values + half, count - half);
    return foi_lower_if(l, foi_lower_by(l, FOI_G_GREATER_EQUAL, u, thresholds[half - 1]), above,
                        below);
}

// ------------------------------------------------------------------------------------- one node

static const foi_lowering *lowering_of(const foi_node_type *type)
{
    static const foi_lowering *const lists[] = {
        foi_lower_math,       foi_lower_logic,   foi_lower_nonlinear, foi_lower_sources,
        foi_lower_continuous, foi_lower_arrange, foi_lower_tables,
    };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (const foi_lowering *w = lists[k]; w->type; w++)
            if (strcmp(w->type, type->name) == 0) return w;
    return NULL;
}

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
    const foi_lowering *w = lowering_of(n->type);
    if (!w || !w->output || n->loop || !inputs_known(l, n)) return false;
    l->unfit = foi_terms_full(l->terms);
    if (!l->unfit) w->output(l, n);
    l->unfit |= foi_terms_full(l->terms);
    for (uint32_t i = 0; i < n->output_count && l->unfit; i++)
        l->signals[n->outputs[i].offset] = FOI_NO_TERM;
    return !l->unfit;
}

static bool lower_rest(foi_lower *l, const foi_node *n)
{
    const foi_lowering *w = lowering_of(n->type);
    bool flows = n->type->rates && n->state_count, watches = n->type->watch && n->guard_count;
    if (!flows && !watches) return true;
    if (!w || (flows && !w->rates) || (watches && !w->watch)) return false;
    l->unfit = false;
    if (flows) w->rates(l, n);
    if (watches && !l->unfit) w->watch(l, n);
    return !l->unfit && !foi_terms_full(l->terms);
}

// ----------------------------------------------------------------------------------- the diagram

static void fill_terms(foi_term *list, size_t count)
{
    for (size_t i = 0; i < count; i++) list[i] = FOI_NO_TERM;
}

static bool begin(foi_lower *l, foi_diagram *d, foi_arena *arena)
{
    *l = (foi_lower){.diagram = d, .none = {1, 1, FOI_SIGNAL_REAL, l->zero}};
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
    return fo_fail(
        why, FO_ERROR_UNFIT, "the diagram cannot run as a program because of node '%s' (%s)%s",
        d->stuck->name, d->stuck->type->name, d->unfit ? d->unfit : ", which is no expression");
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
