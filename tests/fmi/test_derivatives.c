/// Derivatives along a direction, as exported units give them: against closed forms, against
/// extrapolated differences, against the Jacobian that solvers use, and through the unit itself.
#include <foliot/foliot.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

typedef struct rig {
    fo_model *model;
    fo_simulation *sim;
    fo_system system;
    fo_shape n;
    const fo_state *s;
} rig;

static bool open_rig(rig *g, const char *name, const char *text)
{
    fo_message why = {0};
    static const char *const folders[] = {FOLIOT_SOURCE_DIR "/models", NULL};
    fo_model_def def = fo_default_model_def();
    def.name = name, def.text = text, def.folders = folders;
    *g = (rig){0};
    if (fo_model_open(&def, &g->model) != FO_OK) return false;
    fo_run_def run = fo_model_run_def(g->model);
    g->system = fo_model_system(g->model);
    g->n = fo_system_shape(g->system);
    g->sim = fo_simulation_create(g->system, &run, &why);
    if (!g->sim || fo_failed(fo_simulation_start(g->sim))) return false;
    double t = run.start + 0.3 * (run.stop - run.start);
    if (fo_failed(fo_simulation_advance(g->sim, t))) return false;
    g->s = fo_simulation_state(g->sim);
    return true;
}

static void close_rig(rig *g)
{
    fo_simulation_destroy(g->sim);
    fo_model_close(g->model);
}

static const char every[] =
    "model Every\n"
    "  input Real u(start = 0.7); input Real w(start = -0.4);\n"
    "  Real x(start = 0.3); Real y(start = 1.2); Real z(start = 0.5);\n"
    "  output Real a; output Real b; output Real c; output Real d; output Real e; output Real f;\n"
    "equation\n"
    "  der(x) = u^3*sin(y) + time*cos(x) - x*x;\n"
    "  der(y) = exp(-x)*tanh(w) + sqrt(1 + y^2) - 2*y;\n"
    "  der(z) = z*log(2 + u*u) - atan2(x + 2, y + w) - z;\n"
    "  a = asin(0.3*x) + acos(0.2*y) + atan(w*x);\n"
    "  b = sinh(x*w) + cosh(y) + log10(3 + z) + tan(0.1*u);\n"
    "  c = abs(w)*max(x, y) + min(x*u, y) + (2 + x)^(w*y);\n"
    "  d = if u > 0 then u/(1 + y^2) else x;\n"
    "  e + e^3 = x*u + f; f + sin(e) = y + w;\n"
    "annotation(experiment(StopTime = 0.5));\n"
    "end Every;\n";

enum { MOST = 64 };

/// Everything that flows: rates | outputs, at a point moved by h along (t, x, u).
static bool look(const rig *g, const fo_seed *along, double h, double *all)
{
    fo_state moved = *g->s;
    double x[MOST], u[MOST];
    for (uint32_t i = 0; i < g->n.states; i++) x[i] = g->s->x[i] + h * along->x[i];
    for (uint32_t i = 0; i < g->n.inputs; i++) u[i] = g->s->u[i] + h * along->u[i];
    moved.u = u;
    double t = g->s->t + h * along->t;
    const fo_system_type *type = g->system.type;
    return type->rates(g->system.model, &moved, t, x, all) == FO_OK &&
           (!type->observe ||
            type->observe(g->system.model, &moved, t, x, all + g->n.states) == FO_OK);
}

// Central differences with steps h, h/2, h/4, extrapolated twice: an error of order h^6.
static bool differences(const rig *g, const fo_seed *along, double *to)
{
    uint32_t n = g->n.states + g->n.outputs;
    double up[3 * MOST], down[3 * MOST], table[3][3 * MOST], h = 2e-3;
    for (int k = 0; k < 3; k++, h /= 2) {
        if (!look(g, along, h, up) || !look(g, along, -h, down)) return false;
        for (uint32_t i = 0; i < n; i++) table[k][i] = (up[i] - down[i]) / (2 * h);
    }
    for (uint32_t i = 0; i < n; i++) {
        double a = (4 * table[1][i] - table[0][i]) / 3, b = (4 * table[2][i] - table[1][i]) / 3;
        to[i] = (16 * b - a) / 15;
    }
    return true;
}

TEST(every_operation_and_a_loop_of_equations)
{
    rig g;
    REQUIRE(open_rig(&g, "every.mo", every));
    REQUIRE(g.system.type->tangent != NULL);
    CHECK_INT(g.n.inputs, 2);
    uint32_t directions = g.n.states + g.n.inputs + 1, moved = 0;
    for (uint32_t k = 0; k < directions; k++) {
        double x[MOST] = {0}, u[MOST] = {0}, exact[2 * MOST], near[2 * MOST];
        fo_seed along = {0, x, u};
        if (k < g.n.states)
            x[k] = 1;
        else if (k < g.n.states + g.n.inputs)
            u[k - g.n.states] = 1;
        else
            along.t = 1;
        fo_tangent to = {exact, NULL, exact + g.n.states};
        REQUIRE(g.system.type->tangent(g.system.model, g.s, g.s->t, g.s->x, &along, &to) == FO_OK);
        REQUIRE(differences(&g, &along, near));
        for (uint32_t i = 0; i < g.n.states + g.n.outputs; i++) {
            CHECK_NEAR(exact[i], near[i], 1e-9 * (1 + fabs(near[i])));
            moved += exact[i] != 0;
        }
    }
    CHECK(moved > 20);
    close_rig(&g);
}

TEST(closed_forms)
{
    rig g;
    REQUIRE(open_rig(&g, "every.mo", every));
    double x[3] = {0, 1, 0}, u[2] = {0, 0}, rates[3];
    fo_seed along = {0, x, u};
    fo_tangent to = {rates, NULL, NULL};
    const double *p = g.s->x, *in = g.s->u;
    REQUIRE(g.system.type->tangent(g.system.model, g.s, g.s->t, p, &along, &to) == FO_OK);
    CHECK_NEAR(rates[0], in[0] * in[0] * in[0] * cos(p[1]), 4e-16);
    x[1] = 0, along.t = 1;
    REQUIRE(g.system.type->tangent(g.system.model, g.s, g.s->t, p, &along, &to) == FO_OK);
    CHECK_NEAR(rates[0], cos(p[0]), 4e-16);
    CHECK_NEAR(rates[1], 0, 0);
    close_rig(&g);
}

// The Jacobian of solvers is made of symbolic derivatives, the tangent by the machine's rules.
static void compare_with_jacobian(const char *name, int *compared)
{
    rig g;
    if (!open_rig(&g, name, NULL)) {
        close_rig(&g);
        return;
    }
    const fo_system_type *type = g.system.type;
    uint32_t n = g.n.states;
    if (type->jacobian && type->tangent && n && n <= MOST) {
        const fo_pattern *pattern = type->pattern ? type->pattern(g.system.model, g.s) : NULL;
        double *J = calloc((size_t)n * n, sizeof *J), u[MOST] = {0};
        fo_status status = type->jacobian(g.system.model, g.s, g.s->t, g.s->x, J);
        for (uint32_t j = 0, at = 0; j < n && status == FO_OK; j++) {
            double x[MOST] = {0}, column[MOST] = {0}, rates[MOST], size = 0;
            x[j] = 1;
            fo_seed along = {0, x, u};
            fo_tangent to = {rates, NULL, NULL};
            for (uint32_t k = 0; pattern && k < pattern->start[j + 1] - pattern->start[j]; k++)
                column[pattern->row[at + k]] = J[at + k];
            if (pattern) at = pattern->start[j + 1];
            if (!pattern) memcpy(column, J + (size_t)j * n, n * sizeof *J);
            if (type->tangent(g.system.model, g.s, g.s->t, g.s->x, &along, &to) != FO_OK) continue;
            for (uint32_t i = 0; i < n; i++) size = fmax(size, fabs(column[i]));
            for (uint32_t i = 0; i < n; i++) {
                if (fabs(rates[i] - column[i]) > 1e-11 * size) printf("  %s: %u, %u\n", name, i, j);
                CHECK_NEAR(rates[i], column[i], 1e-11 * size);
            }
            ++*compared;
        }
        free(J);
    }
    close_rig(&g);
}

TEST(the_gallery_has_the_jacobian_of_its_solvers)
{
    static const char *const names[] = {
        "brusselator.mo", "buck-converter.mo", "chua-circuit.mo",     "cruise-control.mo",
        "dc-motor.mo",    "gear-train.mo",     "hodgkin-huxley.mo",   "pendulum.mo",
        "quarter-car.mo", "rectifier.mo",      "double-pendulum.mo",  "sir-epidemic.mo",
        "two-tanks.mo",   "rlc-circuit.mo",    "relay-oscillator.mo", "thermostat.mo"};
    int compared = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        compare_with_jacobian(names[i], &compared);
    CHECK(compared > 25);
}

TEST_MAIN(TEST_ENTRY(every_operation_and_a_loop_of_equations), TEST_ENTRY(closed_forms),
          TEST_ENTRY(the_gallery_has_the_jacobian_of_its_solvers))
