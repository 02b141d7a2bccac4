// The same program in the bytecode machine and as compiled C: the same bits.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "program/simple.h"

static const char *const models[] = {
    // every operation
    "param k 2.5\n"
    "real x 0.3 fixed\n"
    "real y 0.7 fixed\n"
    "real a\n"
    "real b\n"
    "real c\n"
    "real d\n"
    "eq a = sin(x)*cos(y) + tan(x/2) - asin(x/9) + acos(y/9) + atan(x) + atan2(y, x)\n"
    "eq b = sinh(x) - cosh(y) + tanh(a) + exp(-x) + log(2 + y^2) + log10(3 + x^2)\n"
    "eq c = sqrt(1 + x^2) + abs(y) + min(x, y) - max(a, b) + k^x + noEvent(mod(7*x, 3))\n"
    "eq d = noEvent(rem(7*x, 3)) + noEvent(floor(3*y)) + noEvent(ceil(3*x)) + noEvent(sign(x))\n"
    "eq der(x) = y - a/10\n"
    "eq der(y) = -k*x + 0.01*(b + c + d) + (if noEvent(x > 0 and not y < 0) then 1 else -1)\n",
    // loops
    "real x 2 fixed\n"
    "real a\n"
    "real p\n"
    "real q\n"
    "eq der(x) = -a - 0.1*p\n"
    "eq a^3 + a = x + q/5\n"
    "eq p + 2*q = x\n"
    "eq 3*p - exp(q/4) = 1\n",
    // moments
    "real h 1 fixed\n"
    "real v 0 fixed\n"
    "disc n 0\n"
    "eq der(h) = v\n"
    "eq der(v) = -9.81 - 0.1*v*abs(v)\n"
    "when h <= 0\n"
    "set n = pre(n) + 1\n"
    "reinit v = -0.8*pre(v)\n"
    "end\n"
    "when sample(0.05, 0.1)\n"
    "reinit h = h + 0.001\n"
    "end\n",
};

static char folder[] = "/tmp/foliot-test-XXXXXX";

static bool have_compiler(void)
{
    return system("cc --version > /dev/null 2>&1") == 0;
}

TEST(compiled_programs_give_the_same_bits)
{
    if (!have_compiler()) return;
    REQUIRE(mkdtemp(folder));
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        simple r, n;
        fo_run_def def = simple_def(2);
        bool both = simple_begin(&r, models[i], &def);
        both = simple_begin(&n, models[i], &def) && both;
        REQUIRE(both);
        fo_message why = {0};
        CHECK_STATUS(foi_program_compile(n.program, folder, &why), FO_OK, &why);
        CHECK(foi_program_is_native(n.program));
        for (double t = 0; t <= 2; t += 0.125) {
            simple_go(&r, t);
            simple_go(&n, t);
            const fo_state *s = fo_simulation_state(r.sim), *m = fo_simulation_state(n.sim);
            CHECK_INT(memcmp(s->x, m->x, s->shape.states * sizeof(double)), 0);
            CHECK_INT(memcmp(s->d, m->d, s->shape.discretes * sizeof(double)), 0);
        }
        fo_statistics a = fo_simulation_statistics(r.sim), b = fo_simulation_statistics(n.sim);
        CHECK_INT(a.steps, b.steps);
        CHECK_INT(a.moments, b.moments);
        simple_end(&r);
        simple_end(&n);
    }
}

// The second time the object is there already.
// A row of equal equations is wide instructions for the machine, which uses the functions' vectors
// for them, and a loop for the compiler, which calls them one by one.
static const char *row_of_functions(void)
{
    static char text[40000];
    size_t used = 0;
    enum { LANES = 100 };
    for (int i = 0; i < LANES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "real x%d %g fixed\n", i,
                                 0.3 + 0.01 * i);
    for (int i = 0; i < LANES; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             "eq der(x%d) = sin(x%d) - cos(3*x%d) + exp(-x%d) - log(2 + x%d*x%d) "
                             "- (1 + x%d*x%d)^x%d - tanh(x%d)\n",
                             i, i, i, i, i, i, i, i, i, i);
    return text;
}

TEST(vectors_and_loops_give_the_same_bits)
{
    if (!have_compiler()) return;
    simple r, n;
    fo_run_def def = simple_def(2);
    const char *text = row_of_functions();
    bool both = simple_begin(&r, text, &def);
    both = simple_begin(&n, text, &def) && both;
    REQUIRE(both);
    fo_message why = {0};
    CHECK(r.program->codes[FOI_TASK_RATES].wide);
    CHECK_STATUS(foi_program_compile(n.program, folder, &why), FO_OK, &why);
    for (double t = 0.25; t <= 2; t += 0.25) {
        simple_go(&r, t);
        simple_go(&n, t);
        const fo_state *s = fo_simulation_state(r.sim), *m = fo_simulation_state(n.sim);
        CHECK_INT(memcmp(s->x, m->x, s->shape.states * sizeof(double)), 0);
    }
    simple_end(&r);
    simple_end(&n);
}

TEST(compiled_programs_are_kept)
{
    if (!have_compiler()) return;
    simple r;
    fo_run_def def = simple_def(2);
    fo_message why = {0};
    REQUIRE(simple_begin(&r, models[0], &def));
    int64_t begin = foi_clock_now();
    CHECK_STATUS(foi_program_compile(r.program, folder, &why), FO_OK, &why);
    double first = foi_clock_seconds(begin, foi_clock_now());
    CHECK(first < 0.02);
    foi_program_unload(r.program);
    CHECK(!foi_program_is_native(r.program));
    simple_go(&r, 1);
    simple_end(&r);
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK_INT(system(command), 0);
}

TEST(a_compiler_is_not_needed)
{
    simple r;
    fo_run_def def = simple_def(2);
    fo_message why = {0};
    REQUIRE(simple_begin(&r, models[0], &def));
    CHECK_INT(foi_program_compile(r.program, "/nonexistent", &why), FO_ERROR_UNFIT);
    CHECK_CONTAINS(why.text, "/nonexistent");
    simple_go(&r, 1);
    simple_end(&r);
}

TEST_MAIN(TEST_ENTRY(compiled_programs_give_the_same_bits),
          TEST_ENTRY(vectors_and_loops_give_the_same_bits), TEST_ENTRY(compiled_programs_are_kept),
          TEST_ENTRY(a_compiler_is_not_needed))
