/// Solutions that go to infinity in finite time: the run says so, with every solver; and what only
/// looks like it is not called so.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define RATES(name)                                                                        \
    static fo_status name(const void *model, const fo_state *s, double t, const double *x, \
                          double *dx)
#define UNUSED (void)model, (void)s, (void)t, (void)x

RATES(square)
{
    UNUSED;
    dx[0] = x[0] * x[0], dx[1] = 0;
    return FO_OK;
}
RATES(cube)
{
    UNUSED;
    dx[0] = x[0] * x[0] * x[0] / 2, dx[1] = 0;
    return FO_OK;
}
/// x = 1/(1 - t)^2
RATES(second_order)
{
    UNUSED;
    dx[0] = x[1], dx[1] = 6 * x[0] * x[0];
    return FO_OK;
}
/// x = -log(1 - t)
RATES(exponent)
{
    UNUSED;
    dx[0] = exp(x[0]), dx[1] = 1;
    return FO_OK;
}
RATES(tangent)
{
    UNUSED;
    dx[0] = 1 + x[0] * x[0], dx[1] = -x[1];
    return FO_OK;
}
/// Beside a state that is large and one that is fast.
RATES(beside)
{
    UNUSED;
    dx[0] = x[0] * x[0], dx[1] = -1000 * (x[1] - 1e9 * cos(t));
    return FO_OK;
}
/// The rates know the pole, the state does not.
RATES(driven)
{
    UNUSED;
    dx[0] = 1 / ((1 - t) * (1 - t)), dx[1] = 0;
    return FO_OK;
}

typedef struct blow_up {
    const char *name;
    fo_status (*rates)(const void *model, const fo_state *s, double t, const double *x, double *dx);
    double x, v, start, at;
    bool crossed; ///< fixed steps may go across without hitting it
} blow_up;

static const double half_pi = 1.5707963267948966;

static fo_simulation *make(const blow_up *b, const char *solver, double step)
{
    static fo_variable states[2];
    static fo_system_type type;
    static const fo_description about = {.name = "blow-up", .states = {states, 2}};
    states[0] = (fo_variable){.name = "x", .start = b->x};
    states[1] = (fo_variable){.name = "v", .start = b->v};
    type = (fo_system_type){.kind = "C", .rates = b->rates};
    fo_run_def def = fo_default_run_def();
    def.start = b->start, def.stop = b->start + 4, def.solver = solver, def.step = step;
    return fo_simulation_create((fo_system){&type, &about, NULL}, &def, NULL);
}

/// Runs until it fails; false where this solver does not take the system.
static bool run(const blow_up *b, const char *solver, double step, fo_status *status, char *text,
                size_t size)
{
    fo_simulation *sim = make(b, solver, step);
    if (!sim) return false;
    *status = fo_simulation_advance(sim, b->start + 4);
    strncpy(text, fo_simulation_message(sim)->text, size - 1);
    text[size - 1] = 0;
    for (int i = 0; i < 2; i++) CHECK(isfinite(fo_simulation_state(sim)->x[i]));
    fo_simulation_destroy(sim);
    return true;
}

static void check_escape(const blow_up *b, const char *solver, double step, double within)
{
    static const char words[] = "escapes to infinity near t = ";
    fo_status status;
    char text[512];
    const char *name = solver ? solver : "the chosen one";
    if (!run(b, solver, step, &status, text, sizeof text)) return;
    const char *found = strstr(text, words);
    if (!fo_failed(status) || !found)
        test_fail(__FILE__, __LINE__, "%s with %s: '%s'", b->name, name, text);
    else if (!(fabs(strtod(found + strlen(words), NULL) - b->at) <= within))
        test_fail(__FILE__, __LINE__, "%s with %s: '%s', but it is %g", b->name, name, text, b->at);
}

static const blow_up escapes[] = {
    {"x' = x^2", square, 1, 0, 0, 1, false},
    {"x' = x^2 towards t = 0", square, 1, 0, -1, 0, false},
    {"x' = x^2 late", square, 1, 0, 1e6 - 1, 1e6, false},
    {"x' = x^3/2", cube, 1, 0, 0, 1, false},
    {"downwards", cube, -1, 0, 0, 1, false},
    {"x'' = 6 x^2", second_order, 1, 2, 0, 1, false},
    {"x' = exp(x)", exponent, 0, 0, 0, 1, false},
    {"x' = 1 + x^2", tangent, 0, 1, 0, half_pi, false},
    {"beside others", beside, 1, 1e9, 0, 1, false},
    {"driven by time", driven, 0, 0, 0, 1, true},
};
enum { ESCAPES = sizeof escapes / sizeof escapes[0] };

TEST(adaptive_solvers_tell_the_time)
{
    for (int i = 0; i < ESCAPES; i++) {
        check_escape(&escapes[i], NULL, 0, 1e-3);
        for (size_t k = 0; k < fo_solver_count(); k++)
            if (fo_solver_get(k)->traits & FO_ADAPTIVE)
                check_escape(&escapes[i], fo_solver_get(k)->name, 0, 1e-3);
    }
}

// Forty steps beyond the last one that could be resolved, at most.
TEST(fixed_steps_tell_it_too)
{
    for (int i = 0; i < ESCAPES; i++) {
        if (escapes[i].crossed || escapes[i].rates == beside) continue;
        for (size_t k = 0; k < fo_solver_count(); k++) {
            const fo_solver_info *info = fo_solver_get(k);
            if (info->traits & FO_ADAPTIVE) continue;
            check_escape(&escapes[i], info->name, 1e-3, 0.04);
        }
    }
}

TEST(the_least_step_does_not_hide_it)
{
    blow_up b = escapes[0];
    static fo_variable states[] = {{.name = "x", .start = 1}, {.name = "v"}};
    static const fo_system_type type = {.kind = "C", .rates = square};
    static const fo_description about = {.name = "blow-up", .states = {states, 2}};
    fo_run_def def = fo_default_run_def();
    def.stop = 4, def.min_step = 1e-5, def.solver = "dp45";
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, NULL);
    REQUIRE(sim);
    CHECK(fo_failed(fo_simulation_advance(sim, 4)));
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "'x' escapes to infinity near t = 1");
    CHECK_NEAR(fo_simulation_time(sim), b.at, 1e-2);
    fo_simulation_destroy(sim);
}

// --------------------------------------------------------------- M x' = f(t, x), F(t, x, x') = 0

/// x' = x y with 0 = y - x: the rate of x is no function of x alone.
RATES(with_constraint)
{
    UNUSED;
    dx[0] = x[0] * x[1], dx[1] = x[0] - x[1];
    return FO_OK;
}
/// 2 x' = x^3, with y = x^2: the constraint escapes faster.
RATES(faster_constraint)
{
    UNUSED;
    dx[0] = x[0] * x[1] / 2, dx[1] = x[0] * x[0] - x[1];
    return FO_OK;
}
/// y^2 = 1 - t ends at t = 1, where x' = 1/y is infinite: neither x nor y is.
RATES(folds)
{
    UNUSED;
    dx[0] = 1 / x[1], dx[1] = 1 - t - x[1] * x[1];
    return FO_OK;
}

static fo_status half_mass(const void *model, const fo_state *s, double *values)
{
    (void)model, (void)s;
    values[0] = 1, values[1] = values[2] = values[3] = 0;
    return FO_OK;
}

/// A residual must not be more than the rates are: the test's rates, asked for from inside.
static const blow_up *asked;
static fo_status residual(const void *model, const fo_state *s, double t, const double *x,
                          const double *dx, double *r)
{
    fo_status status = asked->rates(model, s, t, x, r);
    r[0] -= dx[0];
    return status;
}

static fo_simulation *make_implicit(const blow_up *b, const char *solver, bool by_residual)
{
    static fo_variable states[2];
    static fo_system_type type;
    static const fo_description about = {.name = "blow-up", .states = {states, 2}};
    states[0] = (fo_variable){.name = "x", .start = b->x};
    states[1] = (fo_variable){.name = "y", .start = b->v};
    type = (fo_system_type){.kind = "C", .rates = b->rates, .mass = half_mass};
    asked = b;
    if (by_residual) type = (fo_system_type){.kind = "C", .residual = residual};
    fo_run_def def = fo_default_run_def();
    def.start = b->start, def.stop = b->start + 4, def.solver = solver, def.step = 1e-3;
    return fo_simulation_create((fo_system){&type, &about, NULL}, &def, NULL);
}

static void check_implicit(const blow_up *b, const char *solver, bool by_residual, double within)
{
    static const char words[] = "escapes to infinity near t = ";
    fo_simulation *sim = make_implicit(b, solver, by_residual);
    if (!sim) return; // this solver does not take such systems
    fo_status status = fo_simulation_advance(sim, b->start + 4);
    const char *text = fo_simulation_message(sim)->text, *found = strstr(text, words);
    if (!fo_failed(status) || !found != (b->at < b->start))
        test_fail(__FILE__, __LINE__, "%s with %s: status %d, '%s'", b->name,
                  solver ? solver : "the chosen one", (int)status, text);
    else if (found && !(fabs(strtod(found + strlen(words), NULL) - b->at) <= within))
        test_fail(__FILE__, __LINE__, "%s with %s: '%s', but it is %g", b->name, solver, text,
                  b->at);
    fo_simulation_destroy(sim);
}

TEST(constraints_do_not_hide_it)
{
    static const blow_up cases[] = {
        {"x y, y = x", with_constraint, 1, 1, 0, 1, false},
        {"x y, y = x, late", with_constraint, 1, 1, 1e4 - 1, 1e4, false},
        {"x y/2, y = x^2", faster_constraint, 1, 1, 0, 1, false},
        {"folds", folds, 0, 1, 0, -1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k <= fo_solver_count(); k++) {
            const fo_solver_info *info = k < fo_solver_count() ? fo_solver_get(k) : NULL;
            bool fixed = info && !(info->traits & FO_ADAPTIVE);
            if (fixed && cases[i].at < cases[i].start) continue; // it may go across
            check_implicit(&cases[i], info ? info->name : NULL, false, fixed ? 0.04 : 1e-3);
            check_implicit(&cases[i], info ? info->name : NULL, true, fixed ? 0.04 : 1e-3);
        }
}

// ------------------------------------------------------------------- what is no escape to infinity

RATES(only_grows)
{
    UNUSED;
    dx[0] = 1000 * x[0], dx[1] = 0;
    return FO_OK;
}
/// x = 2 - sqrt(1 - t): its rate becomes infinite, not x.
RATES(steep)
{
    UNUSED;
    dx[0] = x[0] < 2 ? 0.5 / (2 - x[0]) : NAN, dx[1] = 0;
    return FO_OK;
}
RATES(very_steep)
{
    UNUSED;
    dx[0] = x[0] < 2 ? 0.3 / ((2 - x[0]) * (2 - x[0])) : NAN, dx[1] = 0;
    return FO_OK;
}
/// x = sqrt(1 - 2t), and ends.
RATES(ends)
{
    UNUSED;
    dx[0] = -1 / x[0], dx[1] = 0;
    return FO_OK;
}
/// A stiff one, unstable with fixed steps: not its own fault.
RATES(decays)
{
    UNUSED;
    dx[0] = -1e5 * x[0], dx[1] = 1e5 * (x[0] - x[1]);
    return FO_OK;
}
RATES(not_a_number)
{
    UNUSED;
    dx[0] = t < 1 ? 1 : NAN, dx[1] = 0;
    return FO_OK;
}

// A rate that does, and its state does not, is told apart.
TEST(nothing_else_is_called_so)
{
    static const blow_up others[] = {
        {"grows", only_grows, 1, 0, 0, 0, false},      {"steep", steep, 1, 0, 0, 0, false},
        {"very steep", very_steep, 1, 0, 0, 0, false}, {"ends", ends, 1, 0, 0, 0, false},
        {"decays", decays, 1, 1, 0, 0, false},         {"NaN", not_a_number, 1, 0, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for (size_t k = 0; k <= fo_solver_count(); k++) {
            const char *solver = k < fo_solver_count() ? fo_solver_get(k)->name : NULL;
            fo_status status;
            char text[512];
            if (test_is_slow() && (i + k) % 4) continue;
            if (!run(&others[i], solver, 1e-3, &status, text, sizeof text)) continue;
            bool rate = i >= 1 && i <= 3 && strncmp(text, "the rate of 'x' escapes", 23) == 0;
            if (strstr(text, "escapes") && !rate)
                test_fail(__FILE__, __LINE__, "%s with %s: %s", others[i].name,
                          solver ? solver : "the chosen one", text);
        }
}

TEST_MAIN(TEST_ENTRY(adaptive_solvers_tell_the_time), TEST_ENTRY(fixed_steps_tell_it_too),
          TEST_ENTRY(the_least_step_does_not_hide_it), TEST_ENTRY(constraints_do_not_hide_it),
          TEST_ENTRY(nothing_else_is_called_so))
