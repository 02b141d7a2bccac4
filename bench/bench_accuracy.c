// What a whole solution costs, and how good it is: our methods against GSL's rk8pd.
#include <math.h>
#include <string.h>

#include "bench.h"
#include "problems.h"

#ifdef BENCH_WITH_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#endif

static const double tolerance = 1e-8, long_stop = 1000;

typedef struct entry {
    const problem *what;
    const char *solver; ///< of ours; NULL: chosen
    double stop;
    char chosen[32];          ///< the solver; two where it went over to another one
    double x[PROBLEM_STATES]; ///< where it ended
} entry;

static double ours(void *self)
{
    entry *e = self;
    fo_run_def def = fo_default_run_def();
    fo_message why;
    def.stop = e->stop;
    def.solver = e->solver;
    def.rtol = def.atol = tolerance;
    fo_simulation *sim = fo_simulation_create(e->what->system, &def, &why);
    if (!sim) return NAN;
    const char *first = fo_simulation_solver(sim)->name;
    double before = bench_seconds();
    fo_status status = fo_simulation_advance(sim, e->stop);
    double seconds = bench_seconds() - before;
    for (uint32_t i = 0; i < e->what->n; i++) e->x[i] = fo_simulation_state(sim)->x[i];
    const char *last = fo_simulation_solver(sim)->name;
    if (strcmp(first, last) == 0)
        snprintf(e->chosen, sizeof e->chosen, "%s", first);
    else
        snprintf(e->chosen, sizeof e->chosen, "%s then %s", first, last);
    fo_simulation_destroy(sim);
    return status == FO_REACHED ? seconds * 1e6 : NAN;
}

#ifdef BENCH_WITH_GSL
static int gsl_rates(double t, const double *x, double *dx, void *user)
{
    const problem *p = user;
    return p->system.type->rates(NULL, NULL, t, x, dx) == FO_OK ? GSL_SUCCESS : GSL_FAILURE;
}

static double peer(void *self)
{
    entry *e = self;
    problem copy = *e->what;
    gsl_odeiv2_system system = {gsl_rates, NULL, copy.n, &copy};
    gsl_odeiv2_driver *driver =
        gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-3, tolerance, tolerance);
    if (!driver) return NAN;
    double t = 0;
    for (uint32_t i = 0; i < copy.n; i++) e->x[i] = copy.start[i];
    double before = bench_seconds();
    int flag = gsl_odeiv2_driver_apply(driver, &t, e->stop, e->x);
    double seconds = bench_seconds() - before;
    gsl_odeiv2_driver_free(driver);
    return flag == GSL_SUCCESS ? seconds * 1e6 : NAN;
}
#else
#define peer NULL
#endif

static double error_of(const entry *e)
{
    double worst = 0;
    for (uint32_t i = 0; i < e->what->n; i++)
        worst = fmax(worst, fabs(e->x[i] - e->what->known[i]));
    return worst;
}

static void compare(bench_table *table, const problem *p, const char *solver, double stop)
{
    char name[64];
    bool known = stop == p->known_at;
    entry a = {p, solver, stop}, b = a;
    bench_runner runners[] = {{ours, &a}, {peer, &b}};
    if (!bench_race(runners, 2, known ? 200 : 40)) {
        bench_break(table, "a run of the %s to t = %g failed", p->name, stop);
        return;
    }
    const char *chosen = solver ? "" : " (auto)";
    snprintf(name, sizeof name, "%s%s %s to t = %g", a.chosen, chosen, p->name, stop);
    bench_add(table, (bench_line){name, "GSL rk8pd", "us", runners[0].best, runners[1].best, 1.0});
    if (!known) return;
    snprintf(name, sizeof name, "%s%s %s at t = %g", a.chosen, chosen, p->name, stop);
    bench_add(table, (bench_line){name, "GSL rk8pd", "error", error_of(&a),
                                  isnan(runners[1].best) ? NAN : error_of(&b), 1.0});
}

int main(int argc, char **argv)
{
    bench_table table;
    const problem *problems[] = {&problem_pendulum, &problem_lorenz};
    if (!bench_open(&table, "accuracy", argc, argv)) return 1;
    bench_title("Whole solutions with rtol = atol = 1e-8: time, and largest error of a state");
    for (int i = 0; i < 2; i++)
        for (int automatic = 0; automatic < 2; automatic++) {
            const char *solver = automatic ? NULL : "dop853";
            compare(&table, problems[i], solver, problems[i]->known_at);
            compare(&table, problems[i], solver, long_stop);
        }
    return bench_close(&table);
}
