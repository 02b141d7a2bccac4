// Composition at moments: starting, dispatch of jumps, changes of size, and implicit systems.
#include <math.h>
#include <string.h>

#include "system/state.h"
#include "test.h"

// ------------------------------------------------------------------------------------ the grower

// n states, discretes, guards x - 1 and conditions x > 1, n = 1 at the start. The event "grow"
// gives it as many as its value says; new states are -1. A guard adds 10 to its state, a condition
// 1 to its discrete. After a growth it asks to look again and then adds 100 to its first discrete.
// The memory keeps the input that the last jump saw.
static fo_status grower_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    (void)model, (void)t, (void)x;
    for (uint32_t i = 0; i < s->shape.states; i++) dx[i] = 1 + i;
    return FO_OK;
}

static fo_status grower_guards(const void *model, const fo_state *s, double t, const double *x,
                               double *g)
{
    (void)model, (void)t;
    for (uint32_t i = 0; i < s->shape.guards; i++) g[i] = x[i] - 1;
    return FO_OK;
}

static fo_status grower_conditions(const void *model, const fo_state *s, double t, const double *x,
                                   bool *c)
{
    (void)model, (void)t;
    for (uint32_t i = 0; i < s->shape.conditions; i++) c[i] = x[i] > 1;
    return FO_OK;
}

static fo_status grower_observe(const void *model, const fo_state *s, double t, const double *x,
                                double *y)
{
    (void)model, (void)t;
    y[0] = 0;
    for (uint32_t i = 0; i < s->shape.states; i++) y[0] += x[i];
    memset(s->scratch, 0xff, s->shape.scratch); // its own
    return FO_OK;
}

static fo_status grow(fo_state *s, uint32_t n)
{
    uint32_t before = s->shape.states;
    double input = s->u[0];
    fo_status status = fo_state_resize(s, n, n, n, n);
    if (status) return status;
    if (s->u[0] != input) return fo_refuse(s, "the input was lost");
    for (uint32_t i = before; i < n; i++) {
        if (s->x[i] != 0) return fo_refuse(s, "x[%u] is not zero but %g", i, s->x[i]);
        s->x[i] = -1;
    }
    return FO_OK;
}

static fo_status grower_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model;
    ((double *)s->memory)[0] = s->u[0];
    switch (m->kind) {
    case FO_GUARD: s->x[m->index] += 10; break;
    case FO_CONDITION: s->d[m->index] += 1; break;
    case FO_AGAIN: s->d[0] += 100; break;
    case FO_EXTERNAL:
        if (strcmp(m->name, "grow") != 0) return fo_refuse(s, "unknown event %s", m->name);
        e->again = true;
        return grow(s, (uint32_t)m->value);
    default: return fo_refuse(s, "unexpected moment");
    }
    return FO_OK;
}

static const fo_description grower_about = {
    .name = "grower",
    .states = FO_VARIABLES({"x"}),
    .discretes = FO_VARIABLES({"d"}),
    .inputs = FO_VARIABLES({"u", "", 0.5}),
    .outputs = FO_VARIABLES({"total"}),
    .guards = FO_GUARDS({"one", FO_RISING}),
    .conditions = FO_GUARDS({"above", FO_RISING}),
    .events = FO_EVENTS({"grow"}),
    .memory = 8,
    .scratch = 40,
};
static const fo_system_type grower_type = {
    .kind = "C",
    .rates = grower_rates,
    .guards = grower_guards,
    .conditions = grower_conditions,
    .observe = grower_observe,
    .jump = grower_jump,
};
static const fo_system grower = {&grower_type, &grower_about, NULL};

// ------------------------------------------------------------------------------------- the frame

// A state with a host, as a simulation has it; the host can be made to fail.
typedef struct setup {
    fo_host host;
    bool fails;
    foi_state_store store;
    fo_composition *composition;
    fo_system system;
    fo_message why;
} setup;

static fo_status resize_store(fo_host *host, fo_state *s, const fo_shape *shape)
{
    setup *u = (setup *)host;
    if (s != &u->store.s) return fo_fail(&u->why, FO_ERROR_ARGUMENT, "another state");
    if (u->fails) return fo_fail(&u->why, FO_ERROR_MEMORY, "no memory");
    return foi_state_reshape(&u->store, shape, &u->why);
}

static bool set_up(setup *u, const fo_component *parts, uint32_t part_count,
                   const fo_connection *connections, uint32_t connection_count)
{
    *u = (setup){.host = {resize_store}};
    fo_composition_def def = {"whole",          NULL, parts, part_count, connections,
                              connection_count, NULL};
    u->composition = fo_compose(&def, &u->why);
    if (!u->composition) {
        test_fail(__FILE__, __LINE__, "no composition: %s", u->why.text);
        return false;
    }
    u->system = fo_composition_system(u->composition);
    fo_shape shape = fo_system_shape(u->system);
    if (foi_state_create(&u->store, &shape, NULL, &u->why)) return false;
    u->store.s.message = &u->why;
    u->store.s.host = &u->host;
    foi_state_defaults(u->system, &u->store.s);
    if (u->system.type->start(u->system.model, &u->store.s) == FO_OK) return true;
    test_fail(__FILE__, __LINE__, "no start: %s", u->why.text);
    return false;
}

static void tear_down(setup *u)
{
    foi_state_destroy(&u->store);
    fo_composition_destroy(u->composition);
}

static fo_status jump(setup *u, fo_moment_kind kind, uint32_t index, double value, fo_effect *e)
{
    fo_moment m = {.kind = kind, .index = index, .value = value, .name = "whole"};
    *e = (fo_effect){0};
    return u->system.type->jump(u->system.model, &u->store.s, &m, e);
}

static bool equal(const double *values, uint32_t count, const double *expected)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i] != expected[i]) return false;
    return true;
}

#define CHECK_VALUES(values, ...) \
    CHECK(equal(values, FO_COUNT((double[]){__VA_ARGS__}), (double[]){__VA_ARGS__}))

// ------------------------------------------------------------------------------- size and dispatch

static const fo_component three[] = {{"a", {&grower_type, &grower_about, NULL}},
                                     {"b", {&grower_type, &grower_about, NULL}},
                                     {"c", {&grower_type, &grower_about, NULL}}};
// the middle one sees the sum of the last one
static const fo_connection last_to_middle[] = {{2, 0, 1, 0}};

static void check_grown(setup *u)
{
    const fo_state *s = &u->store.s;
    double g[5], dx[5], y[3];
    bool c[5];
    CHECK_INT(s->shape.states, 5);
    CHECK_INT(s->shape.guards, 5);
    CHECK_INT(s->shape.conditions, 5);
    CHECK_VALUES(s->x, 1, 2, -1, -1, 3);
    CHECK_VALUES(s->d, 11, 12, 0, 0, 13);
    u->system.type->rates(u->system.model, s, 0, s->x, dx);
    CHECK_VALUES(dx, 1, 1, 2, 3, 1);
    // those of the start are where they were, the new ones of b behind them
    u->system.type->guards(u->system.model, s, 0, s->x, g);
    CHECK_VALUES(g, 0, 1, 2, -2, -2);
    u->system.type->conditions(u->system.model, s, 0, s->x, c);
    CHECK(!c[0] && c[1] && c[2] && !c[3] && !c[4]);
    u->system.type->observe(u->system.model, s, 0, s->x, y);
    CHECK_VALUES(y, 1, 0, 3);
}

TEST(a_part_in_the_middle_grows_and_shrinks)
{
    setup u;
    fo_effect e;
    if (!set_up(&u, three, 3, last_to_middle, 1)) return;
    fo_state *s = &u.store.s;
    for (int i = 0; i < 3; i++) s->x[i] = i + 1, s->d[i] = i + 11;
    CHECK_STATUS(jump(&u, FO_EXTERNAL, 1, 3, &e), FO_OK, &u.why);
    CHECK(e.again && !e.unchanged);
    check_grown(&u);
    CHECK_STATUS(jump(&u, FO_GUARD, 4, 0, &e), FO_OK, &u.why); // b's third
    CHECK_STATUS(jump(&u, FO_GUARD, 2, 0, &e), FO_OK, &u.why); // c's first
    CHECK_VALUES(s->x, 1, 2, -1, 9, 13);
    CHECK_STATUS(jump(&u, FO_CONDITION, 3, 0, &e), FO_OK, &u.why); // b's second
    CHECK_VALUES(s->d, 11, 12, 1, 0, 13);
    CHECK_STATUS(jump(&u, FO_AGAIN, 0, 0, &e), FO_OK, &u.why); // for b alone, once
    CHECK_VALUES(s->d, 11, 112, 1, 0, 13);
    CHECK_STATUS(jump(&u, FO_AGAIN, 0, 0, &e), FO_OK, &u.why);
    CHECK_VALUES(s->d, 11, 112, 1, 0, 13);
    CHECK(e.unchanged && !e.again);
    CHECK_STATUS(jump(&u, FO_EXTERNAL, 1, 0, &e), FO_OK, &u.why); // b vanishes
    CHECK_INT(s->shape.states, 2);
    CHECK_VALUES(s->x, 1, 13);
    CHECK_VALUES(s->d, 11, 13);
    double g[3];
    u.system.type->guards(u.system.model, s, 0, s->x, g);
    CHECK_VALUES(g, 0, 1, 12); // b's rests
    CHECK_STATUS(jump(&u, FO_GUARD, 1, 0, &e), FO_OK, &u.why);
    CHECK(e.unchanged);
    CHECK_VALUES(s->x, 1, 13);
    tear_down(&u);
}

TEST(a_jump_sees_the_connected_input)
{
    setup u;
    fo_effect e;
    if (!set_up(&u, three, 3, last_to_middle, 1)) return;
    u.store.s.x[2] = 42;
    CHECK_STATUS(jump(&u, FO_EXTERNAL, 1, 4, &e), FO_OK, &u.why);
    CHECK_STATUS(jump(&u, FO_GUARD, 1, 0, &e), FO_OK, &u.why);
    bool found = false; // b's memory has what c gave
    for (size_t i = 0; i + 8 <= u.store.s.shape.memory; i += 8) {
        double value;
        memcpy(&value, (char *)u.store.s.memory + i, 8);
        found = found || value == 42;
    }
    CHECK(found);
    tear_down(&u);
}

TEST(a_growth_that_fails_changes_nothing)
{
    setup u;
    fo_effect e;
    if (!set_up(&u, three, 3, last_to_middle, 1)) return;
    fo_state *s = &u.store.s;
    for (int i = 0; i < 3; i++) s->x[i] = i + 1, s->d[i] = i + 11;
    for (uint32_t part = 0; part < 3; part++) {
        for (int n = 0; n < 4; n += 3) {
            u.fails = true;
            CHECK_INT(jump(&u, FO_EXTERNAL, part, n, &e), FO_ERROR_MEMORY);
            u.fails = false;
            CHECK_CONTAINS(u.why.text, "no memory");
            CHECK_VALUES(s->x, 1, 2, 3);
            CHECK_VALUES(s->d, 11, 12, 13);
        }
    }
    CHECK_STATUS(jump(&u, FO_EXTERNAL, 1, 3, &e), FO_OK, &u.why);
    check_grown(&u);
    s->host = NULL;
    CHECK_INT(jump(&u, FO_EXTERNAL, 1, 1, &e), FO_ERROR_UNFIT);
    check_grown(&u);
    tear_down(&u);
}

TEST(a_part_of_a_part_grows)
{
    setup inner, outer;
    fo_effect e;
    if (!set_up(&inner, three, 3, last_to_middle, 1)) return;
    const fo_component parts[] = {{"l", inner.system}, {"m", inner.system}, {"r", grower}};
    const fo_connection across[] = {{2, 0, 1, 0}, {1, 1, 2, 0}};
    if (!set_up(&outer, parts, 3, across, 2)) return;
    fo_state *s = &outer.store.s;
    for (int i = 0; i < 7; i++) s->x[i] = i, s->d[i] = 10 + i;
    CHECK_TEXT(outer.system.about->events.list[4].name, "m.b.grow");
    CHECK_STATUS(jump(&outer, FO_EXTERNAL, 4, 3, &e), FO_OK, &outer.why);
    CHECK_VALUES(s->x, 0, 1, 2, 3, 4, -1, -1, 5, 6);
    CHECK_STATUS(jump(&outer, FO_EXTERNAL, 1, 2, &e), FO_OK, &outer.why);
    CHECK_VALUES(s->x, 0, 1, -1, 2, 3, 4, -1, -1, 5, 6);
    CHECK_VALUES(s->d, 10, 11, 0, 12, 13, 14, 0, 0, 15, 16);
    double g[10], dx[10];
    outer.system.type->guards(outer.system.model, s, 0, s->x, g);
    CHECK_VALUES(g, -1, 0, 1, 2, 3, 4, 5, -2, -2, -2);
    outer.system.type->rates(outer.system.model, s, 0, s->x, dx);
    CHECK_VALUES(dx, 1, 1, 2, 1, 1, 1, 2, 3, 1, 1);
    CHECK_STATUS(jump(&outer, FO_GUARD, 9, 0, &e), FO_OK, &outer.why); // the third of m.b
    CHECK_VALUES(s->x, 0, 1, -1, 2, 3, 4, -1, 9, 5, 6);
    CHECK_STATUS(jump(&outer, FO_AGAIN, 0, 0, &e), FO_OK, &outer.why); // both that grew
    CHECK_VALUES(s->d, 10, 111, 0, 12, 13, 114, 0, 0, 15, 16);
    CHECK_STATUS(jump(&outer, FO_EXTERNAL, 4, 1, &e), FO_OK, &outer.why);
    CHECK_VALUES(s->x, 0, 1, -1, 2, 3, 4, 5, 6);
    tear_down(&outer), tear_down(&inner);
}

TEST(a_run_with_growth)
{
    setup u;
    if (!set_up(&u, three, 3, last_to_middle, 1)) return;
    fo_run_def def = fo_default_run_def();
    def.stop = 10, def.solver = "rk4", def.step = 0.125;
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(u.system, &def, &why);
    if (sim) {
        CHECK_INT(fo_simulation_send(sim, 0.5, "b.grow", 3), FO_OK);
        CHECK_STATUS(fo_simulation_advance(sim, 3), FO_REACHED, fo_simulation_message(sim));
        // from 0 with slope 1, plus 10 at t = 1; the new ones from -1 with slopes 2 and 3 since
        // t = 0.5, plus 10 when they reach 1
        const fo_state *s = fo_simulation_state(sim);
        CHECK_INT(s->shape.states, 5);
        const double x[] = {13, 13, -1 + 2 * 2.5 + 10, -1 + 3 * 2.5 + 10, 13};
        for (int i = 0; i < 5; i++) CHECK_NEAR(s->x[i], x[i], 1e-9);
        CHECK_VALUES(s->d, 1, 101, 1, 1, 1); // every condition once, and b again
    } else {
        test_fail(__FILE__, __LINE__, "%s", why.text);
    }
    fo_simulation_destroy(sim);
    tear_down(&u);
}

// ------------------------------------------------------------------------------ scheduled moments

// Ticks at the times of its discrete: 1, 2, 3...; two kinds, even and odd.
static fo_next clock_next(const void *model, const fo_state *s)
{
    (void)model;
    return (fo_next){s->d[0] + 1, (uint32_t)s->d[0] % 2};
}

static fo_status clock_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model;
    if (m->kind != FO_SCHEDULED || m->index != (uint32_t)s->d[0] % 2)
        return fo_refuse(s, "not my moment");
    s->d[0] += 1;
    e->unchanged = true;
    e->stop = s->d[0] == 3;
    return FO_OK;
}

static const fo_system_type clock_type = {.kind = "C", .next = clock_next, .jump = clock_jump};
static const fo_description clock_about = {
    .name = "clock",
    .discretes = FO_VARIABLES({"ticks"}),
    .moments = FO_EVENTS({"odd", .priority = 2}, {"even", .priority = 2}),
};
static const fo_description urgent_about = {
    .name = "urgent",
    .discretes = FO_VARIABLES({"ticks"}),
    .moments = FO_EVENTS({"odd", .priority = 1}, {"even", .priority = 3}),
};

TEST(the_earliest_moment_is_next)
{
    const fo_component parts[] = {{"a", {&clock_type, &clock_about, NULL}},
                                  {"g", grower},
                                  {"b", {&clock_type, &clock_about, NULL}},
                                  {"c", {&clock_type, &urgent_about, NULL}}};
    setup u;
    fo_effect e;
    if (!set_up(&u, parts, 4, NULL, 0)) return;
    const uint32_t expected[] = {4, 0, 2, 1, 3, 5}; // c, a, b at 1; a, b, c at 2
    for (int i = 0; i < 6; i++) {
        fo_next next = u.system.type->next(u.system.model, &u.store.s);
        CHECK_NEAR(next.t, i < 3 ? 1 : 2, 0);
        CHECK_INT(next.index, expected[i]);
        CHECK_STATUS(jump(&u, FO_SCHEDULED, next.index, 0, &e), FO_OK, &u.why);
        CHECK(e.unchanged && !e.stop);
    }
    CHECK_STATUS(jump(&u, FO_SCHEDULED, 0, 0, &e), FO_OK, &u.why);
    CHECK(e.stop);
    CHECK_INT(jump(&u, FO_SCHEDULED, 0, 0, &e), FO_ERROR_MODEL);
    CHECK_TEXT(u.why.text, "part 'a': not my moment");
    tear_down(&u);
}

static fo_status clock_observe(const void *model, const fo_state *s, double t, const double *x,
                               double *y)
{
    (void)model, (void)t, (void)x;
    y[0] = s->d[0];
    return FO_OK;
}

// "Unchanged" speaks of the part's own functions; another one may see its output.
TEST(what_others_see_has_changed)
{
    fo_system_type type = clock_type;
    type.observe = clock_observe;
    fo_description about = clock_about;
    about.outputs = (fo_variables)FO_VARIABLES({"count"});
    const fo_component parts[] = {{"clock", {&type, &about, NULL}}, {"g", grower}};
    const fo_connection one[] = {{0, 0, 1, 0}};
    for (uint32_t connections = 0; connections < 2; connections++) {
        setup u;
        fo_effect e;
        if (!set_up(&u, parts, 2, one, connections)) return;
        CHECK_STATUS(jump(&u, FO_SCHEDULED, 0, 0, &e), FO_OK, &u.why);
        CHECK(e.unchanged == (connections == 0));
        tear_down(&u);
    }
}

// --------------------------------------------------------------------------------------- starting

// Starts with x = u + 1; the output is x, and means nothing before.
static fo_status follower_start(const void *model, fo_state *s)
{
    (void)model;
    s->x[0] = s->u[0] + 1;
    return FO_OK;
}

static fo_status follower_observe(const void *model, const fo_state *s, double t, const double *x,
                                  double *y)
{
    (void)model, (void)s, (void)t;
    y[0] = x[0];
    return FO_OK;
}

static const fo_description follower_about = {
    .name = "follower",
    .states = FO_VARIABLES({"x", "", 1000}),
    .inputs = FO_VARIABLES({"u", "", 7}),
    .outputs = FO_VARIABLES({"y"}),
};
static const fo_system_type follower_type = {
    .kind = "C", .start = follower_start, .rates = grower_rates, .observe = follower_observe};
static const fo_system follower = {&follower_type, &follower_about, NULL};

TEST(parts_start_when_their_inputs_are_known)
{
    const fo_component parts[] = {{"a", follower}, {"b", follower}, {"c", follower}};
    const fo_connection chain[] = {{1, 0, 0, 0}, {2, 0, 1, 0}};
    setup u;
    if (!set_up(&u, parts, 3, chain, 2)) return;
    CHECK_VALUES(u.store.s.x, 10, 9, 8);
    tear_down(&u);
    // in a ring the first one has to do with its input's start value
    const fo_connection ring[] = {{1, 0, 0, 0}, {2, 0, 1, 0}, {0, 0, 2, 0}};
    if (!set_up(&u, parts, 3, ring, 3)) return;
    CHECK_VALUES(u.store.s.x, 8, 10, 9);
    tear_down(&u);
}

static fo_status keep_seed(const void *model, fo_state *s)
{
    (void)model;
    s->d[0] = (double)(s->seed >> 11);
    return FO_OK;
}

TEST(parts_have_their_own_seeds)
{
    fo_system_type type = grower_type;
    type.start = keep_seed;
    const fo_component parts[] = {{"a", {&type, &grower_about, NULL}},
                                  {"b", {&type, &grower_about, NULL}}};
    const fo_component turned[] = {parts[1], parts[0]};
    setup u, v;
    if (!set_up(&u, parts, 2, NULL, 0) || !set_up(&v, turned, 2, NULL, 0)) return;
    CHECK(u.store.s.d[0] != u.store.s.d[1]);
    CHECK(u.store.s.d[0] == v.store.s.d[1] && u.store.s.d[1] == v.store.s.d[0]);
    tear_down(&u), tear_down(&v);
}

// --------------------------------------------------------------------------------- settle, bounds

static fo_status settle_sum(const void *model, fo_state *s, double t, const double *x)
{
    (void)model;
    s->d[0] = 100 * t + 10 * s->u[0] + x[0];
    return FO_OK;
}

TEST(parts_settle_with_their_inputs)
{
    fo_system_type type = grower_type;
    type.settle = settle_sum;
    const fo_component parts[] = {{"a", grower}, {"b", {&type, &grower_about, NULL}}};
    const fo_connection one[] = {{0, 0, 1, 0}};
    setup u;
    if (!set_up(&u, parts, 2, one, 1)) return;
    const double x[] = {4, 5};
    CHECK_STATUS(u.system.type->settle(u.system.model, &u.store.s, 2, x), FO_OK, &u.why);
    CHECK_VALUES(u.store.s.d, 0, 245);
    tear_down(&u);
}

static fo_status grower_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                               fo_enclosure *e)
{
    (void)model;
    for (uint32_t i = 0; i < s->shape.guards; i++) {
        e->g.lo[i] = on->x.lo[i] - 1, e->g.hi[i] = on->x.hi[i] - 1;
        e->dg.lo[i] = on->dx.lo[i], e->dg.hi[i] = on->dx.hi[i];
    }
    return FO_OK;
}

TEST(bounds_are_given_where_inputs_rest)
{
    fo_system_type type = grower_type;
    type.guard_bounds = grower_bounds;
    fo_description about = grower_about;
    about.guards = (fo_guards)FO_GUARDS({"one", FO_RISING, .bounded = true});
    const fo_system bounded = {&type, &about, NULL};
    const fo_component parts[] = {{"a", bounded}, {"b", bounded}, {"c", grower}, {"d", bounded}};
    const fo_connection one[] = {{0, 0, 1, 0}};
    setup u;
    if (!set_up(&u, parts, 4, one, 1)) return;
    const fo_guard *guards = u.system.about->guards.list;
    CHECK(guards[0].bounded && !guards[1].bounded && !guards[2].bounded && guards[3].bounded);
    double lo[] = {1, 2, 3, 4}, hi[] = {5, 6, 7, 8};
    double g_lo[] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, dg_lo[4];
    double g_hi[] = {INFINITY, INFINITY, INFINITY, INFINITY}, dg_hi[4];
    memcpy(dg_lo, g_lo, sizeof g_lo), memcpy(dg_hi, g_hi, sizeof g_hi);
    uint8_t nature[4] = {0};
    fo_stretch on = {0, 1, {lo, hi}, {lo, hi}};
    fo_enclosure e = {{g_lo, g_hi}, {dg_lo, dg_hi}, nature};
    fo_status status = u.system.type->guard_bounds(u.system.model, &u.store.s, &on, &e);
    CHECK_STATUS(status, FO_OK, &u.why);
    CHECK_VALUES(g_lo, 0, -INFINITY, -INFINITY, 3);
    CHECK_VALUES(g_hi, 4, INFINITY, INFINITY, 7);
    CHECK_VALUES(dg_lo, 1, -INFINITY, -INFINITY, 4);
    CHECK_VALUES(dg_hi, 5, INFINITY, INFINITY, 8);
    CHECK(!nature[0] && nature[1] == FO_NOT_ENCLOSED && nature[2] == FO_NOT_ENCLOSED && !nature[3]);
    tear_down(&u);
}

// --------------------------------------------------------------------------------------- implicit

static fo_status two_mass(const void *model, const fo_state *s, double *values)
{
    (void)model, (void)s;
    memcpy(values, (double[]){2, 3, 4, 5}, 4 * sizeof *values); // columns (2, 3) and (4, 5)
    return FO_OK;
}

static fo_status two_residual(const void *model, const fo_state *s, double t, const double *x,
                              const double *dx, double *r)
{
    (void)model, (void)s, (void)t;
    r[0] = dx[0] + x[1], r[1] = x[0] * x[1];
    return FO_OK;
}

static const fo_description two_about = {.name = "two", .states = FO_VARIABLES({"a"}, {"b"})};
static const fo_system_type mass_type = {.kind = "C", .rates = grower_rates, .mass = two_mass};
static const fo_system_type residual_type = {.kind = "C", .residual = two_residual};

TEST(mass_matrices_are_blocks)
{
    const fo_component parts[] = {{"g", grower},
                                  {"m", {&mass_type, &two_about, NULL}},
                                  {"n", {&mass_type, &two_about, NULL}},
                                  {"h", grower}};
    setup u;
    if (!set_up(&u, parts, 4, NULL, 0)) return;
    double m[36];
    for (int i = 0; i < 36; i++) m[i] = NAN;
    REQUIRE(u.system.type->mass && !u.system.type->residual);
    CHECK_INT(u.system.type->mass(u.system.model, &u.store.s, m), FO_OK);
    CHECK_VALUES(m, 1, 0, 0, 0, 0, 0, //
                 0, 2, 3, 0, 0, 0,    //
                 0, 4, 5, 0, 0, 0,    //
                 0, 0, 0, 2, 3, 0,    //
                 0, 0, 0, 4, 5, 0,    //
                 0, 0, 0, 0, 0, 1);
    tear_down(&u);
}

TEST(residuals_take_in_the_others)
{
    const fo_component parts[] = {{"g", grower},
                                  {"m", {&mass_type, &two_about, NULL}},
                                  {"r", {&residual_type, &two_about, NULL}}};
    setup u;
    if (!set_up(&u, parts, 3, NULL, 0)) return;
    REQUIRE(u.system.type->residual && !u.system.type->rates && !u.system.type->mass);
    const double x[] = {1, 2, 3, 4, 5}, dx[] = {10, 20, 30, 40, 50};
    double r[5], start[5];
    CHECK_INT(u.system.type->residual(u.system.model, &u.store.s, 0, x, dx, r), FO_OK);
    CHECK_VALUES(r, 10 - 1, 2 * 20 + 4 * 30 - 1, 3 * 20 + 5 * 30 - 2, 40 + 5, 20);
    CHECK_INT(u.system.type->start_rates(u.system.model, &u.store.s, 0, x, start), FO_OK);
    CHECK_VALUES(start, 1, 0, 0, 0, 0);
    tear_down(&u);
}

TEST_MAIN(TEST_ENTRY(a_part_in_the_middle_grows_and_shrinks),
          TEST_ENTRY(a_jump_sees_the_connected_input),
          TEST_ENTRY(a_growth_that_fails_changes_nothing), TEST_ENTRY(a_part_of_a_part_grows),
          TEST_ENTRY(a_run_with_growth), TEST_ENTRY(the_earliest_moment_is_next),
          TEST_ENTRY(what_others_see_has_changed),
          TEST_ENTRY(parts_start_when_their_inputs_are_known),
          TEST_ENTRY(parts_have_their_own_seeds), TEST_ENTRY(parts_settle_with_their_inputs),
          TEST_ENTRY(bounds_are_given_where_inputs_rest), TEST_ENTRY(mass_matrices_are_blocks),
          TEST_ENTRY(residuals_take_in_the_others))
