// FMUs: from the file to the first step, and what a call costs on its way to the unit. Wall time: a
// process of its own is waited for. The peers are what the issue of speed is measured with,
// absolute times: 15 ms for the first step, 5 us through the child, 50 ns in this process.
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"
#include "fmi/fmu.h"
#include "test.h"
// the test's archive of a bouncing ball
#include "../tests/fmi/unit_files.h"

enum { CALLS = 20000, OPENINGS = 10 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *path;

// One opening, start, step and closing; the time up to the step [ms].
static double open_and_step(void *self)
{
    const fo_fmu_def *def = self;
    double best = INFINITY;
    for (int i = 0; i < OPENINGS; i++) {
        double begin = now();
        fo_fmu *fmu = fo_fmu_open(path, def, NULL);
        fo_run_def run = fmu ? fo_fmu_run_def(fmu) : fo_default_run_def();
        fo_simulation *sim = fmu ? fo_simulation_create(fo_fmu_system(fmu), &run, NULL) : NULL;
        bool good = sim && !fo_failed(fo_simulation_start(sim)) &&
                    !fo_failed(fo_simulation_advance(sim, 0.01));
        double end = now();
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
        if (!good) return NAN;
        best = fmin(best, 1e3 * (end - begin));
    }
    return best;
}

typedef struct caller {
    fo_fmu *fmu;
    foi_unit_request what;
    double calls; ///< of the unit's functions in one message
} caller;

// The least of ten batches: what else runs on the machine is no cost of the way [ns].
static double call(void *self)
{
    caller *c = self;
    foi_unit *u = &c->fmu->unit;
    double best = INFINITY;
    if (!c->fmu) return NAN;
    uint64_t before = u->block->calls;
    for (int batch = 0; batch < 10; batch++) {
        double begin = now();
        for (int i = 0; i < CALLS / 10; i++) {
            u->block->t = 1e-6 * i;
            u->block->mask = FOI_UNIT_RATES | FOI_UNIT_GUARDS;
            if (foi_unit_ask(u, c->what, NULL) != FO_OK) return NAN;
        }
        best = fmin(best, (now() - begin) / (CALLS / 10));
    }
    c->calls = (double)(u->block->calls - before) / CALLS;
    return 1e9 * best;
}

// A run of the ball with rows, whole: seconds of wall time, and how often a function of the unit
// was called.
typedef struct runner {
    fo_fmu *fmu;
    uint64_t calls;
} runner;

static double whole_run(void *self)
{
    runner *r = self;
    if (!r->fmu) return NAN;
    fo_run_def run = fo_fmu_run_def(r->fmu);
    run.rtol = 1e-10, run.atol = 1e-12;
    run.solver = "dp45", run.max_step = 1e-3;
    fo_simulation *sim = fo_simulation_create(fo_fmu_system(r->fmu), &run, NULL);
    uint64_t before = r->fmu->unit.block->calls;
    double begin = now();
    bool good = sim && !fo_failed(fo_simulation_start(sim)) &&
                !fo_failed(fo_simulation_advance(sim, run.stop));
    double end = now();
    r->calls = r->fmu->unit.block->calls - before;
    fo_simulation_destroy(sim);
    return good ? end - begin : NAN;
}

static fo_fmu *started(bool in_process)
{
    fo_fmu_def def = fo_default_fmu_def();
    def.in_process = in_process;
    fo_fmu *fmu = fo_fmu_open(path, &def, NULL);
    fo_run_def run = fmu ? fo_fmu_run_def(fmu) : fo_default_run_def();
    fo_simulation *sim = fmu ? fo_simulation_create(fo_fmu_system(fmu), &run, NULL) : NULL;
    if (sim) fo_simulation_start(sim);
    fo_simulation_destroy(sim);
    return fmu;
}

static void add(bench_table *table, const char *what, const char *unit, double ours, double wanted)
{
    bench_add(table, (bench_line){what, "what is wanted", unit, ours, wanted, 1, NULL});
}

static void tell(bench_table *table, const char *what, double ours)
{
    bench_add(table, (bench_line){what, "limit of one call", "ns", ours, 5000, 0, NULL});
}

int main(int argc, char **argv)
{
    bench_table table;
    fo_fmu_def child = fo_default_fmu_def(), inside = fo_default_fmu_def();
    inside.in_process = true;
    if (!bench_open(&table, "fmi", argc, argv)) return 1;
    if (!units_begin() || !(path = unit_write(3, "ball", NULL))) {
        bench_break(&table, "the unit cannot be written");
        return bench_close(&table);
    }
    bench_runner openings[] = {{open_and_step, &child, 0}, {open_and_step, &inside, 0}};
    bench_race(openings, 2, 3);
    caller c[] = {{started(false), FOI_UNIT_NOTHING, 0},
                  {started(false), FOI_UNIT_EVALUATE, 0},
                  {started(true), FOI_UNIT_NOTHING, 0},
                  {started(true), FOI_UNIT_EVALUATE, 0}};
    bench_runner calls[] = {{call, &c[0], 0}, {call, &c[1], 0}, {call, &c[2], 0}, {call, &c[3], 0}};
    bench_race(calls, 4, 3);
    runner r[] = {{c[1].fmu, 0}, {c[3].fmu, 0}};
    bench_runner runs[] = {{whole_run, &r[0], 0}, {whole_run, &r[1], 0}};
    bench_race(runs, 2, 5);
    bench_title("from the file of a bouncing ball to its first step, and the way of a call");
    add(&table, "opening, child", "ms", openings[0].best, 15);
    add(&table, "opening, in process", "ms", openings[1].best, 15);
    // A message is no call: it is all the calls of one evaluation. What is wanted is per call.
    tell(&table, "message without a call, child", calls[0].best);
    tell(&table, "message of rates and indicators, child", calls[1].best);
    add(&table, "per call of rates and indicators, what the child adds", "ns",
        (calls[1].best - calls[3].best) / c[1].calls, 5000);
    add(&table, "per call of a run, what the child adds", "ns",
        1e9 * (runs[0].best - runs[1].best) / (double)r[0].calls, 5000);
    add(&table, "request without a call, in process", "ns", calls[2].best, 50);
    add(&table, "per call of rates and indicators, in process", "ns", calls[3].best / c[3].calls,
        50);
    for (int i = 0; i < 4; i++) fo_fmu_close(c[i].fmu);
    units_end();
    return bench_close(&table);
}
