/// The contract of events, its sentences on bounds, on signs, on what is searched and what is
/// proved.
#include "contract.h"

// ---- bounds: a spike that no sampling would see

static const double spike_at = 0.73205080756887;

// 1e-9 wide, from +1 down to -1 and back: g = 1 - 2 / (1 + ((x - c) / w)^2)
static double spike(double x)
{
    double q = (x - spike_at) / 5e-10;
    return 1 - 2 / (1 + q * q);
}

SCENE_GUARDS(spike_guard)
{
    IGNORE;
    g[0] = spike(x[0]);
    return FO_OK;
}

static fo_status spike_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                              fo_enclosure *e)
{
    (void)model, (void)s;
    const fo_bounds *g = &e->g, *dg = &e->dg;
    double lo = on->x.lo[0] - spike_at, hi = on->x.hi[0] - spike_at;
    double nearest = lo > 0 ? lo : hi < 0 ? -hi : 0, farthest = fmax(fabs(lo), fabs(hi));
    g->lo[0] = spike(spike_at + nearest) - 1e-12;
    g->hi[0] = spike(spike_at + farthest) + 1e-12;
    if (dg->lo) { // x' = 1 > 0: falls before the spike, rises after it
        dg->lo[0] = lo > 0 ? 1e-300 : -INFINITY;
        dg->hi[0] = hi < 0 ? -1e-300 : INFINITY;
    }
    return FO_OK;
}

TEST(bounds_find_what_no_sampling_sees)
{
    static const fo_system_type type = {.rates = scene_clock_rates,
                                        .guards = spike_guard,
                                        .jump = scene_only_look,
                                        .guard_bounds = spike_bounds};
    const fo_description about = {.name = "spike",
                                  .states = FO_VARIABLES({"x"}),
                                  .guards = FO_GUARDS({"spike", FO_EITHER, .bounded = true})};
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, run_to(1), &log_, &why), FO_REACHED,
                 &why);
    CHECK_INT(log_.count, 2);
    CHECK_NEAR(log_.list[0].t, spike_at - 5e-10, 1e-15);
    CHECK_NEAR(log_.list[1].t, spike_at + 5e-10, 1e-15);
}

// ---- 12. what is held agrees with the sign after every step

// x = sin(3 t) of a clock; the model holds whether it is above zero, and says so.
SCENE_GUARDS(fast_level)
{
    IGNORE;
    g[0] = sin(3 * x[0]);
    return FO_OK;
}

SCENE_JUMP(take_sign)
{
    (void)model;
    s->d[0] = m->direction == FO_RISING;
    e->unchanged = true;
    return FO_OK;
}

static void held_of_d(const void *model, const fo_state *s, uint8_t *signs)
{
    (void)model;
    signs[0] = s->d[0] != 0 ? FO_ABOVE : FO_BELOW | FO_AT_ZERO;
}

static fo_status check_held(void *self, const fo_row *row, fo_message *w)
{
    (void)w;
    double g = sin(3 * row->values[0]);
    *(int *)self +=
        fabs(g) > 1e-14 && (g > 0) != (row->values[1] != 0) && row->kind != FO_ROW_BEFORE;
    return FO_OK;
}

TEST(what_is_held_agrees_with_the_sign_after_every_step)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = fast_level, .jump = take_sign, .held = held_of_d};
    const fo_description about = {.name = "held",
                                  .states = FO_VARIABLES({"x"}),
                                  .discretes = FO_VARIABLES({"above"}),
                                  .guards = FO_GUARDS({"level", FO_EITHER})};
    int wrong = 0;
    fo_run_def def = run_to(20);
    fo_observer observer = {.self = &wrong, .row = check_held, .interval = 0};
    def.observers = &observer, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 20), FO_REACHED, fo_simulation_message(sim));
    CHECK_INT(wrong, 0);
    // it is zero at the start and leaves upwards: that, and every multiple of pi/3 below 20
    CHECK_INT((long long)fo_simulation_statistics(sim).moments, 1 + (long long)(60 / M_PI));
    fo_simulation_destroy(sim);
}

// ---- 13. jumps and poles; guards without bounds are searched

static int kind_of_guard;

SCENE_GUARDS(opaque)
{
    IGNORE;
    double y = x[0];
    switch (kind_of_guard) {
    case 0: g[0] = sin(y) > 0 ? 1 : -1; break;
    case 1: g[0] = sin(1000 * y); break;
    case 2: g[0] = 1e-9 - fabs(y - 37.123); break;
    case 3: g[0] = fmod(y, 1) - 0.5; break;
    case 4: g[0] = cos(y) - 1 + 1e-9; break;
    default: g[0] = floor(y) - 49.5; break;
    }
    return FO_OK;
}

static long fired;

SCENE_JUMP(count_and_change)
{
    (void)model, (void)m, (void)e;
    fired++;
    s->x[1] += 1;
    return FO_OK;
}

SCENE_JUMP(count_only)
{
    (void)model, (void)s, (void)m;
    fired++;
    e->unchanged = true;
    return FO_OK;
}

SCENE_RATES(clock_and_rest)
{
    IGNORE, (void)x;
    dx[0] = 1, dx[1] = 0;
    return FO_OK;
}

TEST(guards_in_c_that_jump_or_oscillate_are_found_and_reported_as_searched)
{
    static const long truth[] = {16, 15916, 1, 100, 15, 1};
    const fo_description about = {.name = "opaque",
                                  .states = FO_VARIABLES({"x"}, {"n"}),
                                  .guards = FO_GUARDS({"g", FO_RISING})};
    for (int changes = 0; changes < 2; changes++)
        for (kind_of_guard = 0; kind_of_guard < 6; kind_of_guard++) {
            fo_system_type type = {.rates = clock_and_rest,
                                   .guards = opaque,
                                   .jump = changes ? count_and_change : count_only};
            fo_run_def def = run_to(100);
            fired = 0;
            fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
            REQUIRE(sim);
            CHECK_STATUS(fo_simulation_advance(sim, 100), FO_REACHED, fo_simulation_message(sim));
            if (fired != truth[kind_of_guard])
                test_fail(__FILE__, __LINE__, "guard %d: %ld of %ld", kind_of_guard, fired,
                          truth[kind_of_guard]);
            fo_guard_report report;
            CHECK(fo_simulation_guard_report(sim, 0, &report));
            CHECK(!report.certified && report.searched > 0);
            CHECK_INT(fo_simulation_statistics(sim).certified_guards, 0);
            CHECK(!fo_simulation_guard_report(sim, 1, &report));
            fo_simulation_destroy(sim);
        }
}

// ---- 14. certified means proved

SCENE_GUARDS(one_over)
{
    IGNORE;
    g[0] = 1 / (x[0] - 0.3);
    g[1] = x[0] - 0.5;
    return FO_OK;
}

static fo_status one_over_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                 fo_enclosure *e)
{
    (void)model, (void)s;
    double lo = nextafter(on->x.lo[0] - 0.3, -1), hi = nextafter(on->x.hi[0] - 0.3, 1);
    e->g.lo[1] = on->x.lo[0] - 0.5 - 1e-16, e->g.hi[1] = on->x.hi[0] - 0.5 + 1e-16;
    if (e->dg.lo) e->dg.lo[1] = on->dx.lo[0], e->dg.hi[1] = on->dx.hi[0];
    if (lo <= 0 && hi >= 0) {
        e->nature[0] = FO_MAY_JUMP;
        return FO_OK;
    }
    e->g.lo[0] = nextafter(1 / hi, -INFINITY), e->g.hi[0] = nextafter(1 / lo, INFINITY);
    if (e->dg.lo) e->dg.lo[0] = -INFINITY, e->dg.hi[0] = 0;
    return FO_OK;
}

TEST(a_pole_is_isolated_and_reported)
{
    static const fo_system_type type = {.rates = scene_clock_rates,
                                        .guards = one_over,
                                        .jump = scene_only_look,
                                        .guard_bounds = one_over_bounds};
    const fo_description about = {.name = "pole",
                                  .states = FO_VARIABLES({"x"}),
                                  .guards = FO_GUARDS({"pole", FO_EITHER, .bounded = true},
                                                      {"line", FO_EITHER, .bounded = true})};
    fo_run_def def = run_to(1);
    fo_observer observer = {.self = &log_, .moment = scene_note, .interval = -1};
    def.observers = &observer, def.observer_count = 1;
    log_.count = 0;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 1), FO_REACHED, fo_simulation_message(sim));
    CHECK_INT(log_.count, 2);
    CHECK_INT(log_.list[0].direction, FO_RISING);
    CHECK_NEAR(log_.list[0].t, 0.3, 1e-15);
    fo_guard_report pole, line;
    CHECK(fo_simulation_guard_report(sim, 0, &pole) && fo_simulation_guard_report(sim, 1, &line));
    CHECK(!pole.certified && pole.isolated > 0 && pole.searched == 0 && pole.limited == 0);
    CHECK(line.certified && line.proved > 0);
    CHECK_INT(fo_simulation_statistics(sim).certified_guards, 1);
    fo_simulation_destroy(sim);
}

SCENE_GUARDS(always_one)
{
    (void)model, (void)s, (void)t, (void)x;
    g[0] = 1;
    return FO_OK;
}

// Nothing is known of it from 0.3 to 0.4, however near one looks.
static fo_status half_known(const void *model, const fo_state *s, const fo_stretch *on,
                            fo_enclosure *e)
{
    (void)model, (void)s;
    bool known = on->t_hi < 0.3 || on->t_lo > 0.4 || on->t_hi - on->t_lo < 1e-9;
    e->g.lo[0] = known ? 1 : -1, e->g.hi[0] = known ? 1 : 3;
    if (e->dg.lo) e->dg.lo[0] = known ? 0 : -1, e->dg.hi[0] = known ? 0 : 1;
    return FO_OK;
}

TEST(a_search_that_is_left_says_where)
{
    static const fo_system_type type = {.rates = scene_clock_rates,
                                        .guards = always_one,
                                        .jump = scene_only_look,
                                        .guard_bounds = half_known};
    const fo_description about = {.name = "half",
                                  .states = FO_VARIABLES({"x"}),
                                  .guards = FO_GUARDS({"half", FO_EITHER, .bounded = true})};
    fo_run_def def = run_to(1);
    def.max_step = 0.25;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 1), FO_REACHED, fo_simulation_message(sim));
    fo_guard_report half;
    CHECK(fo_simulation_guard_report(sim, 0, &half));
    CHECK(!half.certified && half.limited > 0);
    CHECK(half.limited_from >= 0.25 && half.limited_from < 0.4);
    CHECK(half.limited_to > half.limited_from && half.limited_to <= 0.75);
    fo_simulation_destroy(sim);
}

// ---- 15. time does not creep

SCENE_JUMP(creep)
{
    (void)model, (void)m, (void)e;
    s->x[0] = 1 - 1e-14; // again just below the level
    return FO_OK;
}

SCENE_GUARDS(level_one)
{
    IGNORE;
    g[0] = x[0] - 1;
    return FO_OK;
}

TEST(creeping_time_is_an_error_with_a_name)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = level_one, .jump = creep};
    const fo_description about = {
        .name = "creep", .states = FO_VARIABLES({"x"}), .guards = FO_GUARDS({"level", FO_RISING})};
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, run_to(2), &log_, &why), FO_ERROR_ZENO,
                 &why);
    CHECK_CONTAINS(why.text, "time creeps at t = 1.0000000");
    CHECK_CONTAINS(why.text, "'level'");
    CHECK(log_.count <= 1010);
}

TEST_MAIN(TEST_ENTRY(bounds_find_what_no_sampling_sees),
          TEST_ENTRY(what_is_held_agrees_with_the_sign_after_every_step),
          TEST_ENTRY(guards_in_c_that_jump_or_oscillate_are_found_and_reported_as_searched),
          TEST_ENTRY(a_pole_is_isolated_and_reported), TEST_ENTRY(a_search_that_is_left_says_where),
          TEST_ENTRY(creeping_time_is_an_error_with_a_name))
