// Who sees a guard that is below zero only for a moment: both crossings of a dip, made ever
// narrower, from a tenth of the run down to 1e-9 of it.
#include <math.h>

#include "bench.h"
#include "packaged.h"
#include "problems.h"

enum { REPEATS = 50, CROSSINGS = 2 };

/// One dip, looked for at one tolerance.
typedef struct search {
    double width, tolerance;
    fo_simulation *sim;
    fo_snapshot *start;
    uint64_t found;
    double times[CROSSINGS];
} search;

static fo_status note(void *self, const fo_moment *m, fo_message *why)
{
    search *s = self;
    (void)why;
    if (s->found < CROSSINGS) s->times[s->found] = m->t;
    s->found++;
    return FO_OK;
}

static double ours(void *self)
{
    search *s = self;
    double before = bench_seconds();
    bool good = fo_simulation_restore(s->sim, s->start) == FO_OK;
    s->found = 0;
    good = good && fo_simulation_advance(s->sim, DIP_STOP) == FO_REACHED;
    return good ? (bench_seconds() - before) * 1e6 : NAN;
}

static double packaged(void *self)
{
    search *s = self;
    packaged_result result;
    enum { RUNS = 10 };
    if (!packaged_cvode(problem_dip(&s->width), s->tolerance, DIP_STOP, RUNS, &result)) return NAN;
    s->found = result.events / RUNS;
    return result.seconds / RUNS * 1e6;
}

// What is found must be where it is: as far apart as the width, to the tolerance.
static bool in_place(const search *s)
{
    if (s->found < CROSSINGS) return true;
    double apart = s->times[1] - s->times[0], slack = 0.01 + 100 * s->tolerance;
    return fabs(s->times[0] - DIP_STOP / 2) < s->width + slack &&
           fabs(apart - s->width) < slack * s->width + 1e-14;
}

static void look(bench_table *table, double tolerance, double width, double *ours_us,
                 double *theirs_us)
{
    char name[64];
    search a = {width, tolerance}, b = a;
    fo_observer observer = {.self = &a, .moment = note, .interval = -1};
    fo_run_def def = fo_default_run_def();
    fo_message why = {0};
    def.stop = DIP_STOP;
    def.rtol = def.atol = tolerance;
    def.observers = &observer, def.observer_count = 1;
    bench_runner runners[] = {{ours, &a}, {packaged_here() ? packaged : NULL, &b}};
    a.sim = fo_simulation_create(problem_dip(&a.width), &def, &why);
    if (a.sim) a.start = fo_simulation_snapshot(a.sim);
    if (!a.start || !bench_race(runners, 2, REPEATS))
        bench_break(table, "width %g, rtol %g: a run failed", width, tolerance);
    else if (!in_place(&a))
        bench_break(table, "width %g, rtol %g: crossings at %.15g and %.15g", width, tolerance,
                    a.times[0], a.times[1]);
    snprintf(name, sizeof name, "%s rtol %g width %g s",
             a.sim ? fo_simulation_solver(a.sim)->name : "", tolerance, width);
    bench_add(table,
              (bench_line){name, "CVODE as packaged", "found", (double)a.found,
                           packaged_here() ? (double)b.found : NAN,
                           .note = a.found == CROSSINGS ? "ours: all of 2" : "ours: NOT all of 2"});
    *ours_us += runners[0].best, *theirs_us += runners[1].best;
    fo_snapshot_destroy(a.start);
    fo_simulation_destroy(a.sim);
}

int main(int argc, char **argv)
{
    static const double widths[] = {1, 0.4, 0.2, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    static const double tolerances[] = {1e-3, 1e-10};
    const size_t count = sizeof widths / sizeof widths[0];
    bench_table table;
    char name[64];
    if (!bench_open(&table, "dip", argc, argv)) return 1;
    bench_title("Both crossings of a dip of some width in a run of 10 s: how many are found");
    for (int i = 0; i < 2; i++) {
        double mine = 0, theirs = 0;
        for (size_t j = 0; j < count; j++) look(&table, tolerances[i], widths[j], &mine, &theirs);
        snprintf(name, sizeof name, "rtol %g mean of all widths", tolerances[i]);
        bench_add(&table, (bench_line){name, "CVODE as packaged", "us/run", mine / (double)count,
                                       theirs / (double)count});
    }
    return bench_close(&table);
}
