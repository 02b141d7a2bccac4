/// One test per sentence of the contract of events in <foliot/simulation.h>.
#include "contract.h"

// ---- 1. a guard fires when it reaches zero or crosses it, coming from the side it names

SCENE_GUARDS(sine_of_time)
{
    IGNORE;
    g[0] = g[1] = g[2] = sin(x[0]);
    return FO_OK;
}

TEST(direction_names_the_side_it_comes_from)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = sine_of_time, .jump = scene_only_look};
    const fo_description about = {
        .name = "sine",
        .states = FO_VARIABLES({"x", "", 0.5}),
        .guards = FO_GUARDS({"up", FO_RISING}, {"down", FO_FALLING}, {"both", FO_EITHER})};
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, run_to(10), &log_, &why), FO_REACHED,
                 &why);
    // x = t + 0.5 passes pi (down), 2 pi (up), 3 pi (down)
    CHECK_INT(log_.count, 6);
    static const struct {
        uint32_t index;
        fo_direction direction;
        double x;
    } expected[] = {{1, FO_FALLING, M_PI},    {2, FO_FALLING, M_PI},     {0, FO_RISING, 2 * M_PI},
                    {2, FO_RISING, 2 * M_PI}, {1, FO_FALLING, 3 * M_PI}, {2, FO_FALLING, 3 * M_PI}};
    for (size_t i = 0; i < 6 && i < log_.count; i++) {
        CHECK_INT(log_.list[i].index, expected[i].index);
        CHECK_INT(log_.list[i].direction, expected[i].direction);
        CHECK_NEAR(log_.list[i].t, expected[i].x - 0.5, 1e-14);
    }
}

SCENE_GUARDS(touches_zero)
{
    IGNORE;
    g[0] = (x[0] - 1) * (x[0] - 1); // grazes: reaches zero at 1 and turns back
    g[1] = fabs(x[0] - 1);          // the same with a kink
    return FO_OK;
}

TEST(reaching_zero_and_turning_back_fires_once)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = touches_zero, .jump = scene_only_look};
    const fo_description about = {.name = "graze",
                                  .states = FO_VARIABLES({"x"}),
                                  .guards =
                                      FO_GUARDS({"smooth", FO_FALLING}, {"kink", FO_FALLING})};
    // with fixed steps of 1/4 the solver's point lies exactly on the touching instant
    fo_run_def def = run_to(2);
    def.solver = "euler", def.step = 0.25;
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_REACHED, &why);
    CHECK_INT(log_.count, 2);
    CHECK(log_.list[0].t == 1 && log_.list[1].t == 1);
}

SCENE_GUARDS(just_above)
{
    IGNORE;
    g[0] = (x[0] - 1) * (x[0] - 1) + 1e-12;
    return FO_OK;
}

TEST(passing_just_above_zero_is_no_moment)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = just_above, .jump = scene_only_look};
    const fo_description about = {
        .name = "near", .states = FO_VARIABLES({"x"}), .guards = FO_GUARDS({"near", FO_EITHER})};
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, run_to(2), &log_, &why), FO_REACHED,
                 &why);
    CHECK_INT(log_.count, 0);
}

// ---- 2. located to a few ulps of time, the state just past it

static double g_after; // what the guard was when the jump came

SCENE_GUARDS(level_of_circle)
{
    IGNORE;
    g[0] = x[0] - 0.3;
    return FO_OK;
}

SCENE_JUMP(look_at_guard)
{
    (void)model, (void)m;
    g_after = s->x[0] - 0.3;
    e->unchanged = true;
    return FO_OK;
}

TEST(the_state_is_just_past_the_crossing)
{
    static const fo_system_type type = {
        .rates = scene_circle_rates, .guards = level_of_circle, .jump = look_at_guard};
    const fo_description about = {.name = "circle",
                                  .states = FO_VARIABLES({"x", "", 1}, {"v"}),
                                  .guards = FO_GUARDS({"level", FO_FALLING})};
    fo_run_def def = run_to(2);
    def.rtol = def.atol = 1e-13;
    def.solver = "dop853";
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_REACHED, &why);
    CHECK_INT(log_.count, 1);
    CHECK_NEAR(log_.list[0].t, acos(0.3), 1e-12);
    CHECK(g_after <= 0 && g_after > -1e-14);
}

// ---- 3. several crossings in one step, an even number too

static double parameter_width = 0.1;

SCENE_GUARDS(dip)
{
    IGNORE;
    g[0] = x[1] * x[1] - 0.25 * parameter_width * parameter_width;
    return FO_OK;
}

static const fo_description dip_about = {.name = "dip",
                                         .states = FO_VARIABLES({"x", "", 0}, {"v", "", 1}),
                                         .guards = FO_GUARDS({"dip", FO_EITHER})};
static const fo_system_type dip_type = {
    .rates = scene_circle_rates, .guards = dip, .jump = scene_only_look};

TEST(a_dip_of_any_width_is_found)
{
    // v = cos t is small near pi/2 and 3 pi/2: two crossings each, `width` apart
    const char *solvers[] = {"dp45", "dop853", "rkf45", "bs23", "rk4"};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++)
        for (int tight = 0; tight < 2; tight++)
            for (double width = 1; width >= 0.99e-8; width /= 2) {
                parameter_width = width;
                fo_run_def def = run_to(10);
                def.solver = solvers[i];
                def.rtol = def.atol = tight ? 1e-10 : 1e-3;
                def.step = 0.1;
                scene_run((fo_system){&dip_type, &dip_about, NULL}, def, &log_, &why);
                if (!test_int(__FILE__, __LINE__, solvers[i], (long long)log_.count, 6))
                    test_fail(__FILE__, __LINE__, "width %g rtol %g", width, def.rtol);
            }
}

SCENE_GUARDS(fast_sine)
{
    IGNORE;
    g[0] = sin(50 * x[0]);
    return FO_OK;
}

TEST(many_crossings_in_one_step)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = fast_sine, .jump = scene_only_look};
    const fo_description about = {.name = "fast",
                                  .states = FO_VARIABLES({"x", "", 0.01}),
                                  .guards = FO_GUARDS({"sine", FO_EITHER})};
    fo_run_def def = run_to(10);
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_REACHED, &why);
    CHECK_INT(log_.count, (long long)(50 * 10.01 / M_PI));
    for (size_t i = 0; i < log_.count; i++)
        CHECK_NEAR(log_.list[i].t, (double)(i + 1) * M_PI / 50 - 0.01, 1e-13);
}

// ---- 1 and 4. leaving zero after a while is a moment; passing through it, or touching it, is one

SCENE_GUARDS(zero_on_an_interval)
{
    IGNORE;
    g[0] = g[1] = fmax(0, 1 - x[0]) - fmax(0, x[0] - 2); // positive, zero on [1, 2], negative
    g[2] = fmax(0, 1 - x[0]) + fmax(0, x[0] - 2);        // positive, zero on [1, 2], positive
    g[3] = g[2];
    return FO_OK;
}

TEST(zero_on_an_interval_fires_when_it_is_reached_and_when_it_is_left)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = zero_on_an_interval, .jump = scene_only_look};
    const fo_description about = {.name = "flat",
                                  .states = FO_VARIABLES({"x"}),
                                  .guards = FO_GUARDS({"down", FO_FALLING}, {"either", FO_EITHER},
                                                      {"bowl", FO_EITHER}, {"falls", FO_FALLING})};
    const char *solvers[] = {"dp45", "rk4", "dop853", "adams", "radau5"};
    for (size_t k = 0; k < 5; k++) {
        fo_run_def def = run_to(3);
        def.solver = solvers[k], def.step = 0.3;
        CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_REACHED,
                     &why);
        static const struct {
            uint32_t index;
            fo_direction way;
            double t;
        } expected[] = {{0, FO_FALLING, 1}, {1, FO_FALLING, 1}, {2, FO_FALLING, 1},
                        {3, FO_FALLING, 1}, {0, FO_FALLING, 2}, {1, FO_FALLING, 2},
                        {2, FO_RISING, 2}};
        CHECK_INT(log_.count, 7);
        for (size_t i = 0; i < log_.count && i < 7; i++) {
            CHECK_INT(log_.list[i].index, expected[i].index);
            CHECK_INT(log_.list[i].direction, expected[i].way);
            CHECK_NEAR(log_.list[i].t, expected[i].t, 1e-13);
        }
    }
}

SCENE_RATES(ball_rates)
{
    IGNORE;
    dx[0] = x[1];
    dx[1] = -10;
    return FO_OK;
}

SCENE_GUARDS(height)
{
    IGNORE;
    g[0] = x[0];
    return FO_OK;
}

SCENE_JUMP(bounce_and_stay)
{
    (void)model, (void)m, (void)e;
    s->x[1] = -s->x[1]; // the height is left where it is, at zero or an ulp below
    return FO_OK;
}

TEST(a_guard_at_zero_after_its_jump_does_not_fire_again)
{
    static const fo_system_type type = {
        .rates = ball_rates, .guards = height, .jump = bounce_and_stay};
    for (int direction = -1; direction <= 0; direction++) {
        fo_guard guard = {"floor", (fo_direction)direction};
        fo_description about = {
            .name = "ball", .states = FO_VARIABLES({"h", "m", 1.25}, {"v"}), .guards = {&guard, 1}};
        CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, run_to(10), &log_, &why),
                     FO_REACHED, &why);
        CHECK_INT(log_.count, 10); // falls 0.5 s, then every second
        for (size_t i = 0; i < log_.count; i++) CHECK_NEAR(log_.list[i].t, 0.5 + (double)i, 1e-9);
    }
}

// ---- 5. zero at the start, or put there by another's jump: fires if it leaves in its direction

SCENE_JUMP(hold_still)
{
    (void)model, (void)m;
    s->x[0] = s->x[1] = 0;
    s->d[0] = 1;
    (void)e;
    return FO_OK;
}

SCENE_RATES(falls_unless_held)
{
    (void)model, (void)t;
    dx[0] = s->d[0] ? 0 : x[1];
    dx[1] = s->d[0] ? 0 : -10;
    return FO_OK;
}

TEST(a_guard_at_zero_at_the_start_fires_if_it_leaves_in_its_direction)
{
    static const fo_system_type type = {
        .rates = falls_unless_held, .guards = height, .jump = hold_still};
    const fo_description about = {.name = "on the floor",
                                  .states = FO_VARIABLES({"h"}, {"v"}),
                                  .discretes = FO_VARIABLES({"held"}),
                                  .guards = FO_GUARDS({"floor", FO_FALLING})};
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, run_to(1), &log_, &why), FO_REACHED,
                 &why);
    CHECK_INT(log_.count, 1);
    CHECK(log_.list[0].t == 0);
    // thrown upwards it leaves zero the other way, and comes back after 1 s
    fo_description thrown = about;
    thrown.states = (fo_variables)FO_VARIABLES({"h"}, {"v", "m/s", 5});
    CHECK_STATUS(scene_run((fo_system){&type, &thrown, NULL}, run_to(3), &log_, &why), FO_REACHED,
                 &why);
    CHECK_INT(log_.count, 1);
    CHECK_NEAR(log_.list[0].t, 1, 1e-12);
}

// A clock that a time moment puts to zero from below: no crossing in the falling guard's direction,
// but from there it falls.
static fo_next at_half(const void *model, const fo_state *s)
{
    (void)model;
    return (fo_next){s->d[0] ? INFINITY : 0.5, 0};
}

SCENE_RATES(falls_at_one)
{
    IGNORE, (void)x;
    dx[0] = -1;
    return FO_OK;
}

SCENE_JUMP(put_to_zero)
{
    (void)model;
    if (m->kind != FO_SCHEDULED) e->unchanged = true;
    if (m->kind != FO_SCHEDULED) return FO_OK;
    s->d[0] = 1;
    s->x[0] = 0;
    return FO_OK;
}

TEST(a_guard_put_to_zero_by_another_jump_fires_if_it_leaves_in_its_direction)
{
    static const fo_system_type type = {
        .rates = falls_at_one, .guards = height, .next = at_half, .jump = put_to_zero};
    for (int direction = -1; direction <= 1; direction += 2) {
        fo_guard guard = {"floor", (fo_direction)direction};
        const fo_description about = {.name = "put",
                                      .states = FO_VARIABLES({"x", "", -1}),
                                      .discretes = FO_VARIABLES({"done"}),
                                      .guards = {&guard, 1},
                                      .moments = FO_EVENTS({"put"})};
        CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, run_to(1), &log_, &why),
                     FO_REACHED, &why);
        // falling: it leaves zero that way; rising: the jump itself carried it to zero that way
        CHECK_INT(log_.count, 2);
        CHECK_INT(log_.list[0].kind, FO_SCHEDULED);
        CHECK_INT(log_.list[1].kind, FO_GUARD);
        CHECK_INT(log_.list[1].direction, direction);
        CHECK(log_.list[1].t == 0.5);
    }
}

// ---- 6. a jump that carries a guard to zero or across it fires that guard at the same instant

SCENE_GUARDS(two_levels)
{
    IGNORE;
    g[0] = x[0] - 1;
    g[1] = x[0] - 2;
    return FO_OK;
}

SCENE_JUMP(hop)
{
    (void)model, (void)e;
    if (m->index == 0) s->x[0] = 2; // exactly on the second level
    return FO_OK;
}

TEST(a_jump_fires_the_guards_that_it_carries_across)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = two_levels, .jump = hop};
    const fo_description about = {.name = "hop",
                                  .states = FO_VARIABLES({"x"}),
                                  .guards = FO_GUARDS({"one", FO_RISING}, {"two", FO_RISING})};
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, run_to(3), &log_, &why), FO_REACHED,
                 &why);
    CHECK_INT(log_.count, 2);
    CHECK_INT(log_.list[0].index, 0);
    CHECK_INT(log_.list[0].k, 1);
    CHECK_INT(log_.list[1].index, 1);
    CHECK_INT(log_.list[1].k, 2);
    CHECK(log_.list[0].t == log_.list[1].t);
}

// ---- 7. order at one instant: priority, then scheduled, external, guards, conditions

SCENE_GUARDS(all_at_one)
{
    IGNORE;
    g[0] = g[1] = g[2] = x[0] - 1;
    return FO_OK;
}

static fo_status late_truth(const void *model, const fo_state *s, double t, const double *x,
                            bool *c)
{
    IGNORE;
    c[0] = x[0] >= 1;
    return FO_OK;
}

static fo_next at_one(const void *model, const fo_state *s)
{
    (void)model;
    return (fo_next){s->d[0] ? INFINITY : 1, 0};
}

SCENE_JUMP(book)
{
    (void)model, (void)e;
    if (m->kind == FO_SCHEDULED) s->d[0] = 1;
    return FO_OK;
}

TEST(moments_at_one_instant_happen_in_order)
{
    static const fo_system_type type = {.rates = scene_clock_rates,
                                        .guards = all_at_one,
                                        .conditions = late_truth,
                                        .next = at_one,
                                        .jump = book};
    const fo_description about = {.name = "order",
                                  .states = FO_VARIABLES({"x"}),
                                  .discretes = FO_VARIABLES({"done"}),
                                  .guards = FO_GUARDS({"a", FO_RISING},
                                                      {"first", FO_RISING, .priority = -1},
                                                      {"last", FO_RISING, .priority = 5}),
                                  .conditions = FO_GUARDS({"c", FO_RISING}),
                                  .moments = FO_EVENTS({"clock"}),
                                  .events = FO_EVENTS({"tap"})};
    fo_run_def def = run_to(2);
    def.solver = "euler", def.step = 0.25; // x is exactly 1 at t = 1
    fo_observer observer = {.self = &log_, .moment = scene_note, .interval = -1};
    def.observers = &observer, def.observer_count = 1;
    log_.count = 0;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_send(sim, 1, "tap", 7), FO_OK, fo_simulation_message(sim));
    CHECK_STATUS(fo_simulation_send(sim, 1, "tap", 8), FO_OK, fo_simulation_message(sim));
    CHECK_STATUS(fo_simulation_advance(sim, 2), FO_REACHED, fo_simulation_message(sim));
    static const struct {
        fo_moment_kind kind;
        uint32_t index;
        double value;
    } expected[] = {{FO_GUARD, 1, 0},    {FO_SCHEDULED, 0, 0}, {FO_EXTERNAL, 0, 7},
                    {FO_EXTERNAL, 0, 8}, {FO_GUARD, 0, 0},     {FO_CONDITION, 0, 0},
                    {FO_GUARD, 2, 0}};
    CHECK_INT(log_.count, 7);
    for (size_t i = 0; i < 7 && i < log_.count; i++) {
        CHECK(log_.list[i].t == 1);
        CHECK_INT(log_.list[i].k, (long long)i + 1);
        CHECK_INT(log_.list[i].kind, expected[i].kind);
        CHECK_INT(log_.list[i].index, expected[i].index);
        CHECK(log_.list[i].value == expected[i].value);
    }
    fo_simulation_destroy(sim);
}

// ---- 8. more than max_jumps at one instant

SCENE_JUMP(ping_pong)
{
    (void)model, (void)e;
    s->x[0] = m->index == 0 ? -1 : 1.5; // across the other guard, for ever
    return FO_OK;
}

SCENE_GUARDS(up_and_down)
{
    IGNORE;
    g[0] = x[0] - 1;
    g[1] = -x[0] - 0.5;
    return FO_OK;
}

TEST(too_many_jumps_at_one_instant_are_an_error_with_a_name)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = up_and_down, .jump = ping_pong};
    const fo_description about = {.name = "ping",
                                  .states = FO_VARIABLES({"x"}),
                                  .guards = FO_GUARDS({"ping", FO_RISING}, {"pong", FO_RISING})};
    fo_run_def def = run_to(3);
    def.max_jumps = 50;
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_ERROR_JUMPS,
                 &why);
    CHECK_CONTAINS(why.text, "more than 50 jumps at t = 1");
    CHECK_CONTAINS(why.text, "'p");
}

// ---- 9. Zeno

SCENE_JUMP(lossy_bounce)
{
    (void)model;
    if (m->kind == FO_ZENO) {
        s->x[0] = s->x[1] = 0;
        s->d[0] = 1;
        e->rest = true;
        return FO_OK;
    }
    s->x[0] = 0;
    s->x[1] *= -0.8;
    return FO_OK;
}

TEST(accumulating_moments_are_an_error_with_the_limit)
{
    static const fo_system_type type = {
        .rates = falls_unless_held, .guards = height, .jump = lossy_bounce};
    const fo_description about = {.name = "zeno",
                                  .states = FO_VARIABLES({"h", "m", 1.25}, {"v"}),
                                  .discretes = FO_VARIABLES({"held"}),
                                  .guards = FO_GUARDS({"floor", FO_FALLING})};
    // falls 0.5 s, then bounces of 0.8, 0.64, ...: the limit is 0.5 + 0.8 / (1 - 0.8) = 4.5
    fo_run_def def = run_to(10);
    def.no_rest = true;
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_ERROR_ZENO,
                 &why);
    CHECK_CONTAINS(why.text, "'floor'");
    CHECK_CONTAINS(why.text, "before t = 4.5 ");
}

TEST(a_model_may_rest_at_the_limit)
{
    static const fo_system_type type = {
        .rates = falls_unless_held, .guards = height, .jump = lossy_bounce};
    const fo_description about = {.name = "zeno",
                                  .states = FO_VARIABLES({"h", "m", 1.25}, {"v"}),
                                  .discretes = FO_VARIABLES({"held"}),
                                  .guards = FO_GUARDS({"floor", FO_FALLING, .rests = true})};
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, run_to(10), &log_, &why), FO_REACHED,
                 &why);
    REQUIRE(log_.count > 10);
    CHECK_INT(log_.list[log_.count - 1].kind, FO_ZENO);
    CHECK_NEAR(log_.list[log_.count - 1].t, 4.5, 1e-7);
}

// ---- 10. conditions

static fo_status above_and_below(const void *model, const fo_state *s, double t, const double *x,
                                 bool *c)
{
    IGNORE;
    c[0] = c[1] = c[2] = x[0] > 0.3;
    c[3] = t >= 0; // true from the start
    return FO_OK;
}

TEST(conditions_fire_when_they_change_in_their_direction)
{
    static const fo_system_type type = {
        .rates = scene_circle_rates, .conditions = above_and_below, .jump = scene_only_look};
    const fo_description about = {.name = "conditions",
                                  .states = FO_VARIABLES({"x", "", 1}, {"v"}),
                                  .conditions =
                                      FO_GUARDS({"up", FO_RISING}, {"down", FO_FALLING},
                                                {"both", FO_EITHER}, {"true", FO_RISING})};
    fo_run_def def = run_to(7);
    def.rtol = def.atol = 1e-12;
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_REACHED, &why);
    // at the start `up` and `true` are true; cos t = 0.3 going down, then up
    double down = acos(0.3), up = 2 * M_PI - down;
    static const uint32_t who[] = {0, 3, 1, 2, 0, 2};
    double when[] = {0, 0, down, down, up, up};
    CHECK_INT(log_.count, 6);
    for (size_t i = 0; i < 6 && i < log_.count; i++) {
        CHECK_INT(log_.list[i].index, who[i]);
        CHECK_NEAR(log_.list[i].t, when[i], 1e-10);
    }
}

// ---- 11. time moments and the stop time are hit exactly; a moment at the stop time happens

static fo_next every_third(const void *model, const fo_state *s)
{
    (void)model;
    return (fo_next){(s->d[0] + 1) / 3, 0};
}

SCENE_JUMP(count_one)
{
    (void)model, (void)m;
    s->d[0]++;
    e->unchanged = true;
    return FO_OK;
}

TEST(time_moments_are_hit_exactly_also_at_the_stop)
{
    static const fo_system_type type = {
        .rates = scene_circle_rates, .next = every_third, .jump = count_one};
    const fo_description about = {.name = "metronome",
                                  .states = FO_VARIABLES({"x", "", 1}, {"v"}),
                                  .discretes = FO_VARIABLES({"ticks"}),
                                  .moments = FO_EVENTS({"tick"})};
    const char *solvers[] = {"dp45", "rk4", "euler", "dop853"};
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
        fo_run_def def = run_to(3);
        def.solver = solvers[k], def.step = 0.0625;
        CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_REACHED,
                     &why);
        CHECK_INT(log_.count, 9);
        for (size_t i = 0; i < log_.count; i++) CHECK(log_.list[i].t == (double)(i + 1) / 3);
    }
}

TEST(a_crossing_at_the_stop_time_happens)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = two_levels, .jump = scene_only_look};
    const fo_description about = {.name = "stop",
                                  .states = FO_VARIABLES({"x"}),
                                  .guards = FO_GUARDS({"one", FO_RISING}, {"two", FO_RISING})};
    fo_run_def def = run_to(2);
    def.solver = "euler", def.step = 0.25;
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_REACHED, &why);
    CHECK_INT(log_.count, 2);
    CHECK(log_.list[1].t == 2);
}

TEST_MAIN(TEST_ENTRY(direction_names_the_side_it_comes_from),
          TEST_ENTRY(reaching_zero_and_turning_back_fires_once),
          TEST_ENTRY(passing_just_above_zero_is_no_moment),
          TEST_ENTRY(the_state_is_just_past_the_crossing), TEST_ENTRY(a_dip_of_any_width_is_found),
          TEST_ENTRY(many_crossings_in_one_step),
          TEST_ENTRY(zero_on_an_interval_fires_when_it_is_reached_and_when_it_is_left),
          TEST_ENTRY(a_guard_at_zero_after_its_jump_does_not_fire_again),
          TEST_ENTRY(a_guard_at_zero_at_the_start_fires_if_it_leaves_in_its_direction),
          TEST_ENTRY(a_guard_put_to_zero_by_another_jump_fires_if_it_leaves_in_its_direction),
          TEST_ENTRY(a_jump_fires_the_guards_that_it_carries_across),
          TEST_ENTRY(moments_at_one_instant_happen_in_order),
          TEST_ENTRY(too_many_jumps_at_one_instant_are_an_error_with_a_name),
          TEST_ENTRY(accumulating_moments_are_an_error_with_the_limit),
          TEST_ENTRY(a_model_may_rest_at_the_limit),
          TEST_ENTRY(conditions_fire_when_they_change_in_their_direction),
          TEST_ENTRY(time_moments_are_hit_exactly_also_at_the_stop),
          TEST_ENTRY(a_crossing_at_the_stop_time_happens))
