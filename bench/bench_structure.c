// Structures: a large block against the memory's bandwidth, the document's beam against real time,
// and how the cost grows with the size.
#include <foliot/foliot.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { THREADS = 2, REPEATS = 5 };

// By the wall: threads that wait for each other or for memory count.
static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// --------------------------------------------------------------------------------- STREAM's triad

enum { TRIAD = 20000000 };

typedef struct triad {
    double *a, *b, *c;
    size_t from, to;
} triad;

static void *triad_part(void *self)
{
    triad *t = self;
    for (size_t i = t->from; i < t->to; i++) t->a[i] = t->b[i] + 3 * t->c[i];
    return NULL;
}

// Bytes per second of a = b + s c on all threads, counted as STREAM does; the best of some.
static double bandwidth(void)
{
    double *block = malloc(3 * (size_t)TRIAD * sizeof *block), best = 0;
    if (!block) return NAN;
    for (size_t i = 0; i < 3 * (size_t)TRIAD; i++) block[i] = 1;
    for (int r = 0; r < REPEATS; r++) {
        triad parts[THREADS];
        pthread_t ids[THREADS];
        double before = wall();
        for (size_t i = 0; i < THREADS; i++) {
            parts[i] = (triad){block, block + TRIAD, block + 2 * (size_t)TRIAD, TRIAD * i / THREADS,
                               TRIAD * (i + 1) / THREADS};
            if (pthread_create(&ids[i], NULL, triad_part, &parts[i]) != 0) return NAN;
        }
        for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
        best = fmax(best, 24.0 * TRIAD / (wall() - before));
    }
    free(block);
    return best;
}

// --------------------------------------------------------------------------------------- blocks

// n^3 nodes with springs to all their neighbours.
static fo_structure *block(uint32_t n, uint32_t threads, fo_message *why)
{
    fo_structure_def def = {
        .dimension = 3, .gravity = {0, 0, -9.81}, .leapfrog = threads > 0, .threads = threads};
    fo_structure *s = fo_structure_create(&def, why);
    fo_status status = s ? FO_OK : FO_ERROR_MEMORY;
    for (uint32_t a = 0; a < n * n * n && status == FO_OK; a++) {
        fo_structure_node node = {.mass = 1,
                                  .position = {a % n, a / n % n, a / n / n},
                                  .fixed = a < n * n ? FO_FIXED : 0};
        status = fo_structure_add_node(s, &node, NULL, why);
    }
    for (uint32_t a = 0; a < n * n * n; a++)
        for (uint32_t d = 14; d < 27 && status == FO_OK; d++) { // the half that comes after
            uint32_t i = a % n + d % 3 - 1, j = a / n % n + d / 3 % 3 - 1,
                     k = a / n / n + d / 9 - 1;
            if (i >= n || j >= n || k >= n) continue;
            fo_spring_def spring = {.a = a, .b = (k * n + j) * n + i, .k = 50};
            status = fo_structure_add_spring(s, &spring, NULL, why);
        }
    if (status == FO_OK) status = fo_structure_finish(s, why);
    if (status == FO_OK) return s;
    fo_structure_destroy(s);
    return NULL;
}

// Seconds per step of the block's own stepper; the best of some.
static double step_time(const fo_structure *s)
{
    fo_system system = fo_structure_system(s);
    fo_shape shape = fo_system_shape(system);
    size_t n = shape.states;
    double p[] = {0, 0, 1}, looked = 0, best = INFINITY;
    double *x = calloc(2 * n, sizeof *x), *scratch = malloc(shape.scratch);
    fo_state state = {.p = p, .scratch = scratch, .memory = &looked, .shape = shape, .x = x};
    if (!x || !scratch) return NAN;
    uint32_t side = (uint32_t)lround(cbrt((double)fo_structure_nodes(s)));
    for (uint32_t a = 0; a < fo_structure_nodes(s); a++) {
        x[3 * (size_t)a] = a % side, x[3 * (size_t)a + 1] = a / side % side;
        x[3 * (size_t)a + 2] = a / side / side;
    }
    int steps = 2 + (int)(2000000 / n);
    for (int r = 0; r < REPEATS; r++) {
        double before = wall();
        for (int i = 0; i < steps; i++) {
            bool odd = i % 2;
            if (system.type->stepper->step(s, &state, 0, 1e-3, odd ? x + n : x, odd ? x : x + n))
                return NAN;
        }
        best = fmin(best, (wall() - before) / steps);
    }
    free(x), free(scratch);
    return best;
}

// What one step has to move if nothing is read twice: q and v in and out.
static double state_bytes(const fo_structure *s)
{
    return 4 * 8 * 3.0 * fo_structure_nodes(s);
}

// The same of a network whose springs are anyhow: every spring's two nodes and two numbers, too.
static double network_bytes(const fo_structure *s)
{
    return state_bytes(s) + (2 * 4 + 2 * 8) * (double)fo_structure_springs(s);
}

// Sums, products and differences of one step: a spring seen from both ends is 16 each time.
static double step_flops(const fo_structure *s)
{
    return 2 * 16 * (double)fo_structure_springs(s) + 6 * 3.0 * fo_structure_nodes(s);
}

// Alike springs of a lattice are stored once, so that a step moves little more than the states and
// its time goes into arithmetic: the second line says how far it is from moving the states alone.
static void race_block(bench_table *table)
{
    fo_message why = {0};
    fo_structure *s = block(100, THREADS, &why);
    if (!s) {
        bench_break(table, "no block: %s", why.text);
        return;
    }
    double stream = bandwidth(), ours = step_time(s), again = bandwidth();
    stream = fmax(stream, again);
    char note[100];
    snprintf(note, sizeof note, "%.1f GB/s of %.1f GB/s, %.1f steps/s",
             network_bytes(s) / ours * 1e-9, stream * 1e-9, 1 / ours);
    bench_add(table, (bench_line){"block 100^3, leapfrog, 2 threads", "triad of springs and states",
                                  "ms/step", ours * 1e3, network_bytes(s) / stream * 1e3, 2, note});
    snprintf(note, sizeof note, "%.1f GB/s; %.1f Gflop/s without contraction",
             state_bytes(s) / ours * 1e-9, step_flops(s) / ours * 1e-9);
    bench_add(table, (bench_line){"the same", "triad of the states alone", "ms/step", ours * 1e3,
                                  state_bytes(s) / stream * 1e3, 0, note});
    fo_structure_destroy(s);
}

// On one thread: what changes is the size.
static void race_growth(bench_table *table)
{
    static const uint32_t sides[] = {10, 22, 46, 100};
    double first = 0;
    for (int i = 0; i < 4; i++) {
        fo_message why = {0};
        char what[48], note[48];
        fo_structure *s = block(sides[i], 1, &why);
        if (!s) {
            bench_break(table, "no block: %s", why.text);
            return;
        }
        double ours = step_time(s) / fo_structure_springs(s) * 1e9;
        if (i == 0) first = ours;
        snprintf(what, sizeof what, "block %u^3, 1 thread", sides[i]);
        snprintf(note, sizeof note, "%u springs", fo_structure_springs(s));
        bench_add(table,
                  (bench_line){what, "block 10^3, 1 thread", "ns/spring", ours, first, 2, note});
        fo_structure_destroy(s);
    }
}

// ------------------------------------------------------------------------- the document's beam

// 20 nodes, as in figure 14, with the document's step: seconds per simulated second.
static double beam_time(fo_message *why)
{
    static const char text[] =
        "{\"structure\": \"beam\", \"lattices\": [{\"name\": \"b\", \"columns\": 10, \"rows\": 2, "
        "\"spacing\": 2, \"mass\": 0.2, \"along\": 100, \"across\": 100, \"diagonal\": 100}], "
        "\"change\": [{\"node\": \"b.1.1\", \"fixed\": true}, {\"node\": \"b.1.2\", \"fixed\": "
        "true}], \"ports\": [{\"name\": \"load\", \"node\": \"b.10.1\", \"direction\": \"-y\", "
        "\"start\": 5}]}";
    fo_structure_document *d = fo_structure_read("beam", text, sizeof text - 1, NULL, why);
    if (!d) return NAN;
    fo_run_def run = fo_default_run_def();
    run.stop = 20, run.solver = "leapfrog", run.step = 1e-3;
    fo_simulation *sim = fo_simulation_create(fo_structure_document_system(d), &run, why);
    double before = wall();
    bool good = sim && fo_simulation_advance(sim, 20) == FO_REACHED;
    double seconds = (wall() - before) / 20;
    if (sim && !good) *why = *fo_simulation_message(sim);
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
    return good ? seconds : NAN;
}

static void race_beam(bench_table *table)
{
    fo_message why = {0};
    double best = INFINITY;
    for (int r = 0; r < REPEATS; r++) best = fmin(best, beam_time(&why));
    if (!isfinite(best)) {
        bench_break(table, "the beam: %s", why.text);
        return;
    }
    char note[48];
    snprintf(note, sizeof note, "%.0f times real time", 1 / best);
    bench_add(table, (bench_line){"beam of 20 nodes, 1 ms, with its balance", "real time", "ms/s",
                                  best * 1e3, 1e3, 0.01, note});
}

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "structure", argc, argv)) return 1;
    bench_title("Structures: leapfrog");
    race_beam(&table);
    race_block(&table);
    race_growth(&table);
    return bench_close(&table);
}
