// Models as text: from a cold process to the end of a run, programs against loops by hand in every
// way that they run, and how translation grows with the model.
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "hand_inlined.h"
#include "texts.h"

#include <foliot/foliot.h>

static const char ball_text[] = "model Ball\n"
                                "  parameter Real g = 9.81, e = 0.8;\n"
                                "  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                                "equation\n"
                                "  der(h) = v;\n"
                                "  der(v) = -g;\n"
                                "  when h <= 0 then\n"
                                "    reinit(v, -e*pre(v));\n"
                                "  end when;\n"
                                "  annotation(experiment(StopTime = 3));\n"
                                "end Ball;\n";

// ----------------------------------------------------------------------------------- cold start

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct cold {
    char *arguments[8];
} cold;

// Milliseconds from the start of the process to its end.
static double one_process(void *self)
{
    extern char **environ;
    cold *c = self;
    pid_t child;
    int result = 1;
    double before = wall_seconds();
    if (posix_spawn(&child, c->arguments[0], NULL, NULL, c->arguments, environ) != 0) return NAN;
    if (waitpid(child, &result, 0) != child || result != 0) return NAN;
    return (wall_seconds() - before) * 1e3;
}

static void cold_start(bench_table *table, const char *folder)
{
    char text[4096], rows[4096];
    snprintf(text, sizeof text, "%s/ball.mo", folder);
    snprintf(rows, sizeof rows, "%s/ball.csv", folder);
    FILE *file = fopen(text, "w");
    if (!file || fputs(ball_text, file) < 0 || fclose(file) != 0) {
        bench_break(table, "cannot write %s", text);
        return;
    }
    cold run = {{FOLIOT_PROGRAM, "run", text, "--quiet", "--output", rows, NULL}};
    cold nothing = {{"/bin/true", NULL}};
    bench_runner runners[] = {{one_process, &run}, {one_process, &nothing}};
    if (!bench_race(runners, 2, 100)) {
        bench_break(table, "%s run %s failed", FOLIOT_PROGRAM, text);
        return;
    }
    bench_add(table, (bench_line){"ball, 3 s, CSV written", "limit", "ms", runners[0].best, 5, 1});
    bench_add(table, (bench_line){"ball, 3 s, CSV written", "/bin/true", "ms", runners[0].best,
                                  runners[1].best, 0});
    unlink(text);
    unlink(rows);
}

// --------------------------------------------------------------------------------------- stepping

/// A model in one way to run it, with one solver; or its loop by hand.
typedef struct contest {
    const hand_loops *hand;
    fo_text_model *model;
    bool adaptive;
    double stop, x[ROD_NODES];
    uint64_t steps;
} contest;

static const double tolerance = 1e-8, first_step = 1e-4;

static double fixed_step(const contest *c)
{
    return c->hand == &hand_rod ? 1e-4 : 1e-3;
}

static double ours(void *self)
{
    contest *c = self;
    fo_run_def def = fo_default_run_def();
    def.stop = c->stop, def.solver = c->adaptive ? "dp45" : "rk4";
    def.rtol = def.atol = tolerance;
    def.first_step = first_step, def.step = fixed_step(c);
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(c->model), &def, NULL);
    if (!sim || fo_failed(fo_simulation_start(sim))) {
        fo_simulation_destroy(sim);
        return NAN;
    }
    double before = bench_seconds();
    fo_status status = fo_simulation_advance(sim, c->stop);
    double seconds = bench_seconds() - before;
    c->steps = fo_simulation_statistics(sim).steps;
    memcpy(c->x, fo_simulation_state(sim)->x, c->hand->n * sizeof *c->x);
    fo_simulation_destroy(sim);
    return status == FO_REACHED ? seconds / (double)c->steps * 1e9 : NAN;
}

static double by_hand(void *self)
{
    contest *c = self;
    bool pendulum = c->hand == &hand_pendulum;
    for (size_t i = 0; i < c->hand->n; i++) c->x[i] = c->hand == &hand_lorenz;
    if (pendulum) c->x[0] = 2.5;
    double before = bench_seconds();
    if (c->adaptive) {
        c->steps = c->hand->dp45(c->stop, first_step, tolerance, c->x);
    } else {
        c->steps = (uint64_t)(c->stop / fixed_step(c) + 0.5);
        c->hand->rk4(c->steps, fixed_step(c), c->x);
    }
    return (bench_seconds() - before) / (double)c->steps * 1e9;
}

// Where it is no chaos, both end at the same place.
static void agree(bench_table *table, const contest *a, const contest *b)
{
    for (size_t i = 0; i < a->hand->n && a->hand != &hand_lorenz; i++)
        if (!(fabs(a->x[i] - b->x[i]) < 1e-6))
            bench_break(table, "%s: state %zu ends at %g, the loop by hand at %g", a->hand->name, i,
                        a->x[i], b->x[i]);
}

enum { WAYS = 3 };
static const char *const way_names[WAYS] = {"native", "machine", "bytecode"};
static const double way_targets[WAYS] = {1.1, 0, 6};

static fo_text_model *open_way(bench_table *table, const char *text, int way, const char *folder)
{
    static const fo_way ways[WAYS] = {FO_WAY_NATIVE, FO_WAY_MEMORY, FO_WAY_BYTECODE};
    fo_message why = {0};
    fo_text_model_def def = {.path = "text", .text = text};
    fo_program_def program = fo_default_program_def();
    fo_text_model *m = fo_text_model_open(&def, &why);
    program.way = ways[way], program.folder = folder;
    if (!m) bench_break(table, "%s", why.text);
    if (m && fo_program_run_as(fo_text_model_system(m), &program, &why) != FO_OK) {
        printf("  %s: %s\n", way_names[way], why.text);
        fo_text_model_close(m);
        return NULL;
    }
    return m;
}

static void contests(bench_table *table, const char *text, const hand_loops *hand, bool adaptive,
                     double stop, const char *folder)
{
    contest c[WAYS + 1];
    bench_runner runners[WAYS + 1];
    for (int i = 0; i <= WAYS; i++) {
        c[i] = (contest){.hand = hand, .adaptive = adaptive, .stop = stop};
        if (i < WAYS) c[i].model = open_way(table, text, i, folder);
        runners[i] = (bench_runner){i == WAYS ? by_hand : c[i].model ? ours : NULL, &c[i]};
    }
    if (!bench_race(runners, WAYS + 1, 40))
        bench_break(table, "a run of the %s failed", hand->name);
    for (int i = 0; i < WAYS; i++) {
        char what[64];
        if (!c[i].model) continue;
        agree(table, &c[i], &c[WAYS]);
        snprintf(what, sizeof what, "%s %s, %s", adaptive ? "dp45" : "rk4", hand->name,
                 way_names[i]);
        bench_add(table, (bench_line){what, "loop by hand, inlined", "ns/step", runners[i].best,
                                      runners[WAYS].best, way_targets[i]});
        fo_text_model_close(c[i].model);
    }
}

// ------------------------------------------------------------------------------------ translation

// n oscillators, each coupled to its neighbours: 2 n equations.
static char *chain_text(unsigned n)
{
    static const char format[] = "model Chain\n"
                                 "  constant Integer n = %u;\n"
                                 "  parameter Real k = 3, m = 2;\n"
                                 "  Real x[n](each start = 0.1), v[n];\n"
                                 "equation\n"
                                 "  m*der(v[1]) = k*(x[2] - 2*x[1]);\n"
                                 "  for i in 2:n - 1 loop\n"
                                 "    m*der(v[i]) = k*(x[i-1] - 2*x[i] + x[i+1]);\n"
                                 "  end for;\n"
                                 "  m*der(v[n]) = k*(x[n-1] - 2*x[n]);\n"
                                 "  for i in 1:n loop\n"
                                 "    der(x[i]) = v[i];\n"
                                 "  end for;\n"
                                 "end Chain;\n";
    char *text = malloc(sizeof format + 16);
    if (text) snprintf(text, sizeof format + 16, format, n);
    return text;
}

// Seconds from the text to the system.
static double translate(void *self)
{
    fo_text_model_def def = {.path = "chain", .text = self};
    double before = bench_seconds();
    fo_text_model *m = fo_text_model_open(&def, NULL);
    double seconds = bench_seconds() - before;
    fo_text_model_close(m);
    return m ? seconds : NAN;
}

static void translation(bench_table *table)
{
    static const unsigned sizes[] = {100, 1000, 10000, 50000, 100000};
    double first = NAN;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned n = sizes[i], equations = 2 * n;
        char *text = chain_text(n), what[64];
        bench_runner runner = {translate, text};
        if (!text || !bench_race(&runner, 1, n < 10000 ? 30 : 2)) {
            bench_break(table, "the chain of %u cannot be translated", n);
            free(text);
            return;
        }
        free(text);
        double per = runner.best / equations * 1e6;
        if (i == 0) first = per;
        snprintf(what, sizeof what, "translation, %u equations", equations);
        bench_add(table, (bench_line){what, "per equation of 200", "us/eq.", per, first, 2});
        if (equations == 100000)
            bench_add(table, (bench_line){what, "limit", "s", runner.best, 5, 1});
    }
}

// ------------------------------------------------------------------- how translation grows

/// A family of texts: `count` equations, or elements, from n.
typedef struct family {
    const char *name, *format; ///< %u: n
    unsigned sizes[3], power;  ///< n to this power is what it is measured by
} family;

static const family families[] = {
    {"tree",
     "model M parameter Integer n = %u; Real x[n](each start = 1); equation der(x[1]) = -x[1];\n"
     "  for i in 2:n loop der(x[i]) = x[div(i, 2)] - x[i]; end for; end M;\n",
     {1000, 10000, 100000},
     1},
    {"whens",
     "model M parameter Integer n = %u; discrete Real d[n](each start = 0, each fixed = true);\n"
     "  Real x(start = 0, fixed = true); equation der(x) = 1;\n"
     "  for i in 1:n loop when x > i then d[i] = pre(d[i]) + 1; end when; end for; end M;\n",
     {1000, 10000, 50000},
     1},
    {"matrix, per element",
     "model M parameter Integer n = %u; Real A[n, n] = {{1/(i + j) for j in 1:n} for i in 1:n};\n"
     "  Real x[n](each start = 1); equation der(x) = -A*x; end M;\n",
     {32, 100, 316},
     2},
    {"algorithm",
     "model M parameter Integer n = %u; Real x[n], y[n]; Real s; algorithm x[1] := time; s := 0;\n"
     "  for i in 2:n loop if mod(i, 3) == 0 then x[i] := 0.9*x[i - 1] + time;\n"
     "    else x[i] := x[i - 1] - time; end if; s := s + x[i]; y[i] := s*s; end for;\n"
     "  y[1] := s; end M;\n",
     {1000, 10000, 100000},
     1},
    {"function",
     "model M function f input Real u[:]; output Real y[size(u, 1)]; algorithm y[1] := -u[1];\n"
     "  for i in 2:size(u, 1) loop y[i] := u[i - 1] - u[i]; end for; end f;\n"
     "  parameter Integer n = %u; Real x[n](each start = 1); equation der(x) = f(x); end M;\n",
     {1000, 10000, 100000},
     1},
    {"der() of a chain's end",
     "model M parameter Integer n = %u; Real x[n], y; equation x[1] = sin(time);\n"
     "  for i in 2:n loop x[i] = sin(x[i - 1]) + 0.1*x[i - 1]; end for; y = der(x[n]); end M;\n",
     {1000, 10000, 100000},
     1},
    {"rigid pairs of masses",
     "model M parameter Integer n = %u; Real p[n](each start = 1), w[n], q[n], u[n], f[n];\n"
     "  equation for i in 1:n loop der(p[i]) = w[i]; der(w[i]) = f[i] - p[i]; der(q[i]) = u[i];\n"
     "    2*der(u[i]) = -f[i]; 3*p[i] = 2*q[i]; end for; end M;\n",
     {1000, 10000, 50000},
     1},
};

static void growth(bench_table *table, const family *f)
{
    double first = NAN;
    for (size_t i = 0; i < 3; i++) {
        unsigned n = f->sizes[i];
        char *text = malloc(strlen(f->format) + 16), what[80];
        if (text) snprintf(text, strlen(f->format) + 16, f->format, n);
        bench_runner runner = {translate, text};
        bool right = text && bench_race(&runner, 1, n < 10000 ? 10 : 1);
        free(text);
        if (!right) {
            bench_break(table, "%s of %u cannot be translated", f->name, n);
            return;
        }
        double count = f->power == 2 ? (double)n * n : n, per = runner.best / count * 1e6;
        if (i == 0) first = per;
        snprintf(what, sizeof what, "translation, %s, %.0f", f->name, count);
        bench_add(table, (bench_line){what, "per equation of 1000", "us/eq.", per, first, 2});
    }
}

// x1, x2, ...: each with a declaration and an equation of its own.
static char *explicit_text(unsigned n)
{
    size_t size = 64 + (size_t)n * 64, used;
    char *text = malloc(size);
    if (!text) return NULL;
    used = (size_t)snprintf(text, size, "model M Real x0(start = 1, fixed = true);\n");
    for (unsigned i = 1; i < n; i++)
        used += (size_t)snprintf(text + used, size - used, "Real x%u;\n", i);
    used += (size_t)snprintf(text + used, size - used, "equation der(x0) = -x0;\n");
    for (unsigned i = 1; i < n; i++)
        used += (size_t)snprintf(text + used, size - used, "x%u = x%u + 1;\n", i, i - 1);
    snprintf(text + used, size - used, "end M;\n");
    return text;
}

static void explicit_growth(bench_table *table)
{
    static const unsigned sizes[] = {1000, 10000, 100000};
    double first = NAN;
    for (size_t i = 0; i < 3; i++) {
        char *text = explicit_text(sizes[i]), what[80];
        bench_runner runner = {translate, text};
        bool right = text && bench_race(&runner, 1, i < 2 ? 10 : 3);
        free(text);
        if (!right) {
            bench_break(table, "an explicit chain of %u cannot be translated", sizes[i]);
            return;
        }
        double per = runner.best / sizes[i] * 1e6;
        if (i == 0) first = per;
        snprintf(what, sizeof what, "translation, explicit chain, %u", sizes[i]);
        bench_add(table, (bench_line){what, "per equation of 1000", "us/eq.", per, first, 2});
    }
}

// ------------------------------------------------------------------------------ the library

/// A model of the Standard Library, and where that is.
typedef struct example {
    const char *model, *libraries[2];
} example;

static double open_example(void *self)
{
    const example *x = self;
    fo_text_model_def def = {.model = x->model, .libraries = x->libraries};
    double before = bench_seconds();
    fo_text_model *m = fo_text_model_open(&def, NULL);
    double seconds = bench_seconds() - before;
    fo_text_model_close(m);
    return m ? seconds : NAN;
}

static bool go_on(void *self, const fo_text_class *about)
{
    (void)self, (void)about;
    return true;
}

static double parse_all(void *self)
{
    const example *x = self;
    fo_text_model_def def = {.model = x->model, .libraries = x->libraries};
    double before = bench_seconds();
    fo_status status = fo_text_browse(&def, go_on, NULL, NULL);
    return status == FO_OK ? bench_seconds() - before : NAN;
}

static void library(bench_table *table)
{
    const char *folder = getenv("FOLIOT_LIBRARY");
    const struct {
        const char *what, *model;
        double (*run)(void *self);
        double limit; ///< seconds
    } lines[] = {
        {"the library: PID_Controller read and translated",
         "Modelica.Blocks.Examples.PID_Controller", open_example, 0.060},
        {"the library: EngineV6 translated", "Modelica.Mechanics.MultiBody.Examples.Loops.EngineV6",
         open_example, 2},
        {"the library: EngineV6_analytic translated",
         "Modelica.Mechanics.MultiBody.Examples.Loops.EngineV6_analytic", open_example, 2},
        {"the library: all of it parsed", "Modelica", parse_all, 0.5},
    };
    if (!folder) {
        printf("  FOLIOT_LIBRARY must name a folder with Modelica/ (the Standard Library 4.1); it "
               "is not set\n");
        return;
    }
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        example x = {lines[i].model, {folder, NULL}};
        bench_runner runner = {lines[i].run, &x};
        if (!bench_race(&runner, 1, 3))
            bench_break(table, "%s cannot be read", lines[i].model);
        else
            bench_add(table,
                      (bench_line){lines[i].what, "limit", "s", runner.best, lines[i].limit, 1});
    }
}

int main(int argc, char **argv)
{
    bench_table table;
    char folder[] = "/tmp/foliot-bench-XXXXXX", command[64];
    if (!bench_open(&table, "language", argc, argv)) return 1;
    if (!mkdtemp(folder)) return bench_break(&table, "no folder in /tmp"), bench_close(&table);
    bench_title("From a cold process to the end of the run");
    cold_start(&table, folder);
    bench_title("Time per step: dp45 with rtol = atol = 1e-8, rk4 with h = 1e-3 (rod: 1e-4)");
    contests(&table, pendulum_text, &hand_pendulum, false, 20, folder);
    contests(&table, lorenz_text, &hand_lorenz, false, 20, folder);
    contests(&table, rod_text, &hand_rod, false, 0.2, folder);
    contests(&table, pendulum_text, &hand_pendulum, true, 200, folder);
    contests(&table, lorenz_text, &hand_lorenz, true, 100, folder);
    contests(&table, rod_text, &hand_rod, true, 0.5, folder);
    bench_title("Translation: a chain of coupled oscillators, from the text to the system");
    translation(&table);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) growth(&table, &families[i]);
    explicit_growth(&table);
    bench_title("The Standard Library, where there is a copy");
    library(&table);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0) bench_break(&table, "%s cannot be removed", folder);
    return bench_close(&table);
}
