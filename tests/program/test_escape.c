// Texts whose states go to infinity in finite time: with fixed steps, too, which end beyond it, the
// run says so. What lies between the last of them (a power of a negative number) is not blamed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "world.h"

TEST(fixed_steps_say_that_it_escapes)
{
    static const char words[] = "escapes to infinity near t = ";
    static const char *const solvers[] = {"euler", "midpoint", "heun",     "rk4",
                                          "ab2",   "ab3",      "trapezoid"};
    static const struct {
        const char *text;
        double stop, at;
    } cases[] = {
        {"model Slow Real x(start = 1, fixed = true); equation der(x) = x^1.1; end Slow;", 20, 10},
        {"model Root Real x(start = 1, fixed = true); equation der(x) = x*sqrt(x); end Root;", 5,
         2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
            fo_run_def def = fo_default_run_def();
            def.stop = cases[i].stop, def.solver = solvers[k], def.step = cases[i].stop / 1000;
            world w;
            if (world_begin(&w, cases[i].text, &def)) {
                fo_status status = fo_simulation_advance(w.sim, cases[i].stop);
                const char *text = fo_simulation_message(w.sim)->text, *found = strstr(text, words);
                double at = found ? strtod(found + strlen(words), NULL) : 0;
                if (!fo_failed(status) || !(fabs(at - cases[i].at) <= 0.06 * cases[i].at))
                    test_fail(__FILE__, __LINE__, "%s: %s", solvers[k], text);
            }
            world_end(&w);
        }
}

// Poles between the ends of fixed steps; those of time, which no state shows, too.
TEST(fixed_steps_do_not_pass_poles)
{
    static const char *const solvers[] = {
        "euler", "heun", "rk4", "ab3", "trapezoid", "implicit-euler", "implicit-midpoint"};
    static const char *const texts[] = {
        "model T Real x(start = 0, fixed = true); equation der(x) = tan(time); end T;",
        "model D Real x(start = 0, fixed = true); equation der(x) = 1/(1 - time); end D;",
        "model P Real x(start = 0, fixed = true); equation der(x) = (1.2345 - time)^(-3); end P;"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
            fo_run_def def = fo_default_run_def();
            def.stop = 2, def.solver = solvers[k], def.step = 0.002;
            world w;
            if (world_begin(&w, texts[i], &def)) {
                CHECK(fo_failed(fo_simulation_advance(w.sim, 2)));
                CHECK_CONTAINS(fo_simulation_message(w.sim)->text,
                               "escapes to infinity near t = 1");
            }
            world_end(&w);
        }
}

// Nor do they stop where nothing escapes: a pole that can be integrated, a quotient of two zeros.
TEST(fixed_steps_go_on)
{
    static const char *const texts[] = {
        "model R Real x(start = 0, fixed = true); equation der(x) = 1/abs(1.00001 - time)^(1/3); "
        "end R;",
        "model S Real x(start = 0, fixed = true); equation der(x) = sin(time - 1.00001)/(time - "
        "1.00001); end S;"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fo_run_def def = fo_default_run_def();
        def.stop = 2, def.solver = "rk4", def.step = 0.002;
        world w;
        if (world_begin(&w, texts[i], &def)) CHECK(!fo_failed(fo_simulation_advance(w.sim, 2)));
        world_end(&w);
    }
}

typedef struct heard {
    int count;
    char text[300];
} heard;

static void hear(void *self, double t, const char *text)
{
    heard *h = self;
    (void)t;
    h->count++;
    snprintf(h->text, sizeof h->text, "%s", text);
}

// An output's pole is passed, and told once.
TEST(poles_of_outputs_are_noted)
{
    static const char *const solvers[] = {NULL, "rk4", "cvode-bdf", "dp45", "radau5"};
    static const struct {
        const char *text;
        int count;
    } cases[] = {
        {"model A Real x(start = 0, fixed = true), y; equation der(x) = 1 - x; y = 1/(x - 0.5); "
         "end A;",
         1},
        {"model B Real x(start = 0, fixed = true), y; equation der(x) = 1; y = tan(x + 1); end B;",
         1},
        {"model C Real x(start = 0, fixed = true), y; equation der(x) = 1; y = sin(x - 1)/(x - "
         "1.01); end C;",
         1},
        {"model D Real x(start = 0, fixed = true), y; equation der(x) = 1; y = sin(x - "
         "1.00001)/(x - 1.00001); end D;",
         0},
        {"model E Real x(start = 0, fixed = true), y; equation der(x) = 1; y = 1/(x + 1); end E;",
         0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
            fo_run_def def = fo_default_run_def();
            heard h = {0};
            fo_observer o = {.self = &h, .note = hear};
            def.stop = 2, def.solver = solvers[k], def.observers = &o, def.observer_count = 1;
            world w;
            if (world_begin(&w, cases[i].text, &def)) {
                CHECK(!fo_failed(fo_simulation_advance(w.sim, 2)));
                if (h.count != cases[i].count)
                    test_fail(__FILE__, __LINE__, "case %zu, solver %zu: %d: %s", i, k, h.count,
                              h.text);
                if (h.count) CHECK_CONTAINS(h.text, "passes a pole at t = ");
            }
            world_end(&w);
        }
}

TEST_MAIN(TEST_ENTRY(fixed_steps_do_not_pass_poles), TEST_ENTRY(fixed_steps_go_on),
          TEST_ENTRY(poles_of_outputs_are_noted), TEST_ENTRY(fixed_steps_say_that_it_escapes))
