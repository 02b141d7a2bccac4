// What is said to escape to infinity does, with every method, and nothing else does: waves so fast
// that a method takes millions of steps for them, narrow peaks, growth that ends or has no end.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

typedef struct text {
    const char *equation;
    double start, stop; ///< of x; and of the run, or the time at which it escapes
} text;

/// How a run of it ended.
typedef struct end {
    fo_status status;
    bool escapes; ///< as the message says
    char why[200];
} end;

static end run(const text *t, const char *solver, double step, double stop, uint64_t most)
{
    char model[400];
    end e = {.status = FO_ERROR_INPUT};
    fo_message why = {0};
    snprintf(model, sizeof model,
             "model M Real x(start = %.17g, fixed = true); equation %s; end M;\n", t->start,
             t->equation);
    fo_text_model *m =
        fo_text_model_open(&(fo_text_model_def){.path = "M.mo", .text = model}, &why);
    fo_run_def def = fo_default_run_def();
    def.solver = solver, def.step = step, def.stop = stop, def.max_steps = most;
    fo_simulation *sim = m ? fo_simulation_create(fo_text_model_system(m), &def, &why) : NULL;
    if (!sim) test_fail(__FILE__, __LINE__, "%s: %s", t->equation, why.text);
    if (sim) {
        e.status = fo_simulation_advance(sim, stop);
        snprintf(e.why, sizeof e.why, "%.199s", fo_simulation_message(sim)->text);
        e.escapes = e.status != FO_REACHED && strstr(e.why, "escapes to infinity");
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(m);
    return e;
}

static const char *const adaptive[] = {
    "bs23",   "rkf45",          "dp45",        "dop853",       "adams",       "rodas4",
    "radau5", "euler-adaptive", "ida",         "rke",          "cvode-bdf",   "simpson-adaptive",
    "rkv56",  "fowler-warten",  "cvode-adams", "ark-implicit", "ark-explicit"};
static const char *const fixed[] = {
    "euler",          "midpoint",         "heun", "rk4", "ab2", "ab3", "trapezoid", "simpson",
    "implicit-euler", "implicit-midpoint"};

enum { ADAPTIVE = sizeof adaptive / sizeof *adaptive, FIXED = sizeof fixed / sizeof *fixed };

TEST(what_is_bounded_does_not_escape)
{
    static const text all[] = {
        {"der(x) = 1 + 0.5*sin(1e9*time)", 0, 1},
        {"der(x) = -x + sin(1e9*time)", 0, 1},
        {"der(x) = 1 + 0.9*sin(1e9*x)", 0, 1},
        {"der(x) = 1/(1.0001 + sin(1e9*time))", 0, 1e-3},
        {"der(x) = 1e9*sin(1e9*time)^8", 1, 1e-3},
        {"der(x) = 1e-9/(1e-18 + (time - 0.5)^2)", 0, 1},
        {"der(x) = x^2*(1 - x/1e12)", 1, 2.5},
        {"der(x) = x*(1 - x/1e20)", 1, 200},
        {"der(x) = 2 + sin(1e9*time)*sin(1.3e9*time)*sin(1.7e3*time)", 0, 1e-2},
        {"der(x) = if time > 0.3 then 1 + 0.5*sin(1e9*(time - 0.3)) else 1", 0, 1},
        {"der(x) = 0.04847*cos(2.91812e9*time)^10", 0.5, 0.37},
        {"der(x) = 1.2783e5/(1.0028626 + sin(5.71775e7*x))", 0.5, 1e-5},
        {"der(x) = 1334.3*sqrt(abs(cos(1.18527e8*(x + time))))", 0.5, 1},
        {"der(x) = x*log(x)", 2.718281828459045, 7}, // exp(exp(t)): no double holds its end
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int i = 0; i < ADAPTIVE; i++) {
            end e = run(&all[k], adaptive[i], 0, all[k].stop, test_is_slow() ? 2000 : 10000);
            if (e.escapes)
                test_fail(__FILE__, __LINE__, "%s, %s: %s", all[k].equation, adaptive[i], e.why);
        }
}

static const text true_ones[] = {
    {"der(x) = x^2", 1, 1},
    {"der(x) = 1 + x^2", 0, 1.5707963267948966},
    {"der(x) = exp(x)", 0, 1},
    {"der(x) = x^3", 1, 0.5},
    {"der(x) = x^1.5", 1, 2},
    {"der(x) = -x^2", -1, 1},
    {"der(x) = x^2 - 1", 2, 0.5493061443340549}, // artanh(1/2)
};

enum { TRUE_ONES = sizeof true_ones / sizeof *true_ones };

TEST(what_escapes_is_said_to)
{
    for (int k = 0; k < TRUE_ONES; k++)
        for (int i = 0; i < ADAPTIVE; i++) {
            end e = run(&true_ones[k], adaptive[i], 0, 3 * true_ones[k].stop, 0);
            if (!e.escapes)
                test_fail(__FILE__, __LINE__, "%s, %s: %s", true_ones[k].equation, adaptive[i],
                          e.status == FO_REACHED ? "reached" : e.why);
        }
}

// Also where the run ends a few steps behind that time, and the numbers are numbers.
TEST(no_method_with_fixed_steps_goes_on_behind_it)
{
    uint64_t seed = 5;
    int count = test_inputs(1200, 40000);
    for (int n = 0; n < count; n++) {
        const text *t = &true_ones[n % TRUE_ONES];
        const char *solver = fixed[n / TRUE_ONES % FIXED];
        double step = t->stop * pow(10, -3 + 2 * chance(&seed));
        double stop = t->stop * (1.6 + 4 * chance(&seed));
        end e = run(t, solver, step, stop, 0);
        if (e.status == FO_REACHED)
            test_fail(__FILE__, __LINE__, "%s, %s, step %.17g: it goes on to %.17g", t->equation,
                      solver, step, stop);
    }
}

TEST_MAIN(TEST_ENTRY(what_is_bounded_does_not_escape), TEST_ENTRY(what_escapes_is_said_to),
          TEST_ENTRY(no_method_with_fixed_steps_goes_on_behind_it))
