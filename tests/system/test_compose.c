// Composition at trial points: inputs, sorting, names, and what can be wrong with it.
#include <math.h>
#include <string.h>

#include "system/state.h"
#include "test.h"

// q' = v, v' = -k q + force; the output is q, which does not depend on the force at once.
static fo_status oscillator_rates(const void *model, const fo_state *s, double t, const double *x,
                                  double *dx)
{
    (void)model, (void)t;
    dx[0] = x[1];
    dx[1] = -s->p[0] * x[0] + s->u[0];
    return FO_OK;
}

static fo_status oscillator_observe(const void *model, const fo_state *s, double t, const double *x,
                                    double *y)
{
    (void)model, (void)s, (void)t;
    y[0] = x[0];
    return FO_OK;
}

static const fo_description oscillator_about = {
    .name = "oscillator",
    .states = FO_VARIABLES({"q", "m", 1}, {"v", "m/s"}),
    .inputs = FO_VARIABLES({"force", "N", 0.25}),
    .outputs = FO_VARIABLES({"position", "m"}),
    .parameters = FO_VARIABLES({"k", "N/m", 2}),
    .pairs = 1,
    .max_step = 0.5,
};
static const fo_system_type oscillator_type = {
    .kind = "C", .rates = oscillator_rates, .observe = oscillator_observe};
static const fo_system oscillator = {&oscillator_type, &oscillator_about, NULL};

// y = k u, at once. The model counts how often it is observed.
static fo_status gain_observe(const void *model, const fo_state *s, double t, const double *x,
                              double *y)
{
    (void)t, (void)x;
    if (model) ++**(int *const *)model;
    if (s->u[0] > 1e6) return fo_refuse(s, "u is too large: %g", s->u[0]);
    y[0] = s->p[0] * s->u[0];
    return FO_OK;
}

static const fo_description gain_about = {
    .name = "gain",
    .inputs = FO_VARIABLES({"u"}),
    .outputs = FO_VARIABLES({"y", .direct = true}),
    .parameters = FO_VARIABLES({"k", "", 3}),
    .stiff = true,
    .max_step = 0.125,
};
static const fo_system_type gain_type = {.kind = "C", .observe = gain_observe};
static const fo_system gain = {&gain_type, &gain_about, NULL};

// x' = u; outputs x, and x + u at once.
static fo_status mixed_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)model, (void)t, (void)x;
    dx[0] = s->u[0];
    return FO_OK;
}

static fo_status mixed_observe(const void *model, const fo_state *s, double t, const double *x,
                               double *y)
{
    (void)model, (void)t;
    y[0] = x[0];
    y[1] = x[0] + s->u[0];
    return FO_OK;
}

static const fo_description mixed_about = {
    .name = "mixed",
    .states = FO_VARIABLES({"x", "", 5}),
    .inputs = FO_VARIABLES({"u"}),
    .outputs = FO_VARIABLES({"state"}, {"sum", .direct = true}),
};
static const fo_system_type mixed_type = {
    .kind = "C", .rates = mixed_rates, .observe = mixed_observe};
static const fo_system mixed = {&mixed_type, &mixed_about, NULL};

// A composition with a state of its own, started.
typedef struct setup {
    fo_composition *composition;
    fo_system system;
    foi_state_store store;
    fo_message why;
} setup;

static bool set_up(setup *u, const fo_component *parts, uint32_t part_count,
                   const fo_connection *connections, uint32_t connection_count)
{
    *u = (setup){0};
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
    foi_state_defaults(u->system, &u->store.s);
    bool good = fo_system_check(u->system, &u->why) == FO_OK &&
                u->system.type->start(u->system.model, &u->store.s) == FO_OK;
    if (!good) test_fail(__FILE__, __LINE__, "%s", u->why.text);
    return good;
}

static void tear_down(setup *u)
{
    foi_state_destroy(&u->store);
    fo_composition_destroy(u->composition);
}

static fo_status rates(setup *u, double t, const double *x, double *dx)
{
    return u->system.type->rates(u->system.model, &u->store.s, t, x, dx);
}

static fo_status observe(setup *u, double t, const double *x, double *y)
{
    return u->system.type->observe(u->system.model, &u->store.s, t, x, y);
}

// ------------------------------------------------------------------------------------------- flow

static fo_status pair_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    (void)model, (void)t;
    dx[0] = x[1], dx[1] = -s->p[0] * x[0] + x[2];
    dx[2] = x[3], dx[3] = -s->p[1] * x[2] + x[0];
    return FO_OK;
}

static const fo_description pair_about = {
    .name = "pair",
    .states = FO_VARIABLES({"a.q", "", 1}, {"a.v"}, {"b.q", "", 1}, {"b.v"}),
    .parameters = FO_VARIABLES({"a.k", "", 2}, {"b.k", "", 2}),
};
static const fo_system_type pair_type = {.kind = "C", .rates = pair_rates};

static const fo_component two[] = {{"a", {&oscillator_type, &oscillator_about, NULL}},
                                   {"b", {&oscillator_type, &oscillator_about, NULL}}};
static const fo_connection crossed[] = {{0, 0, 1, 0}, {1, 0, 0, 0}};

TEST(coupled_oscillators_are_the_hand_written_ones)
{
    setup u;
    if (!set_up(&u, two, 2, crossed, 2)) return;
    u.store.s.p[1] = 0.7;
    double p[] = {2, 0.7}, x[4], dx[4], expected[4];
    fo_state hand = {.p = p};
    for (int i = 0; i < 1000; i++) {
        for (int j = 0; j < 4; j++) x[j] = sin(1.7 * i + j) * exp(0.01 * i);
        CHECK_INT(rates(&u, 0, x, dx), FO_OK);
        pair_rates(NULL, &hand, 0, x, expected);
        CHECK(memcmp(dx, expected, sizeof dx) == 0);
    }
    tear_down(&u);
}

TEST(a_run_of_them_gives_the_same_bits)
{
    setup u;
    if (!set_up(&u, two, 2, crossed, 2)) return;
    fo_run_def def = fo_default_run_def();
    def.stop = 10, def.solver = "dp45", def.max_step = 0.5;
    fo_message why = {0};
    fo_simulation *a = fo_simulation_create(u.system, &def, &why);
    fo_simulation *b = fo_simulation_create((fo_system){&pair_type, &pair_about, NULL}, &def, &why);
    if (a && b) {
        CHECK_INT(fo_simulation_set(a, "b.k", 0.7), FO_OK);
        CHECK_INT(fo_simulation_set(b, "b.k", 0.7), FO_OK);
        CHECK_STATUS(fo_simulation_advance(a, 10), FO_REACHED, fo_simulation_message(a));
        CHECK_STATUS(fo_simulation_advance(b, 10), FO_REACHED, fo_simulation_message(b));
        CHECK(memcmp(fo_simulation_state(a)->x, fo_simulation_state(b)->x, 4 * sizeof(double)) ==
              0);
    } else {
        test_fail(__FILE__, __LINE__, "%s", why.text);
    }
    fo_simulation_destroy(a);
    fo_simulation_destroy(b);
    tear_down(&u);
}

TEST(feedthrough_is_sorted)
{
    // from the last to the first: pusher -> first -> second -> pulled
    int count[2] = {0, 0}, *const first = &count[0], *const second = &count[1];
    const fo_component parts[] = {{"pulled", oscillator},
                                  {"second", {&gain_type, &gain_about, &second}},
                                  {"first", {&gain_type, &gain_about, &first}},
                                  {"pusher", oscillator}};
    const fo_connection chain[] = {{1, 0, 0, 0}, {2, 0, 1, 0}, {3, 0, 2, 0}};
    setup u;
    if (!set_up(&u, parts, 4, chain, 3)) return;
    double x[4] = {0.5, 0, 0.1, 0.25}, dx[4], y[4];
    u.store.s.u[0] = 7; // of the pusher alone
    count[0] = count[1] = 0;
    CHECK_INT(rates(&u, 0, x, dx), FO_OK);
    CHECK_NEAR(dx[1], -2 * 0.5 + 3 * (3 * 0.1), 0);
    CHECK_NEAR(dx[3], -2 * 0.1 + 7, 1e-15);
    CHECK_INT(count[0], 1); // once each
    CHECK_INT(count[1], 1);
    CHECK_INT(observe(&u, 0, x, y), FO_OK);
    CHECK_INT(count[0], 2);
    CHECK(y[0] == 0.5 && y[1] == 3 * (3 * 0.1) && y[2] == 3 * 0.1 && y[3] == 0.1);
    tear_down(&u);
}

TEST(a_part_may_be_observed_twice)
{
    // mixed.state -> a -> mixed.u, and mixed.sum -> b
    const fo_component parts[] = {{"b", gain}, {"mixed", mixed}, {"a", gain}};
    const fo_connection loops[] = {{1, 1, 0, 0}, {1, 0, 2, 0}, {2, 0, 1, 0}};
    setup u;
    if (!set_up(&u, parts, 3, loops, 3)) return;
    double x[1] = {2}, dx[1], y[4];
    CHECK_INT(rates(&u, 0, x, dx), FO_OK);
    CHECK_NEAR(dx[0], 6, 0);
    CHECK_INT(observe(&u, 0, x, y), FO_OK);
    CHECK_NEAR(y[0], 3 * (2 + 6), 0);
    CHECK_NEAR(y[1], 2, 0);
    CHECK_NEAR(y[2], 2 + 6, 0);
    CHECK_NEAR(y[3], 6, 0);
    tear_down(&u);
}

TEST(unconnected_inputs_are_those_of_the_whole)
{
    const fo_component parts[] = {{"a", oscillator}, {"b", oscillator}, {"c", oscillator}};
    const fo_connection one[] = {{0, 0, 1, 0}};
    setup u;
    if (!set_up(&u, parts, 3, one, 1)) return;
    CHECK_INT(u.store.s.shape.inputs, 2);
    CHECK_NEAR(u.store.s.u[0], 0.25, 0); // the parts' start values
    fo_reference found;
    CHECK_INT(fo_system_find(u.system, "c.force", &found, NULL), FO_OK);
    CHECK(found.quantity == FO_INPUT && found.index == 1);
    CHECK_INT(fo_system_find(u.system, "b.force", &found, &u.why), FO_ERROR_ARGUMENT);
    u.store.s.u[0] = 10, u.store.s.u[1] = 30;
    double x[6] = {0}, dx[6];
    CHECK_INT(rates(&u, 0, x, dx), FO_OK);
    CHECK(dx[1] == 10 && dx[3] == 0 && dx[5] == 30);
    tear_down(&u);
}

TEST(failures_name_the_part)
{
    const fo_component parts[] = {{"osc", oscillator}, {"amp", gain}};
    const fo_connection back[] = {{0, 0, 1, 0}, {1, 0, 0, 0}};
    setup u;
    if (!set_up(&u, parts, 2, back, 2)) return;
    double x[2] = {1e7, 0}, dx[2];
    CHECK_INT(rates(&u, 0, x, dx), FO_ERROR_MODEL);
    CHECK_TEXT(u.why.text, "part 'amp': u is too large: 1e+07");
    tear_down(&u);
}

// ------------------------------------------------------------------------------ names and shapes

TEST(names_carry_their_part)
{
    const fo_component parts[] = {{"a", oscillator}, {"g", gain}, {"b", oscillator}};
    const fo_connection one[] = {{0, 0, 1, 0}};
    setup u;
    if (!set_up(&u, parts, 3, one, 1)) return;
    const fo_description *about = u.system.about;
    CHECK_TEXT(about->name, "whole");
    CHECK_INT((long long)about->states.count, 4);
    CHECK_TEXT(about->states.list[3].name, "b.v");
    CHECK_TEXT(about->states.list[3].unit, "m/s");
    CHECK_NEAR(about->states.list[2].start, 1, 0);
    CHECK_TEXT(about->parameters.list[1].name, "g.k");
    CHECK_TEXT(about->outputs.list[2].name, "b.position");
    CHECK(about->stiff);
    CHECK_NEAR(about->max_step, 0.125, 0);
    fo_shape shape = fo_system_shape(u.system);
    CHECK_INT(shape.outputs, 3);
    CHECK_INT(shape.parameters, 3);
    CHECK_INT(shape.pairs, 0); // two parts have states
    CHECK(u.system.type->jump == NULL && u.system.type->guards == NULL);
    tear_down(&u);
    if (!set_up(&u, parts, 2, one, 1)) return;
    CHECK_INT(fo_system_shape(u.system).pairs, 1);
    tear_down(&u);
}

static void three_states(const void *model, fo_shape *shape)
{
    (void)model;
    shape->states = 3;
}

TEST(states_without_names_get_numbers)
{
    fo_system_type type = mixed_type;
    type.shape = three_states;
    const fo_component parts[] = {{"a", {&type, &mixed_about, NULL}},
                                  {"b", {&type, &mixed_about, NULL}}};
    setup u;
    if (!set_up(&u, parts, 2, NULL, 0)) return;
    CHECK_INT(fo_system_shape(u.system).states, 6);
    const fo_variables *states = &u.system.about->states;
    REQUIRE(states->count == 4); // what follows the last one that has a name needs none
    CHECK_TEXT(states->list[0].name, "a.x");
    CHECK_TEXT(states->list[2].name, "a.x[2]");
    CHECK_TEXT(states->list[3].name, "b.x");
    tear_down(&u);
}

// --------------------------------------------------------------------------------- what is wrong

static void expect_refused(const fo_component *parts, uint32_t part_count,
                           const fo_connection *connections, uint32_t connection_count,
                           const char *text)
{
    test_memory memory;
    test_memory_init(&memory, 0);
    fo_message why = {0};
    fo_composition_def def = {.parts = parts,
                              .part_count = part_count,
                              .connections = connections,
                              .connection_count = connection_count,
                              .allocator = &memory.allocator};
    CHECK(fo_compose(&def, &why) == NULL);
    CHECK_TEXT(why.text, text);
    CHECK_INT(memory.live, 0);
}

TEST(loops_are_named)
{
    const fo_component parts[] = {{"a", gain}, {"b", mixed}, {"c", gain}, {"osc", oscillator}};
    const fo_connection ring[] = {{2, 0, 0, 0}, {0, 0, 1, 0}, {1, 1, 2, 0}, {2, 0, 3, 0}};
    expect_refused(parts, 4, ring, 4,
                   "the outputs a.y -> b.u -> b.sum -> c.u -> c.y -> a.u form an algebraic "
                   "loop");
    const fo_connection self[] = {{0, 0, 0, 0}};
    expect_refused(parts, 1, self, 1, "the outputs a.y -> a.u form an algebraic loop");
    // the same ring through the state is none
    const fo_connection through[] = {{2, 0, 0, 0}, {0, 0, 1, 0}, {1, 0, 2, 0}, {2, 0, 3, 0}};
    setup u;
    if (set_up(&u, parts, 4, through, 4)) tear_down(&u);
}

TEST(long_loops_fit_the_message)
{
    enum { COUNT = 60 };
    fo_component parts[COUNT];
    fo_connection ring[COUNT];
    char names[COUNT][24];
    for (uint32_t i = 0; i < COUNT; i++) {
        memset(names[i], 'a' + (int)(i % 26), 23), names[i][22] = (char)('0' + i / 26);
        names[i][23] = 0;
        parts[i] = (fo_component){names[i], gain};
        ring[i] = (fo_connection){i, 0, (i + 1) % COUNT, 0};
    }
    fo_message why = {0};
    fo_composition_def def = {"ring", NULL, parts, COUNT, ring, COUNT, NULL};
    CHECK(fo_compose(&def, &why) == NULL);
    CHECK_CONTAINS(why.text, " -> ... form an algebraic loop");
}

TEST(bad_connections_are_named)
{
    const fo_component parts[] = {{"a", gain}, {"b", mixed}};
    const fo_connection part[] = {{0, 0, 1, 0}, {5, 0, 0, 0}};
    expect_refused(parts, 2, part, 2, "connection 1 names part 5, but there are only 2 parts");
    const fo_connection output[] = {{1, 2, 0, 0}};
    expect_refused(parts, 2, output, 1,
                   "connection 0 comes from output 2 of part 'b', which has only 2");
    const fo_connection input[] = {{1, 1, 0, 3}};
    expect_refused(parts, 2, input, 1,
                   "connection 0 goes into input 3 of part 'a', which has only 1");
    const fo_connection twice[] = {{1, 0, 0, 0}, {1, 1, 0, 0}};
    expect_refused(parts, 2, twice, 2, "input a.u is connected twice: from b.state and from b.sum");
}

static fo_status own_step(const void *model, fo_state *s, double t, double h, const double *x,
                          double *x_new)
{
    (void)model, (void)s, (void)t, (void)h;
    x_new[0] = x[0];
    return FO_OK;
}

TEST(bad_parts_are_named)
{
    const fo_component same[] = {{"a", gain}, {"b", gain}, {"a", gain}};
    expect_refused(same, 3, NULL, 0, "parts 0 and 2 are both called 'a'");
    const fo_component nameless[] = {{NULL, gain}};
    expect_refused(nameless, 1, NULL, 0, "part 0 has no name");
    expect_refused(NULL, 0, NULL, 0, "a composition needs at least one part");
    const fo_system_type empty = {.kind = "C"};
    const fo_component broken[] = {{"a", {&empty, &mixed_about, NULL}}};
    expect_refused(broken, 1, NULL, 0, "part 'a': mixed has 1 states but no function 'rates'");
    const fo_stepper stepper = {"own", 1, own_step};
    const fo_system_type steps = {.kind = "C", .stepper = &stepper, .observe = mixed_observe};
    const fo_component own[] = {{"a", {&steps, &mixed_about, NULL}}};
    expect_refused(own, 1, NULL, 0,
                   "part 'a' has only a stepper of its own; a composition needs its rates");
}

TEST(every_allocation_may_fail)
{
    const fo_component parts[] = {{"b", gain}, {"mixed", mixed}, {"a", gain}};
    const fo_connection loops[] = {{1, 1, 0, 0}, {1, 0, 2, 0}, {2, 0, 1, 0}};
    for (long fail_at = 1;; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        fo_message why = {0};
        fo_composition_def def = {"whole", "about", parts, 3, loops, 3, &memory.allocator};
        fo_composition *c = fo_compose(&def, &why);
        fo_composition_destroy(c);
        CHECK_INT(memory.live, 0);
        if (c) {
            CHECK(fail_at > 20);
            break;
        }
        CHECK_INT(why.status, FO_ERROR_MEMORY);
    }
}

// ---------------------------------------------------------------------------------------- nesting

TEST(a_composition_is_a_part_too)
{
    // flat: o1 -> g1 -> o2 -> g2 -> o1; nested: (o1, g1) and (o2, g2)
    const fo_component flat_parts[] = {
        {"o1", oscillator}, {"g1", gain}, {"o2", oscillator}, {"g2", gain}};
    const fo_connection flat_ring[] = {{0, 0, 1, 0}, {1, 0, 2, 0}, {2, 0, 3, 0}, {3, 0, 0, 0}};
    const fo_component half[] = {{"o", oscillator}, {"g", gain}};
    const fo_connection inside[] = {{0, 0, 1, 0}};
    setup flat, inner, outer;
    if (!set_up(&flat, flat_parts, 4, flat_ring, 4)) return;
    if (!set_up(&inner, half, 2, inside, 1)) return;
    // the gain's input comes from a state, so seen from outside its output is not direct
    CHECK(!inner.system.about->outputs.list[1].direct);
    const fo_component halves[] = {{"l", inner.system}, {"r", inner.system}};
    const fo_connection ring[] = {{0, 1, 1, 0}, {1, 1, 0, 0}};
    if (!set_up(&outer, halves, 2, ring, 2)) return;
    CHECK_TEXT(outer.system.about->states.list[2].name, "r.o.q");
    double x[4] = {1, 2, 3, 4}, a[4], b[4], ya[4], yb[4];
    CHECK_INT(rates(&flat, 0, x, a), FO_OK);
    CHECK_INT(rates(&outer, 0, x, b), FO_OK);
    CHECK(memcmp(a, b, sizeof a) == 0);
    CHECK_INT(observe(&flat, 0, x, ya), FO_OK);
    CHECK_INT(observe(&outer, 0, x, yb), FO_OK);
    CHECK(memcmp(ya, yb, sizeof ya) == 0);
    tear_down(&outer), tear_down(&inner), tear_down(&flat);
}

TEST(directness_passes_through)
{
    const fo_component line[] = {{"first", gain}, {"second", gain}};
    const fo_connection inside[] = {{0, 0, 1, 0}};
    setup inner;
    if (!set_up(&inner, line, 2, inside, 1)) return;
    CHECK(inner.system.about->outputs.list[1].direct);
    const fo_component ring[] = {{"line", inner.system}};
    const fo_connection self[] = {{0, 1, 0, 0}};
    expect_refused(ring, 1, self, 1,
                   "the outputs line.second.y -> line.first.u form an algebraic loop");
    tear_down(&inner);
}

TEST_MAIN(TEST_ENTRY(coupled_oscillators_are_the_hand_written_ones),
          TEST_ENTRY(a_run_of_them_gives_the_same_bits), TEST_ENTRY(feedthrough_is_sorted),
          TEST_ENTRY(a_part_may_be_observed_twice),
          TEST_ENTRY(unconnected_inputs_are_those_of_the_whole), TEST_ENTRY(failures_name_the_part),
          TEST_ENTRY(names_carry_their_part), TEST_ENTRY(states_without_names_get_numbers),
          TEST_ENTRY(loops_are_named), TEST_ENTRY(long_loops_fit_the_message),
          TEST_ENTRY(bad_connections_are_named), TEST_ENTRY(bad_parts_are_named),
          TEST_ENTRY(every_allocation_may_fail), TEST_ENTRY(a_composition_is_a_part_too),
          TEST_ENTRY(directness_passes_through))
