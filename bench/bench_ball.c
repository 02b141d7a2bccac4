// What an event costs with all that belongs to it: bouncing balls.
#include <math.h>

#include "bench.h"
#include "hand.h"
#include "packaged.h"
#include "problems.h"

enum { RUNS = 10000, ROUNDS = 10, PACKAGED_RUNS = 500 };
static const double tolerance = 1e-8, stop = 20;

/// Ours: one simulation, put back to its start for every run.
typedef struct ball {
    fo_simulation *sim;
    fo_snapshot *start;
    bool afresh; ///< make a new simulation for every run instead
} ball;

static fo_run_def definition(void)
{
    fo_run_def def = fo_default_run_def();
    def.stop = stop;
    def.solver = "dp45";
    def.rtol = def.atol = tolerance;
    def.first_step = 1e-3;
    return def;
}

static bool one_run(fo_simulation *sim, double *end)
{
    bool good = fo_simulation_advance(sim, stop) == FO_STOPPED;
    *end = fo_simulation_time(sim);
    return good;
}

// Whether the ball stopped when it should: one impact more or less would be seen.
static bool in_time(double end, double error)
{
    return fabs(end - ball_end()) < error;
}

static bool one_new_run(double *end)
{
    fo_run_def def = definition();
    fo_simulation *sim = fo_simulation_create(problem_ball, &def, NULL);
    bool good = sim && one_run(sim, end);
    fo_simulation_destroy(sim);
    return good;
}

static double ours(void *self)
{
    ball *b = self;
    bool good = true;
    double end = 0;
    double before = bench_seconds();
    for (int i = 0; good && i < RUNS / ROUNDS; i++) {
        if (b->afresh)
            good = one_new_run(&end);
        else
            good = fo_simulation_restore(b->sim, b->start) == FO_OK && one_run(b->sim, &end);
    }
    double seconds = bench_seconds() - before;
    return good && in_time(end, 1e-7) ? seconds / (RUNS / ROUNDS) / BALL_IMPACTS * 1e9 : NAN;
}

static double hand(void *self)
{
    (void)self;
    const fo_system_type *type = problem_ball.type;
    double end = 0;
    uint64_t impacts = 0;
    double before = bench_seconds();
    for (int i = 0; i < RUNS / ROUNDS; i++)
        impacts += hand_ball(type->rates, type->guards, tolerance, &end);
    double seconds = bench_seconds() - before;
    bool good = impacts == (uint64_t)BALL_IMPACTS * (RUNS / ROUNDS) && in_time(end, 1e-7);
    return good ? seconds / (double)impacts * 1e9 : NAN;
}

static double packaged(void *self)
{
    (void)self;
    packaged_result r;
    bool good = packaged_cvode(problem_ball, tolerance, stop, PACKAGED_RUNS, &r) &&
                r.events == (uint64_t)BALL_IMPACTS * PACKAGED_RUNS && in_time(r.t, 1e-4);
    return good ? r.seconds / (double)r.events * 1e9 : NAN;
}

static void race(bench_table *table, ball *restored)
{
    ball afresh = {.afresh = true};
    bench_runner runners[] = {
        {ours, restored}, {hand, NULL}, {ours, &afresh}, {packaged_here() ? packaged : NULL, NULL}};
    if (!bench_race(runners, 4, ROUNDS)) {
        bench_break(table, "a run did not bounce %d times until t = %g", BALL_IMPACTS, ball_end());
        return;
    }
    // The engine's aim was set beside a loop that needed 352 ns: at most 450 ns, 1.28 times that.
    bool quick = runners[0].best <= 450;
    const char *back = "dp45 ball restored from snapshot", *anew = "dp45 ball created anew";
    bench_add(table,
              (bench_line){back, "hand-written loop", "ns/event", runners[0].best, runners[1].best,
                           1.28, quick ? "target <= 450 ns: met" : "target <= 450 ns: NOT met"});
    bench_add(table, (bench_line){anew, "hand-written loop", "ns/event", runners[2].best,
                                  runners[1].best});
    bench_add(table, (bench_line){back, "CVODE as packaged", "ns/event", runners[0].best,
                                  runners[3].best});
}

int main(int argc, char **argv)
{
    bench_table table;
    ball b = {0};
    fo_message why = {0};
    fo_run_def def = definition();
    if (!bench_open(&table, "ball", argc, argv)) return 1;
    bench_title("10,000 bouncing balls of 39 impacts each, rtol = atol = 1e-8");
    b.sim = fo_simulation_create(problem_ball, &def, &why);
    if (b.sim && !fo_failed(fo_simulation_start(b.sim))) b.start = fo_simulation_snapshot(b.sim);
    if (b.start)
        race(&table, &b);
    else
        bench_break(&table, "no simulation: %s",
                    b.sim ? fo_simulation_message(b.sim)->text : why.text);
    fo_snapshot_destroy(b.start);
    fo_simulation_destroy(b.sim);
    return bench_close(&table);
}
