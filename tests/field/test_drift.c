// The leapfrog over values and velocities in one pass gives what its formula gives in plain passes:
// a user's stencil of the same wave is stepped by the latter.
#include "rig.h"

enum { MOST = 40000, STEPS = 30 };
static double start[MOST];

static double users_wave(const void *self, const fo_stencil *at)
{
    double sum = 0, inner = *(const double *)self;
    for (int axis = 0; axis < 3; axis++) {
        const double *u = at->value, *w = at->velocity, dx = at->spacing[axis];
        if (!(dx > 0)) continue;
        int low = 1 + 2 * axis, high = 2 + 2 * axis;
        sum += (u[low] + u[high] - 2 * u[0] + inner * (w[low] + w[high] - 2 * w[0])) / (dx * dx);
    }
    return sum;
}

static fo_field_def sheet(int dimensions, const uint32_t size[3], const fo_side_kind sides[3])
{
    fo_field_def def = fo_default_field_def();
    def.dimensions = (uint32_t)dimensions;
    for (int axis = 0; axis < 3; axis++) {
        def.size[axis] = axis < dimensions ? size[axis] : 1;
        def.sides[2 * axis].kind = def.sides[2 * axis + 1].kind = sides[axis];
    }
    for (uint32_t i = 0; i < MOST; i++) start[i] = sin(0.37 * i) * cos(1e-3 * i);
    def.start = start;
    return def;
}

/// The largest difference between the wave and the stencil, values and velocities.
static double difference(fo_field_def def, uint32_t threads)
{
    rig wave, stencil;
    double most = 0;
    fo_field_def users = def;
    users.equation = FO_FIELD_STENCIL, users.stencil = users_wave, users.stencil_self = &def.b2;
    users.second_order = true, users.b2 = 0;
    def.threads = threads;
    fo_field *f = fo_field_create(&def, NULL);
    double h = 0.5 * fo_field_limit(f, FO_FIELD_LEAPFROG);
    uint32_t states = 2 * fo_field_nodes(f);
    fo_field_destroy(f);
    users.stencil_limit = 2 * h;
    bool good = rig_start(&wave, &def, STEPS * h, h, NULL);
    good &= rig_start(&stencil, &users, STEPS * h, h, NULL);
    good = good && rig_to(&wave, STEPS * h) == FO_REACHED;
    good = good && rig_to(&stencil, STEPS * h) == FO_REACHED;
    if (!good) return NAN;
    const double *a = fo_simulation_state(wave.sim)->x, *b = fo_simulation_state(stencil.sim)->x;
    for (uint32_t i = 0; i < states; i++)
        most = fmax(most, fabs(a[i] - b[i]) * (i < states / 2 ? 1 : h));
    rig_end(&wave);
    rig_end(&stencil);
    return most;
}

TEST(one_pass_gives_what_plain_passes_give)
{
    static const struct {
        int dimensions;
        uint32_t size[3];
        fo_side_kind sides[3];
    } cases[] = {
        {1, {101, 1, 1}, {FO_SIDE_FIXED}},
        {1, {64, 1, 1}, {FO_SIDE_PERIODIC}},
        {2, {33, 21, 1}, {FO_SIDE_FREE, FO_SIDE_FIXED}},
        {2, {24, 26, 1}, {FO_SIDE_PERIODIC, FO_SIDE_PERIODIC}},
        {2, {190, 187, 1}, {FO_SIDE_FIXED, FO_SIDE_FREE}},
        {2, {190, 187, 1}, {FO_SIDE_FREE, FO_SIDE_PERIODIC}},
        {3, {17, 9, 11}, {FO_SIDE_FIXED, FO_SIDE_FREE, FO_SIDE_PERIODIC}},
        {3, {64, 20, 28}, {FO_SIDE_FREE, FO_SIDE_PERIODIC, FO_SIDE_FIXED}},
    };
    fo_field_point points[] = {
        {.node = {4, 3, 2}, .signal = {FO_SIGNAL_SINE, .amplitude = 3, .omega = 7}},
        {.node = {6, 5, 4}, .hold = true, .signal = {FO_SIGNAL_SINE, .amplitude = 1, .omega = 9}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += test_is_slow() && i > 2 ? 2 : 1)
        for (uint32_t held = 0; held < 2; held++)
            for (uint32_t damped = 0; damped < 2; damped++) {
                if (test_is_slow() && i > 2 && held != damped) continue;
                fo_field_def def = sheet(cases[i].dimensions, cases[i].size, cases[i].sides);
                fo_field_point acts[2] = {points[0], points[1]};
                for (int axis = cases[i].dimensions; axis < 3; axis++)
                    acts[0].node[axis] = acts[1].node[axis] = 0;
                def.points = acts, def.point_count = 1 + held;
                def.b2 = damped ? 0.0005 : 0;
                CHECK_NEAR(difference(def, 1), 0, 1e-12);
                CHECK_NEAR(difference(def, 3), 0, 1e-12);
            }
}

// The step that breaks is not taken, and the message names a state.
TEST(a_step_that_is_not_finite_is_refused)
{
    fo_field_def def = sheet(2, (uint32_t[3]){40, 30, 1},
                             (fo_side_kind[3]){FO_SIDE_FREE, FO_SIDE_FREE, FO_SIDE_FREE});
    rig r;
    fo_field *f = fo_field_create(&def, NULL);
    double h = 0.5 * fo_field_limit(f, FO_FIELD_LEAPFROG);
    fo_field_destroy(f);
    start[410] = 1e308;
    REQUIRE(rig_start(&r, &def, 10 * h, h, NULL));
    CHECK_INT(rig_to(&r, 10 * h), FO_ERROR_NUMBER);
    CHECK_CONTAINS(r.why.text, "'");
    for (uint32_t i = 0; i < 2400; i++) CHECK(isfinite(fo_simulation_state(r.sim)->x[i]));
    rig_end(&r);
}

TEST_MAIN(TEST_ENTRY(one_pass_gives_what_plain_passes_give),
          TEST_ENTRY(a_step_that_is_not_finite_is_refused))
