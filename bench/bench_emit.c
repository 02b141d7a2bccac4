// Machine code of our own: how long it takes to make, and how fast it is beside the same program
// through cc -O2 and in the bytecode machine.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "program/emit.h"
#include "texts.h"

#include <foliot/foliot.h>

// A hundred equations, no two of a kind, so that nothing becomes an array.
static const char *hundred_text(void)
{
    static char text[20000];
    static const char *const forms[] = {"sin(x%d)*x%d - %g*x%d", "x%d*x%d/(1 + %g*x%d^2)",
                                        "exp(-x%d) + x%d*%g - abs(x%d)",
                                        "(x%d - x%d)*%g + sqrt(1 + x%d^2)"};
    size_t used = (size_t)snprintf(text, sizeof text, "model Hundred\n");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  Real x%d(start = %g, fixed = true);\n", i, 0.01 * i);
    used += (size_t)snprintf(text + used, sizeof text - used, "equation\n");
    for (int i = 0; i < 100; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "  der(x%d) = ", i);
        used += (size_t)snprintf(text + used, sizeof text - used, forms[(i * i + i / 7) % 4],
                                 (i * 7 + 3) % 100, (i * 31 + 5) % 100, 0.1 + 0.013 * i,
                                 (i * 57 + 11) % 100);
        used += (size_t)snprintf(text + used, sizeof text - used, ";\n");
    }
    snprintf(text + used, sizeof text - used, "end Hundred;\n");
    return text;
}

// ---------------------------------------------------------------------------------------- emission

// Milliseconds; what cannot be made is not a number.
static double emit(void *self)
{
    const foi_program *g = self;
    foi_emit_def def = {0};
    double before = bench_seconds();
    foi_native *n = foi_emit_native(g, &def, NULL);
    double seconds = bench_seconds() - before;
    if (n) foi_native_free(n);
    return n ? seconds * 1e3 : NAN;
}

static void emission(bench_table *table, const char *name, const char *text, double target)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "text", .text = text};
    fo_text_model *m = fo_text_model_open(&def, &why);
    char what[64];
    if (!m) {
        bench_break(table, "%s", why.text);
        return;
    }
    bench_runner runner = {emit, (void *)fo_text_model_system(m).model};
    snprintf(what, sizeof what, "machine code of the %s", name);
    if (bench_race(&runner, 1, 200))
        bench_add(table, (bench_line){what, "limit", "ms", runner.best, target, 1});
    else
        printf("  %s: not on this processor\n", what);
    fo_text_model_close(m);
}

// --------------------------------------------------------------------------------------- stepping

typedef struct contest {
    fo_text_model *model;
    bool adaptive;
    double stop, step, x[100];
    uint64_t steps;
} contest;

static double one_run(void *self)
{
    contest *c = self;
    fo_run_def def = fo_default_run_def();
    def.stop = c->stop, def.solver = c->adaptive ? "dp45" : "rk4";
    def.rtol = def.atol = 1e-8, def.first_step = 1e-4, def.step = c->step;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(c->model), &def, NULL);
    if (!sim || fo_failed(fo_simulation_start(sim))) {
        fo_simulation_destroy(sim);
        return NAN;
    }
    double before = bench_seconds();
    fo_status status = fo_simulation_advance(sim, c->stop);
    double seconds = bench_seconds() - before;
    const fo_state *s = fo_simulation_state(sim);
    c->steps = fo_simulation_statistics(sim).steps;
    memcpy(c->x, s->x, s->shape.states * sizeof *c->x);
    fo_simulation_destroy(sim);
    return status == FO_REACHED ? seconds / (double)c->steps * 1e9 : NAN;
}

enum { WAYS = 3 };

static fo_text_model *open_way(bench_table *table, const char *text, int way, const char *folder)
{
    static const fo_way ways[WAYS] = {FO_WAY_MEMORY, FO_WAY_NATIVE, FO_WAY_BYTECODE};
    fo_message why = {0};
    fo_text_model_def def = {.path = "text", .text = text};
    fo_program_def program = fo_default_program_def();
    fo_text_model *m = fo_text_model_open(&def, &why);
    program.way = ways[way], program.folder = folder;
    if (!m) bench_break(table, "%s", why.text);
    if (m && fo_program_run_as(fo_text_model_system(m), &program, &why) != FO_OK) {
        printf("  %s\n", why.text);
        fo_text_model_close(m);
        return NULL;
    }
    return m;
}

static void contests(bench_table *table, const char *name, const char *text, bool adaptive,
                     double stop, double step, const char *folder)
{
    contest c[WAYS] = {{0}};
    bench_runner runners[WAYS];
    char what[64];
    for (int i = 0; i < WAYS; i++) {
        c[i] = (contest){.adaptive = adaptive, .stop = stop, .step = step};
        c[i].model = open_way(table, text, i, folder);
        runners[i] = (bench_runner){c[i].model ? one_run : NULL, &c[i]};
    }
    if (!bench_race(runners, WAYS, 40)) bench_break(table, "a run of the %s failed", name);
    snprintf(what, sizeof what, "%s %s", adaptive ? "dp45" : "rk4", name);
    for (int i = 1; i < WAYS; i++) {
        if (!c[0].model || !c[i].model) continue;
        if (memcmp(c[0].x, c[i].x, sizeof c[i].x) != 0 || c[0].steps != c[i].steps)
            bench_break(table, "the bits of the %s differ", name);
        bench_add(table, (bench_line){what, i == 1 ? "cc -O2" : "bytecode", "ns/step",
                                      runners[0].best, runners[i].best, i == 1 ? 1.1 : 0});
    }
    for (int i = 0; i < WAYS; i++) fo_text_model_close(c[i].model);
}

int main(int argc, char **argv)
{
    bench_table table;
    char folder[] = "/tmp/foliot-bench-XXXXXX", command[64];
    if (!bench_open(&table, "emit", argc, argv)) return 1;
    if (!mkdtemp(folder)) return bench_break(&table, "no folder in /tmp"), bench_close(&table);
    bench_title("Making machine code of a program");
    emission(&table, "pendulum", pendulum_text, 0.3);
    emission(&table, "rod of 100", rod_text, 0.3);
    emission(&table, "hundred equations", hundred_text(), 0.3);
    bench_title("Time per step: dp45 with rtol = atol = 1e-8, rk4 with h = 1e-3 (rod: 1e-4)");
    contests(&table, "pendulum", pendulum_text, false, 20, 1e-3, folder);
    contests(&table, "Lorenz", lorenz_text, false, 20, 1e-3, folder);
    contests(&table, "rod of 100", rod_text, false, 0.2, 1e-4, folder);
    contests(&table, "pendulum", pendulum_text, true, 200, 0, folder);
    contests(&table, "Lorenz", lorenz_text, true, 100, 0, folder);
    contests(&table, "rod of 100", rod_text, true, 0.5, 0, folder);
    contests(&table, "hundred equations", hundred_text(), true, 1, 0, folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0) bench_break(&table, "%s cannot be removed", folder);
    return bench_close(&table);
}
