// Work against precision on stiff problems: evaluations of the rates, Jacobians by differences
// counted among them, and the error at the end. The automatic choice beside CVODE's BDF and, where
// Python has SciPy, beside its Radau and BDF.
#include <math.h>
#include <string.h>

#include "../tests/solver/stiff_problems.h"
#include "bench.h"

/// What a run took and gave.
typedef struct result {
    double rates, error, seconds; ///< error: the largest relative one of a state
} result;

static const result none = {NAN, NAN, NAN};

static double error_of(const stiff_problem *p, const double *x)
{
    double worst = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (fabs(p->known[i]) > 1e-100)
            worst = fmax(worst, fabs(x[i] - p->known[i]) / fabs(p->known[i]));
    return worst;
}

static result solve(const stiff_problem *p, const char *solver, double rtol)
{
    stiff_system s;
    fo_message why;
    fo_run_def def = fo_default_run_def();
    if (solver && !fo_solver_find(solver, NULL)) return none;
    stiff_system_make(&s, p);
    def.stop = p->stop, def.solver = solver;
    def.rtol = rtol, def.atol = rtol * p->atol;
    fo_simulation *sim = fo_simulation_create(s.system, &def, &why);
    if (!sim) return none;
    double before = bench_seconds();
    bool good = fo_simulation_advance(sim, p->stop) == FO_REACHED;
    result r = {(double)fo_simulation_statistics(sim).rates,
                error_of(p, fo_simulation_state(sim)->x), bench_seconds() - before};
    fo_simulation_destroy(sim);
    return good ? r : none;
}

// The script prints a line "evaluations x1 x2 ..." or nothing.
static result scipy(const stiff_problem *p, const char *method, double rtol)
{
    char command[4200];
    double x[STIFF_STATES] = {0};
    result r = none;
    snprintf(command, sizeof command, "python3 '%s/peer_stiff_scipy.py' %s %s %g 2>/dev/null",
             BENCH_FOLDER, p->name, method, rtol);
    FILE *out = popen(command, "r");
    if (!out) return none;
    bool good = fscanf(out, "%lf", &r.rates) == 1;
    for (uint32_t i = 0; good && i < p->n; i++) good = fscanf(out, "%lf", &x[i]) == 1;
    pclose(out);
    if (!good) return none;
    r.error = error_of(p, x);
    return r;
}

static void add(bench_table *table, const stiff_problem *p, double rtol, const char *peer,
                result ours, result theirs)
{
    char name[64];
    snprintf(name, sizeof name, "%s, rtol %g", p->name, rtol);
    bench_add(table, (bench_line){name, peer, "rates", ours.rates, theirs.rates});
    bench_add(table, (bench_line){name, peer, "error", ours.error, theirs.error});
}

static void compare(bench_table *table, const stiff_problem *p)
{
    for (int k = 4; k <= 8; k += 2) {
        double rtol = pow(10, -k);
        result ours = solve(p, NULL, rtol), radau5 = solve(p, "radau5", rtol);
        if (isnan(ours.rates)) bench_break(table, "%s at %g failed", p->name, rtol);
        char name[64];
        snprintf(name, sizeof name, "%s, rtol %g", p->name, rtol);
        bench_add(table, (bench_line){name, "our radau5", "rates", ours.rates, radau5.rates, 2.0});
        add(table, p, rtol, "CVODE BDF", ours, solve(p, "cvode-bdf", rtol));
        add(table, p, rtol, "SciPy Radau", ours, scipy(p, "Radau", rtol));
        add(table, p, rtol, "SciPy BDF", ours, scipy(p, "BDF", rtol));
    }
}

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "stiff", argc, argv)) return 1;
    bench_title("Stiff problems, the solver chosen: evaluations, and largest relative error");
    for (int i = 0; i < STIFF_PROBLEMS; i++)
        if (stiff_problems[i].known[0] != 0) compare(&table, &stiff_problems[i]);
    return bench_close(&table);
}
