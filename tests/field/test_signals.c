// Signals: what drives a field, where it is not smooth, and what a snapshot keeps of it.
#include "rig.h"

static const double times[] = {0.2, 0.5, 0.7, 1.1}, values[] = {0, 1, -0.5, 0.25};

static fo_field_def driven(fo_signal signal)
{
    fo_field_def def = fo_default_field_def();
    def.size[0] = 21;
    def.b1 = 0.3;
    def.sides[FO_SIDE_LEFT] = (fo_side){FO_SIDE_DRIVEN, signal};
    def.sides[FO_SIDE_RIGHT].kind = FO_SIDE_ABSORBING;
    return def;
}

static const fo_signal table = {FO_SIGNAL_TABLE, .times = times, .values = values, .count = 4};
static const fo_signal pulse = {FO_SIGNAL_PULSE, .amplitude = 2, .start = 0.3, .width = 0.5};
static const fo_signal late = {FO_SIGNAL_SINE, .amplitude = 1, .omega = 5, .start = 0.4};

static double expected(const fo_signal *s, double t)
{
    if (s->kind == FO_SIGNAL_PULSE) {
        double part = (t - 0.3) / 0.5;
        return part > 0 && part < 1 ? 2 * pow(sin(M_PI * part), 2) : 0;
    }
    if (s->kind == FO_SIGNAL_SINE) return t < 0.4 ? 0 : sin(5 * (t - 0.4));
    if (t <= 0.2) return 0;
    if (t >= 1.1) return 0.25;
    int i = t < 0.5 ? 0 : t < 0.7 ? 1 : 2;
    return values[i] + (values[i + 1] - values[i]) * (t - times[i]) / (times[i + 1] - times[i]);
}

TEST(driven_nodes_follow_their_signal)
{
    static const fo_signal *const all[] = {&table, &pulse, &late};
    for (size_t k = 0; k < 3; k++) {
        fo_field_def def = driven(*all[k]);
        rig r;
        REQUIRE(rig_start(&r, &def, 1.5, 0.01, NULL));
        for (double t = 0.05; t < 1.5; t += 0.05) {
            CHECK_STATUS(rig_to(&r, t), FO_REACHED, &r.why);
            CHECK_NEAR(rig_value(&r, 0, 0, 0), expected(all[k], t), 1e-4); // read off a cubic
        }
        rig_end(&r);
    }
}

// The kinks are moments, so that adaptive solvers do not step over them: what comes out of the
// middle agrees with a method that takes short fixed steps.
TEST(kinks_are_moments)
{
    fo_field_def def = driven(table);
    def.method = FO_FIELD_RK4;
    rig fixed, adaptive;
    REQUIRE(rig_start(&fixed, &def, 1.5, 0.001, NULL));
    REQUIRE(rig_start(&adaptive, &def, 1.5, 0, "dp45"));
    CHECK_STATUS(rig_to(&fixed, 1.5), FO_REACHED, &fixed.why);
    CHECK_STATUS(rig_to(&adaptive, 1.5), FO_REACHED, &adaptive.why);
    CHECK_INT(fo_simulation_statistics(adaptive.sim).moments, 4);
    CHECK_NEAR(rig_value(&adaptive, 10, 0, 0), rig_value(&fixed, 10, 0, 0), 1e-5);
    CHECK_NEAR(rig_value(&adaptive, 0, 0, 0), 0.25, 1e-12);
    rig_end(&fixed);
    rig_end(&adaptive);
}

TEST(going_on_from_a_snapshot_gives_the_same_bits)
{
    static const fo_field_method methods[] = {FO_FIELD_LEAPFROG, FO_FIELD_RK4,
                                              FO_FIELD_IMPLICIT_EULER};
    for (size_t k = 0; k < 3; k++) {
        fo_field_def def = driven(table);
        def.method = methods[k];
        rig r;
        REQUIRE(rig_start(&r, &def, 1.5, 0.01, NULL));
        CHECK_INT(rig_to(&r, 0.6), FO_REACHED);
        fo_snapshot *half = fo_simulation_snapshot(r.sim);
        REQUIRE(half);
        CHECK_INT(rig_to(&r, 1.5), FO_REACHED);
        double first = rig_value(&r, 7, 0, 0);
        CHECK_INT(fo_simulation_restore(r.sim, half), FO_OK);
        CHECK_INT(rig_to(&r, 1.5), FO_REACHED);
        CHECK(rig_value(&r, 7, 0, 0) == first);
        fo_snapshot_destroy(half);
        rig_end(&r);
    }
}

static bool object_and_sweep(test_memory *memory)
{
    static const fo_field_object object = {
        .mass = 1, .gravity = 9.8, .first = {4}, .count = {3}, .y = -0.01};
    fo_field_def def = driven(pulse);
    def.allocator = &memory->allocator;
    def.b2 = 0.001;
    fo_message why = {0};
    fo_sweep_def sd = {.step = 0.01, .allocator = def.allocator};
    fo_field *bare = fo_field_create(&def, &why);
    fo_sweep *sweep = bare ? fo_sweep_create(bare, &sd, &why) : NULL;
    if (sweep) fo_sweep_advance(sweep, 10);
    def.object = &object;
    rig r = {0};
    bool good = sweep && rig_start(&r, &def, 0.2, 0.01, NULL) && rig_to(&r, 0.2) == FO_REACHED;
    if (!good) CHECK_INT(sweep ? r.why.status : why.status, FO_ERROR_MEMORY);
    rig_end(&r);
    fo_sweep_destroy(sweep);
    fo_field_destroy(bare);
    return good;
}

TEST(every_allocation_may_fail)
{
    bool good = false;
    for (long fail_at = 1; !good && fail_at < 300; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        good = object_and_sweep(&memory);
        CHECK_INT(memory.live, 0);
    }
    CHECK(good);
}

TEST_MAIN(TEST_ENTRY(driven_nodes_follow_their_signal), TEST_ENTRY(kinks_are_moments),
          TEST_ENTRY(going_on_from_a_snapshot_gives_the_same_bits),
          TEST_ENTRY(every_allocation_may_fail))
