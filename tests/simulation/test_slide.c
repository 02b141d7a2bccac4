// Sliding along the zero of a guard, against closed forms: plain C systems whose rates look at x
// themselves, and such whose mode is set by the jump.
#include "scene.h"

#define IGNORE (void)model, (void)s, (void)t, (void)x

static double sgn(double v)
{
    return (v > 0) - (v < 0);
}

// ---- what was reported, by kind

typedef struct story {
    size_t count;
    fo_moment list[64];
} story;

static fo_status note(void *self, const fo_moment *m, fo_message *why)
{
    story *log = self;
    (void)why;
    bool told = m->kind == FO_REST || m->kind == FO_REST_END || m->kind == FO_SLIDE ||
                m->kind == FO_SLIDE_END;
    if (told && log->count < 64) log->list[log->count++] = *m;
    return FO_OK;
}

typedef struct trial {
    fo_system system;
    fo_run_def def;
    fo_observer observer;
    fo_simulation *sim;
    story story;
    fo_message why;
} trial;

static const char *const solvers[] = {"dp45",      "dop853", "rodas4", "radau5",
                                      "rk4",       "bs23",   "adams",  "implicit-midpoint",
#ifdef FOI_WITH_SUNDIALS
                                      "cvode-bdf",
#endif
                                      NULL};

// Rates that look at x themselves are no smooth functions: only a method that rejects steps can be
// trusted to carry them to the surface.
static const char *const careful[] = {"dp45", "dop853", "bs23", "adams", NULL};

static trial *begin(const fo_system_type *type, const fo_description *about, double stop,
                    const char *solver)
{
    static trial r;
    r = (trial){.system = {type, about, NULL}, .def = fo_default_run_def()};
    r.def.stop = stop, r.def.rtol = 1e-10, r.def.atol = 1e-12, r.def.solver = solver;
    r.def.step = stop / 2048;
    r.observer = (fo_observer){.self = &r.story, .moment = note, .interval = -1};
    r.def.observers = &r.observer, r.def.observer_count = 1;
    r.sim = fo_simulation_create(r.system, &r.def, &r.why);
    if (!r.sim) test_fail(__FILE__, __LINE__, "%s", r.why.text);
    return &r;
}

static void go(trial *r, double t)
{
    fo_status status = fo_simulation_advance(r->sim, t);
    if (status != FO_REACHED)
        test_fail(__FILE__, __LINE__, "%s: %s", r->def.solver ? r->def.solver : "default",
                  fo_simulation_message(r->sim)->text);
}

static double state(const trial *r, uint32_t i)
{
    return fo_simulation_state(r->sim)->x[i];
}

static void end(trial *r)
{
    fo_simulation_destroy(r->sim);
}

static void told(const trial *r, size_t i, fo_moment_kind kind, double t, double error)
{
    if (i >= r->story.count) {
        test_fail(__FILE__, __LINE__, "%s: only %zu reports", r->def.solver, r->story.count);
        return;
    }
    const fo_moment *m = &r->story.list[i];
    if (m->kind != kind || !(fabs(m->t - t) <= error))
        test_fail(__FILE__, __LINE__, "%s: report %zu has kind %d at %.12g, not %d at %.12g",
                  r->def.solver, i, (int)m->kind, m->t, (int)kind, t);
}

// Whether the solver is good to some 1e-9 in these tests.
static bool is_fine(const char *solver)
{
    return strcmp(solver, "implicit-midpoint") != 0;
}

// ---- a guard at x[0], seen by the rates or set by the jump into d[0]

SCENE_GUARDS(first)
{
    IGNORE;
    g[0] = x[0];
    return FO_OK;
}

SCENE_JUMP(set_sign)
{
    (void)model, (void)e;
    if (m->kind == FO_GUARD) s->d[m->index] = m->direction;
    return FO_OK;
}

SCENE_JUMP(only_look)
{
    (void)model, (void)s, (void)m, (void)e;
    return FO_OK;
}

// ---- 4. x' = -sgn x from 1: slides from 1 on

SCENE_RATES(relay_seen)
{
    IGNORE;
    dx[0] = -sgn(x[0]);
    return FO_OK;
}

SCENE_RATES(relay_set)
{
    IGNORE;
    dx[0] = -s->d[0];
    return FO_OK;
}

TEST(a_relay_slides_from_the_moment_it_comes_to_zero)
{
    static const fo_system_type types[] = {
        {.rates = relay_seen, .guards = first, .jump = only_look},
        {.rates = relay_set, .guards = first, .jump = set_sign}};
    const fo_description about = {.name = "relay",
                                  .states = FO_VARIABLES({"x", "", 1}),
                                  .discretes = FO_VARIABLES({"mode", "", 1}),
                                  .guards = FO_GUARDS({"x"})};
    const char *const *of[] = {careful, solvers};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; of[i][k]; k++) {
            trial *r = begin(&types[i], &about, 3, of[i][k]);
            go(r, 3);
            CHECK_INT(r->story.count, 1);
            told(r, 0, FO_SLIDE, 1, 1e-9);
            CHECK_NEAR(state(r, 0), 0, 1e-15);
            end(r);
        }
}

// ---- 5. x' = 2 sin t - sgn x from 0: slides to pi/6, and crosses 0 at 3.8168 without sliding

SCENE_RATES(driven_seen)
{
    IGNORE;
    dx[0] = 2 * sin(t) - sgn(x[0]);
    return FO_OK;
}

SCENE_RATES(driven_set)
{
    IGNORE;
    dx[0] = 2 * sin(t) - s->d[0];
    return FO_OK;
}

TEST(a_driven_relay_leaves_when_one_side_wins)
{
    static const fo_system_type types[] = {
        {.rates = driven_seen, .guards = first, .jump = only_look},
        {.rates = driven_set, .guards = first, .jump = set_sign}};
    const fo_description about = {.name = "driven",
                                  .states = FO_VARIABLES({"x"}),
                                  .discretes = FO_VARIABLES({"mode", "", -1}),
                                  .guards = FO_GUARDS({"x"})};
    const char *const *of[] = {careful, solvers};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; of[i][k]; k++) {
            trial *r = begin(&types[i], &about, 4, of[i][k]);
            double error = is_fine(of[i][k]) ? 1e-8 : 1e-5;
            go(r, 5 * M_PI / 6);
            CHECK_NEAR(state(r, 0), 2 * sqrt(3.0) - 2 * M_PI / 3, error);
            go(r, 3.8);
            CHECK(state(r, 0) > 0);
            go(r, 4);
            CHECK(state(r, 0) < 0);
            CHECK_INT(r->story.count, 2);
            told(r, 0, FO_SLIDE, 0, 1e-9);
            told(r, 1, FO_SLIDE_END, M_PI / 6, 1e-9);
            end(r);
        }
}

// ---- 6. v' = t - sgn v: sticks to 1; x(3) = 4/3

SCENE_GUARDS(second)
{
    IGNORE;
    g[0] = x[1];
    return FO_OK;
}

SCENE_RATES(ramp)
{
    IGNORE;
    dx[0] = x[1], dx[1] = t - s->d[0];
    return FO_OK;
}

TEST(friction_sticks_until_the_force_is_large_enough)
{
    static const fo_system_type type = {.rates = ramp, .guards = second, .jump = set_sign};
    const fo_description about = {.name = "ramp",
                                  .states = FO_VARIABLES({"x"}, {"v"}),
                                  .discretes = FO_VARIABLES({"mode", "", -1}),
                                  .guards = FO_GUARDS({"v"})};
    for (size_t k = 0; solvers[k]; k++) {
        trial *r = begin(&type, &about, 3, solvers[k]);
        go(r, 3);
        CHECK_NEAR(state(r, 0), 4.0 / 3, is_fine(solvers[k]) ? 1e-9 : 1e-5);
        CHECK_INT(r->story.count, 2);
        told(r, 1, FO_SLIDE_END, 1, 1e-9);
        CHECK_INT(r->story.list[1].direction, FO_RISING);
        end(r);
    }
}

// ---- 7. x'' = -x - 0.3 sgn v from 1: sticks at -0.2 from 2 pi

SCENE_RATES(spring)
{
    IGNORE;
    dx[0] = x[1], dx[1] = -x[0] - 0.3 * s->d[0];
    return FO_OK;
}

TEST(a_spring_with_friction_comes_to_rest)
{
    static const fo_system_type type = {.rates = spring, .guards = second, .jump = set_sign};
    const fo_description about = {.name = "spring",
                                  .states = FO_VARIABLES({"x", "", 1}, {"v"}),
                                  .discretes = FO_VARIABLES({"mode", "", -1}),
                                  .guards = FO_GUARDS({"v"})};
    for (size_t k = 0; solvers[k]; k++) {
        trial *r = begin(&type, &about, 10, solvers[k]);
        double error = is_fine(solvers[k]) ? 2e-8 : 1e-4;
        go(r, 10);
        CHECK_NEAR(state(r, 0), -0.2, error);
        CHECK_NEAR(state(r, 1), 0, 1e-15);
        CHECK_INT(r->story.count, 1);
        told(r, 0, FO_SLIDE, 2 * M_PI, error);
        end(r);
    }
}

// ---- 8. and 9. two surfaces

SCENE_GUARDS(both)
{
    IGNORE;
    g[0] = x[0], g[1] = x[1];
    return FO_OK;
}

SCENE_RATES(spiral)
{
    IGNORE;
    dx[0] = -sgn(x[0]) - 2 * sgn(x[1]), dx[1] = 2 * sgn(x[0]) - sgn(x[1]);
    return FO_OK;
}

SCENE_RATES(spiral_set)
{
    IGNORE;
    dx[0] = -s->d[0] - 2 * s->d[1], dx[1] = 2 * s->d[0] - s->d[1];
    return FO_OK;
}

TEST(crossings_that_accumulate_on_two_surfaces_end_on_both)
{
    static const fo_system_type types[] = {{.rates = spiral, .guards = both, .jump = only_look},
                                           {.rates = spiral_set, .guards = both, .jump = set_sign}};
    const fo_description about = {.name = "spiral",
                                  .states = FO_VARIABLES({"x", "", 1}, {"y"}),
                                  .discretes = FO_VARIABLES({"sx", "", 1}, {"sy", "", 1}),
                                  .guards = FO_GUARDS({"x"}, {"y"})};
    const char *const *of[] = {careful, solvers};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; of[i][k]; k++) {
            trial *r = begin(&types[i], &about, 2, of[i][k]);
            go(r, 2);
            CHECK_NEAR(state(r, 0), 0, 1e-15);
            CHECK_NEAR(state(r, 1), 0, 1e-15);
            CHECK_INT(r->story.count, 2);
            told(r, 0, FO_SLIDE, 0.5, 1e-8);
            told(r, 1, FO_SLIDE, 0.5, 1e-8);
            end(r);
        }
}

SCENE_RATES(corner)
{
    IGNORE;
    dx[0] = -s->d[0], dx[1] = -s->d[1];
    return FO_OK;
}

TEST(one_surface_leads_to_the_other)
{
    static const fo_system_type type = {.rates = corner, .guards = both, .jump = set_sign};
    const fo_description about = {.name = "corner",
                                  .states = FO_VARIABLES({"x", "", 1}, {"y", "", 2}),
                                  .discretes = FO_VARIABLES({"sx", "", 1}, {"sy", "", 1}),
                                  .guards = FO_GUARDS({"x"}, {"y"})};
    for (size_t k = 0; solvers[k]; k++) {
        trial *r = begin(&type, &about, 3, solvers[k]);
        go(r, 1.5);
        CHECK_NEAR(state(r, 0), 0, 1e-15);
        CHECK_NEAR(state(r, 1), 0.5, 1e-9);
        go(r, 3);
        CHECK_NEAR(state(r, 0), 0, 1e-15);
        CHECK_NEAR(state(r, 1), 0, 1e-15);
        CHECK_INT(r->story.count, 2);
        told(r, 0, FO_SLIDE, 1, 1e-9);
        told(r, 1, FO_SLIDE, 2, 1e-9);
        end(r);
    }
}

// ---- 10. two tanks: no rest

SCENE_RATES(tanks)
{
    IGNORE;
    dx[0] = (s->d[0] != 0 ? 0.75 : 0) - 0.5;
    dx[1] = (s->d[0] != 0 ? 0 : 0.75) - 0.5;
    return FO_OK;
}

SCENE_JUMP(switch_tank)
{
    (void)model, (void)e;
    s->d[0] = m->index == 0;
    return FO_OK;
}

TEST(where_no_rest_exists_the_run_says_so)
{
    static const fo_system_type type = {.rates = tanks, .guards = both, .jump = switch_tank};
    const fo_description about = {.name = "tanks",
                                  .states = FO_VARIABLES({"a", "", 1}, {"b", "", 1}),
                                  .discretes = FO_VARIABLES({"first", "", 1}),
                                  .guards = FO_GUARDS({"a", FO_FALLING}, {"b", FO_FALLING})};
    for (size_t k = 0; solvers[k]; k++) {
        trial *r = begin(&type, &about, 10, solvers[k]);
        CHECK_INT(fo_simulation_advance(r->sim, 10), FO_ERROR_ZENO);
        CHECK_CONTAINS(fo_simulation_message(r->sim)->text, "before t = 8 ");
        CHECK_CONTAINS(fo_simulation_message(r->sim)->text, "no rest");
        end(r);
    }
}

// ---- made at random: x' = b - a s, y' = c s + d x with s = sgn x set by the jump, |b| < a. From
// x0 it comes to zero at x0 / (a - b), and slides with s = b / a: y' = c b / a.

static struct {
    double a, b, c, d;
} piecewise;

SCENE_RATES(piecewise_rates)
{
    IGNORE;
    dx[0] = piecewise.b - piecewise.a * s->d[0];
    dx[1] = piecewise.c * s->d[0] + piecewise.d * x[0];
    return FO_OK;
}

TEST(random_relays_have_filippovs_solution)
{
    static const fo_system_type type = {
        .rates = piecewise_rates, .guards = first, .jump = set_sign};
    uint32_t seed = 5;
    for (int turn = 0; turn < 40; turn++) {
        double part[4];
        for (int i = 0; i < 4; i++) {
            seed = seed * 1664525 + 1013904223;
            part[i] = (seed >> 8) / 8388608.0 - 1;
        }
        double a = 1 + fabs(part[0]), b = 0.95 * a * part[1], x0 = 0.1 + fabs(part[2]);
        piecewise.a = a, piecewise.b = b, piecewise.c = 2 * part[3], piecewise.d = part[0];
        fo_variable states[] = {{"x", "", turn % 2 ? -x0 : x0}, {"y"}};
        fo_variable modes[] = {{"mode", "", turn % 2 ? -1 : 1}};
        const fo_description about = {.name = "piecewise",
                                      .states = {states, 2},
                                      .discretes = {modes, 1},
                                      .guards = FO_GUARDS({"x"})};
        double sign = turn % 2 ? -1 : 1, speed = a - sign * b, hit = x0 / speed, stop = 2 * hit + 1;
        for (size_t k = 0; solvers[k]; k++) {
            if ((k + (size_t)turn) % 3) continue;
            trial *r = begin(&type, &about, stop, solvers[k]);
            go(r, stop);
            double y = piecewise.c * sign * hit + piecewise.d * sign * x0 * hit / 2;
            y += piecewise.c * b / a * (stop - hit);
            CHECK_INT(r->story.count, 1);
            told(r, 0, FO_SLIDE, hit, 1e-9 * stop);
            CHECK_NEAR(state(r, 0), 0, 1e-14);
            CHECK_NEAR(state(r, 1), y, is_fine(solvers[k]) ? 1e-8 * stop : 1e-5 * stop);
            end(r);
        }
    }
}

// ---- relations that hold whatever the answer is

static const fo_description driven_about = {.name = "driven",
                                            .states = FO_VARIABLES({"x"}, {"y", "", 0.25}),
                                            .discretes = FO_VARIABLES({"mode", "", -1}),
                                            .parameters = FO_VARIABLES({"a", "", 1}, {"w", "", 1}),
                                            .guards = FO_GUARDS({"x"})};

// In units of x by a and of time by 1/w; y is carried along.
SCENE_RATES(scaled)
{
    (void)model;
    double a = s->p[0], w = s->p[1];
    dx[0] = a * w * (1.25 * sin(w * t) - s->d[0]);
    dx[1] = w * (x[0] - x[1] + a * s->d[0]);
    return FO_OK;
}

static const fo_system_type scaled_type = {.rates = scaled, .guards = first, .jump = set_sign};

static void finish(double a, double w, const char *solver, double *x, story *log)
{
    trial *r = begin(&scaled_type, &driven_about, 16 / w, solver);
    fo_simulation_destroy(r->sim);
    r->def.atol = a * 0x1p-40, r->def.step = 16 / w / 1024;
    r->sim = fo_simulation_create(r->system, &r->def, &r->why);
    fo_simulation_set(r->sim, "a", a);
    fo_simulation_set(r->sim, "w", w);
    fo_simulation_set(r->sim, "y", 0.25 * a);
    go(r, 16 / w);
    x[0] = state(r, 0), x[1] = state(r, 1);
    *log = r->story;
    end(r);
}

TEST(scaling_by_powers_of_two_scales_the_bits)
{
    static const char *const some[] = {"dp45", "rk4", "rodas4", NULL};
    for (size_t k = 0; some[k]; k++) {
        double x[2], y[2];
        story one, other;
        finish(1, 1, some[k], x, &one);
        CHECK(one.count >= 4);
        static const double as[] = {0x1p-40, 0x1p30}, ws[] = {0x1p-20, 0x1p24};
        for (int i = 0; i < 2; i++) {
            finish(as[i], ws[i], some[k], y, &other);
            CHECK_INT(other.count, one.count);
            CHECK_NEAR(y[0] / as[i], x[0], 1e-9);
            CHECK_NEAR(y[1] / as[i], x[1], 1e-9);
            for (size_t m = 0; m < one.count && m < other.count; m++)
                CHECK_NEAR(other.list[m].t * ws[i], one.list[m].t, 1e-9);
        }
    }
}

TEST(pieces_and_snapshots_give_the_same_bits)
{
    static const char *const some[] = {"dp45", "dop853", "rk4", "rodas4", "radau5", "adams", NULL};
    for (size_t k = 0; some[k]; k++) {
        trial *r = begin(&scaled_type, &driven_about, 16, some[k]);
        go(r, 16);
        double whole[2] = {state(r, 0), state(r, 1)};
        uint64_t steps = fo_simulation_statistics(r->sim).steps;
        end(r);
        r = begin(&scaled_type, &driven_about, 16, some[k]);
        fo_simulation *second = NULL;
        for (double t = 0.05; t < 16; t += 0.173) {
            go(r, t);
            fo_snapshot *snap = fo_simulation_snapshot(r->sim);
            REQUIRE(snap);
            // into itself, and now and then into another one that has not even begun
            CHECK_STATUS(fo_simulation_restore(r->sim, snap), FO_OK, fo_simulation_message(r->sim));
            if (fmod(t, 0.7) < 0.173) {
                second = fo_simulation_create(r->system, &r->def, &r->why);
                CHECK_STATUS(fo_simulation_restore(second, snap), FO_OK,
                             fo_simulation_message(second));
                fo_simulation_destroy(r->sim);
                r->sim = second;
            }
            fo_snapshot_destroy(snap);
        }
        go(r, 16);
        CHECK(state(r, 0) == whole[0] && state(r, 1) == whole[1]);
        CHECK_INT(fo_simulation_statistics(r->sim).steps, steps);
        end(r);
    }
}

// ---- several ways to go on

// Along y = 0 to the corner. There the mode above both carries both away, and a slide along both
// attracts, too: a_x = 1 - 5 a (1 - b) and a_y = 1 - 5 b (1 - a) vanish for a = b = 0.276.
SCENE_RATES(parting)
{
    IGNORE;
    bool right = s->d[0] > 0, up = s->d[1] > 0;
    dx[0] = right && !up ? -4 : 1, dx[1] = up && !right ? -4 : 1;
    return FO_OK;
}

// The same without the way out.
SCENE_RATES(meeting)
{
    IGNORE;
    bool right = s->d[0] > 0, up = s->d[1] > 0;
    dx[0] = right ? -4 : 1, dx[1] = up ? -4 : 1;
    return FO_OK;
}

// And where the mode in which it comes to the corner would carry it on, but all together do not.
SCENE_RATES(balance)
{
    IGNORE;
    bool right = s->d[0] > 0, up = s->d[1] > 0;
    dx[0] = right && !up ? -4 : 1, dx[1] = up ? -4 : 1;
    return FO_OK;
}

static int said;

static void hear(void *self, double t, const char *text)
{
    (void)self;
    said++;
    CHECK(strstr(text, "not unique"));
    CHECK_NEAR(t, 1, 1e-9);
}

TEST(several_ways_to_go_on_are_said)
{
    static const fo_system_type types[] = {{.rates = parting, .guards = both, .jump = set_sign},
                                           {.rates = meeting, .guards = both, .jump = set_sign},
                                           {.rates = balance, .guards = both, .jump = set_sign}};
    const fo_description about = {.name = "parting",
                                  .states = FO_VARIABLES({"x", "", -1}, {"y", "", -0.5}),
                                  .discretes = FO_VARIABLES({"sx", "", -1}, {"sy", "", -1}),
                                  .guards = FO_GUARDS({"x"}, {"y"})};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; solvers[k]; k++) {
            trial *r = begin(&types[i], &about, 2, solvers[k]);
            fo_simulation_destroy(r->sim);
            r->observer.note = hear;
            r->sim = fo_simulation_create(r->system, &r->def, &r->why);
            said = 0;
            go(r, 2);
            CHECK_INT(said, i == 0);
            if (i) CHECK_NEAR(state(r, 0), 0, 1e-15);
            if (i) CHECK_INT(r->story.count, 2);
            end(r);
        }
}

TEST_MAIN(TEST_ENTRY(random_relays_have_filippovs_solution),
          TEST_ENTRY(a_relay_slides_from_the_moment_it_comes_to_zero),
          TEST_ENTRY(a_driven_relay_leaves_when_one_side_wins),
          TEST_ENTRY(friction_sticks_until_the_force_is_large_enough),
          TEST_ENTRY(a_spring_with_friction_comes_to_rest),
          TEST_ENTRY(crossings_that_accumulate_on_two_surfaces_end_on_both),
          TEST_ENTRY(one_surface_leads_to_the_other),
          TEST_ENTRY(where_no_rest_exists_the_run_says_so),
          TEST_ENTRY(scaling_by_powers_of_two_scales_the_bits),
          TEST_ENTRY(pieces_and_snapshots_give_the_same_bits),
          TEST_ENTRY(several_ways_to_go_on_are_said))
