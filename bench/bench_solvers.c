// What one step costs: dp45 and rk4 against loops written by hand, and against ARKODE.
#include <math.h>

#include "bench.h"
#include "hand.h"
#include "packaged.h"
#include "problems.h"

static const double tolerance = 1e-8, first_step = 1e-3, stop = 1000;
static const double fixed_step = 1e-3, fixed_stop = 100;

/// One way to solve one problem.
typedef struct entry {
    const problem *what;
    const char *solver; ///< of ours
    double stop;
    uint64_t steps; ///< of the last run
    double seconds; ///< the least time of all runs
    double x[PROBLEM_STATES];
} entry;

static double per_step(entry *e, double seconds)
{
    if (!(e->seconds <= seconds)) e->seconds = seconds;
    return seconds / (double)e->steps * 1e9;
}

static double ours(void *self)
{
    entry *e = self;
    fo_run_def def = fo_default_run_def();
    fo_message why;
    def.stop = e->stop;
    def.solver = e->solver;
    def.rtol = def.atol = tolerance;
    def.first_step = first_step, def.step = fixed_step;
    fo_simulation *sim = fo_simulation_create(e->what->system, &def, &why);
    if (!sim || fo_failed(fo_simulation_start(sim))) {
        fo_simulation_destroy(sim);
        return NAN;
    }
    double before = bench_seconds();
    fo_status status = fo_simulation_advance(sim, e->stop);
    double seconds = bench_seconds() - before;
    e->steps = fo_simulation_statistics(sim).steps;
    for (uint32_t i = 0; i < e->what->n; i++) e->x[i] = fo_simulation_state(sim)->x[i];
    fo_simulation_destroy(sim);
    return status == FO_REACHED ? per_step(e, seconds) : NAN;
}

static double hand_adaptive(void *self)
{
    entry *e = self;
    for (uint32_t i = 0; i < e->what->n; i++) e->x[i] = e->what->start[i];
    double before = bench_seconds();
    e->steps =
        hand_dp45(e->what->system.type->rates, e->what->n, e->stop, e->x, first_step, tolerance);
    return per_step(e, bench_seconds() - before);
}

static double hand_fixed(void *self)
{
    entry *e = self;
    for (uint32_t i = 0; i < e->what->n; i++) e->x[i] = e->what->start[i];
    e->steps = (uint64_t)(e->stop / fixed_step + 0.5);
    double before = bench_seconds();
    hand_rk4(e->what->system.type->rates, e->what->n, e->steps, fixed_step, e->x);
    return per_step(e, bench_seconds() - before);
}

static double packaged(void *self)
{
    entry *e = self;
    packaged_result result;
    if (!packaged_erk(e->what->system, tolerance, e->stop, &result)) return NAN;
    e->steps = result.steps;
    return per_step(e, result.seconds);
}

// The pendulum is no chaos: ours and the loop by hand must end at the same place.
static void agree(bench_table *table, const entry *a, const entry *b)
{
    for (uint32_t i = 0; i < a->what->n && a->what == &problem_pendulum; i++)
        if (!(fabs(a->x[i] - b->x[i]) < 1e-6))
            bench_break(table, "%s ends at %g, the loop by hand at %g", a->solver, a->x[i],
                        b->x[i]);
}

static void adaptive(bench_table *table, const problem *p)
{
    char name[64], whole[64];
    entry dp45 = {p, "dp45", stop, .seconds = NAN}, hand = dp45, erk = dp45, ark = dp45;
    ark.solver = "ark-explicit";
    bool here = packaged_here();
    bench_runner runners[] = {{ours, &dp45},
                              {hand_adaptive, &hand},
                              {here ? packaged : NULL, &erk},
                              {here ? ours : NULL, &ark}};
    if (!bench_race(runners, 2, 100) || !bench_race(runners + 2, 2, 3)) {
        bench_break(table, "a run of the %s failed", p->name);
        return;
    }
    agree(table, &dp45, &hand);
    double cost = runners[0].best;
    snprintf(name, sizeof name, "dp45 %s", p->name);
    snprintf(whole, sizeof whole, "dp45 %s to t = 1000", p->name);
    bench_add(table,
              (bench_line){name, "hand-written dp45", "ns/step", cost, runners[1].best, 1.15});
    bench_add(table, (bench_line){whole, "hand-written dp45", "us", dp45.seconds * 1e6,
                                  hand.seconds * 1e6, 0});
    bench_add(table,
              (bench_line){name, "ARKODE ERK as packaged", "ns/step", cost, runners[2].best});
    snprintf(name, sizeof name, "ark-explicit %s", p->name);
    bench_add(table, (bench_line){name, "ARKODE ERK as packaged", "ns/step", runners[3].best,
                                  runners[2].best});
}

static void fixed(bench_table *table, const problem *p)
{
    char name[64];
    entry rk4 = {p, "rk4", fixed_stop, .seconds = NAN}, hand = rk4;
    bench_runner runners[] = {{ours, &rk4}, {hand_fixed, &hand}};
    if (!bench_race(runners, 2, 25)) {
        bench_break(table, "a run of the %s with rk4 failed", p->name);
        return;
    }
    agree(table, &rk4, &hand);
    snprintf(name, sizeof name, "rk4 %s", p->name);
    bench_add(table, (bench_line){name, "hand-written rk4", "ns/step", runners[0].best,
                                  runners[1].best, 1.10});
}

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "solvers", argc, argv)) return 1;
    bench_title(
        "Time per step: dp45 with rtol = atol = 1e-8 to t = 1000, rk4 with h = 1e-3 to t = 100");
    adaptive(&table, &problem_pendulum);
    adaptive(&table, &problem_lorenz);
    fixed(&table, &problem_pendulum);
    fixed(&table, &problem_lorenz);
    return bench_close(&table);
}
