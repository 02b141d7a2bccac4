// Programs as machine code or WebAssembly of our own, against the bytecode machine: for random
// programs and for whole runs. Prints what every machine must print the same.
#include <foliot/foliot.h>

#include "program/emit_random.h"

static uint64_t hash = 1;

static void add(double x)
{
    uint64_t bits;
    x = foi_plain(x);
    memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x100000001B3);
}

#ifdef __wasm__
// The host: tests/embed/wasi.mjs
__attribute__((import_module("foliot"), import_name("instantiate"))) uint32_t host_instantiate(
    const uint8_t *module, size_t size, uint32_t count);

static uint32_t instantiate(void *self, const uint8_t *module, size_t size, uint32_t count)
{
    (void)self;
    return host_instantiate(module, size, count);
}
static const fo_module_host host_of_page = {.instantiate = instantiate};
static const fo_module_host *const host = &host_of_page;
#else
static const fo_module_host *const host = NULL;
#endif

static long programs, compared, wrong;

static void compare(uint64_t seed, const emit_shape *shape, uint32_t registers)
{
    foi_program *g = emit_program(seed, shape);
    foi_emit_def def = {.registers = registers, .everything = true, .host = host};
    fo_message why = {0};
    foi_native *n = g ? foi_emit_native(g, &def, &why) : NULL;
    if (n) wrong += emit_differences(g, n, seed, 6, &compared);
    if (!n) wrong++, printf("seed %llu: %s\n", (unsigned long long)seed, why.text);
    programs++;
    if (n) foi_native_free(n);
    foi_program_destroy(g);
}

static const char lorenz[] =
    "model Lorenz\n"
    "  parameter Real s = 10, r = 28, b = 8/3;\n"
    "  Real x(start = 1, fixed = true), y(start = 1, fixed = true), z(start = 1, fixed = true);\n"
    "equation\n"
    "  der(x) = s*(y - x);\n"
    "  der(y) = x*(r - z) - y + sin(time);\n"
    "  der(z) = x*y - b*z;\n"
    "end Lorenz;\n";

static const char rod[] = "model Rod\n"
                          "  constant Integer n = 41;\n"
                          "  parameter Real k = 50, left = 1, right = 0;\n"
                          "  Real T[n](each start = 0, each fixed = true);\n"
                          "equation\n"
                          "  der(T[1]) = k*(left - 2*T[1] + T[2]);\n"
                          "  for i in 2:n - 1 loop\n"
                          "    der(T[i]) = k*(T[i-1] - 2*T[i] + T[i+1]) - abs(T[i])*exp(-T[i]);\n"
                          "  end for;\n"
                          "  der(T[n]) = k*(T[n-1] - 2*T[n] + right);\n"
                          "end Rod;\n";

static const char loop[] = "model Loop\n"
                           "  Real x(start = 2, fixed = true), a, p, q;\n"
                           "equation\n"
                           "  der(x) = -a - 0.1*p;\n"
                           "  a^3 + a = x + q/5;\n"
                           "  p + 2*q = x;\n"
                           "  3*p - exp(q/4) = 1;\n"
                           "end Loop;\n";

// Tries fail by far where the rates jump, and what lies under them is gone through in strict steps.
static const char kinks[] =
    "model Kinks\n"
    "  constant Integer n = 37;\n"
    "  Real x[n](start = {0.1*i for i in 1:n}, each fixed = true);\n"
    "equation\n"
    "  der(x[1]) = noEvent(if time > 0.7 then -20*x[1] else 20) - noEvent(abs(x[1] - 0.5));\n"
    "  for i in 2:n loop\n"
    "    der(x[i]) = 20*(x[i-1] - x[i]) + 30*noEvent(abs(x[i] - x[i-1] - 0.3));\n"
    "  end for;\n"
    "end Kinks;\n";

static void one_run(const char *text, const char *solver, fo_way way, double *x, uint64_t *steps)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "text", .text = text};
    fo_program_def program = fo_default_program_def();
    fo_run_def run = fo_default_run_def();
    fo_text_model *m = fo_text_model_open(&def, &why);
    program.way = way, program.host = host;
    fo_status status = m ? fo_program_run_as(fo_text_model_system(m), &program, &why) : why.status;
    run.stop = 2, run.solver = solver, run.step = 1e-3;
    fo_simulation *sim = NULL;
    if (status == FO_OK) sim = fo_simulation_create(fo_text_model_system(m), &run, &why);
    if (sim) status = fo_simulation_advance(sim, run.stop);
    if (!sim || status != FO_REACHED) wrong++, printf("%s\n", why.text);
    if (sim) {
        const fo_state *s = fo_simulation_state(sim);
        memcpy(x, s->x, s->shape.states * sizeof *x);
        *steps = fo_simulation_statistics(sim).steps;
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(m);
}

static void runs(void)
{
    static const char *const texts[] = {lorenz, rod, loop, kinks};
    static const char *const solvers[] = {"rk4", "dp45"};
    for (int i = 0; i < 8; i++) {
        double x[2][64] = {{0}};
        uint64_t steps[2] = {0};
        one_run(texts[i / 2], solvers[i % 2], FO_WAY_BYTECODE, x[0], &steps[0]);
        one_run(texts[i / 2], solvers[i % 2], FO_WAY_MEMORY, x[1], &steps[1]);
        if (memcmp(x[0], x[1], sizeof x[0]) != 0 || steps[0] != steps[1] || !steps[0]) {
            wrong++;
            printf("run %d differs\n", i);
        }
        for (int k = 0; k < 64; k++) add(x[1][k]);
    }
}

#ifndef SEEDS
#define SEEDS 120
#endif

int main(void)
{
    static const uint32_t registers[] = {2, 3, 5, 9, 0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        emit_shape shape = {.states = 3, .discretes = 2, .results = 3, .operations = 4};
        if (seed % 4 == 1) shape.states = 7, shape.results = 12, shape.operations = 200;
        if (seed % 4 == 2)
            shape = (emit_shape){13 + seed % 20, 5, 7, 2 + seed % 9, seed % 3 > 0, 1};
        compare(seed, &shape, registers[seed % 5]);
    }
    runs();
    printf("%ld programs, %ld results, %ld differ; runs %016llx\n", programs, compared, wrong,
           (unsigned long long)hash);
    return wrong != 0;
}
