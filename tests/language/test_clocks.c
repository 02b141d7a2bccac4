/// Clocked partitions beside recurrences worked out in C.
#include "samples.h"

// u_k = u_{k-1}/2 + x_k, where x flows between the ticks with the last u held.
TEST(a_sampled_loop)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Real x(start = 1, fixed = true); Real u(start = 0); Real s;\n"
                  "  Integer n(start = 0);\nequation\n"
                  "  der(x) = -x + hold(u); s = sample(x, Clock(0.1)); u = 0.5*previous(u) + s;\n"
                  "  n = previous(n) + (if s > 100 then 2 else 1);\nend M;\n",
                  2));
    double x = 1, u = 0;
    for (int k = 0; k < 20; k++) {
        u = u / 2 + x;
        CHECK_NEAR(at(&w, 0.1 * k + 0.05, "u"), u, 1e-8);
        CHECK_NEAR(at(&w, 0.1 * k + 0.05, "n"), k + 1, 0);
        x = u + (x - u) * exp(-0.1);
        CHECK_NEAR(at(&w, 0.1 * k + 0.0999999, "x"), x, 1e-6);
    }
    end(&w);
}

static const char conversions[] =
    "model M\n"
    "  Real c; Real n(start = 0); Real sub; Real sup; Real shift; Real back; Real h;\n"
    "  Real dt; Boolean first;\n"
    "equation\n"
    "  when Clock(2, 10) then n = previous(n) + 1; dt = interval(); first = firstTick(n); end "
    "when;\n"
    "  c = n; sub = subSample(n, 3); sup = superSample(n, 2);\n"
    "  shift = shiftSample(n, 1, 2); back = backSample(shift, 1, 2); h = hold(sup);\n"
    "end M;\n";

// Ticks at 0.2 k: n = k + 1; every third; twice as often; a tenth of a second later, and back.
TEST(conversions_of_clocks)
{
    world w;
    REQUIRE(begin(&w, conversions, 2));
    for (int k = 0; k < 9; k++) {
        double t = 0.2 * k;
        CHECK_NEAR(at(&w, t + 0.05, "c"), k + 1, 0);
        CHECK_NEAR(at(&w, t + 0.05, "sub"), k / 3 * 3 + 1, 0);
        CHECK_NEAR(at(&w, t + 0.05, "sup"), k + 1, 0);
        CHECK_NEAR(at(&w, t + 0.05, "shift"), k, 0);
        CHECK_NEAR(at(&w, t + 0.05, "dt"), 0.2, 1e-15);
        CHECK_NEAR(at(&w, t + 0.05, "first"), k == 0, 0);
        CHECK_NEAR(at(&w, t + 0.15, "shift"), k + 1, 0);
        CHECK_NEAR(at(&w, t + 0.15, "h"), k + 1, 0);
    }
    end(&w);
}

// Until its clock has ticked a clocked variable is what it starts with, not what its equation makes
// of what is not known yet: one that is shifted, one of a condition, and what follows from them.
TEST(clocked_variables_before_their_first_tick)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Real u(start = 1); Real v(start = -3); Real r(start = -4); Real y;\n"
                  "  Real q(start = -5); Integer k(start = 7); Real h; Boolean b(start = true);\n"
                  "  Real inv(start = 9); Integer n(start = 3); Real x(start = 0, fixed = true);\n"
                  "  Real x1; Clock c = Clock(1); Clock d = shiftSample(c, 3, 2);\nequation\n"
                  "  der(x) = 1; u = sample(x + 5, c); v = shiftSample(u, 1) + 100; r = 2*v;\n"
                  "  y = hold(v); inv = 1/shiftSample(x1, 1); h = hold(q); x1 = sample(x, c);\n"
                  "  when d then q = previous(q) + sample(x); k = previous(k) + 1;\n"
                  "    b = sample(x) < 0; end when;\n"
                  "  when Clock(x > 1.25) then n = previous(n) + 10; end when;\n"
                  "end M;\n",
                  3));
    for (double t = 0.05; t < 2.95; t += 0.1) {
        double tick = floor(t);
        CHECK_NEAR(at(&w, t, "u"), tick + 5, 1e-9);
        CHECK_NEAR(at(&w, t, "v"), t < 1 ? -3 : tick + 105, 1e-9);
        CHECK_NEAR(at(&w, t, "r"), t < 1 ? -4 : 2 * (tick + 105), 1e-9);
        CHECK_NEAR(at(&w, t, "y"), t < 1 ? -3 : tick + 105, 1e-9);
        CHECK_NEAR(at(&w, t, "inv"), t < 1 ? 9 : 1 / tick, 1e-9);
        CHECK_NEAR(at(&w, t, "q"), t < 1.5 ? -5 : t < 2.5 ? -3.5 : -1, 1e-9);
        CHECK_NEAR(at(&w, t, "h"), t < 1.5 ? -5 : t < 2.5 ? -3.5 : -1, 1e-9);
        CHECK_NEAR(at(&w, t, "k"), t < 1.5 ? 7 : t < 2.5 ? 8 : 9, 0);
        CHECK_NEAR(at(&w, t, "b"), t < 1.5, 0);
        CHECK_NEAR(at(&w, t, "n"), t < 1.25 ? 3 : 13, 0);
    }
    end(&w);
}

// A sample is the limit from the left: a discrete variable that jumps in the moment of a tick is
// seen at the next one.
TEST(samples_are_limits_from_the_left)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Integer u = if time >= 0.5 then 1 else 0; Integer s; Boolean c;\n"
                  "  Boolean b = time >= 0.5;\n"
                  "equation s = sample(u, Clock(0.25)); c = sample(b, Clock(0.25)); end M;\n",
                  2));
    CHECK_NEAR(at(&w, 0.6, "s"), 0, 0);
    CHECK_NEAR(at(&w, 0.6, "c"), 0, 0);
    CHECK_NEAR(at(&w, 0.8, "s"), 1, 0);
    CHECK_NEAR(at(&w, 0.8, "c"), 1, 0);
    end(&w);
}

// So is one that flows.
TEST(samples_of_what_jumps_while_it_flows)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Real u = time + (if time >= 0.5 then 1 else 0); Real s; Real c;\n"
                  "equation s = sample(u, Clock(0.25)); c = sample(2*u + 1, Clock(0.25)); end M;\n",
                  2));
    CHECK_NEAR(at(&w, 0.6, "s"), 0.5, 1e-12);
    CHECK_NEAR(at(&w, 0.6, "c"), 2, 1e-12);
    CHECK_NEAR(at(&w, 0.8, "s"), 1.75, 1e-12);
    CHECK_NEAR(at(&w, 0.8, "c"), 4.5, 1e-12);
    end(&w);
}

// A limiter between clocks: at each tick it decides by the value of that tick, not of the one
// before.
TEST(relations_of_a_tick)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Real u; Real y; Real h; Real z;\n"
                  "equation u = sample(2*sin(time), Clock(0.25));\n"
                  "  y = if u > 1.5 then 1.5 elseif u < -1.5 then -1.5 else u;\n"
                  "  h = shiftSample(y, 1, 2); z = hold(h);\nend M;\n",
                  7));
    for (int k = 0; k < 27; k++) {
        double u = 2 * sin(0.25 * k), y = u > 1.5 ? 1.5 : u < -1.5 ? -1.5 : u;
        CHECK_NEAR(at(&w, 0.25 * k + 0.1, "y"), y, 1e-12);
        CHECK_NEAR(at(&w, 0.25 * k + 0.2, "z"), y, 1e-12);
    }
    end(&w);
}

TEST(a_clock_of_a_condition)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Real n(start = 0); Real d; Boolean b = sin(20*time) > 0;\n"
                  "equation when Clock(b) then n = previous(n) + 1; d = interval(); end when;\n"
                  "end M;\n",
                  2));
    const double period = 2 * 3.14159265358979323846 / 20;
    for (int k = 1; k < 6; k++) CHECK_NEAR(at(&w, period * (k + 0.25), "n"), k, 1);
    double before = at(&w, period * 5.6, "n");
    CHECK_NEAR(at(&w, period * 6.25, "n"), before + 1, 0);
    CHECK_NEAR(at(&w, period * 6.25, "d"), period, 1e-6);
    end(&w);
}

// Of a clock that ticks at 0.5 + k: every third tick, all after the second, and every second of
// these.
TEST(conversions_of_clocks_of_conditions)
{
    world w;
    REQUIRE(
        begin(&w,
              "model M Integer n(start = 0), sub, shift, both, a, b, c; Real d;\n"
              "  Boolean tick = cos(6.283185307179586*time) < 0;\n"
              "equation when Clock(tick) then n = previous(n) + 1; end when;\n"
              "  sub = subSample(n, 3); shift = shiftSample(n, 2); both = subSample(shift, 2);\n"
              "  d = interval(sub); a = hold(sub); b = hold(shift); c = hold(both); end M;\n",
              12));
    for (int k = 0; k < 11; k++) {
        double t = k + 0.6;
        CHECK_NEAR(at(&w, t, "n"), k + 1, 0);
        CHECK_NEAR(at(&w, t, "a"), k / 3 * 3 + 1, 0);
        CHECK_NEAR(at(&w, t, "b"), k < 2 ? 0 : k + 1, 0);
        CHECK_NEAR(at(&w, t, "c"), k < 2 ? 0 : k / 2 * 2 + 1, 0);
        if (k >= 3) CHECK_NEAR(at(&w, t, "d"), 3, 1e-6);
    }
    end(&w);
}

// x' = u - x^2 by the formula of each method; the implicit ones solve a quadratic equation.
static double next_of(double theta, double x, double d, double u)
{
    const double h = 0.1;
    double a = theta * h, b = x + h * (1 - theta) * d + theta * h * u;
    return a == 0 ? b : (sqrt(1 + 4 * a * b) - 1) / (2 * a); // a x^2 + x = b
}

TEST(solver_methods_of_clocks)
{
    static const struct {
        const char *name;
        double theta;
    } methods[] = {{"ExplicitEuler", 0}, {"ImplicitEuler", 1}, {"ImplicitTrapezoid", 0.5}};
    for (int m = 0; m < 3; m++) {
        char text[600];
        snprintf(text, sizeof text,
                 "model M Real x(start = 1.5, fixed = true), y, u;\n"
                 "equation u = sample(1 + time, Clock(Clock(0.1), solverMethod = \"%s\"));\n"
                 "  der(x) = u - x*x; y = hold(x);\nend M;\n",
                 methods[m].name);
        world w;
        REQUIRE(begin(&w, text, 2));
        double x = 1.5, d = 1 - x * x;
        for (int k = 0; k < 15; k++) {
            double u = 1 + 0.1 * k;
            if (k) x = next_of(methods[m].theta, x, d, u);
            d = u - x * x;
            CHECK_NEAR(at(&w, 0.1 * k + 0.05, "y"), x, 1e-10);
        }
        end(&w);
    }
}

#define CLOCKED_STATE(more)                                                                      \
    "model M Real x(start = 7), y, u, v; " more                                                  \
    " equation v = 2*x; u = sample(3.0, Clock(Clock(0.1), solverMethod = \"ExplicitEuler\"));\n" \
    "  der(x) = u - x; y = hold(x); end M;\n"

// The initial equations of a clocked partition hold at its first tick.
static const sample starts[] = {
    {"its start value", CLOCKED_STATE(""), "y", 0.15, 7 + 0.1 * (3 - 7), 1e-12},
    {"a value", CLOCKED_STATE("initial equation x = 1;"), "y", 0.15, 1.2, 1e-12},
    {"steady state", CLOCKED_STATE("initial equation der(x) = 0;"), "y", 0.55, 3, 1e-12},
    {"another variable", CLOCKED_STATE("initial equation v = 2;"), "y", 0.15, 1.2, 1e-12},
};

TEST(starts_of_clocked_states)
{
    CHECK_ALL(starts);
}

// A clock that is written where it is used is converted as one with a name is, and so are values.
static const sample nested[] = {
    {"a faster one",
     "model M Integer k(start = 0); equation\n"
     "  when superSample(Clock(1, 10), 2) then k = previous(k) + 1; end when; end M;\n",
     "k", 0.83, 17, 0},
    {"every other one, later",
     "model M Integer k(start = 0); equation when shiftSample(subSample(Clock(1, 10), 2), 1) then\n"
     "  k = previous(k) + 1; end when; end M;\n",
     "k", 0.45, 2, 0},
    {"of a condition",
     "model M Integer k(start = 0); Boolean b = sin(20*3.14159265358979*time + 0.1) > 0;\n"
     "equation when subSample(Clock(b), 3) then k = previous(k) + 1; end when; end M;\n",
     "k", 0.95, 3, 0},
    {"of a sample",
     "model M Real s = sample(time, subSample(Clock(1, 10), 2)); Real h = hold(s); end M;\n", "h",
     0.55, 0.4, 1e-12},
    {"with a method, of another clock",
     "model M Clock a = Clock(0.1); Integer k(start = 0);\n"
     "  Clock c = Clock(subSample(a, 2), solverMethod = \"ImplicitEuler\");\n"
     "equation when c then k = previous(k) + 1; end when; end M;\n",
     "k", 0.45, 3, 0},
    {"a value, twice",
     "model M Real x = sample(time, Clock(0.1)); Real h = hold(backSample(shiftSample(x, 2), 1));\n"
     "end M;\n",
     "h", 0.45, 0.4, 1e-12},
};

TEST(conversions_inside_of_expressions)
{
    CHECK_ALL(nested);
}

// Ticks at 0, 0.3, 0.7, 1.2, 1.8: each says when the next one is.
#define CHANGING                                                                                 \
    "model M Integer k(start = 2), n(start = 0), sub, h; Real d; Clock c = Clock(k, 10);\n"      \
    "equation when c then k = previous(k) + 1; n = previous(n) + 1; d = interval(); end when;\n" \
    "  sub = subSample(n, 2); h = hold(sub); end M;\n"

// A Real interval is that of the tick before: 0.25, then 0.25, 0.5, 0.75: ticks at 0.25, 0.75, 1.5.
#define CHANGING_REAL                                                                     \
    "model M Real step(start = 0.25), d; Integer n(start = 0);\n"                         \
    "equation when Clock(step) then step = previous(step) + 0.25; n = previous(n) + 1;\n" \
    "  d = interval(); end when; end M;\n"

static const sample intervals[] = {
    {"the first two ticks", CHANGING, "n", 0.6999, 2, 0},
    {"as many as there are", CHANGING, "n", 1.801, 5, 0},
    {"the first interval is the start value", CHANGING, "d", 0.1, 0.2, 1e-15},
    {"the one that has passed", CHANGING, "d", 1.9, 0.6, 1e-15},
    {"every second tick", CHANGING, "h", 1.7, 3, 0},
    {"a Real interval", CHANGING_REAL, "n", 1.4, 3, 0},
    {"and its ticks", CHANGING_REAL, "n", 1.51, 4, 0},
    {"and their interval", CHANGING_REAL, "d", 1.6, 0.75, 1e-9},
    {"of the first tick of a condition",
     "model M Boolean b = time > 0.6; Real d = interval(d) + sample(0, Clock(b, 0.1)); end M;\n",
     "d", 1, 0.1, 0},
    {"where nothing is said about it",
     "model M Boolean b = time > 0.6; Real d = interval(d) + sample(0, Clock(b)); end M;\n", "d", 1,
     0, 0},
    {"of the next one",
     "model M Boolean b = sin(8*time) > 0; Real d, y = sample(0, Clock(condition = b, "
     "startInterval\n"
     "  = 0.1)); equation d = interval(d) + y; end M;\n",
     "d", 1, 3.14159265358979323846 / 4, 1e-6},
    {"without a clock: once in a second",
     "model M Integer n(start = 0); equation n = previous(n) + 1; end M;\n", "n", 1.5, 2, 0},
    {"without a clock: the fastest once in a second",
     "model M Integer n(start = 0), m, h; equation n = previous(n) + 1; m = superSample(n, 2);\n"
     "  h = hold(m); end M;\n",
     "n", 1.5, 1, 0},
    {"a period of zero is inferred",
     "model M parameter Integer k = 0; Clock c = Clock(k, 10); Integer n(start = 0);\n"
     "  Real x; equation when c then n = previous(n) + 1; x = n + sample(time, Clock(0.5));\n"
     "  end when; end M;\n",
     "n", 1.2, 3, 0},
    {"arguments by their names",
     "model M Integer n(start = 0); equation when Clock(resolution = 10, intervalCounter = 5) "
     "then\n"
     "  n = previous(n) + 1; end when; end M;\n",
     "n", 1.2, 3, 0},
    {"one of several clocks, by a parameter",
     "model M parameter Integer f = 2; Clock a = Clock(1, 4); Integer n(start = 0);\n"
     "  Clock c = if f > 0 then subSample(a, f) elseif f < 0 then superSample(a, -f) else a;\n"
     "equation when c then n = previous(n) + 1; end when; end M;\n",
     "n", 1.2, 3, 0},
    {"of a condition: every fourth, and twice as many", // at 0.5 + k
     "model M Boolean tick = cos(6.283185307179586*5*time) < 0; Integer n(start = 0);\n"
     "  Clock u = Clock(tick); Clock s = subSample(u, 4); Clock c = superSample(s, 2);\n"
     "equation when c then n = previous(n) + 1; end when; end M;\n",
     "n", 1.2, 3, 0},
    {"of a condition: three ticks later, and two back", // of 0.05 + 0.2 k
     "model M Boolean tick = cos(6.283185307179586*5*time) < 0; Integer n(start = 0);\n"
     "  Clock c = backSample(shiftSample(Clock(tick), 3), 2);\n"
     "equation when c then n = previous(n) + 1; end when; end M;\n",
     "n", 1.2, 5, 0},
    {"an algorithm: what it assigns is what it was at the last tick",
     "model M Integer m(start = 0); Real u = sample(time, Clock(0.5));\n"
     "algorithm m := m + (if u > 0.7 then 10 else 1); end M;\n",
     "m", 1.2, 12, 0},
    {"an algorithm in continuous time",
     "model M Real x = sample(time, Clock(0.5)), y; algorithm y := hold(x) + time; end M;\n", "y",
     1.2, 2.2, 1e-12},
    {"what is held, when a condition becomes true",
     "model M Real x = sample(time, Clock(0.5)); discrete Real y(start = 0, fixed = true);\n"
     "equation when time > 0.8 then y = hold(x); end when; end M;\n",
     "y", 1.2, 0.5, 1e-12},
    {"previous of what does not change",
     "model M parameter Real p = 3; Real x = previous(p) + sample(time, Clock(0.5)); end M;\n", "x",
     1.2, 4, 1e-12},
};

TEST(intervals_of_clocks)
{
    CHECK_ALL(intervals);
}

// One that is not greater than zero ends the run.
TEST(a_clock_that_would_stop)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Integer k(start = 3); equation when Clock(k, 10) then\n"
                  "  k = previous(k) - 1; end when; end M;\n",
                  2));
    fo_status status = fo_simulation_advance(w.sim, 2);
    CHECK(status != FO_REACHED);
    CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "the interval of a clock");
    end(&w);
}

// An assertion of a clocked partition, too, knows what was.
TEST(an_assertion_of_the_tick_before)
{
    world w;
    REQUIRE(
        begin(&w,
              "model M Integer n(start = 0); equation n = previous(n) + sample(1, Clock(0.5));\n"
              "  assert(previous(n) < 3, \"three\"); end M;\n",
              2));
    CHECK_NEAR(at(&w, 1.2, "n"), 3, 0);
    CHECK(fo_simulation_advance(w.sim, 2) != FO_REACHED);
    CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "three");
    end(&w);
}

TEST(two_clocks_that_meet_are_refused)
{
    check_refused("model M Real x = sample(time, Clock(0.1)); Real y = sample(time, Clock(0.2));\n"
                  "  Real z = x + y; end M;\n",
                  "two clocks meet here");
    check_refused("model M Real x = sample(time, Clock(0.1)); Real w = sample(time, Clock(0.3));\n"
                  "  Real z = subSample(x, 2) + w; end M;\n",
                  "two clocks meet here");
    check_refused("model M Boolean b = time > 0.5; Real x = sample(time, Clock(0.1));\n"
                  "  Real w = sample(time, Clock(b)); Real z = x + w; end M;\n",
                  "two clocks meet here");
}

TEST(clocks_that_are_not_known_are_refused)
{
    check_refused(
        "model M Boolean b = sin(9*time) > 0; Clock c = superSample(Clock(b), 2);\n"
        "  Integer n(start = 0); equation when c then n = previous(n) + 1; end when; end M;\n",
        "has no ticks between its own");
    check_refused(
        "model M Integer n(start = 0); Clock c = if time > 1 then Clock(1) else Clock(2);\n"
        "equation when c then n = previous(n) + 1; end when; end M;\n",
        "which clock is meant");
    check_refused("model M Integer n(start = 0), k(start = 1);\n"
                  "equation when Clock(k, 10) then k = previous(k) + 1; end when;\n"
                  "  when Clock(0.1) then n = k; end when; end M;\n",
                  "two clocks meet here");
    check_refused("model M Real x = sample(time, Clock(1, 0)); end M;\n", "at least 1");
    check_refused("model M Real x; equation when Clock(0.1) then der(x) = 1; end when; end M;\n",
                  "one of the solver methods");
    check_refused(
        "model M Real x; equation when Clock(Clock(0.1), solverMethod = \"External\") then "
        "der(x) = 1; end when; end M;\n",
        "others are not supported");
    check_refused("model M Real x = sample(time, Clock(0.1)) + time; Real y = Clock(0.1); end M;\n",
                  "differ in type or size");
    check_refused("model M Real x = sample(time, Clock(-1)); end M;\n", "period of a clock");
    check_refused(
        "model M Real x = sample(time, Clock(0.1)); Real y = hold(backSample(x, 1)); end M;\n",
        "'backSample' asks for ticks before the first one");
    check_refused("model M Real x = sample(time, Clock(0.1)); Real y = hold(noClock(x)); end M;\n",
                  "no clock is given for what is clocked here");
}

// A clock that ticks where an angle is farther from that of the last tick than a mark, which is
// moved at 0.5, where the angle is far enough at once, and back at 1, where it comes to the mark
// in the same instant and is not beyond it any more. Beside it: the same in small steps.
TEST(a_clock_that_its_own_ticks_turn_back)
{
    const char *marks[] = {"mark = if time < 0.5 then 3 elseif time < 1 then 1 else 3;",
                           "when {initial(), sample(1, 1)} then t0 = time; end when;\n"
                           "  mark = if time < t0 + 0.5 then 3 else 1;"};
    for (int k = 0; k < 2; k++) {
        char text[600];
        world w;
        snprintf(text, sizeof text,
                 "model M %s t0%s; Real angle, mark, s, last; Boolean far;\nequation\n"
                 "  angle = 10*sin(2*acos(-1)*time); %s\n"
                 "  far = mark < abs(angle - last);\n"
                 "  s = sample(angle, Clock(far)); last = hold(s);\nend M;\n",
                 k ? "discrete Real" : "Real", k ? "" : " = 0", marks[k]);
        REQUIRE(begin(&w, text, 1.5));
        double last = 0;
        for (int i = 1; i < 15000; i++) {
            double t = 1e-4 * i, angle = 10 * sin(2 * acos(-1) * t),
                   mark = t < 0.5 || t >= 1 ? 3 : 1;
            double by = angle - last;
            if (fabs(by) > mark + 1e-9)
                last = fabs(by) > mark + 0.1 ? angle : last + copysign(mark, by);
            if (i % 37 == 0) CHECK_NEAR(at(&w, t, "last"), last, 1e-6);
        }
        end(&w);
    }
}

TEST_MAIN(TEST_ENTRY(a_sampled_loop), TEST_ENTRY(clocked_variables_before_their_first_tick),
          TEST_ENTRY(a_clock_that_its_own_ticks_turn_back), TEST_ENTRY(conversions_of_clocks),
          TEST_ENTRY(samples_are_limits_from_the_left),
          TEST_ENTRY(samples_of_what_jumps_while_it_flows), TEST_ENTRY(relations_of_a_tick),
          TEST_ENTRY(a_clock_of_a_condition), TEST_ENTRY(conversions_of_clocks_of_conditions),
          TEST_ENTRY(solver_methods_of_clocks), TEST_ENTRY(starts_of_clocked_states),
          TEST_ENTRY(conversions_inside_of_expressions), TEST_ENTRY(intervals_of_clocks),
          TEST_ENTRY(a_clock_that_would_stop), TEST_ENTRY(an_assertion_of_the_tick_before),
          TEST_ENTRY(two_clocks_that_meet_are_refused),
          TEST_ENTRY(clocks_that_are_not_known_are_refused))
