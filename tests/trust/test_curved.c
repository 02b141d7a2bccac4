// A point that slides without friction along a curved floor, and is lifted off where the floor
// falls away faster than it: beside the motion along a wire, by small steps of the classical
// method.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *const solvers[] = {
    "dp45", "dop853",      "radau5",    "bs23",         "rkv56",        "rodas4", "adams",
#ifdef FOI_WITH_SUNDIALS
    "ida",  "cvode-adams", "cvode-bdf", "ark-implicit", "ark-explicit",
#endif
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0], STEPS = 4000 };

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

static double between(uint64_t *s, double a, double b)
{
    return a + (b - a) * chance(s);
}

/// The floor is at y = A sin(k x) + B cos(q x).
typedef struct scene {
    double A, k, B, q, gravity, x, v, stop;
} scene;

static double slope(const scene *s, double x)
{
    return s->A * s->k * cos(s->k * x) - s->B * s->q * sin(s->q * x);
}

static double bend(const scene *s, double x)
{
    return -s->A * s->k * s->k * sin(s->k * x) - s->B * s->q * s->q * cos(s->q * x);
}

/// What presses it: positive while it stays.
static double press(const scene *s, const double x[2])
{
    return s->gravity + bend(s, x[0]) * x[1] * x[1];
}

static void rates(const scene *s, const double x[2], double dx[2])
{
    double f = slope(s, x[0]);
    dx[0] = x[1], dx[1] = -f * press(s, x) / (1 + f * f);
}

static void step(const scene *s, double h, const double x[2], double to[2])
{
    double k[4][2], y[2];
    rates(s, x, k[0]);
    for (int i = 1; i < 4; i++) {
        double part = i < 3 ? h / 2 : h;
        for (int j = 0; j < 2; j++) y[j] = x[j] + part * k[i - 1][j];
        rates(s, y, k[i]);
    }
    for (int j = 0; j < 2; j++)
        to[j] = x[j] + h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
}

/// Where it is at the stop, or where it is lifted before: returns when; INFINITY: it stays. *least
/// is what presses it least.
static double truth(const scene *s, double x[2], double *least)
{
    double h = s->stop / STEPS, next[2];
    *least = INFINITY;
    for (int i = 0; i < STEPS; i++) {
        step(s, h, x, next);
        double now = press(s, next);
        *least = fmin(*least, now);
        if (now < 0) {
            double lo = 0, hi = h;
            for (int n = 0; n < 60; n++) {
                double m = (lo + hi) / 2;
                step(s, m, x, next);
                *(press(s, next) > 0 ? &lo : &hi) = m;
            }
            memcpy(x, next, sizeof next);
            return i * h + hi;
        }
        memcpy(x, next, sizeof next);
    }
    return INFINITY;
}

typedef struct seen {
    double ends;
} seen;

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    seen *all = self;
    (void)why;
    if (m->kind == FO_REST_END) all->ends = fmin(all->ends, m->t);
    return FO_OK;
}

static void write_scene(const scene *s, char *text, size_t size)
{
    double y = s->A * sin(s->k * s->x) + s->B * cos(s->q * s->x); // but for its last bit
    snprintf(text, size,
             "model Curved Real x(start = %.17g, fixed = true), y(start = %.17g, fixed = true);\n"
             "Real vx(start = %.17g, fixed = true), vy(start = %.17g, fixed = true), f, vn;\n"
             "equation f = %.17g*cos(%.17g*x) - %.17g*sin(%.17g*x); vn = (vy - f*vx)/(1 + f^2);\n"
             "der(x) = vx; der(y) = vy; der(vx) = 0; der(vy) = -%.17g;\n"
             "when y - %.17g*sin(%.17g*x) - %.17g*cos(%.17g*x) <= 0 then\n"
             "reinit(vx, pre(vx) + pre(f)*pre(vn)); reinit(vy, pre(vy) - pre(vn)); end when;\n"
             "end Curved;\n",
             s->x, y, s->v, slope(s, s->x) * s->v, s->A * s->k, s->k, s->B * s->q, s->q, s->gravity,
             s->A, s->k, s->B, s->q);
}

/// Methods of several steps by SUNDIALS begin anew on the surface, with order 1, more often.
static double allowed(const char *solver)
{
    return !strncmp(solver, "cvode", 5) || !strcmp(solver, "ida") ? 2e-3 : 5e-5;
}

/// x at the end.
static void try_one(const scene *s, const char *solver, uint64_t seed, double x, double lifted)
{
    char text[1400];
    seen all = {INFINITY};
    fo_message why = {0};
    write_scene(s, text, sizeof text);
    fo_text_model_def model_def = {.path = "curved.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    fo_observer who = {.self = &all, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = fmin(s->stop, lifted + 1e-3), def.solver = solver, def.rtol = 1e-6, def.atol = 1e-8;
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    fo_status status = sim ? fo_simulation_advance(sim, def.stop) : FO_ERROR_INPUT;
    if (sim) why = *fo_simulation_message(sim);
    if (CHECK_STATUS(status, FO_REACHED, &why)) {
        double at = fo_simulation_state(sim)->x[0], near = allowed(solver);
        bool right = fabs(at - x) <= near && (all.ends < INFINITY) == (lifted < INFINITY);
        if (right && lifted < INFINITY) right = fabs(all.ends - lifted) <= near;
        if (!right)
            test_fail(__FILE__, __LINE__, "seed %llu, %s: x = %.9g, lifted at %.9g; not %.9g, %.9g",
                      (unsigned long long)seed, solver, at, all.ends, x, lifted);
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(a_point_slides_along_a_curved_floor_and_is_lifted)
{
    int tried = 0, count = test_inputs(24, 2000);
    for (uint64_t seed = 1; seed <= (uint64_t)count; seed++) {
        uint64_t r = seed * 0x9e3779b97f4a7c15u + 1;
        scene s = {.A = between(&r, 0.05, 0.6),
                   .k = between(&r, 0.8, 4),
                   .B = between(&r, 0, 0.3),
                   .q = between(&r, 0.8, 3),
                   .gravity = between(&r, 2, 12),
                   .x = between(&r, -1, 1),
                   .v = between(&r, -2.5, 2.5),
                   .stop = between(&r, 1, 3)};
        double x[2] = {s.x, s.v}, beside[2] = {s.x, s.v * (1 + 1e-6)}, least, other;
        if (press(&s, x) < 0.1) continue;
        double lifted = truth(&s, x, &least), later = truth(&s, beside, &other);
        // over the top of a hill, or not
        if (fabs(least) < 1e-2 && lifted == INFINITY) continue;
        if ((lifted < INFINITY) != (later < INFINITY) || fabs(x[0] - beside[0]) > 4e-5) continue;
        if (lifted < INFINITY && !(fabs(lifted - later) <= 4e-5)) continue;
        double end = lifted < INFINITY ? fmin(s.stop, lifted + 1e-3) - lifted : 0;
        tried++, try_one(&s, solvers[seed % SOLVERS], seed, x[0] + end * x[1], lifted);
    }
    CHECK(2 * tried >= count);
}

/// The same in C, where nothing is known of the guard but its value: in other units, of length and
/// of the guard, and with the tolerance of whoever did not think of them.
typedef struct scaled {
    const scene *s;
    double length, unit;
} scaled;

static fo_status start_scaled(const void *model, fo_state *to)
{
    const scaled *m = model;
    const scene *s = m->s;
    to->x[0] = m->length * s->x, to->x[2] = m->length * s->v;
    to->x[1] = m->length * (s->A * sin(s->k * s->x) + s->B * cos(s->q * s->x));
    to->x[3] = m->length * slope(s, s->x) * s->v;
    return FO_OK;
}

static fo_status fall_scaled(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    const scaled *m = model;
    (void)s, (void)t;
    dx[0] = x[2], dx[1] = x[3], dx[2] = 0, dx[3] = -m->length * m->s->gravity;
    return FO_OK;
}

static fo_status height_scaled(const void *model, const fo_state *state, double t, const double *x,
                               double *g)
{
    const scaled *m = model;
    const scene *s = m->s;
    (void)state, (void)t;
    double at = x[0] / m->length, floor = s->A * sin(s->k * at) + s->B * cos(s->q * at);
    g[0] = m->unit * (x[1] - m->length * floor);
    return FO_OK;
}

static fo_status hit_scaled(const void *model, fo_state *s, const fo_moment *at, fo_effect *e)
{
    const scaled *m = model;
    (void)e;
    if (at->kind != FO_GUARD) return FO_OK;
    double f = slope(m->s, s->x[0] / m->length), vn = (s->x[3] - f * s->x[2]) / (1 + f * f);
    s->x[2] += f * vn, s->x[3] -= vn;
    return FO_OK;
}

static void try_scaled(const scaled *m, const char *solver, double atol, double x, double lifted)
{
    static const fo_system_type type = {
        .start = start_scaled, .rates = fall_scaled, .guards = height_scaled, .jump = hit_scaled};
    static const fo_variable states[] = {{"x"}, {"y"}, {"vx"}, {"vy"}};
    static const fo_guard guard = {.name = "hit", .direction = FO_FALLING};
    static const fo_description about = {
        .name = "curved", .states = {states, 4}, .guards = {&guard, 1}};
    seen all = {INFINITY};
    fo_message why = {0};
    fo_observer who = {.self = &all, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = fmin(m->s->stop, lifted + 1e-3), def.solver = solver, def.rtol = 1e-6;
    def.atol = atol, def.observers = &who, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, m}, &def, &why);
    fo_status status = sim ? fo_simulation_advance(sim, def.stop) : FO_ERROR_INPUT;
    if (sim) why = *fo_simulation_message(sim);
    if (CHECK_STATUS(status, FO_REACHED, &why)) {
        double at = fo_simulation_state(sim)->x[0] / m->length, near = allowed(solver);
        bool right = fabs(at - x) <= near && (all.ends < INFINITY) == (lifted < INFINITY);
        if (right && lifted < INFINITY) right = fabs(all.ends - lifted) <= near;
        if (!right)
            test_fail(__FILE__, __LINE__,
                      "%s, lengths of %g, guard times %g: x = %.9g, lifted at %.9g; not %.9g, %.9g",
                      solver, m->length, m->unit, at, all.ends, x, lifted);
    }
    fo_simulation_destroy(sim);
}

TEST(a_point_slides_in_all_units)
{
    static const double units[][3] = {{1, 1, 1e-9},     {1e-10, 1, 1e-9},      {1e-13, 1, 1e-9},
                                      {1e-170, 1, 0},   {1e-170, 1e-100, 0},   {1, 1e-170, 1e-8},
                                      {1, 1e-10, 1e-8}, {1e-150, 1e150, 1e-9}, {1e150, 1, 0}};
    static const scene scenes[] = {
        {.A = 0.3, .k = 2, .B = 0.1, .q = 1.5, .gravity = 9, .x = 0.5, .v = 0.4, .stop = 1.5},
        {.A = 0.5, .k = 2.5, .gravity = 5, .x = -0.3, .v = 3, .stop = 1.5}};
    for (size_t n = 0; n < sizeof scenes / sizeof scenes[0]; n++) {
        const scene *s = &scenes[n];
        double x[2] = {s->x, s->v}, least, lifted = truth(s, x, &least);
        double end = lifted < INFINITY ? fmin(s->stop, lifted + 1e-3) - lifted : 0;
        CHECK((lifted < INFINITY) == (n == 1));
        for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
            scaled m = {s, units[k][0], units[k][1]};
            double atol = units[k][2] > 0 ? units[k][2] : 1e-8 * m.length;
            for (int i = 0; i < SOLVERS; i++)
                try_scaled(&m, solvers[i], atol, x[0] + end * x[1], lifted);
        }
    }
}

// A bowl that opens and closes falls away from a point that has just been stopped by it, by less
// than the tolerance. Where it is at the end was computed by small steps of the classical method.
TEST(a_point_is_caught_by_a_bowl_that_fell_away_from_it)
{
    static const char *const text =
        "model Bowl Real x(start = -0.7552435077477504, fixed = true), vx(start = "
        "-0.12436534173663638, fixed = true);\n"
        "Real y(start = 0.45989119484851593, fixed = true), vy(start = 0.7920766344668827, fixed = "
        "true), c, f, w, u;\n"
        "equation c = 0.5031095015565594*(1 + 0.4875926463803053*sin(7.417119468519407*time));\n"
        "f = 2*c*x; w = 1.819512069800666*cos(7.417119468519407*time)*x^2; u = vy - f*vx - w;\n"
        "der(x) = vx; der(y) = vy; der(vx) = 0; der(vy) = -7.0304100336558486;\n"
        "when y < c*x^2 then reinit(vx, pre(vx) + f*pre(u)/(1 + f^2)); reinit(vy, pre(vy) - "
        "pre(u)/(1 + f^2)); end when; end Bowl;\n";
    fo_message why = {0};
    fo_text_model_def model_def = {.path = "bowl.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    CHECK(model);
    for (int i = 0; i < SOLVERS && model; i++) {
        fo_run_def def = fo_default_run_def();
        def.stop = 2.4420821432416386, def.solver = solvers[i], def.rtol = 1e-4, def.atol = 1e-6;
        fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
        fo_status status = sim ? fo_simulation_advance(sim, def.stop) : FO_ERROR_INPUT;
        CHECK_STATUS(status, FO_REACHED, sim ? fo_simulation_message(sim) : &why);
        double y = NAN;
        fo_reference which;
        if (sim && fo_system_find(fo_simulation_system(sim), "y", &which, &why) == FO_OK)
            y = fo_simulation_value(sim, which);
        if (!(fabs(y - 0.0218996783) <= 2e-3))
            test_fail(__FILE__, __LINE__, "%s: y = %.9g", solvers[i], y);
        fo_simulation_destroy(sim);
    }
    fo_text_model_close(model);
}

TEST_MAIN(TEST_ENTRY(a_point_is_caught_by_a_bowl_that_fell_away_from_it),
          TEST_ENTRY(a_point_slides_along_a_curved_floor_and_is_lifted),
          TEST_ENTRY(a_point_slides_in_all_units))
