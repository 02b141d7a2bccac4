/// The stiff solvers on the problems of the test sets, against the published values at their ends;
/// and that errors follow the tolerance.
#include <math.h>
#include <string.h>

#include "stiff_problems.h"
#include "test.h"

typedef struct result {
    bool reached;
    fo_statistics counts;
    double x[STIFF_STATES];
} result;

static result solve(const stiff_problem *p, const char *solver, double rtol)
{
    stiff_system s;
    result r = {0};
    fo_run_def def = fo_default_run_def();
    fo_message why;
    stiff_system_make(&s, p);
    def.stop = p->stop, def.solver = solver;
    def.rtol = rtol, def.atol = rtol * p->atol;
    fo_simulation *sim = fo_simulation_create(s.system, &def, &why);
    if (!sim) {
        test_fail(__FILE__, __LINE__, "%s: %s", solver, why.text);
        return r;
    }
    r.reached = fo_simulation_advance(sim, p->stop) == FO_REACHED;
    if (!r.reached)
        test_fail(__FILE__, __LINE__, "%s with %s: %s", p->name, solver,
                  fo_simulation_message(sim)->text);
    r.counts = fo_simulation_statistics(sim);
    memcpy(r.x, fo_simulation_state(sim)->x, p->n * sizeof(double));
    fo_simulation_destroy(sim);
    return r;
}

static double largest_error(const stiff_problem *p, const double *x)
{
    double worst = 0;
    for (uint32_t i = 0; i < p->n; i++)
        worst = fmax(worst, fabs(x[i] - p->known[i]) / fabs(p->known[i]));
    return worst;
}

static bool is_known(const stiff_problem *p)
{
    return p->known[0] != 0;
}

// E5 ends at x2 = x3 = 8.9e-23, after x2 was 1e-10: what x2 - x3 - x4 = 0 misses by rounding is one
// per cent of that, in the published values too, where x2 and x3 differ in the third digit.
static void check_e5(const char *solver)
{
    const double within = 0.05;
    stiff_problem p = stiff_problems[0];
    for (int i = 0; i < STIFF_PROBLEMS; i++)
        if (strcmp(stiff_problems[i].name, "E5") == 0) p = stiff_problems[i];
    p.atol = 1e-24;
    result r = solve(&p, solver, 1e-8);
    CHECK_NEAR(r.x[1] / p.known[1], 1, within);
    CHECK_NEAR(r.x[2] / p.known[2], 1, within);
    CHECK(fabs(r.x[0]) < 1e-30 && fabs(r.x[3]) < 1e-30);
}

/// Digits that are asked for at rtol = 1e-4, 1e-6, 1e-8 are those of the tolerance, times `times`.
static void check_known(const char *solver, double times)
{
    for (int i = 0; i < STIFF_PROBLEMS; i++) {
        const stiff_problem *p = &stiff_problems[i];
        if (!is_known(p) || strcmp(p->name, "E5") == 0) continue;
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2) {
            result r = solve(p, solver, rtol);
            double error = largest_error(p, r.x);
            if (!(error <= times * rtol))
                test_fail(__FILE__, __LINE__, "%s with %s and rtol = %g: relative error %g",
                          p->name, solver, rtol, error);
        }
    }
}

TEST(radau5_reaches_the_published_values)
{
    check_known("radau5", 20);
    check_e5("radau5");
}

TEST(rodas4_reaches_the_published_values)
{
    check_known("rodas4", 20);
    check_e5("rodas4");
}

// BDF's errors are known to be some hundred tolerances on these.
TEST(cvode_reaches_the_published_values)
{
    if (!fo_solver_find("cvode-bdf", NULL)) return;
    check_known("cvode-bdf", 1000);
    check_e5("cvode-bdf");
}

// The published digits themselves.
TEST(radau5_agrees_to_ten_digits)
{
    for (int i = 0; i < STIFF_PROBLEMS; i++) {
        const stiff_problem *p = &stiff_problems[i];
        if (!is_known(p) || strcmp(p->name, "E5") == 0) continue;
        result r = solve(p, "radau5", 1e-11);
        CHECK(largest_error(p, r.x) < 1e-9);
    }
}

// ------------------------------------------------------------------------------- proportionality

static const stiff_problem *named(const char *name)
{
    for (int i = 0; i < STIFF_PROBLEMS; i++)
        if (strcmp(stiff_problems[i].name, name) == 0) return &stiff_problems[i];
    return NULL;
}

// The error at the end in tolerances may not grow as the tolerance shrinks. Before, rke's grew from
// 0.2 to 12 between 1e-4 and 1e-8, fowler-warten's on E2 to 38.
TEST(errors_follow_the_tolerance)
{
    static const char *const solvers[] = {"bs23", "rkf45", "rke",           "rkn34",
                                          "dp45", "rkv56", "fowler-warten", "dop853"};
    static const char *const problems[] = {"B2", "E2"};
    for (size_t s = 0; s < sizeof solvers / sizeof solvers[0]; s++)
        for (int k = 0; k < 2; k++) {
            const stiff_problem *p = named(problems[k]);
            result exact = solve(p, "radau5", 1e-12);
            for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2) {
                result r = solve(p, solvers[s], rtol);
                for (uint32_t i = 0; i < p->n; i++) {
                    double tolerance = rtol * (p->atol + fabs(exact.x[i]));
                    if (!(fabs(r.x[i] - exact.x[i]) <= 10 * tolerance))
                        test_fail(__FILE__, __LINE__, "%s on %s, rtol = %g: state %u is %g off",
                                  solvers[s], p->name, rtol, i, fabs(r.x[i] - exact.x[i]));
                }
            }
        }
}

TEST_MAIN(TEST_ENTRY(radau5_reaches_the_published_values),
          TEST_ENTRY(rodas4_reaches_the_published_values),
          TEST_ENTRY(cvode_reaches_the_published_values), TEST_ENTRY(radau5_agrees_to_ten_digits),
          TEST_ENTRY(errors_follow_the_tolerance))
