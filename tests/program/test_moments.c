// Moments of programs: relations, whens, reinit, samples, event iteration.
#include <string.h>

#include "gallery.h"
#include "program/simple.h"

static const char ball[] = "param e 0.7\n"
                           "param g 9.81\n"
                           "real h 1 fixed\n"
                           "real v 0 fixed\n"
                           "disc n 0\n"
                           "eq der(h) = v\n"
                           "eq der(v) = -g\n"
                           "when h <= 0\n"
                           "set n = pre(n) + 1\n"
                           "reinit v = -e*pre(v)\n"
                           "end\n";

// The first bounce at sqrt(2 h / g), the following ones e times as far apart; they accumulate.
TEST(ball_bounces)
{
    simple r;
    fo_run_def def = simple_def(5);
    def.no_rest = true;
    if (simple_begin(&r, ball, &def)) {
        double first = sqrt(2 / 9.81), t2 = first * (1 + 2 * 0.7);
        simple_go(&r, first * (1 - 1e-9));
        CHECK_NEAR(simple_value(&r, "n"), 0, 0);
        simple_go(&r, first * (1 + 1e-9));
        CHECK_NEAR(simple_value(&r, "n"), 1, 0);
        simple_go(&r, t2 * (1 + 1e-8));
        CHECK_NEAR(simple_value(&r, "n"), 2, 0);
        CHECK_NEAR(simple_value(&r, "v"), 0.49 * 9.81 * first, 1e-6);
        CHECK_INT(fo_simulation_statistics(r.sim).moments, 2);
        CHECK_INT(fo_simulation_statistics(r.sim).certified_guards, 1);
        fo_status status = fo_simulation_advance(r.sim, 5);
        CHECK_INT(status, FO_ERROR_ZENO);
        double limit = first * (1 + 2 * 0.7 / 0.3);
        CHECK_NEAR(fo_simulation_time(r.sim), limit, 1e-7);
        CHECK_CONTAINS(fo_simulation_message(r.sim)->text, "h <= 0");
    }
    simple_end(&r);
}

// Several floors that turn at one instant, at rounding errors of their own: none turns another
// back.
TEST(floors_of_one_instant)
{
    static const struct {
        const char *text;
        double y, z;
    } all[] = {
        {"real x 3.3 fixed\nreal y 0\nreal z 0\neq der(x) = -1\neq y = floor(x)\n"
         "eq z = floor(x - 1)\n",
         -2, -3},
        {"real x 3.3 fixed\nreal y 0\nreal z 0\neq der(x) = -1\neq y = floor(x)\n"
         "eq z = floor(2*x)\n",
         -2, -4},
        {"real x 3.3 fixed\nreal y 0\nreal z 0\neq der(x) = -1\neq y = floor(x/2)\n"
         "eq z = if x > 0 then 1 else 0\n",
         -1, 0},
        {"real x 0 fixed\nreal y 0\nreal z 0\neq der(x) = 1\neq y = floor(-x)\n"
         "eq z = if x > 0 then 1 else 0\n",
         -5, 1},
        {"real x 0.1 fixed\nreal y 0\nreal z 0\neq der(x) = -1\n"
         "eq y = x - 0.25*floor(x/0.25)\neq z = floor(8*y)\n",
         0.2, 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        simple r;
        fo_run_def def = simple_def(4.9);
        if (simple_begin(&r, all[i].text, &def)) {
            simple_go(&r, 4.9);
            CHECK_NEAR(simple_value(&r, "y"), all[i].y, 1e-9);
            CHECK_NEAR(simple_value(&r, "z"), all[i].z, 0);
        }
        simple_end(&r);
    }
}

// A state that is set just above zero falls through it again at once: it is never below.
TEST(reinit_within_the_slack_of_the_crossing)
{
    simple r;
    fo_run_def def = simple_def(3);
    if (simple_begin(&r,
                     "real x 1 fixed\n"
                     "disc y 0\n"
                     "eq der(x) = -1\n"
                     "when x <= 0\n"
                     "reinit x = 1e-17\n"
                     "set y = pre(y) + 1\n"
                     "end\n",
                     &def)) {
        CHECK_INT(fo_simulation_advance(r.sim, 3), FO_ERROR_ZENO);
        CHECK_CONTAINS(fo_simulation_message(r.sim)->text, "x <= 0");
        CHECK_NEAR(fo_simulation_time(r.sim), 1, 1e-9);
    }
    simple_end(&r);
}

// Two relations of one guard, one strict: both whens act once per bounce.
TEST(two_whens_of_one_crossing)
{
    simple r;
    fo_run_def def = simple_def(1.2);
    if (simple_begin(&r,
                     "real h 1 fixed\n"
                     "real v 0 fixed\n"
                     "disc n 0\n"
                     "disc m 0\n"
                     "disc up 0\n"
                     "eq der(h) = v\n"
                     "eq der(v) = -9.81\n"
                     "when h <= 0\n"
                     "reinit v = -0.7*pre(v)\n"
                     "set n = pre(n) + 1\n"
                     "end\n"
                     "when h < 0\n"
                     "set m = pre(m) + 1\n"
                     "end\n"
                     "when h > 0\n"
                     "set up = pre(up) + 1\n"
                     "end\n",
                     &def)) {
        simple_go(&r, 1.2);
        CHECK_NEAR(simple_value(&r, "n"), 2, 0);
        CHECK_NEAR(simple_value(&r, "m"), 2, 0);
        CHECK_NEAR(simple_value(&r, "up"), 2, 0);
    }
    simple_end(&r);
}

// Heating with hysteresis: T' = -T + 2 q.
TEST(hysteresis)
{
    simple r;
    fo_run_def def = simple_def(3);
    if (simple_begin(&r,
                     "real T 0 fixed\n"
                     "bool q 1\n"
                     "eq der(T) = -T + (if q then 2 else 0)\n"
                     "when T > 1\n"
                     "set q = false\n"
                     "elsewhen T < 0.5\n"
                     "set q = true\n"
                     "end\n",
                     &def)) {
        simple_go(&r, log(2) - 1e-6);
        CHECK_NEAR(simple_value(&r, "q"), 1, 0);
        simple_go(&r, log(2) + 1e-6);
        CHECK_NEAR(simple_value(&r, "q"), 0, 0);
        simple_go(&r, 2 * log(2) - 1e-6);
        CHECK_NEAR(simple_value(&r, "T"), 0.5, 1e-5);
        simple_go(&r, 2 * log(2) + log(1.25));
        CHECK_NEAR(simple_value(&r, "T"), 2 - 1.5 / 1.25, 1e-8);
    }
    simple_end(&r);
}

// if-expressions with events: |sin| integrated over whole half-waves.
TEST(relation_in_an_equation)
{
    simple r;
    fo_run_def def = simple_def(10);
    if (simple_begin(&r,
                     "real x 0 fixed\n"
                     "real y 0 fixed\n"
                     "real c 1 fixed\n"
                     "eq der(y) = c\n"
                     "eq der(c) = -y\n"
                     "eq der(x) = if y > 0 then y else -y\n",
                     &def)) {
        double pi = acos(-1);
        simple_go(&r, 3 * pi);
        CHECK_NEAR(simple_value(&r, "x"), 6, 1e-7);
    }
    simple_end(&r);
}

TEST(samples_and_times_are_exact)
{
    simple r;
    fo_run_def def = simple_def(1.05);
    if (simple_begin(&r,
                     "param T 0.1\n"
                     "real x 0 fixed\n"
                     "disc n 0\n"
                     "disc last -1\n"
                     "disc s 0\n"
                     "eq der(x) = if time >= 0.35 then 1 else 0\n"
                     "when sample(0, T)\n"
                     "set n = pre(n) + 1\n"
                     "set last = time\n"
                     "end\n"
                     "when time > 0.75\n"
                     "set s = time\n"
                     "end\n",
                     &def)) {
        simple_go(&r, 1.05);
        CHECK_NEAR(simple_value(&r, "n"), 11, 0);
        CHECK_NEAR(simple_value(&r, "last"), 10 * 0.1, 0);
        CHECK_NEAR(simple_value(&r, "x"), 0.7, 1e-13);
        CHECK_NEAR(simple_value(&r, "s"), 0.75, 0);
    }
    simple_end(&r);
}

// A chain of discretes that follow each other at one instant.
TEST(events_are_iterated)
{
    simple r;
    fo_run_def def = simple_def(1);
    if (simple_begin(&r,
                     "real x 0 fixed\n"
                     "disc a 0\n"
                     "disc b 0\n"
                     "disc c 0\n"
                     "bool big 0\n"
                     "eq der(x) = 1\n"
                     "when x > 0.5\n"
                     "set a = pre(a) + 1\n"
                     "end\n"
                     "when a > 0.5\n"
                     "set b = a + 1\n"
                     "end\n"
                     "eq big = b > 1.5\n"
                     "when pre(big)\n"
                     "set c = 10*b\n"
                     "end\n",
                     &def)) {
        simple_go(&r, 1);
        CHECK_NEAR(simple_value(&r, "a"), 1, 0);
        CHECK_NEAR(simple_value(&r, "b"), 2, 0);
        CHECK_NEAR(simple_value(&r, "c"), 20, 0);
    }
    simple_end(&r);
}

TEST(endless_iteration_is_an_error)
{
    simple r;
    fo_run_def def = simple_def(1);
    if (simple_begin(&r,
                     "real x 0 fixed\n"
                     "bool b 0\n"
                     "eq der(x) = 1\n"
                     "eq b = x > 0.5 and not pre(b)\n",
                     &def)) {
        CHECK_INT(fo_simulation_advance(r.sim, 1), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(r.sim)->text, "`b` still changes");
    }
    simple_end(&r);
}

TEST(sliding_is_an_error_without_rest)
{
    simple r;
    fo_run_def def = simple_def(3);
    def.no_rest = true;
    if (simple_begin(&r,
                     "real x 1 fixed\n"
                     "eq der(x) = if x > 0 then -1 else 1\n",
                     &def)) {
        CHECK_INT(fo_simulation_advance(r.sim, 3), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(r.sim)->text, "`x > 0` can neither stay");
        CHECK_NEAR(fo_simulation_time(r.sim), 1, 1e-9);
    }
    simple_end(&r);
}

// floor makes steps both ways.
TEST(floors_are_held)
{
    simple r;
    fo_run_def def = simple_def(4);
    if (simple_begin(&r,
                     "real x 0.5 fixed\n"
                     "real v 1 fixed\n"
                     "real n\n"
                     "real y 0 fixed\n"
                     "eq der(x) = v\n"
                     "eq der(v) = -1\n"
                     "eq n = floor(2*x)\n"
                     "eq der(y) = n\n",
                     &def)) {
        for (double t = 0.05; t < 2.7; t += 0.1) {
            simple_go(&r, t);
            CHECK_NEAR(simple_value(&r, "n"), floor(2 * (0.5 + t - t * t / 2)), 0);
        }
        // floor(1 + 2 t - t^2): 1 until 2, then 0 until 1 + sqrt 2, -1 until 1 + sqrt 3
        simple_go(&r, 1 + sqrt(3));
        double expected = 2 - (sqrt(3) - sqrt(2));
        CHECK_NEAR(simple_value(&r, "y"), expected, 1e-8);
    }
    simple_end(&r);
}

TEST(asserts_and_terminate)
{
    simple r;
    fo_run_def def = simple_def(3);
    if (simple_begin(&r,
                     "real x 1 fixed\n"
                     "eq der(x) = -1\n"
                     "assert x > 0.5 \"x is too small\"\n",
                     &def)) {
        CHECK_INT(fo_simulation_advance(r.sim, 3), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(r.sim)->text, "x is too small (line 3)");
    }
    simple_end(&r);
    if (simple_begin(&r,
                     "real x 1 fixed\n"
                     "eq der(x) = -1\n"
                     "when x < 0.25\n"
                     "stop \"enough\"\n"
                     "end\n",
                     &def)) {
        CHECK_INT(fo_simulation_advance(r.sim, 3), FO_STOPPED);
        CHECK_NEAR(fo_simulation_time(r.sim), 0.75, 1e-12);
    }
    simple_end(&r);
}

// A guard that dips below zero for a ten-thousandth of a second: found because it is bounded.
TEST(no_crossing_is_missed)
{
    simple r;
    fo_run_def def = simple_def(20);
    if (simple_begin(&r,
                     "param w 1e-4\n"
                     "real x 0 fixed\n"
                     "real v 1 fixed\n"
                     "disc n 0\n"
                     "eq der(x) = v\n"
                     "eq der(v) = -x\n"
                     "when (v - w/2)*(v + w/2) < 0\n"
                     "set n = pre(n) + 1\n"
                     "end\n",
                     &def)) {
        simple_go(&r, 20);
        CHECK_NEAR(simple_value(&r, "n"), 6, 0);
        CHECK_INT(fo_simulation_statistics(r.sim).moments, 12);
        CHECK_INT(fo_simulation_statistics(r.sim).certified_guards, 1);
    }
    simple_end(&r);
}

// What a loop solves has no bounds: its guard is watched as any other, but nothing is promised.
TEST(guards_of_loops_are_not_certified)
{
    simple r;
    fo_run_def def = simple_def(2);
    if (simple_begin(&r,
                     "real x 2 fixed\n"
                     "real a\n"
                     "disc n 0\n"
                     "disc m 0\n"
                     "eq der(x) = -x\n"
                     "eq a^3 + a = x\n"
                     "when a < 0.5\n"
                     "set n = pre(n) + 1\n"
                     "end\n"
                     "when x < 1\n"
                     "set m = pre(m) + 1\n"
                     "end\n",
                     &def)) {
        simple_go(&r, 2);
        CHECK_NEAR(simple_value(&r, "n"), 1, 0);
        CHECK_NEAR(simple_value(&r, "m"), 1, 0);
        CHECK_INT(fo_simulation_statistics(r.sim).guard_count, 2);
        CHECK_INT(fo_simulation_statistics(r.sim).certified_guards, 1);
    }
    simple_end(&r);
}

typedef struct bounces {
    double t[64];
    size_t count;
    const char *name;
} bounces;

static fo_status note(void *self, const fo_moment *m, fo_message *why)
{
    bounces *b = self;
    (void)why;
    if (!strcmp(m->name, b->name) && m->direction == FO_FALLING && b->count < 64)
        b->t[b->count++] = m->t;
    return FO_OK;
}

// The ball of the gallery, written in C: the same bounces to the last bit. It is thrown: one that
// is let go has v = 0 at the start, a moment for C and none for a relation that holds.
TEST(ball_of_the_gallery)
{
    bounces a = {.name = "y <= 0"}, b = {.name = "bounce"};
    fo_observer one = {.self = &a, .moment = note, .interval = -1},
                two = {.self = &b, .moment = note, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = 6, def.observers = &one, def.observer_count = 1;
    simple r;
    REQUIRE(simple_begin(&r,
                         "param g 9.8\n"
                         "param k 0.01\n"
                         "param m 0.1\n"
                         "param e 0.1\n"
                         "real y 1.5 fixed\n"
                         "real v -0.125 fixed\n"
                         "disc w -1\n"
                         "eq der(y) = v\n"
                         "eq der(v) = -g - k/m*w*v*v\n"
                         "when y <= 0\n"
                         "reinit y = 0\n"
                         "reinit v = abs((1 - e)*v)\n"
                         "set w = 1\n"
                         "elsewhen v <= 0\n"
                         "set w = -1\n"
                         "end\n",
                         &def));
    simple_go(&r, 6);
    fo_message why;
    const fo_compiled_model *model = gallery_find("ball", &why);
    REQUIRE(model);
    def.observers = &two;
    fo_simulation *sim = fo_simulation_create(model->system, &def, &why);
    REQUIRE(sim);
    CHECK_INT(fo_simulation_set(sim, "v", -0.125), FO_OK);
    CHECK_INT(fo_simulation_advance(sim, 6), FO_REACHED);
    CHECK(a.count > 5);
    CHECK_INT(a.count, b.count);
    for (size_t i = 0; i < a.count && i < b.count; i++) CHECK_NEAR(a.t[i], b.t[i], 0);
    fo_simulation_destroy(sim);
    simple_end(&r);
}

TEST_MAIN(TEST_ENTRY(guards_of_loops_are_not_certified), TEST_ENTRY(ball_of_the_gallery),
          TEST_ENTRY(ball_bounces), TEST_ENTRY(reinit_within_the_slack_of_the_crossing),
          TEST_ENTRY(floors_of_one_instant), TEST_ENTRY(two_whens_of_one_crossing),
          TEST_ENTRY(hysteresis), TEST_ENTRY(relation_in_an_equation),
          TEST_ENTRY(samples_and_times_are_exact), TEST_ENTRY(events_are_iterated),
          TEST_ENTRY(endless_iteration_is_an_error), TEST_ENTRY(sliding_is_an_error_without_rest),
          TEST_ENTRY(floors_are_held), TEST_ENTRY(asserts_and_terminate),
          TEST_ENTRY(no_crossing_is_missed))
