// A wave of 1024 x 1024 nodes on two ranks of MPI against one: the parallel efficiency is the time
// of one over twice the time of two. Beside it the ceiling that this machine sets: two processes
// that know nothing of each other, each with half of the grid, at the same time.
//
//   bench_mpi FOLDER         the measurement; starts mpirun
//   bench_mpi sweep|carry    one of the ranks: prints the least time of a step [s]
//   bench_mpi apart|alone    one of the processes with half of the grid, as sweep|carry
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench.h"

#ifdef BENCH_WITH_MPI

#include <foliot/cluster.h>

enum { SIDE = 1024, STEPS = 100, FEW = 10, REPEATS = 8, ROUNDS = 3 };

static fo_field *make(uint32_t rows)
{
    fo_message why = {0};
    fo_field_def def = fo_default_field_def();
    fo_field_point tap = {.node = {300, 200},
                          .signal = {FO_SIGNAL_SINE, .amplitude = 1, .omega = 20}};
    def.dimensions = 2, def.size[0] = SIDE, def.size[1] = rows;
    def.length[1] = (rows - 1.0) / (SIDE - 1.0);
    def.points = &tap, def.point_count = 1;
    fo_field *f = fo_field_create(&def, &why);
    if (!f) fprintf(stderr, "bench_mpi: %s\n", why.text);
    return f;
}

static double step_of(const fo_field *f)
{
    return 0.7 * fo_field_limit(f, FO_FIELD_LEAPFROG);
}

// ------------------------------------------------------------------------------------- the workers

/// Takes some steps; false when that fails.
typedef bool (*work)(void *self);

static double least_step(work advance, void *self, int steps)
{
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        int64_t begun = foi_clock_now();
        if (!advance(self)) return NAN;
        best = fmin(best, foi_clock_seconds(begun, foi_clock_now()) / steps);
    }
    return best;
}

static bool advance_apart(void *self)
{
    fo_sweep_advance(self, STEPS);
    return true;
}

static double apart(void)
{
    fo_field *f = make(SIDE / 2);
    fo_sweep_def def = {.step = f ? step_of(f) : 0};
    fo_sweep *s = f ? fo_sweep_create(f, &def, NULL) : NULL;
    double result = s ? least_step(advance_apart, s, STEPS) : NAN;
    fo_sweep_destroy(s);
    fo_field_destroy(f);
    return result;
}

/// A simulation that goes from end to end of steps, as nobody asks for a time in between.
typedef struct carried {
    fo_cluster *cluster; ///< NULL: alone
    fo_simulation *sim;
    double h;
    int steps;
} carried;

static bool advance_carried(void *self)
{
    carried *c = self;
    double t = (c->steps += FEW) * c->h;
    return (c->cluster ? fo_cluster_carry(c->cluster, c->sim, t)
                       : fo_simulation_advance(c->sim, t)) == FO_REACHED;
}

static double alone(void)
{
    fo_field *f = make(SIDE / 2);
    fo_run_def run = fo_default_run_def();
    if (f) run.step = step_of(f), run.stop = 2 * REPEATS * FEW * run.step;
    fo_simulation *sim = f ? fo_simulation_create(fo_field_system(f), &run, NULL) : NULL;
    carried all = {NULL, sim, run.step, 0};
    double result = sim ? least_step(advance_carried, &all, FEW) : NAN;
    fo_simulation_destroy(sim);
    fo_field_destroy(f);
    return result;
}

static bool advance_sweep(void *self)
{
    return fo_cluster_sweep_advance(self, STEPS, NULL) == FO_OK;
}

static double on_ranks(bool sweep)
{
    fo_message why = {0};
    double result = NAN;
    fo_field *f = make(SIDE);
    fo_cluster_def def = {0};
    fo_cluster *c = f ? fo_cluster_create(f, &def, &why) : NULL;
    if (c && sweep) {
        fo_cluster_sweep *s = fo_cluster_sweep_create(c, step_of(f), &why);
        if (s) result = least_step(advance_sweep, s, STEPS);
        fo_cluster_sweep_destroy(s);
    } else if (c) {
        fo_run_def run = fo_default_run_def();
        run.step = step_of(f), run.stop = 2 * REPEATS * FEW * run.step;
        fo_simulation *sim = fo_simulation_create(fo_cluster_system(c), &run, &why);
        carried all = {c, sim, run.step, 0};
        if (sim) result = least_step(advance_carried, &all, FEW);
        fo_simulation_destroy(sim);
    }
    if (why.status) fprintf(stderr, "bench_mpi: %s\n", why.text);
    if (c && fo_cluster_rank(c) > 0) result = -1; // the first rank speaks
    fo_cluster_destroy(c);
    fo_field_destroy(f);
    fo_cluster_finish();
    return result;
}

static int worker(const char *what)
{
    double seconds = strcmp(what, "apart") == 0   ? apart()
                     : strcmp(what, "alone") == 0 ? alone()
                                                  : on_ranks(strcmp(what, "sweep") == 0);
    if (seconds > 0) printf("%.9g\n", seconds);
    return isnan(seconds);
}

// -------------------------------------------------------------------------------------- the driver

static FILE *begin(const char *self, int ranks, const char *what)
{
    char command[2000];
    if (ranks)
        snprintf(command, sizeof command, "mpirun -n %d '%s' %s", ranks, self, what);
    else
        snprintf(command, sizeof command, "'%s' %s", self, what);
    return popen(command, "r");
}

static double end(FILE *pipe)
{
    double seconds = NAN;
    if (!pipe) return NAN;
    if (fscanf(pipe, "%lf", &seconds) != 1) seconds = NAN;
    return pclose(pipe) == 0 ? seconds : NAN;
}

static double two_of(const char *self, const char *what)
{
    FILE *one = begin(self, 0, what), *other = begin(self, 0, what);
    double a = end(one), b = end(other);
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

typedef struct times {
    double one, two, apart;
} times;

/// In turn, so that what disturbs the machine hits all alike.
static times measure(const char *self, const char *what, const char *half)
{
    times t = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < ROUNDS; i++) {
        t.one = fmin(t.one, end(begin(self, 1, what)));
        t.two = fmin(t.two, end(begin(self, 2, what)));
        t.apart = fmin(t.apart, two_of(self, half));
    }
    return t;
}

static void compare(bench_table *table, const char *self, const char *what, const char *text)
{
    char line[80], note[120];
    times t = measure(self, what, strcmp(what, "sweep") == 0 ? "apart" : "alone");
    if (!isfinite(t.one) || !isfinite(t.two)) {
        bench_break(table, "mpirun did not run the %s", what);
        return;
    }
    double efficiency = t.one / (2 * t.two);
    snprintf(line, sizeof line, "%s, two ranks", text);
    snprintf(note, sizeof note, "efficiency %.3f, wanted 0.85", efficiency);
    bench_add(table, (bench_line){line, "half of one rank", "us/step", 1e6 * t.two, 0.5e6 * t.one,
                                  1 / 0.85, note});
    snprintf(note, sizeof note, "efficiency %.3f: the ceiling here", t.one / (2 * t.apart));
    bench_add(table,
              (bench_line){"  two halves that know nothing of each other", "half of one rank",
                           "us/step", 1e6 * t.apart, 0.5e6 * t.one, 0, note});
}

int main(int argc, char **argv)
{
    static const char *const workers[] = {"sweep", "carry", "apart", "alone"};
    for (int i = 0; argc == 2 && i < 4; i++)
        if (strcmp(argv[1], workers[i]) == 0) return worker(argv[1]);
    bench_table table;
    if (!bench_open(&table, "mpi", argc, argv)) return 1;
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    bench_title("A wave of 1024 x 1024 nodes over MPI, leapfrog");
    compare(&table, argv[0], "sweep", "fo_cluster_sweep (in place)");
    compare(&table, argv[0], "carry", "fo_cluster_carry (foliot run)");
    return bench_close(&table);
}

#else

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "mpi", argc, argv)) return 1;
    bench_title("Waves over MPI: skipped, MPI was not found (libopenmpi-dev)");
    return bench_close(&table);
}

#endif
