/// Choices of states. After index reduction some variables are states and others follow from them
/// by a constraint: for a pendulum in Cartesian coordinates x and vx, while y follows from
/// x^2 + y^2 = l^2. Where the constraint cannot be solved for y any more (y = 0), the run goes over
/// to y and vy: a guard watches the quality of the choice, and its jump translates the states.
///
///     memory:   which choice, as a number; 8 bytes of nothing | the memory of the program
///     scratch:  outputs | the scratch of the program
#include <math.h>
#include <string.h>

#include "program/program.h"

enum { MOST_CHOICES = 8 };

struct foi_choice {
    fo_system_type type;
    fo_description about;
    foi_arena arena;
    foi_program *programs[MOST_CHOICES]; ///< the first is the owner of this
    uint32_t count;
    size_t scratch; ///< where that of the program begins
};

static uint32_t present(const fo_state *s)
{
    return (uint32_t) * (const double *)s->memory;
}

// The state as the present program sees it.
static fo_state inside(const foi_choice *c, const fo_state *s)
{
    fo_state v = *s;
    v.memory = (char *)s->memory + 16;
    v.scratch = (char *)s->scratch + c->scratch;
    return v;
}

static const foi_program *program_of(const foi_choice *c, const fo_state *s)
{
    return c->programs[present(s)];
}

// ------------------------------------------------------------------------------------------- flow

static fo_status choice_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    const foi_choice *c = model;
    fo_state v = inside(c, s);
    return foi_program_rates(program_of(c, s), &v, t, x, dx);
}

static fo_status quality(const foi_program *g, const fo_state *v, double t, const double *x,
                         double *value)
{
    foi_given given = foi_given_of(g, v, t, x);
    return foi_program_run(g, v, FOI_TASK_QUALITY, &given, value);
}

static fo_status choice_guards(const void *model, const fo_state *s, double t, const double *x,
                               double *values)
{
    const foi_choice *c = model;
    const foi_program *g = program_of(c, s);
    fo_state v = inside(c, s);
    fo_status status = g->guards ? foi_program_guards(g, &v, t, x, values) : FO_OK;
    return status == FO_OK ? quality(g, &v, t, x, values + g->guards) : status;
}

static fo_status choice_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                               fo_enclosure *e)
{
    const foi_choice *c = model;
    const foi_program *g = program_of(c, s);
    fo_state v = inside(c, s);
    return foi_program_guard_bounds(g, &v, on, e);
}

// Of the last guard, the quality of the choice, nothing is held.
static void choice_held(const void *model, const fo_state *s, uint8_t *signs)
{
    const foi_choice *c = model;
    const foi_program *g = program_of(c, s);
    fo_state v = inside(c, s);
    if (g->guards) foi_program_held(g, &v, signs);
    signs[g->guards] = 0;
}

static fo_status choice_observe(const void *model, const fo_state *s, double t, const double *x,
                                double *y)
{
    const foi_choice *c = model;
    fo_state v = inside(c, s);
    return foi_program_observe(program_of(c, s), &v, t, x, y);
}

static fo_status choice_settle(const void *model, fo_state *s, double t, const double *x)
{
    const foi_choice *c = model;
    const foi_program *g = program_of(c, s);
    fo_state v = inside(c, s);
    return g->type.settle ? g->type.settle(g, &v, t, x) : FO_OK;
}

static fo_next choice_next(const void *model, const fo_state *s)
{
    const foi_choice *c = model;
    fo_state v = inside(c, s);
    return foi_program_next(program_of(c, s), &v);
}

// ---------------------------------------------------------------------------------------- changing

// Gives the states and guesses of a program the values that the variables have.
static void translate(const foi_program *g, fo_state *v, const double *y)
{
    double *guesses = foi_memory(v, g->guess);
    for (uint32_t i = 0; i < g->about.states.count; i++)
        v->x[i] = y[g->output_of[g->state_variable[i]]];
    for (uint32_t i = 0; i < g->guesses; i++) {
        uint32_t output = g->output_of[g->guess_variable[i]];
        guesses[i] = output != FOI_NOTHING ? y[output] : 0;
    }
}

// Goes over to the best choice.
static fo_status change(const foi_choice *c, fo_state *s)
{
    const foi_program *g = program_of(c, s);
    double *y = s->scratch, best = -INFINITY, value;
    uint32_t chosen = present(s);
    fo_state v = inside(c, s);
    fo_status status = foi_program_observe(g, &v, s->t, s->x, y);
    for (uint32_t i = 0; i < c->count && status == FO_OK; i++) {
        translate(c->programs[i], &v, y);
        if (quality(c->programs[i], &v, s->t, s->x, &value) != FO_OK || !(value > best)) continue;
        best = value, chosen = i;
    }
    if (status != FO_OK) return status;
    *(double *)s->memory = chosen;
    translate(c->programs[chosen], &v, y);
    return choice_settle(c, s, s->t, s->x);
}

static fo_status choice_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const foi_choice *c = model;
    const foi_program *g = program_of(c, s);
    if (m->kind == FO_GUARD && m->index == g->guards) return change(c, s);
    fo_state v = inside(c, s);
    return foi_program_jump(g, &v, m, e);
}

static fo_status choice_side(const void *model, fo_state *s, const int8_t *sides)
{
    const foi_choice *c = model;
    fo_state v = inside(c, s);
    return foi_program_side(program_of(c, s), &v, sides);
}

static fo_status choice_finish(const void *model, fo_state *s)
{
    const foi_choice *c = model;
    fo_state v = inside(c, s);
    return foi_program_finish(program_of(c, s), &v);
}

static fo_status choice_start(const void *model, fo_state *s)
{
    const foi_choice *c = model;
    *(double *)s->memory = 0;
    fo_state v = inside(c, s);
    fo_status status = foi_program_start(c->programs[0], &v);
    return status == FO_OK ? change(c, s) : status;
}

// ---------------------------------------------------------------------------------------- making

static bool same_states(const foi_program *a, const foi_program *b)
{
    return !memcmp(a->state_variable, b->state_variable,
                   a->about.states.count * sizeof *a->state_variable);
}

// A choice is of use when its states can be had from the others' variables, and it is a new one.
static bool is_useful(const foi_choice *c, const foi_program *g)
{
    const foi_program *first = c->programs[0];
    size_t n = g->about.states.count;
    bool alike = n == first->about.states.count && g->guards == first->guards &&
                 g->guess == first->guess && g->about.outputs.count == first->about.outputs.count &&
                 g->codes[FOI_TASK_QUALITY].result_count;
    for (size_t i = 0; alike && i < n; i++)
        alike = g->output_of[g->state_variable[i]] != FOI_NOTHING;
    for (uint32_t i = 0; alike && i < c->count; i++)
        alike = g == first || !same_states(c->programs[i], g);
    return alike;
}

// A wish that cannot be fulfilled is no error: there is one choice less.
static fo_status add_others(foi_choice *c, const foi_flat *flat, const uint32_t *candidates,
                            size_t count, fo_message *why)
{
    for (size_t i = 0; i < count && c->count < MOST_CHOICES; i++) {
        foi_wish wish = {candidates, count, candidates[i]};
        fo_message not_possible = {0};
        foi_program *g =
            foi_program_create_one(flat, &wish, c->arena.allocator, &not_possible, NULL);
        if (!g && not_possible.status == FO_ERROR_MEMORY)
            return fo_fail(why, FO_ERROR_MEMORY, "%s", not_possible.text);
        if (g && is_useful(c, g))
            c->programs[c->count++] = g;
        else
            foi_program_destroy(g);
    }
    return FO_OK;
}

static fo_status describe(foi_choice *c)
{
    const foi_program *g = c->programs[0];
    foi_arena *a = &c->arena;
    size_t n = g->about.states.count;
    fo_variable *states = foi_arena_new(a, n, sizeof *states);
    fo_guard *guards = foi_arena_new(a, (size_t)g->guards + 1, sizeof *guards);
    if (!states || !guards) return FO_ERROR_MEMORY;
    c->about = g->about;
    for (size_t i = 0; i < n; i++) {
        const char *name = g->about.states.list[i].name;
        states[i] = (fo_variable){.start = g->about.states.list[i].start};
        states[i].name = foi_arena_print(a, "state[%zu]", i + 1);
        states[i].about = foi_arena_print(a, "%s at the start; later another may serve", name);
    }
    if (g->guards) memcpy(guards, g->about.guards.list, g->guards * sizeof *guards);
    guards[g->guards] = (fo_guard){.name = "choice of states",
                                   .direction = FO_FALLING,
                                   .about = "other variables become the states"};
    c->about.states.list = states;
    c->about.guards = (fo_guards){guards, (size_t)g->guards + 1};
    c->about.pairs = 0; // another choice may have them in another order
    c->about.memory = c->about.scratch = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const fo_description *about = &c->programs[i]->about;
        if (about->memory > c->about.memory) c->about.memory = about->memory;
        if (about->scratch > c->about.scratch) c->about.scratch = about->scratch;
    }
    c->scratch = (g->about.outputs.count * sizeof(double) + 15) / 16 * 16;
    c->about.memory += 16, c->about.scratch += c->scratch;
    return a->failed ? FO_ERROR_MEMORY : FO_OK;
}

fo_status foi_choice_create(foi_choice **choice, const foi_flat *flat, foi_program *first,
                            const uint32_t *candidates, size_t count, fo_message *why)
{
    const fo_allocator *allocator = first->arena.allocator;
    foi_choice *c = foi_new(allocator, 1, sizeof *c);
    *choice = NULL;
    if (!c) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a choice of states");
    foi_arena_begin(&c->arena, allocator, 0);
    c->programs[0] = first, c->count = 1;
    fo_status status = FO_OK;
    if (is_useful(c, first)) status = add_others(c, flat, candidates, count, why);
    if (status == FO_OK && c->count > 1) status = describe(c);
    if (status != FO_OK || c->count == 1) {
        foi_choice_destroy(c);
        if (status == FO_OK) return status;
        return fo_fail(why, status, "no memory for a choice of states");
    }
    c->type = (fo_system_type){.kind = "program",
                               .start = choice_start,
                               .rates = choice_rates,
                               .guards = choice_guards,
                               .guard_bounds = choice_bounds,
                               .held = choice_held,
                               .jump = choice_jump,
                               .side = choice_side,
                               .observe = choice_observe,
                               .settle = choice_settle};
    if (first->type.next) c->type.next = choice_next;
    if (first->type.finish) c->type.finish = choice_finish;
    *choice = c;
    return FO_OK;
}

void foi_choice_destroy(foi_choice *c)
{
    if (!c) return;
    const fo_allocator *allocator = c->arena.allocator;
    for (uint32_t i = 1; i < c->count; i++) foi_program_destroy(c->programs[i]);
    foi_arena_end(&c->arena);
    foi_free(allocator, c);
}

fo_system foi_choice_system(const foi_choice *c)
{
    return (fo_system){&c->type, &c->about, c};
}

foi_program *const *foi_choice_programs(const foi_choice *c, uint32_t *count)
{
    *count = c->count;
    return c->programs;
}

foi_program *foi_choice_owner(fo_system system)
{
    if (system.type->rates != choice_rates) return NULL;
    return ((const foi_choice *)system.model)->programs[0];
}
