// A program in every way that it can run, and in several one after the other: the same bits.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "program/emit.h"
#include "program/simple.h"

static char folder[] = "/tmp/foliot-test-XXXXXX";
static char array[8000]; ///< see begin_array

static const char *const lorenz = "param s 10\n"
                                  "param r 28\n"
                                  "real x 1 fixed\n"
                                  "real y 1 fixed\n"
                                  "real z 1 fixed\n"
                                  "eq der(x) = s*(y - x)\n"
                                  "eq der(y) = x*(r - z) - y\n"
                                  "eq der(z) = x*y - 8/3*z\n";

static const char *const driven = "real h 1 fixed\n"
                                  "real v 0 fixed\n"
                                  "disc n 0\n"
                                  "eq der(h) = v\n"
                                  "eq der(v) = -9.81 - 0.1*v*abs(v) + sin(5*time)\n"
                                  "when h <= 0\n"
                                  "set n = pre(n) + 1\n"
                                  "reinit v = -0.8*pre(v)\n"
                                  "end\n";

static const char *const explosion = "real x 1 fixed\n"
                                     "real y 0 fixed\n"
                                     "eq der(x) = x^2\n"
                                     "eq der(y) = x\n";

// A ring of 37 places with neighbours, constants of their own, and what comes out of line: wide
// instructions, odd numbers of lanes, results in between.
static const char *begin_array(void)
{
    enum { PLACES = 37 };
    size_t used = 0;
    char *to = array;
    used += (size_t)snprintf(to + used, sizeof array - used, "param k 3\nparam q 0.5\n");
    for (int i = 0; i < PLACES; i++)
        used += (size_t)snprintf(to + used, sizeof array - used, "real T%d %g fixed\n", i,
                                 i % 5 * 0.25);
    used += (size_t)snprintf(to + used, sizeof array - used, "real e 0 fixed\n");
    for (int i = 0; i < PLACES; i++)
        used += (size_t)snprintf(
            to + used, sizeof array - used,
            "eq der(T%d) = k*(T%d - 2*T%d + T%d) - %g*T%d*abs(T%d) + q*sin(T%d/(1 + T%d^2))\n", i,
            (i + PLACES - 1) % PLACES, i, (i + 1) % PLACES, 0.1 + 0.01 * (i % 7), i, i, i, i);
    snprintf(to + used, sizeof array - used, "eq der(e) = T0 - T%d + cos(time)\n", PLACES / 2);
    return array;
}

static fo_program_def def_of(fo_way way)
{
    fo_program_def def = fo_default_program_def();
    def.way = way, def.folder = folder;
    return def;
}

// False where the way is not to be had on this machine.
static bool go_over(simple *r, fo_way way)
{
    fo_message why = {0};
    fo_program_def def = def_of(way);
    fo_status status = foi_program_run_as(r->program, &def, &why);
    if (status != FO_OK) CHECK_INT(status, FO_ERROR_UNFIT);
    return status == FO_OK;
}

static void same(const simple *a, const simple *b)
{
    const fo_state *s = fo_simulation_state(a->sim), *m = fo_simulation_state(b->sim);
    fo_statistics p = fo_simulation_statistics(a->sim), q = fo_simulation_statistics(b->sim);
    CHECK_INT(memcmp(s->x, m->x, s->shape.states * sizeof(double)), 0);
    CHECK_INT(memcmp(s->d, m->d, s->shape.discretes * sizeof(double)), 0);
    CHECK_INT(p.steps, q.steps);
    CHECK_INT(p.rejected, q.rejected);
    CHECK_INT(p.moments, q.moments);
    CHECK_INT(p.rates, q.rates);
}

static fo_run_def run_def(const char *solver)
{
    fo_run_def def = simple_def(3);
    def.solver = solver, def.step = 1e-3, def.rtol = def.atol = 1e-7;
    return def;
}

static const char *const solvers[] = {"dp45", "rk4", "bs23", "heun", "radau5"};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

TEST(all_ways_have_the_same_bits)
{
    const char *models[] = {lorenz, driven, begin_array()};
    REQUIRE(mkdtemp(folder));
    for (size_t i = 0; i < 3 * SOLVERS; i++) {
        fo_run_def def = run_def(solvers[i % SOLVERS]);
        for (fo_way way = FO_WAY_MEMORY; way <= FO_WAY_NATIVE; way++) {
            simple a, b;
            bool both = simple_begin(&a, models[i / SOLVERS], &def);
            both = simple_begin(&b, models[i / SOLVERS], &def) && both;
            REQUIRE(both);
            if (go_over(&b, way)) CHECK_INT(fo_program_way(foi_program_system(b.program)), way);
            for (double t = 0.37; t < 3; t += 0.61) {
                simple_go(&a, t);
                simple_go(&b, t);
                same(&a, &b);
            }
            simple_end(&a);
            simple_end(&b);
        }
    }
}

static const char *const relaxation = "param mu 30\n"
                                      "real x 2 fixed\n"
                                      "real y 0 fixed\n"
                                      "eq der(x) = y\n"
                                      "eq der(y) = mu*(1 - x^2)*y - x\n";

static const char *const follower = "real x 1 fixed\n"
                                    "real v 0 fixed\n"
                                    "real y 0 fixed\n"
                                    "eq der(x) = v\n"
                                    "eq der(v) = -x\n"
                                    "eq der(y) = -20000*(y - x)\n";

// Stiffness is noticed at the same step, and the trials of a stiff method come at the same ones.
TEST(the_choice_is_the_same_in_all_ways)
{
    const char *models[] = {lorenz, relaxation, follower, begin_array()};
    for (size_t i = 0; i < 8; i++) {
        fo_run_def def = run_def(NULL);
        def.rtol = i % 2 ? 1e-4 : 1e-3, def.atol = 1e-6, def.stop = 60;
        for (fo_way way = FO_WAY_MEMORY; way <= FO_WAY_NATIVE; way++) {
            simple a, b;
            bool both = simple_begin(&a, models[i / 2], &def);
            both = simple_begin(&b, models[i / 2], &def) && both;
            REQUIRE(both);
            if (go_over(&b, way)) CHECK_INT(fo_program_way(foi_program_system(b.program)), way);
            simple_go(&a, 60);
            for (double t = 7.3; t < 60; t += 7.3) simple_go(&b, t);
            simple_go(&b, 60);
            same(&a, &b);
            CHECK_TEXT(fo_simulation_solver_reason(b.sim), fo_simulation_solver_reason(a.sim));
            bool stiff = strstr(fo_simulation_solver_reason(a.sim), "stiff") != NULL;
            CHECK(stiff == (models[i / 2] != lorenz));
            simple_end(&a);
            simple_end(&b);
        }
    }
}

/// An observer that goes over to another way after some steps.
typedef struct turncoat {
    simple *r;
    uint64_t steps, after;
    fo_way way;
} turncoat;

static fo_status count_step(void *self, const fo_row *row, fo_message *why)
{
    turncoat *t = self;
    (void)row, (void)why;
    if (++t->steps == t->after) go_over(t->r, t->way);
    return FO_OK;
}

TEST(ways_may_change_at_any_step)
{
    const char *models[] = {lorenz, driven, begin_array()};
    for (size_t i = 0; i < 3 * 2; i++) {
        simple a, b;
        turncoat t = {
            .r = &b, .after = 7 + 5 * i, .way = i % 4 < 2 ? FO_WAY_MEMORY : FO_WAY_NATIVE};
        turncoat never = {.r = &a};
        fo_run_def def = run_def(solvers[i % 2]);
        fo_observer observer = {.row = count_step, .self = &never};
        def.observers = &observer, def.observer_count = 1;
        REQUIRE(simple_begin(&a, models[i / 2], &def));
        observer.self = &t;
        REQUIRE(simple_begin(&b, models[i / 2], &def));
        simple_go(&a, 3);
        simple_go(&b, 3);
        CHECK(t.steps > t.after);
        same(&a, &b);
        simple_end(&a);
        simple_end(&b);
    }
}

TEST(failures_are_the_same)
{
    for (size_t i = 0; i < 4; i++) {
        simple a, b;
        fo_run_def def = run_def(solvers[i % 2]);
        REQUIRE(simple_begin(&a, explosion, &def));
        REQUIRE(simple_begin(&b, explosion, &def));
        go_over(&b, i < 2 ? FO_WAY_NATIVE : FO_WAY_MEMORY);
        fo_status status = fo_simulation_advance(a.sim, 3);
        CHECK(fo_failed(status));
        CHECK_INT(fo_simulation_advance(b.sim, 3), status);
        CHECK_TEXT(fo_simulation_message(b.sim)->text, fo_simulation_message(a.sim)->text);
        same(&a, &b);
        simple_end(&a);
        simple_end(&b);
    }
}

// A long run: bytecode at first, then what is compiled beside it.
TEST(long_runs_are_compiled_beside)
{
    simple a, b;
    fo_run_def def = run_def("dp45");
    REQUIRE(simple_begin(&a, lorenz, &def));
    REQUIRE(simple_begin(&b, lorenz, &def));
    fo_program_def way = def_of(FO_WAY_AUTO);
    way.soon = way.late = 0;
    fo_message why = {0};
    fo_system system = foi_program_system(b.program);
    CHECK_STATUS(foi_program_compile_beside(b.program, &way, &why), FO_OK, &why);
    int64_t begun = foi_clock_now();
    char story[256];
    double t = 0;
    bool ended = false;
    while (!ended && foi_clock_seconds(begun, foi_clock_now()) < 20 && t < 2.5) {
        t += 1e-4;
        simple_go(&b, t);
        foi_clock_sleep_until(foi_clock_now() + 1000000);
        fo_program_story(system, story, sizeof story);
        ended = fo_program_way(system) == FO_WAY_NATIVE || strstr(story, "no C compiler");
    }
    CHECK(ended);
    CHECK_CONTAINS(story, "bytecode");
    simple_go(&b, 3);
    double now = 0;
    while (now < t) simple_go(&a, now += 1e-4);
    simple_go(&a, 3);
    same(&a, &b);
    simple_end(&a);
    simple_end(&b);
}

// The compiler is ended with the program, and nobody is left to be waited for.
TEST(nothing_is_left_running)
{
    for (int i = 0; i < 6; i++) {
        simple r;
        fo_run_def def = run_def("dp45");
        REQUIRE(simple_begin(&r, i % 2 ? driven : lorenz, &def));
        fo_program_def way = def_of(FO_WAY_AUTO);
        way.soon = way.late = 0;
        char other[] = "/tmp/foliot-test-XXXXXX", command[128];
        REQUIRE(mkdtemp(other));
        way.folder = other;
        CHECK_INT(foi_program_compile_beside(r.program, &way, NULL), FO_OK);
        foi_clock_sleep_until(foi_clock_now() + i * 4000000);
        simple_end(&r);
        CHECK(waitpid(-1, NULL, WNOHANG) < 0);
        snprintf(command, sizeof command, "test -z \"$(ls %s | grep -v '^[0-9a-f]*.so$')\"", other);
        CHECK_INT(system(command), 0);
        snprintf(command, sizeof command, "rm -r %s", other);
        CHECK_INT(system(command), 0);
    }
}

TEST(without_compilers_it_is_machine_code_of_our_own)
{
    simple r;
    fo_run_def def = run_def("dp45");
    fo_message why = {0};
    char empty[] = "/tmp/foliot-test-XXXXXX", path[4096], story[256];
    REQUIRE(simple_begin(&r, lorenz, &def));
    REQUIRE(mkdtemp(empty));
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("PATH", empty, 1);
    fo_program_def way = {.way = FO_WAY_NATIVE, .folder = empty};
    CHECK_INT(foi_program_run_as(r.program, &way, &why), FO_ERROR_UNFIT);
    CHECK_CONTAINS(why.text, "no C compiler");
    fo_system system = foi_program_system(r.program);
    CHECK_INT(fo_program_way(system), FO_WAY_BYTECODE);
    CHECK_TEXT(fo_program_story(system, story, sizeof story), "bytecode");
    way.way = FO_WAY_MEMORY;
    bool here = foi_target_here() != NULL;
    CHECK_INT(foi_program_run_as(r.program, &way, &why), here ? FO_OK : FO_ERROR_UNFIT);
    simple_go(&r, 1);
    setenv("PATH", path, 1);
    CHECK_INT(fo_program_way(system), here ? FO_WAY_MEMORY : FO_WAY_BYTECODE);
    CHECK_CONTAINS(fo_program_story(system, story, sizeof story), "machine code");
    CHECK_INT(rmdir(empty), 0);
    simple_end(&r);
}

TEST(what_is_no_program_is_refused)
{
    static const fo_system_type type = {.kind = "C"};
    static const fo_description about = {.name = "stone"};
    fo_message why = {0};
    fo_system system = {&type, &about, NULL};
    fo_program_def def = fo_default_program_def();
    CHECK(!fo_is_program(system));
    CHECK_INT(fo_program_run_as(system, &def, &why), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, "'stone' is not a program");
}

// Arrays become lanes, and what has none stays as it is.
TEST(arrays_are_packed)
{
    simple a, b;
    fo_run_def def = run_def("dp45");
    REQUIRE(simple_begin(&a, begin_array(), &def));
    REQUIRE(simple_begin(&b, lorenz, &def));
    const foi_code *rates = &a.program->codes[FOI_TASK_RATES];
    CHECK(rates->wide && rates->packed_count * 4 < rates->count);
    rates = &b.program->codes[FOI_TASK_RATES];
    CHECK(!rates->wide && rates->packed_count < rates->count);
    simple_end(&a);
    simple_end(&b);
}

TEST(packing_without_memory)
{
    long fail_at = 0;
    bool done = false;
    foi_flat *flat = mini_model(begin_array(), NULL);
    for (fail_at = 1; !done && fail_at < 3000; fail_at += fail_at < 40 ? 1 : 37) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        fo_message why = {0};
        foi_program *p = foi_program_create(flat, &memory.allocator, &why, NULL);
        done = p != NULL;
        if (!p) CHECK_INT(why.status, FO_ERROR_MEMORY);
        foi_program_destroy(p);
        CHECK_INT(memory.live, 0);
    }
    CHECK(done);
    foi_flat_destroy(flat);
}

TEST(the_cache_is_removed)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK_INT(system(command), 0);
}

TEST_MAIN(TEST_ENTRY(all_ways_have_the_same_bits), TEST_ENTRY(the_choice_is_the_same_in_all_ways),
          TEST_ENTRY(ways_may_change_at_any_step), TEST_ENTRY(failures_are_the_same),
          TEST_ENTRY(long_runs_are_compiled_beside), TEST_ENTRY(nothing_is_left_running),
          TEST_ENTRY(without_compilers_it_is_machine_code_of_our_own),
          TEST_ENTRY(what_is_no_program_is_refused), TEST_ENTRY(arrays_are_packed),
          TEST_ENTRY(packing_without_memory), TEST_ENTRY(the_cache_is_removed))
