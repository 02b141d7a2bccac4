// Waves on large grids: how near the fused leapfrog comes to the memory's own speed, which is that
// of an in-place update a = b + s a (it has the same traffic), and what a wavefront over eight
// steps makes of it. Then the document's table: how many nodes one machine carries in real time.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench.h"
#include "field/field.h"

enum { SIDE = 8192, REPEATS = 5, STEPS = 8, PLACES = 4, SWEEPS = 2 };

/// How far apart the peer's arrays begin, beyond the size of one [doubles]. Which of these is fast
/// depends on where the pages lie; the peer is the fastest.
static const size_t apart[PLACES] = {8, 264, 2056, 32776};

typedef struct job {
    uint32_t threads;
    fo_sweep *sweep;
    double *a, *b;
} job;

static void update_rows(void *self, uint32_t from, uint32_t to)
{
    const job *j = self;
    double *restrict a = j->a + (size_t)from * SIDE;
    const double *restrict b = j->b + (size_t)from * SIDE;
    for (size_t i = 0, n = (size_t)(to - from) * SIDE; i < n; i += 8) // so that it is vectorised
        for (size_t k = i; k < i + 8; k++) a[k] = b[k] + 0.5 * a[k];
}

/// One thread by its processor time, which other programs disturb less; several by the clock.
static double now(const job *j)
{
    return j->threads == 1 ? bench_seconds() : (double)foi_clock_now() * 1e-9;
}

static double per_node(const job *j, double begun)
{
    return (now(j) - begun) * 1e9 / STEPS / SIDE / SIDE;
}

static double run_update(void *self)
{
    job *j = self;
    double begun = now(j);
    for (int i = 0; i < STEPS; i++) foi_in_parallel(j->threads, SIDE, update_rows, j);
    return per_node(j, begun);
}

static double run_sweep(void *self)
{
    job *j = self;
    double begun = now(j);
    fo_sweep_advance(j->sweep, STEPS);
    return per_node(j, begun);
}

static fo_sweep *make_sweep(const fo_field *f, uint32_t threads, uint32_t block)
{
    fo_sweep_def def = {
        .step = 0.9 * fo_field_limit(f, FO_FIELD_LEAPFROG), .threads = threads, .block = block};
    return fo_sweep_create(f, &def, NULL);
}

/// Returns the time of the sweep that takes one step at a time.
static double large(bench_table *table, const fo_field *f, uint32_t threads)
{
    char what[64];
    job one = {.threads = threads}, eight = one, update[PLACES];
    bench_runner runners[SWEEPS + PLACES] = {{run_sweep, &one, NAN}, {run_sweep, &eight, NAN}};
    size_t nodes = (size_t)SIDE * SIDE;
    double *arrays = foi_large_new(NULL, 2 * nodes + apart[PLACES - 1]), peer = INFINITY;
    one.sweep = make_sweep(f, threads, 1);
    eight.sweep = make_sweep(f, threads, STEPS);
    for (int i = 0; arrays && i < PLACES; i++) {
        update[i] = (job){threads, NULL, arrays, arrays + nodes + apart[i]};
        runners[SWEEPS + i] = (bench_runner){run_update, &update[i], NAN};
    }
    if (!arrays || !one.sweep || !eight.sweep || !bench_race(runners, SWEEPS + PLACES, REPEATS))
        bench_break(table, "no memory for %d x %d nodes", SIDE, SIDE);
    for (int i = 0; i < PLACES; i++) peer = fmin(peer, runners[SWEEPS + i].best);
    snprintf(what, sizeof what, "wave %d^2, %u thread%s", SIDE, threads, threads > 1 ? "s" : "");
    bench_add(table,
              (bench_line){what, "a = b + s a", "ns/node", runners[0].best, peer, 1 / 0.85, NULL});
    snprintf(what, sizeof what, "  wavefront of %d, %u thread%s", STEPS, threads,
             threads > 1 ? "s" : "");
    bench_add(table, (bench_line){what, "a = b + s a", "ns/node", runners[1].best, peer,
                                  threads > 1 ? 1 / 1.2 : 0, NULL});
    foi_free(NULL, arrays);
    fo_sweep_destroy(one.sweep);
    fo_sweep_destroy(eight.sweep);
    return runners[0].best;
}

// -------------------------------------------------------------------------------- other programs

/// What a program prints, as a number; NAN when it is not there.
static double printed(const char *command)
{
    FILE *program = popen(command, "r");
    char line[64] = "";
    if (!program) return NAN;
    char *got = fgets(line, sizeof line, program);
    return pclose(program) == 0 && got ? strtod(line, NULL) : NAN;
}

/// The same wave by others, on one thread. The path is that of this program.
static void others(bench_table *table, const char *path, double ours)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) : 1;
    char command[1024];
    if (!slash) path = ".";
    snprintf(command, sizeof command, "'%.*s/peer_wave_petsc' %d %d 2>/dev/null", folder, path,
             SIDE, STEPS);
    bench_add(table, (bench_line){"wave 8192^2, 1 thread", "PETSc TS", "ns/node", ours,
                                  printed(command), 0, NULL});
    snprintf(command, sizeof command,
             "for p in python3 /usr/bin/python3; do $p -c 'import numpy' 2>/dev/null && exec $p "
             "bench/peer_wave.py %d %d; done; exit 1",
             SIDE, STEPS);
    bench_add(table, (bench_line){"wave 8192^2, 1 thread", "NumPy", "ns/node", ours,
                                  printed(command), 0, NULL});
}

// ------------------------------------------------------------------------------- a simulation of
// it

enum { MIDDLE = 1024, LONG = 40 };

typedef struct carried {
    fo_simulation *sim;
    fo_sweep *sweep;
    double h;
    int steps;
} carried;

static double run_carried(void *self)
{
    carried *c = self;
    double begun = bench_seconds();
    if (c->sweep) fo_sweep_advance(c->sweep, LONG);
    if (c->sim && fo_simulation_advance(c->sim, (c->steps += LONG) * c->h) != FO_REACHED)
        return NAN;
    return (bench_seconds() - begun) * 1e9 / LONG / MIDDLE / MIDDLE;
}

/// What foliot run does, values and velocities from one array into another, beside the sweep.
static void simulated(bench_table *table)
{
    fo_field_def def = fo_default_field_def();
    def.dimensions = 2;
    def.size[0] = def.size[1] = MIDDLE;
    fo_field *f = fo_field_create(&def, NULL);
    fo_run_def run = fo_default_run_def();
    run.step = f ? 0.9 * fo_field_limit(f, FO_FIELD_LEAPFROG) : 0;
    run.stop = 2 * REPEATS * LONG * run.step;
    carried ours = {.h = run.step}, sweep = ours;
    ours.sim = f ? fo_simulation_create(fo_field_system(f), &run, NULL) : NULL;
    sweep.sweep = f ? make_sweep(f, 1, 1) : NULL;
    bench_runner runners[] = {{run_carried, &ours, NAN}, {run_carried, &sweep, NAN}};
    if (!ours.sim || !sweep.sweep || !bench_race(runners, 2, REPEATS))
        bench_break(table, "the simulation of %d x %d nodes did not run", MIDDLE, MIDDLE);
    bench_add(table, (bench_line){"fo_simulation, wave 1024^2, 1 thread", "the sweep", "ns/node",
                                  runners[0].best, runners[1].best, 0,
                                  "twice the memory's traffic: two arrays in, two out"});
    fo_simulation_destroy(ours.sim);
    fo_sweep_destroy(sweep.sweep);
    fo_field_destroy(f);
}

// ---------------------------------------------------------------------------- the document's table

enum { PERIOD_US = 4200, REAL_STEPS = 20 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The time of a usual step over a square sheet of n x n nodes [us]; a NAN when it failed.
static double step_time(uint32_t n, fo_field_method method, const char *solver)
{
    fo_field_point p = {.node = {n / 2, n / 2},
                        .hold = true,
                        .signal = {FO_SIGNAL_SINE, .amplitude = 1, .omega = 2}};
    fo_field_def def = fo_default_field_def();
    def.dimensions = 2;
    def.size[0] = def.size[1] = n;
    def.length[0] = def.length[1] = 100;
    def.c = 10, def.b1 = def.b2 = 0.2;
    def.points = &p, def.point_count = 1;
    def.method = method;
    fo_field *f = fo_field_create(&def, NULL);
    fo_run_def run = fo_default_run_def();
    double h = method == FO_FIELD_LEAPFROG ? fo_field_limit(f, method) / 2 : 0.0042;
    double times[REAL_STEPS];
    run.stop = (REAL_STEPS + 2) * h, run.step = h, run.solver = solver;
    fo_simulation *sim = f ? fo_simulation_create(fo_field_system(f), &run, NULL) : NULL;
    bool good = sim && fo_simulation_advance(sim, h) == FO_REACHED; // factors, and warms up
    for (int i = 0; good && i < REAL_STEPS; i++) {
        double begun = bench_seconds();
        good = fo_simulation_advance(sim, (i + 2) * h) == FO_REACHED;
        times[i] = (bench_seconds() - begun) * 1e6;
    }
    fo_simulation_destroy(sim);
    fo_field_destroy(f);
    if (!good) return NAN;
    qsort(times, REAL_STEPS, sizeof times[0], by_size);
    return times[REAL_STEPS / 2];
}

/// Nodes of the largest sheet whose steps fit into the period.
static double largest(fo_field_method method, const char *solver, uint32_t most)
{
    uint32_t best = 0;
    for (uint32_t n = 6; n <= most; n += n / 8 + 1) {
        double us = step_time(n, method, solver);
        if (us <= PERIOD_US) best = n;
        if (!(us <= 2 * PERIOD_US)) break;
    }
    return (double)best * best;
}

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "field", argc, argv)) return 1;
    fo_field_def def = fo_default_field_def();
    def.dimensions = 2;
    def.size[0] = def.size[1] = SIDE;
    fo_field *f = fo_field_create(&def, NULL);
    bench_title("Leapfrog over 8192 x 8192 nodes, against the memory");
    if (!f) bench_break(&table, "no memory for the field");
    double alone = f ? large(&table, f, 1) : NAN;
    if (f) large(&table, f, 2);
    fo_field_destroy(f);
    others(&table, argv[0], alone);
    bench_title("A simulation with the leapfrog stepper");
    simulated(&table);
    bench_title("Nodes in real time with a period of 4.2 ms (more is better)");
    bench_add(&table, (bench_line){"explicit", "the document", "nodes",
                                   largest(FO_FIELD_LEAPFROG, NULL, 2000), 2400, 0, NULL});
    bench_add(&table, (bench_line){"sliding, constant", "the document", "nodes",
                                   largest(FO_FIELD_SLIDING, NULL, 1000), 256, 0, NULL});
    bench_add(&table,
              (bench_line){"sliding, refactored", "the document", "nodes",
                           largest(FO_FIELD_LEAPFROG, "sliding-implicit", 1000), 48, 0, NULL});
    return bench_close(&table);
}
