// Two relays of one system, alone and both at once, as guards of C that are searched: beside the
// same as a text, whose guards are certified, and Euler's method with short steps.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

enum { P = 9 };

static double between(uint64_t *s, double a, double b)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * (double)(*s >> 11) * 0x1p-53;
}

static void make(uint64_t seed, double p[P])
{
    static const double least[P] = {0, 0.5, -1, 0.2, 0, 0.5, -1, 0.2, -1};
    static const double most[P] = {2, 4, 1, 2, 2, 4, 1, 2, 1};
    uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < P; i++) p[i] = between(&s, least[i], most[i]);
    if (between(&s, 0, 3) > 1) p[8] = 0;
}

static void flow(const double *p, double t, double x, double y, double u, double w, double dx[2])
{
    (void)x;
    dx[0] = p[0] * sin(p[1] * t) + p[2] * y - u * p[3];
    dx[1] = p[4] * cos(p[5] * t) + p[6] * u - p[7] * w;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model;
    flow(s->p, t, x[0], x[1], s->d[0], s->d[1], dx);
    return FO_OK;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)model, (void)t;
    g[0] = x[0] + s->p[8] * x[1], g[1] = x[1];
    return FO_OK;
}

static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    s->d[0] = s->x[0] + s->p[8] * s->x[1] > 0 ? 1 : -1, s->d[1] = s->x[1] > 0 ? 1 : -1;
    return FO_OK;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model, (void)e;
    if (m->kind == FO_GUARD) s->d[m->index] = m->direction == FO_RISING ? 1 : -1;
    return FO_OK;
}

static const fo_description about = {
    .name = "relays",
    .states = FO_VARIABLES({.name = "x", .start = 1}, {.name = "y", .start = -0.5}),
    .discretes = FO_VARIABLES({.name = "u"}, {.name = "w"}),
    .parameters =
        FO_VARIABLES({.name = "p1"}, {.name = "p2"}, {.name = "p3"}, {.name = "p4"}, {.name = "p5"},
                     {.name = "p6"}, {.name = "p7"}, {.name = "p8"}, {.name = "p9"}),
    .guards =
        FO_GUARDS({.name = "a", .direction = FO_EITHER}, {.name = "b", .direction = FO_EITHER}),
};
static const fo_system_type type = {
    .kind = "c", .start = start, .rates = rates, .guards = guards, .jump = jump};

enum { STOP = 6 };

static bool run(fo_system system, const double *p, const char *solver, double end[2],
                fo_message *why)
{
    fo_run_def def = fo_default_run_def();
    def.stop = STOP, def.solver = solver;
    fo_simulation *sim = fo_simulation_create(system, &def, why);
    if (!sim) return false;
    for (int i = 0; i < P && p; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i + 1);
        CHECK_INT(fo_simulation_set(sim, name, p[i]), FO_OK);
    }
    bool good = fo_simulation_advance(sim, STOP) == FO_REACHED;
    *why = *fo_simulation_message(sim);
    for (int i = 0; i < 2; i++) end[i] = fo_simulation_state(sim)->x[i];
    fo_simulation_destroy(sim);
    return good;
}

static void write_text(const double *p, char *text, size_t size)
{
    snprintf(text, size,
             "model R Real x(start = 1, fixed = true), y(start = -0.5, fixed = true), u, w;\n"
             "equation u = if x + (%.17g)*y > 0 then 1 else -1; w = if y > 0 then 1 else -1;\n"
             "der(x) = %.17g*sin(%.17g*time) + (%.17g)*y - u*%.17g;\n"
             "der(y) = %.17g*cos(%.17g*time) + (%.17g)*u - %.17g*w; end R;\n",
             p[8], p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
}

static void euler(const double *p, double end[2])
{
    enum { STEPS = 20000 };
    double x = 1, y = -0.5, h = (double)STOP / STEPS, dx[2];
    for (int i = 0; i < STEPS; i++) {
        flow(p, (i + 0.5) * h, x, y, x + p[8] * y > 0 ? 1 : -1, y > 0 ? 1 : -1, dx);
        x += h * dx[0], y += h * dx[1];
    }
    end[0] = x, end[1] = y;
}

static bool far(const double *a, const double *b, double by)
{
    return !(fabs(a[0] - b[0]) < by && fabs(a[1] - b[1]) < by);
}

static void try_one(uint64_t seed, const char *solver)
{
    double p[P], want[2], rough[2], end[2];
    char text[600];
    fo_message why = {0};
    make(seed, p);
    write_text(p, text, sizeof text);
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "R.mo", .text = text}, &why);
    if (!model || !run(fo_text_model_system(model), NULL, NULL, want, &why))
        test_fail(__FILE__, __LINE__, "%s\n%s", why.text, text);
    fo_text_model_close(model);
    // Rough, as Euler's method meets the surfaces late; and two relays at once may be left a little
    // sooner or later: there the solution is not unique.
    euler(p, rough);
    if (far(want, rough, 0.1))
        test_fail(__FILE__, __LINE__, "seed %llu: text %g, %g, Euler %g, %g\n%s",
                  (unsigned long long)seed, want[0], want[1], rough[0], rough[1], text);
    if (!run((fo_system){&type, &about, NULL}, p, solver, end, &why) || far(end, want, 5e-5))
        test_fail(__FILE__, __LINE__, "seed %llu, %s: C %g, %g, text %g, %g: %s\n%s",
                  (unsigned long long)seed, solver, end[0], end[1], want[0], want[1], why.text,
                  text);
}

TEST(two_relays_slide_as_they_should)
{
    static const char *const solvers[] = {"rodas4", "adams", "radau5", "dp45", "dop853", "bs23"};
    long count = test_inputs(150, 3000);
    for (long seed = 1; seed <= count; seed++)
        try_one((uint64_t)seed, solvers[(size_t)seed % FO_COUNT(solvers)]);
}

TEST_MAIN(TEST_ENTRY(two_relays_slide_as_they_should))
