// Poles of rates. A solution that comes to one ends there, with every method: none steps over it,
// and none creeps towards it. What only looks like a pole is passed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "world.h"

static const char *const solvers[] = {"euler",
                                      "midpoint",
                                      "heun",
                                      "rk4",
                                      "ab2",
                                      "ab3",
                                      "trapezoid",
                                      "simpson",
                                      "bs23",
                                      "rkf45",
                                      "rke",
                                      "rkn34",
                                      "dp45",
                                      "rkv56",
                                      "dop853",
                                      "euler-adaptive",
                                      "trapezoid-adaptive",
                                      "simpson-adaptive",
                                      "adams",
                                      "fowler-warten",
                                      "rodas4",
                                      "radau5",
                                      "cvode-bdf",
                                      "cvode-adams",
                                      "ark-explicit",
                                      "ark-implicit",
                                      "ida",
                                      NULL};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

typedef struct pole {
    const char *declared, *equations;
    double stop, at;
} pole;

#define X0(value) "Real x(start = " #value ", fixed = true);"
#define S0        "Real s(start = 0, fixed = true);"

static void write_text(char *text, size_t size, const char *declared, const char *equations)
{
    snprintf(text, size, "model M %s equation %s end M;", declared, equations);
}

static fo_run_def run_of(const char *solver, double stop)
{
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.solver = solver, def.step = stop / 1000, def.max_steps = 100000;
    return def;
}

// The time that a message names first.
static double told_time(const char *text)
{
    const char *found = strstr(text, " t = ");
    return found ? strtod(found + strlen(" t = "), NULL) : NAN;
}

static void check_end(const pole *p, const char *solver, fo_status status, const char *said)
{
    bool named = strstr(said, "escapes to infinity") || strstr(said, "steps over a pole");
    // behind 1/sqrt(1 - x) is nothing, and a method may have ended there
    named |= strstr(said, "became not a number") && strstr(p->equations, "sqrt");
    // and a loop has no solution where it is singular: a step may have ended right there
    named |= strstr(said, "the model has no rates") && strstr(p->equations, "u1");
    double off = fabs(told_time(said) - p->at);
    if (!fo_failed(status) || !named || !(off <= 0.03 * p->at + p->stop / 500))
        test_fail(__FILE__, __LINE__, "%s, %s: %s", p->equations, solver ? solver : "chosen", said);
}

static void run_pole(const pole *p, const char *solver)
{
    fo_run_def def = run_of(solver, p->stop);
    char text[1000];
    world w;
    write_text(text, sizeof text, p->declared, p->equations);
    if (world_begin(&w, text, &def)) {
        fo_status status = fo_simulation_advance(w.sim, p->stop);
        check_end(p, solver, status, fo_simulation_message(w.sim)->text);
    }
    world_end(&w);
}

// The state stays finite: its rate does not.
TEST(no_method_passes_a_pole_of_its_own_state)
{
    static const pole poles[] = {
        {X0(0), "der(x) = 1/(1 - x);", 2, 0.5},
        {X0(1), "der(x) = -1/x;", 2, 0.5},
        {X0(1), "der(x) = -1/x^3;", 2, 0.25},
        {X0(0), "der(x) = 1/sqrt(1 - x);", 2, 2.0 / 3},
        {X0(2), "der(x) = -1/log(x);", 2, 0.38629436},
        {X0(1), "der(x) = tan(x);", 1, 0.17260374},
        {X0(1), "der(x) = -1/sin(x);", 2, 0.45969769},
        {X0(0) "Real w(start = 1, fixed = true);", "der(x) = 1/(1 - x); der(w) = -w;", 2, 0.5},
        {X0(0) "Real y, z;", "y = 1 - x; z = 1/y; der(x) = z;", 2, 0.5},
        {X0(0) "parameter Real a = 3;", "der(x) = a/(a - x);", 5, 1.5},
        {X0(0), "der(x) = if x < 2 then 1/(1 - x) else 0;", 2, 0.5},
        {X0(0), "der(x) = noEvent(if x < 2 then 1/(1 - x) else 0);", 2, 0.5},
        {X0(0), "der(x) = 1e-6/(1 - x);", 1e6, 5e5},
        {X0(0), "der(x) = 1/(1e6 - x);", 1e12, 5e11},
        {X0(1) "Real v(start = 0, fixed = true);", "der(x) = v; der(v) = -x/abs(x)^3;", 3,
         1.11072073},
    };
    for (size_t i = 0; i < sizeof poles / sizeof *poles; i++)
        for (size_t k = 0; k < SOLVERS; k++) run_pole(&poles[i], solvers[k]);
}

// Another state, or time, runs into it.
TEST(no_method_passes_a_pole_of_another_state)
{
    static const pole poles[] = {
        {X0(0) S0, "der(s) = 1; der(x) = tan(s);", 3, 1.57079633},
        {X0(0) S0, "der(s) = 10; der(x) = tan(s);", 3, 0.157079633},
        {X0(0) S0, "der(s) = 1; der(x) = 1/(1.0001 - s);", 3, 1.0001},
        {X0(0) S0, "der(s) = 1; der(x) = 1/(1.0001 - s)^2;", 3, 1.0001},
        {X0(0) S0, "der(s) = 1; der(x) = (s - 1.0001)^(-1);", 3, 1.0001},
        {X0(0) S0, "der(s) = 1; der(x) = 1 + 1e-5/(s - 1.0001);", 3, 1.0001},
        {X0(0) "Real w(start = 1, fixed = true);", "der(w) = -w; der(x) = 1/(0.5 - w);", 2,
         0.69314718},
        {X0(0) "Real s(start = 0, fixed = true), c(start = 1, fixed = true);",
         "der(s) = c; der(c) = -s; der(x) = 1/(s - 0.5);", 3, 0.52359878},
    };
    for (size_t i = 0; i < sizeof poles / sizeof *poles; i++)
        for (size_t k = 0; k < SOLVERS; k++) run_pole(&poles[i], solvers[k]);
}

static void run_through(const pole *p, const char *solver, double tolerance)
{
    fo_run_def def = run_of(solver, p->stop);
    char text[600];
    world w;
    write_text(text, sizeof text, p->declared, p->equations);
    if (world_begin(&w, text, &def)) {
        fo_status status = fo_simulation_advance(w.sim, p->stop);
        double x = fo_failed(status) ? NAN : world_value(&w, "x");
        if (!(fabs(x - p->at) <= tolerance))
            test_fail(__FILE__, __LINE__, "%s, %s: %.9g, not %.9g: %s", p->equations,
                      solver ? solver : "chosen", x, p->at, fo_simulation_message(w.sim)->text);
    }
    world_end(&w);
}

// Quotients of two zeros, poles whose integral is finite, states that turn back before a pole, and
// poles of a branch that is not taken. `at` is x at the stop.
TEST(what_is_no_pole_goes_on)
{
    static const pole good[] = {
        {X0(0) S0, "der(s) = 1; der(x) = sin(s - 1.0001)/(s - 1.0001);", 3, 2.5525},
        {X0(0) S0, "der(s) = 1; der(x) = log(abs(s - 1.0001));", 3, -1.61391},
        {X0(0) "Real s(start = 0, fixed = true), c(start = 1, fixed = true);",
         "der(s) = c; der(c) = -s; der(x) = c/(1 - 0.99*s);", 2, 2.32646},
        {X0(1), "der(x) = 1/x;", 4, 3},
        {X0(1), "der(x) = -sqrt(max(x, 0));", 3, 0},
        {X0(1.5), "der(x) = -x*log(x);", 4, 1.00745},
        {X0(0), "der(x) = if x < 0.8 then 1/(1 - x) else 1;", 2, 2.32},
        {X0(0), "der(x) = noEvent(if x < 5 then 1 else 1/(1 - x));", 2, 2},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (size_t k = 0; k < SOLVERS; k++) run_through(&good[i], solvers[k], 0.02);
}

// The solution comes to rest a millionth before the pole. A method that steps over it must not go
// on behind it.
TEST(nobody_goes_on_behind_a_weak_pole)
{
    for (size_t k = 0; k < SOLVERS; k++) {
        fo_run_def def = run_of(solvers[k], 1.1);
        world w;
        if (world_begin(&w,
                        "model M Real x(start = 0, fixed = true); equation der(x) = 1 + 1e-6/(x "
                        "- 1); end M;",
                        &def)) {
            fo_status status = fo_simulation_advance(w.sim, 1.1);
            const char *said = fo_simulation_message(w.sim)->text;
            if (fo_failed(status))
                CHECK_NEAR(told_time(said), 1, 0.01);
            else
                CHECK_NEAR(world_value(&w, "x"), 1 - 1e-6, 1e-6);
        }
        world_end(&w);
    }
}

TEST(the_message_names_moment_and_expression)
{
    fo_run_def def = run_of("rk4", 2);
    world w;
    if (world_begin(&w,
                    "model M Real x(start = 0, fixed = true); equation der(x) = 1/(1 - x); end M;",
                    &def)) {
        CHECK(fo_failed(fo_simulation_advance(w.sim, 2)));
        const char *said = fo_simulation_message(w.sim)->text;
        CHECK_CONTAINS(said, "the rate of 'x' escapes to infinity near t = ");
        CHECK_CONTAINS(said, ": `der(x) = 1 / (1 - x)`, and no solution goes on from there");
        CHECK_NEAR(told_time(said), 0.5, 1e-5);
    }
    world_end(&w);
}

// All ways to run end alike.
TEST(all_ways_end_alike)
{
    static const char *const text =
        "model M Real s(start = 0, fixed = true), x(start = 0, fixed = true); equation der(s) = 1; "
        "der(x) = tan(s); end M;";
    static const fo_way ways[] = {FO_WAY_BYTECODE, FO_WAY_MEMORY};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        fo_run_def def = run_of("rk4", 3);
        world w;
        if (!world_begin(&w, text, &def)) continue;
        fo_program_def how = fo_default_program_def();
        how.way = ways[i];
        foi_program_run_as(w.program, &how, NULL);
        CHECK(fo_failed(fo_simulation_advance(w.sim, 3)));
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text,
                       "'x' escapes to infinity near t = 1.5707963");
        world_end(&w);
    }
}

// ----------------------------------------------------------------------------- compositions and C

TEST(parts_of_a_composition_do_not_pass_poles)
{
    world w;
    if (!world_load(&w, "model M input Real u; Real x(start = 0, fixed = true); equation der(x) = "
                        "1/(1 - u); end M;"))
        return;
    world source;
    if (!world_load(&source, "model S Real s(start = 0, fixed = true); output Real y; equation "
                             "der(s) = 1; y = 0.7*s; end S;"))
        return;
    fo_component parts[] = {{"a", foi_program_system(source.program)},
                            {"b", foi_program_system(w.program)}};
    fo_connection wires[] = {{0, 0, 1, 0}};
    fo_composition_def def = fo_default_composition_def();
    fo_message why = {0};
    def.parts = parts, def.part_count = 2, def.connections = wires, def.connection_count = 1;
    fo_composition *c = fo_compose(&def, &why);
    CHECK_STATUS(why.status, FO_OK, &why);
    static const char *const some[] = {"euler", "rk4", "dp45", "radau5"};
    for (size_t k = 0; c && k < sizeof some / sizeof *some; k++) {
        fo_run_def run = run_of(some[k], 3);
        fo_simulation *sim = fo_simulation_create(fo_composition_system(c), &run, &why);
        CHECK_STATUS(why.status, FO_OK, &why);
        CHECK(fo_failed(fo_simulation_advance(sim, 3)));
        CHECK_CONTAINS(fo_simulation_message(sim)->text,
                       "'b.x' escapes to infinity near t = 1.428");
        fo_simulation_destroy(sim);
    }
    fo_composition_destroy(c);
    world_end(&source);
    world_end(&w);
}

static fo_status c_rates(const void *model, const fo_state *s, double t, const double *x,
                         double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = 1 / (1 - x[0]);
    return FO_OK;
}

static fo_status c_divisors(const void *model, const fo_state *s, double t, const double *x,
                            double *values)
{
    (void)model, (void)s, (void)t;
    values[0] = 1 - x[0];
    return FO_OK;
}

static const fo_variable c_states[] = {{.name = "x"}};
static const fo_description c_about = {.name = "pole in C", .states = {c_states, 1}};

static void run_in_c(const fo_system_type *type, const char *solver)
{
    const fo_system system = {type, &c_about, NULL};
    fo_run_def def = run_of(solver, 2);
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    CHECK_STATUS(why.status, FO_OK, &why);
    if (!sim) return;
    fo_status status = fo_simulation_advance(sim, 2);
    const pole p = {"", "C", 2, 0.5};
    check_end(&p, solver, status, fo_simulation_message(sim)->text);
    fo_simulation_destroy(sim);
}

// Without divisors explicit methods that choose their steps end all the same.
TEST(rates_in_c)
{
    static const fo_system_type plain = {.kind = "test", .rates = c_rates};
    static const fo_system_type divided = {
        .kind = "test", .rates = c_rates, .divisors = c_divisors, .divisor_count = 1};
    static const char *const adaptive[] = {"bs23", "rkf45", "dp45", "dop853", "adams", "rodas4"};
    for (size_t k = 0; k < sizeof adaptive / sizeof *adaptive; k++) run_in_c(&plain, adaptive[k]);
    for (size_t k = 0; k < SOLVERS; k++) run_in_c(&divided, solvers[k]);
}

// ------------------------------------------------------------------------ poles of linear loops

static double uniform(uint64_t *state, double from, double to)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return from + (to - from) * (double)(*state >> 11) * 0x1p-53;
}

// The determinant of three rows without row 0 and column 0, and with row 0's first entry zero.
static void parts_of(double a[3][3], int n, double *at_one, double *rest)
{
    if (n == 2) {
        *at_one = a[1][1], *rest = -a[0][1] * a[1][0];
        return;
    }
    *at_one = a[1][1] * a[2][2] - a[1][2] * a[2][1];
    *rest = -a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
            a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

// a u = 1, 2, 3, whose determinant is zero when time or z, which is time, comes to `at`.
static pole random_loop(uint64_t *state, double at, char text[700])
{
    double a[3][3], at_one, rest;
    int n = uniform(state, 0, 1) < 0.5 ? 2 : 3, rate = (int)uniform(state, 1, n + 1);
    do {
        for (int i = 0; i < 9; i++) a[i / 3][i % 3] = uniform(state, -2, 2);
        parts_of(a, n, &at_one, &rest);
    } while (fabs(at_one) < 0.3);
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            used +=
                (size_t)(i + j
                             ? snprintf(text + used, 700 - used, "(%.17g)*u%d + ", a[i][j], j + 1)
                             : snprintf(text, 700, "(%.17g + 3*(%s - %.17g))*u1 + ", -rest / at_one,
                                        uniform(state, 0, 1) < 0.5 ? "z" : "time", at));
        used += (size_t)snprintf(text + used, 700 - used, "0 = %d; ", i + 1);
    }
    snprintf(text + used, 700 - used, "%s der(z) = 1; der(x) = u%d;", n == 2 ? "u3 = 0;" : "",
             rate);
    return (pole){X0(1) "Real z(start = 0, fixed = true), u1, u2, u3;", text, 1, at};
}

// What linear equations of a loop say goes to infinity where their determinant is zero.
TEST(no_method_passes_where_a_loop_is_singular)
{
    uint64_t state = 5;
    for (int k = 0; k < test_count(60, 2000); k++) {
        char text[700], whole[1000];
        bool singular = k % 3 > 0;
        double at = singular ? uniform(&state, 0.2, 0.8) : uniform(&state, 1.2, 3);
        pole p = random_loop(&state, at, text);
        const char *solver = solvers[k % SOLVERS];
        if (solver && strcmp(solver, "ida") == 0) solver = NULL; // its step becomes too small there
        if (singular) {
            run_pole(&p, solver);
            continue;
        }
        fo_run_def def = run_of(solver, p.stop);
        world w;
        write_text(whole, sizeof whole, p.declared, p.equations);
        if (world_begin(&w, whole, &def))
            CHECK_STATUS(fo_simulation_advance(w.sim, p.stop), FO_REACHED,
                         fo_simulation_message(w.sim));
        world_end(&w);
    }
}

TEST_MAIN(TEST_ENTRY(no_method_passes_a_pole_of_its_own_state),
          TEST_ENTRY(no_method_passes_a_pole_of_another_state), TEST_ENTRY(what_is_no_pole_goes_on),
          TEST_ENTRY(nobody_goes_on_behind_a_weak_pole),
          TEST_ENTRY(the_message_names_moment_and_expression), TEST_ENTRY(all_ways_end_alike),
          TEST_ENTRY(parts_of_a_composition_do_not_pass_poles), TEST_ENTRY(rates_in_c),
          TEST_ENTRY(no_method_passes_where_a_loop_is_singular))
