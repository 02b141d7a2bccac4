// Heat, advection, reaction, a user's stencil, and the solutions of implicit steps.
#include "rig.h"

enum { MOST = 40000 };
static double start[MOST];

static fo_field_def heat(int dimensions, uint32_t n)
{
    fo_field_def def = fo_default_field_def();
    def.equation = FO_FIELD_TRANSPORT;
    def.dimensions = (uint32_t)dimensions;
    def.diffusivity = 0.1;
    def.method = FO_FIELD_RK4;
    for (int axis = 0; axis < dimensions; axis++) def.size[axis] = n;
    for (uint32_t i = 0, all = (uint32_t)pow(n, dimensions); i < all; i++) {
        start[i] = sin(M_PI * (i % n) / (n - 1));
        if (dimensions > 1) start[i] *= sin(M_PI * (i / n % n) / (n - 1));
        if (dimensions > 2) start[i] *= sin(M_PI * (i / n / n) / (n - 1));
    }
    def.start = start;
    return def;
}

static double value_after(const fo_field_def *def, double t, double h, const char *solver,
                          uint32_t node)
{
    rig r;
    bool good = rig_start(&r, def, t, h, solver);
    CHECK_STATUS(good ? rig_to(&r, t) : r.why.status, FO_REACHED, &r.why);
    double value = good ? fo_simulation_state(r.sim)->x[node] : NAN;
    rig_end(&r);
    return value;
}

// u decays with D k^2, where k^2 is the grid's.
TEST(heat_decays_as_it_must)
{
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        enum { N = 13 };
        fo_field_def def = heat(dimensions, N);
        double dx = 1.0 / (N - 1), k = 2 / dx * sin(M_PI * dx / 2);
        uint32_t node = 6 + N * (dimensions > 1 ? 6 + N * (dimensions > 2 ? 6 : 0) : 0);
        double expected = exp(-0.1 * dimensions * k * k * 0.5);
        CHECK_NEAR(value_after(&def, 0.5, 0.005, NULL, node), expected, 1e-9);
        def.method = FO_FIELD_IMPLICIT_EULER;
        double coarse = value_after(&def, 0.5, 0.01, NULL, node) - expected;
        double fine = value_after(&def, 0.5, 0.005, NULL, node) - expected;
        CHECK_NEAR(log2(coarse / fine), 1, 0.1);
    }
}

TEST(all_solutions_of_an_implicit_step_agree)
{
    static const fo_side_kind kinds[] = {FO_SIDE_FIXED, FO_SIDE_FREE, FO_SIDE_PERIODIC};
    for (int dimensions = 1; dimensions <= 3; dimensions++)
        for (int kind = 0; kind < 3; kind++) {
            uint32_t n = dimensions == 3 ? 9 : 33;
            fo_field_def def = heat(dimensions, n);
            for (int side = 0; side < 2; side++) def.sides[side].kind = kinds[kind];
            if (kinds[kind] == FO_SIDE_PERIODIC) def.size[0] = n - 1;
            def.method = FO_FIELD_IMPLICIT_EULER;
            uint32_t w = def.size[0], node = 3; // a node off the sides and off the middle
            if (dimensions > 1) node += w * 2;
            if (dimensions > 2) node += w * n * 4;
            double direct = value_after(&def, 0.5, 0.05, NULL, node);
            CHECK(fabs(direct) > 1e-3);
            def.linear = FO_FIELD_CG;
            CHECK_NEAR(value_after(&def, 0.5, 0.05, NULL, node), direct, 1e-9);
            def.linear = FO_FIELD_MULTIGRID;
            CHECK_NEAR(value_after(&def, 0.5, 0.05, NULL, node), direct, 1e-9);
        }
}

// A held node in the middle, where the coarse grids have a node at its place and where not.
TEST(held_nodes_are_held_by_all_solutions)
{
    for (uint32_t at = 15; at <= 16; at++) {
        fo_field_point hold = {
            .node = {at, at}, .hold = true, .signal = {FO_SIGNAL_SINE, .amplitude = 1, .omega = 3}};
        double found[3];
        for (int linear = 0; linear < 3; linear++) {
            fo_field_def def = heat(2, 33);
            def.equation = FO_FIELD_WAVE;
            def.method = FO_FIELD_IMPLICIT_EULER, def.linear = (fo_field_linear)linear;
            def.points = &hold, def.point_count = 1;
            found[linear] = value_after(&def, 0.5, 0.05, NULL, 33 * 14 + 12);
        }
        CHECK_NEAR(found[1], found[0], 1e-8);
        CHECK_NEAR(found[2], found[0], 1e-8);
    }
}

// Multigrid needs as many cycles on a fine grid as on a coarse one: ten reach the tolerance.
TEST(multigrid_has_fixed_work)
{
    for (uint32_t n = 17; n <= 129; n = 2 * n - 1) {
        fo_field_def def = heat(2, n);
        def.method = FO_FIELD_IMPLICIT_EULER;
        def.linear = FO_FIELD_MULTIGRID;
        double free_work = value_after(&def, 1, 0.5, NULL, n * (n / 2) + n / 2);
        def.work = 10;
        CHECK_NEAR(value_after(&def, 1, 0.5, NULL, n * (n / 2) + n / 2), free_work, 1e-9);
    }
}

// With advection, varying D and upwind differences the direct step agrees with the engine's own
// implicit Euler over the sparse pattern.
TEST(implicit_steps_agree_with_the_solver)
{
    for (int upwind = 0; upwind < 2; upwind++) {
        enum { N = 15 };
        static double each[N * N];
        fo_field_def def = heat(2, N);
        for (uint32_t i = 0; i < N * N; i++) each[i] = 0.05 + 0.001 * (i % 13);
        def.diffusivity_at = each;
        def.velocity[0] = 0.4, def.velocity[1] = -0.3;
        def.upwind = upwind;
        def.reaction[1] = -0.2, def.reaction[2] = 0.7, def.reaction[3] = -0.9;
        def.sides[3].kind = FO_SIDE_FREE;
        def.method = FO_FIELD_IMPLICIT_EULER;
        double mine = value_after(&def, 0.3, 0.01, NULL, 7 * N + 6);
        CHECK_NEAR(value_after(&def, 0.3, 0.01, "implicit-euler", 7 * N + 6), mine, 5e-7);
    }
}

TEST(a_bump_is_carried_along)
{
    enum { N = 200 };
    fo_field_def def = heat(1, N);
    def.sides[0].kind = def.sides[1].kind = FO_SIDE_PERIODIC;
    def.diffusivity = 0;
    def.velocity[0] = 1;
    for (uint32_t i = 0; i < N; i++) start[i] = sin(2 * M_PI * i / N);
    double dx = 1.0 / N, k = sin(2 * M_PI * dx) / dx; // what the central difference makes of k
    CHECK_NEAR(value_after(&def, 0.3, 0.002, NULL, 50), sin(2 * M_PI * 0.25 - k * 0.3), 1e-7);
    fo_message why = {0};
    fo_field *f = fo_field_create(&def, &why);
    CHECK_NEAR(fo_field_limit(f, FO_FIELD_RK4), 2.8284271247461903 * dx, 0.01 * dx);
    CHECK(fo_field_limit(f, FO_FIELD_EULER) == 0);
    fo_field_destroy(f);
}

// u' = u (1 - u) without diffusion between free sides.
TEST(a_reaction_follows_the_logistic_curve)
{
    fo_field_def def = heat(1, 9);
    for (int i = 0; i < 9; i++) start[i] = 0.1;
    def.sides[0].kind = def.sides[1].kind = FO_SIDE_FREE;
    def.reaction[1] = 1, def.reaction[2] = -1;
    double expected = 1 / (1 + 9 * exp(-2));
    CHECK_NEAR(value_after(&def, 2, 0.02, NULL, 4), expected, 1e-7);
    def.method = FO_FIELD_IMPLICIT_EULER;
    CHECK_NEAR(value_after(&def, 2, 0.001, NULL, 4), expected, 1e-3);
}

// On a fine grid D / dx^2 multiplies rounding errors, below which Newton's changes do not fall:
// that is no failure. The coarse grid is off by its dx^2 alone.
TEST(a_reaction_on_a_fine_grid_comes_to_an_end)
{
    enum { FINE = 30001, COARSE = 301 };
    double values[2];
    for (int i = 0; i < 2; i++) {
        uint32_t n = i ? COARSE : FINE;
        fo_field_def def = heat(1, n);
        def.diffusivity = 0.5, def.reaction[1] = 1, def.reaction[2] = -3;
        def.method = FO_FIELD_IMPLICIT_EULER;
        values[i] = value_after(&def, 0.1, 0.01, NULL, n / 2);
    }
    CHECK_NEAR(values[0], values[1], 1e-5);
}

// ----------------------------------------------------------------------------------- a stencil

static double users_heat(const void *self, const fo_stencil *at)
{
    double d = *(const double *)self, k = 1 / (at->spacing[0] * at->spacing[0]);
    return d * (k * (at->value[1] + at->value[2] - 2 * at->value[0]));
}

static double users_wave(const void *self, const fo_stencil *at)
{
    (void)self;
    double k = 1 / (at->spacing[0] * at->spacing[0]);
    return k * (at->value[1] + at->value[2] - 2 * at->value[0]) - 0.5 * at->velocity[0];
}

TEST(a_users_stencil_does_what_the_built_in_does)
{
    fo_field_def def = heat(1, 21);
    double expected = value_after(&def, 0.1, 0.002, NULL, 9), d = 0.1;
    def.equation = FO_FIELD_STENCIL;
    def.stencil = users_heat, def.stencil_self = &d;
    CHECK_NEAR(value_after(&def, 0.1, 0.002, NULL, 9), expected, 1e-15);
    def.stencil_limit = 0.001;
    rig r;
    REQUIRE(rig_start(&r, &def, 1, 0.002, NULL));
    CHECK_INT(rig_to(&r, 1), FO_ERROR_ARGUMENT);
    rig_end(&r);

    fo_field_def wave = heat(1, 21);
    wave.equation = FO_FIELD_WAVE;
    wave.b1 = 0.5;
    expected = value_after(&wave, 0.5, 0.01, NULL, 9);
    wave.equation = FO_FIELD_STENCIL;
    wave.second_order = true;
    wave.stencil = users_wave;
    CHECK_NEAR(value_after(&wave, 0.5, 0.01, NULL, 9), expected, 1e-14);
}

// ------------------------------------------------------------------------------ the system around

// A tap on a field from outside, and an input that another part of a composition gives.
TEST(a_field_can_be_struck_and_connected)
{
    static const fo_field_point points[] = {
        {.name = "tap", .node = {3}},
        {.name = "push", .node = {5}, .signal = {.kind = FO_SIGNAL_INPUT}},
    };
    static const fo_field_probe probe = {.node = {3}, .velocity = true};
    fo_field_def def = fo_default_field_def();
    def.size[0] = 11;
    def.points = points, def.point_count = 2;
    def.probes = &probe, def.probe_count = 1;
    rig r;
    REQUIRE(rig_start(&r, &def, 1, 0.001, NULL));
    CHECK_INT(fo_simulation_send(r.sim, 0.5, "tap.strike", 2), FO_OK);
    CHECK_INT(rig_to(&r, 0.4999), FO_REACHED);
    CHECK_NEAR(rig_value(&r, 3, 0, 0), 0, 0);
    CHECK_INT(rig_to(&r, 0.5), FO_REACHED);
    fo_reference velocity;
    CHECK_INT(fo_system_find(fo_field_system(r.field), "velocity(3)", &velocity, &r.why), FO_OK);
    CHECK_NEAR(fo_simulation_value(r.sim, velocity), 2, 0);
    CHECK_INT(fo_simulation_set(r.sim, "push", 1), FO_OK);
    CHECK_INT(rig_to(&r, 0.6), FO_REACHED);
    CHECK(rig_value(&r, 5, 0, 0) > 0.003);
    rig_end(&r);
}

TEST(two_fields_compose)
{
    static const fo_field_probe end = {.name = "middle", .node = {5}};
    static const fo_field_point push = {
        .name = "push", .node = {5}, .signal = {.kind = FO_SIGNAL_INPUT}};
    fo_message why = {0};
    fo_field_def a = fo_default_field_def(), b = a;
    a.size[0] = b.size[0] = 11;
    for (int i = 0; i < 11; i++) start[i] = sin(M_PI * i / 10);
    a.start = start, a.probes = &end, a.probe_count = 1;
    b.points = &push, b.point_count = 1;
    fo_field *one = fo_field_create(&a, &why), *two = fo_field_create(&b, &why);
    REQUIRE(one && two);
    fo_component parts[] = {{"a", fo_field_system(one)}, {"b", fo_field_system(two)}};
    fo_connection wire = {0, 0, 1, 0};
    fo_composition_def def = {.name = "two",
                              .parts = parts,
                              .part_count = 2,
                              .connections = &wire,
                              .connection_count = 1};
    fo_composition *both = fo_compose(&def, &why);
    REQUIRE(both);
    fo_run_def run = fo_default_run_def();
    run.solver = "rk4", run.step = 0.01;
    fo_simulation *sim = fo_simulation_create(fo_composition_system(both), &run, &why);
    REQUIRE(sim);
    CHECK_INT(fo_simulation_advance(sim, 0.2), FO_REACHED);
    const double *x = fo_simulation_state(sim)->x;
    CHECK(x[22 + 5] > 0.01 && x[22 + 1] < x[22 + 5]);
    fo_simulation_destroy(sim);
    fo_composition_destroy(both);
    fo_field_destroy(one);
    fo_field_destroy(two);
}

// ---------------------------------------------------------------------------------------- mistakes

static void refuses(const fo_field_def *def, const char *part)
{
    fo_message why = {0};
    fo_field *f = fo_field_create(def, &why);
    CHECK(!f);
    CHECK_CONTAINS(why.text, part);
    fo_field_destroy(f);
}

TEST(mistakes_are_named)
{
    fo_field_def def = fo_default_field_def();
    def.dimensions = 4;
    refuses(&def, "1, 2 or 3 dimensions");
    def = fo_default_field_def();
    def.size[0] = 2;
    refuses(&def, "at least 3 nodes");
    def = fo_default_field_def();
    def.c = -1;
    refuses(&def, "speed c must be finite and not negative, is -1");
    def = fo_default_field_def();
    def.sides[0].kind = FO_SIDE_PERIODIC;
    refuses(&def, "both sides of axis x are periodic");
    def = heat(1, 9);
    def.method = FO_FIELD_LEAPFROG;
    refuses(&def, "leapfrog is for fields of second order");
    def = heat(1, 9);
    def.sides[1].kind = FO_SIDE_ABSORBING;
    refuses(&def, "absorbing sides are for waves");
    def = heat(1, 9);
    def.velocity[0] = 1, def.method = FO_FIELD_IMPLICIT_EULER, def.linear = FO_FIELD_CG;
    refuses(&def, "without advection");
    def = fo_default_field_def();
    fo_field_point far = {.node = {101}};
    def.points = &far, def.point_count = 1;
    refuses(&def, "point 0 is at node 101 of axis x, which has 101");
    far = (fo_field_point){.signal = {FO_SIGNAL_PULSE}};
    refuses(&def, "width of a pulse");
    double times[] = {0, 1, 1}, values[] = {0, 1, 2};
    far =
        (fo_field_point){.signal = {FO_SIGNAL_TABLE, .times = times, .values = values, .count = 3}};
    refuses(&def, "must ascend");
}

static bool works_with(test_memory *memory, fo_field_linear linear)
{
    static const fo_field_point p = {.node = {2},
                                     .signal = {FO_SIGNAL_PULSE, .amplitude = 1, .width = 0.1}};
    static const double speed[9] = {1, 1, 1, 1, 2, 2, 2, 2, 2};
    static const fo_field_probe probe = {.node = {3}};
    fo_field_def def = fo_default_field_def();
    def.size[0] = 9;
    def.sides[1].kind = FO_SIDE_ABSORBING;
    def.c_at = speed;
    def.points = &p, def.point_count = 1;
    def.probes = &probe, def.probe_count = 1;
    def.method = FO_FIELD_IMPLICIT_EULER, def.linear = linear;
    def.allocator = &memory->allocator;
    rig r;
    bool good = rig_start(&r, &def, 0.1, 0.01, NULL) && rig_to(&r, 0.1) == FO_REACHED;
    if (!good) CHECK_INT(r.why.status, FO_ERROR_MEMORY);
    rig_end(&r);
    return good;
}

TEST(every_allocation_may_fail)
{
    for (int linear = 0; linear < 3; linear++) {
        bool good = false;
        for (long fail_at = 1; !good && fail_at < 300; fail_at++) {
            test_memory memory;
            test_memory_init(&memory, fail_at);
            good = works_with(&memory, (fo_field_linear)linear);
            CHECK_INT(memory.live, 0);
        }
        CHECK(good);
    }
}

TEST_MAIN(TEST_ENTRY(heat_decays_as_it_must), TEST_ENTRY(all_solutions_of_an_implicit_step_agree),
          TEST_ENTRY(held_nodes_are_held_by_all_solutions), TEST_ENTRY(multigrid_has_fixed_work),
          TEST_ENTRY(implicit_steps_agree_with_the_solver), TEST_ENTRY(a_bump_is_carried_along),
          TEST_ENTRY(a_reaction_follows_the_logistic_curve),
          TEST_ENTRY(a_reaction_on_a_fine_grid_comes_to_an_end),
          TEST_ENTRY(a_users_stencil_does_what_the_built_in_does),
          TEST_ENTRY(a_field_can_be_struck_and_connected), TEST_ENTRY(two_fields_compose),
          TEST_ENTRY(mistakes_are_named), TEST_ENTRY(every_allocation_may_fail))
