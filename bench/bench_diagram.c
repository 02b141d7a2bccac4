// Block diagrams: the pendulum against a loop by hand in every way that a diagram runs, a long
// chain from the document to the program, and a cold process.
#include <foliot/foliot.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

// ----------------------------------------------------------------------------------- the pendulum

enum { WAYS = 4, STEPS = 1000000, REPEATS = 10 };
static const double step = 1e-4, stop = STEPS * 1e-4;

// theta'' = -g/L sin(theta) - c/(m L^2) theta', with the diagram's numbers.
static void hand_loop(uint64_t steps, double h, double *x)
{
    const double k = 9.8, c = 0.1;
    double a = x[0], w = x[1];
    for (uint64_t n = 0; n < steps; n++) {
        double a1 = w, w1 = -k * sin(a) - c * w;
        double a2 = w + h / 2 * w1, w2 = -k * sin(a + h / 2 * a1) - c * a2;
        double a3 = w + h / 2 * w2, w3 = -k * sin(a + h / 2 * a2) - c * a3;
        double a4 = w + h * w3, w4 = -k * sin(a + h * a3) - c * a4;
        a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    x[0] = a, x[1] = w;
}

typedef struct runner {
    fo_diagram *diagram; ///< NULL: by hand
    double x[2];
} runner;

static double by_hand(void *self)
{
    runner *r = self;
    r->x[0] = r->x[1] = 1.0471975511965976;
    double before = bench_seconds();
    hand_loop(STEPS, step, r->x);
    return (bench_seconds() - before) / STEPS * 1e9;
}

static double by_diagram(void *self)
{
    runner *r = self;
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.solver = "rk4", def.step = step;
    fo_simulation *sim = fo_simulation_create(fo_diagram_system(r->diagram), &def, NULL);
    if (!sim || fo_failed(fo_simulation_start(sim))) {
        fo_simulation_destroy(sim);
        return NAN;
    }
    double before = bench_seconds();
    fo_status status = fo_simulation_advance(sim, stop);
    double seconds = bench_seconds() - before;
    memcpy(r->x, fo_simulation_state(sim)->x, sizeof r->x);
    fo_simulation_destroy(sim);
    return status == FO_REACHED ? seconds / STEPS * 1e9 : NAN;
}

static const struct {
    const char *name;
    fo_diagram_way diagram;
    fo_way program;
    double target;
} ways[WAYS] = {
    {"native", FO_DIAGRAM_PROGRAM, FO_WAY_NATIVE, 1.2},
    {"machine", FO_DIAGRAM_PROGRAM, FO_WAY_MEMORY, 0},
    {"bytecode", FO_DIAGRAM_PROGRAM, FO_WAY_BYTECODE, 8},
    {"node by node", FO_DIAGRAM_NODES, FO_WAY_BYTECODE, 0},
};

static fo_diagram *open_way(bench_table *table, int way, const char *folder)
{
    fo_message why = {0};
    fo_diagram *d = fo_diagram_read_file(FOLIOT_MODELS "/diagrams/pendulum.json", NULL, &why);
    fo_program_def program = fo_default_program_def();
    program.way = ways[way].program, program.folder = folder;
    if (!d || fo_diagram_run_as(d, ways[way].diagram, &why) != FO_OK) {
        bench_break(table, "%s", why.text);
        fo_diagram_destroy(d);
        return NULL;
    }
    fo_system system = fo_diagram_system(d);
    if (!fo_is_program(system) || fo_program_run_as(system, &program, &why) == FO_OK) return d;
    printf("  %s: %s\n", ways[way].name, why.text);
    fo_diagram_destroy(d);
    return NULL;
}

static void race_pendulum(bench_table *table, const char *folder)
{
    runner r[WAYS + 1];
    bench_runner runners[WAYS + 1];
    for (int i = 0; i < WAYS; i++) {
        r[i] = (runner){.diagram = open_way(table, i, folder)};
        runners[i] = (bench_runner){r[i].diagram ? by_diagram : NULL, &r[i]};
    }
    runners[WAYS] = (bench_runner){by_hand, &r[WAYS]};
    if (!bench_race(runners, WAYS + 1, REPEATS)) bench_break(table, "a run of the pendulum failed");
    for (int i = 0; i < WAYS; i++) {
        char what[64];
        if (!r[i].diagram) continue;
        if (!(fabs(r[i].x[0] - r[WAYS].x[0]) < 1e-9))
            bench_break(table, "%s: theta ends at %.15g, by hand at %.15g", ways[i].name, r[i].x[0],
                        r[WAYS].x[0]);
        snprintf(what, sizeof what, "rk4 pendulum, %s", ways[i].name);
        bench_add(table, (bench_line){what, "loop by hand", "ns/step", runners[i].best,
                                      runners[WAYS].best, ways[i].target});
        fo_diagram_destroy(r[i].diagram);
    }
}

// -------------------------------------------------------------------------------------- the chain

/// A text that grows.
typedef struct text {
    char *text;
    size_t length, room;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    char piece[256];
    va_list arguments;
    va_start(arguments, format);
    size_t n = (size_t)vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (t->length + n >= t->room) {
        t->room = 2 * t->room + sizeof piece;
        t->text = realloc(t->text, t->room);
        if (!t->text) abort();
    }
    memcpy(t->text + t->length, piece, n + 1);
    t->length += n;
}

// A constant drives n integrators, each through a gain from the one before and back from itself.
static text chain_text(unsigned n)
{
    text t = {0};
    put(&t, "{\"format\": \"foliot diagram\", \"version\": 1, \"simulation\": {\"stop\": 1, "
            "\"step\": 0.01, \"integrator\": \"rk4\"}, \"nodes\": [{\"name\": \"source\", "
            "\"type\": \"Constant\"}, {\"name\": \"end\", \"type\": \"Terminator\"}");
    for (unsigned i = 0; i < n; i++)
        put(&t,
            ", {\"name\": \"k%u\", \"type\": \"Gain\", \"parameters\": {\"Gain\": %.17g}}, "
            "{\"name\": \"x%u\", \"type\": \"Integrator\"}",
            i, 1 + 1e-5 * i, i);
    put(&t, "], \"lines\": [{\"from\": \"source\", \"to\": \"k0\"}");
    for (unsigned i = 0; i < n; i++) {
        put(&t, ", {\"from\": \"k%u\", \"to\": \"x%u\"}", i, i);
        if (i + 1 < n)
            put(&t, ", {\"from\": \"x%u\", \"to\": \"k%u\"}", i, i + 1);
        else
            put(&t, ", {\"from\": \"x%u\", \"to\": \"end\"}", i);
    }
    put(&t, "]}");
    return t;
}

// Seconds from the document to the program.
static double read_chain(void *self)
{
    const text *t = self;
    fo_diagram_def def = {"chain", t->text, t->length, NULL};
    double before = bench_seconds();
    fo_diagram *d = fo_diagram_read(&def, NULL);
    double seconds = bench_seconds() - before;
    bool program = d && fo_is_program(fo_diagram_system(d));
    fo_diagram_destroy(d);
    return program ? seconds : NAN;
}

static void race_chain(bench_table *table)
{
    static const unsigned sizes[] = {100, 1000, 10000};
    double first = NAN;
    for (int i = 0; i < 3; i++) {
        text t = chain_text(sizes[i]);
        bench_runner one = {read_chain, &t};
        char what[64];
        if (!bench_race(&one, 1, 5)) bench_break(table, "the chain of %u is no program", sizes[i]);
        double per = one.best / sizes[i] * 1e6;
        if (i == 0) first = per;
        snprintf(what, sizeof what, "chain of %u integrators and gains", sizes[i]);
        bench_add(table, (bench_line){what, "per integrator of 100", "us", per, first, 0});
        if (sizes[i] == 10000) bench_add(table, (bench_line){what, "limit", "s", one.best, 1, 1});
        free(t.text);
    }
}

// ----------------------------------------------------------------------------------- cold process

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Milliseconds from the start of the process to its end.
static double one_process(void *self)
{
    extern char **environ;
    char **arguments = self;
    pid_t child;
    int result = 1;
    double before = wall_seconds();
    if (posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) != 0) return NAN;
    if (waitpid(child, &result, 0) != child || result != 0) return NAN;
    return (wall_seconds() - before) * 1e3;
}

// 14 integrators and gains, a source and a sink, and rows of all of them every 0.01 s.
static void cold_start(bench_table *table, const char *folder)
{
    char path[4096], rows[4096];
    snprintf(path, sizeof path, "%s/thirty.json", folder);
    snprintf(rows, sizeof rows, "%s/thirty.csv", folder);
    text t = chain_text(14);
    FILE *file = fopen(path, "w");
    if (!file || fputs(t.text, file) < 0 || fclose(file) != 0) {
        bench_break(table, "cannot write %s", path);
        free(t.text);
        return;
    }
    free(t.text);
    char *run[] = {FOLIOT_PROGRAM, "run", path, "--quiet", "--output", rows, NULL};
    char *nothing[] = {"/bin/true", NULL};
    bench_runner runners[] = {{one_process, run}, {one_process, nothing}};
    if (!bench_race(runners, 2, 50)) bench_break(table, "%s run %s failed", FOLIOT_PROGRAM, path);
    bench_add(table, (bench_line){"30 nodes, CSV written", "limit", "ms", runners[0].best, 10, 1});
    bench_add(table, (bench_line){"30 nodes, CSV written", "/bin/true", "ms", runners[0].best,
                                  runners[1].best, 0});
}

int main(int argc, char **argv)
{
    bench_table table;
    char folder[] = "/tmp/foliot-bench-XXXXXX", command[64];
    if (!bench_open(&table, "diagram", argc, argv)) return 1;
    if (!mkdtemp(folder)) return bench_break(&table, "no folder in /tmp"), bench_close(&table);
    bench_title("The damped pendulum as a diagram: time per step of rk4, h = 1e-4");
    race_pendulum(&table, folder);
    bench_title("A chain, from the document to the program");
    race_chain(&table);
    bench_title("From a cold process to the end of the run");
    cold_start(&table, folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0) bench_break(&table, "%s cannot be removed", folder);
    return bench_close(&table);
}
