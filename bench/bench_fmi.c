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
} caller;

// The least of ten batches: what else runs on the machine is no cost of the way [ns].
static double call(void *self)
{
    caller *c = self;
    foi_unit *u = &c->fmu->unit;
    double best = INFINITY;
    if (!c->fmu) return NAN;
    for (int batch = 0; batch < 10; batch++) {
        double begin = now();
        for (int i = 0; i < CALLS / 10; i++) {
            u->block->t = 1e-6 * i;
            u->block->mask = FOI_UNIT_RATES | FOI_UNIT_GUARDS;
            if (foi_unit_ask(u, c->what, NULL) != FO_OK) return NAN;
        }
        best = fmin(best, (now() - begin) / (CALLS / 10));
    }
    return 1e9 * best;
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
    caller c[] = {{started(false), FOI_UNIT_NOTHING},
                  {started(false), FOI_UNIT_EVALUATE},
                  {started(true), FOI_UNIT_NOTHING},
                  {started(true), FOI_UNIT_EVALUATE}};
    bench_runner calls[] = {{call, &c[0], 0}, {call, &c[1], 0}, {call, &c[2], 0}, {call, &c[3], 0}};
    bench_race(calls, 4, 3);
    bench_title("from the file of a bouncing ball to its first step, and the way of a call");
    add(&table, "opening, child", "ms", openings[0].best, 15);
    add(&table, "opening, in process", "ms", openings[1].best, 15);
    add(&table, "empty call, child", "ns", calls[0].best, 5000);
    add(&table, "rates and indicators, child", "ns", calls[1].best, 5000);
    add(&table, "empty call, in process", "ns", calls[2].best, 50);
    add(&table, "rates and indicators, in process", "ns", calls[3].best, 50);
    for (int i = 0; i < 4; i++) fo_fmu_close(c[i].fmu);
    units_end();
    return bench_close(&table);
}
