// Moments that come nearer and nearer to a limit end the run with a message that names it, within
// about a thousand of them; those that only come more and more often, or seem to for a while, do
// not.
#include <math.h>
#include <string.h>

#include "language/language.h"
#include "program/program.h"
#include "test.h"

typedef struct outcome {
    fo_status status;
    char why[512];
    double count, t;
    uint64_t moments;
} outcome;

static outcome run(const char *guard, const char *act, double stop, const char *solver)
{
    outcome o = {.status = FO_ERROR_INPUT};
    char text[1000];
    snprintf(text, sizeof text,
             "model O discrete Integer n(start=0,fixed=true); Real x(start=0,fixed=true); "
             "Real y(start=0,fixed=true); equation der(x)=1; der(y)=0; "
             "when %s then n=pre(n)+1; %s end when; end O;",
             guard, act);
    foi_language_def def = foi_default_language_def();
    foi_messages messages;
    foi_flat *flat = NULL;
    foi_place place;
    fo_message why = {0};
    def.path = "test.mo", def.text = text, def.no_files = true;
    foi_messages_begin(&messages, NULL);
    fo_status status = foi_language_load(&def, &flat, &messages);
    foi_messages_end(&messages);
    foi_program *program = status == FO_OK ? foi_program_create(flat, NULL, &why, &place) : NULL;
    fo_run_def as = fo_default_run_def();
    as.stop = stop, as.solver = solver;
    fo_simulation *sim =
        program ? fo_simulation_create(foi_program_system(program), &as, &why) : NULL;
    if (sim) {
        o.status = fo_simulation_advance(sim, stop);
        snprintf(o.why, sizeof o.why, "%.500s", fo_simulation_message(sim)->text);
        o.count = fo_simulation_state(sim)->d[0], o.t = fo_simulation_state(sim)->t;
        o.moments = fo_simulation_statistics(sim).moments;
    } else {
        test_fail(__FILE__, __LINE__, "%s: %s", text, why.text);
    }
    fo_simulation_destroy(sim);
    foi_program_destroy(program);
    foi_flat_destroy(flat);
    return o;
}

static const char *const solvers[] = {"dp45", "dop853", "rodas4", "radau5"};

TEST(infinitely_many_end_with_the_limit)
{
    static const struct {
        const char *guard, *limit;
    } waves[] = {
        {"sin(1/(time-1)) > 0", "t = 1 "},       {"sin(1/(x-1)) > 0.5", "t = 1 "},
        {"sin(1/(3-x)) > -0.9", "t = 3 "},       {"sin(1/(x-1)^2) > 0.5", "t = 1.0000"},
        {"sin(3/sqrt(abs(1-x))) > 0", "t = 1 "}, {"cos(100/(1.5-x)) < 0.25", "t = 1.5 "},
        {"floor(2*tan(x)) > 1.5", "t = 1.57"},   {"integer(1/(1-time)) > 3", "t = 1 "},
        {"mod(1/(1.5-x), 1) > 0.5", "t = 1.5 "}, {"ceil(-1/(1-x)^2) < -7", "t = 1.0000"},
    };
    for (size_t i = 0; i < sizeof waves / sizeof *waves; i++)
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
            outcome o = run(waves[i].guard, k % 2 ? "reinit(y, -pre(y));" : "", 4, solvers[k]);
            CHECK_INT(o.status, FO_ERROR_ZENO);
            CHECK(o.moments <= 1000);
            if (!strstr(o.why, waves[i].limit) || !strstr(o.why, "nearer and nearer"))
                test_fail(__FILE__, __LINE__, "%s: %s", waves[i].guard, o.why);
        }
}

// Impacts may come to rest; but these do not, and they end, too.
TEST(jumps_of_states_end_with_the_limit)
{
    outcome o = run("sin(1/(time-1)) > 0", "reinit(y, pre(y)+1);", 4, NULL);
    CHECK_INT(o.status, FO_ERROR_ZENO);
    CHECK(o.moments <= 20000);
    CHECK(strstr(o.why, "t = 1 "));
}

// A rise of sin(u) through c at u = asin(c) + 2 pi k, between u0 and u1.
static double rises(double u0, double u1, double c)
{
    double period = 2 * acos(-1);
    return floor((u1 - asin(c)) / period) - floor((u0 - asin(c)) / period);
}

// Falling ones of sin(u) > c, for u that goes down.
static double falls(double u0, double u1, double c)
{
    double period = 2 * acos(-1), at = acos(-1) - asin(c);
    return floor((u1 - at) / period) - floor((u0 - at) / period);
}

TEST(what_comes_to_an_end_goes_on)
{
    outcome o = run("sin(1/(1.001-x)) > 0.5", "", 1, NULL); // it stops before the limit
    CHECK_INT(o.status, FO_REACHED);
    CHECK_NEAR(o.count, rises(1 / 1.001, 1 / (1.001 - 1), 0.5), 0.1);
    o = run("sin(1000*x^2) > 0.5", "", 2, NULL); // more and more often
    CHECK_INT(o.status, FO_REACHED);
    CHECK_NEAR(o.count, rises(0, 4000, 0.5), 0.1);
    o = run("sin(exp(5*x)) > 0.5", "", 1.6, NULL);
    CHECK_INT(o.status, FO_REACHED);
    CHECK_NEAR(o.count, rises(1, exp(8), 0.5), 0.1);
    o = run("sin(2000*x+1000*sin(x)) > 0.5", "", 3, NULL); // it varies
    CHECK_INT(o.status, FO_REACHED);
    CHECK_NEAR(o.count, rises(0, 6000 + 1000 * sin(3), 0.5), 0.1);
    o = run("floor(1000*x^2) > 1.5", "", 2, NULL);
    CHECK_INT(o.status, FO_REACHED);
    CHECK_NEAR(o.count, 1, 0.1);
    CHECK_NEAR((double)o.moments, 4000, 1.1);
    o = run("floor(1/((x-1)^2+1e-4)) > 5", "", 2, NULL); // whole numbers, there and back
    CHECK_INT(o.status, FO_REACHED);
    CHECK_NEAR(o.count, 1, 0.1);
    o = run("sin(20000*x) > 0.5", "", 1, NULL); // all equally far apart
    CHECK_INT(o.status, FO_REACHED);
    CHECK_NEAR(o.count, rises(0, 20000, 0.5), 0.1);
    o = run("sin(1/((x-1)^2+1e-4)) > 0.5", "", 2, NULL); // there and back
    CHECK_INT(o.status, FO_REACHED);
    CHECK_NEAR(o.count, rises(1 / 1.0001, 1e4, 0.5) + falls(1 / 1.0001, 1e4, 0.5), 1.1);
}

TEST_MAIN(TEST_ENTRY(infinitely_many_end_with_the_limit),
          TEST_ENTRY(jumps_of_states_end_with_the_limit), TEST_ENTRY(what_comes_to_an_end_goes_on))
