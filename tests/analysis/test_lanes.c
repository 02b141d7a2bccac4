// Lanes: the rows of sweeps are those without, to the bit, for models that flow, jump, fail and are
// interrupted. Without a C compiler there is nothing to test.
#include <foliot/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/lane_models.h"
#include "test.h"

static const char lorenz[] =
    "model Lorenz parameter Real rho = 28;\n"
    "Real x(start = 1, fixed = true); Real y(start = 1, fixed = true); Real z(start = 1, fixed = "
    "true);\n"
    "equation der(x) = 10*(y - x); der(y) = x*(rho - z) - y; der(z) = x*y - 8/3*z; end Lorenz;";

static const char angles[] =
    "model A parameter Real p = 1; Real x(start = 0, fixed = true); Real z(start = 0, fixed = "
    "true);\nequation der(x) = sin(p + 1e-3*x); der(z) = cos(p*(1 + 1e-9*time)) - 0.1*z*sin(-p); "
    "end A;";

static const sweep sweeps[] = {
    {lorenz, "rho=10:220:150", {"final(z)", "final(x)"}, 8},
    {lorenz, "rho=10:220:67", {"max(z)", "mean(x)"}, 2}, // rows at every step
    {"model P parameter Real c = 0.1; Real phi(start = 1, fixed = true); Real w(start = 0, fixed = "
     "true);\nequation der(phi) = w; der(w) = -9.81*sin(phi) - c*w;\n"
     "when sample(0.7, 0.9) then reinit(w, pre(w) + 0.5); end when; end P;",
     "c=0:2:90",
     {"final(phi)", "final(w)"},
     7},
    {"model B parameter Real e = 0.8; Real h(start = 1.5, fixed = true); Real v(start = 0, fixed = "
     "true);\nequation der(h) = v; der(v) = -9.81 - 0.1*v*abs(v); when h <= 0 then reinit(v, "
     "-e*pre(v)); end when; end B;",
     "e=0.3:0.9:70",
     {"final(h)", "count(h <= 0)"},
     2.5},
    {"model F parameter Real a = 1; Real x(start = 1, fixed = true); Real y(start = 0, fixed = "
     "true);\nequation der(x) = a*x*x + exp(-x); der(y) = log(x + 2)*cos(3*y) + sqrt(x) + time^1.5;"
     " end F;",
     "a=-1:2:80", // some escape to infinity
     {"final(x)", "final(y)"},
     1.2},
    {"model C parameter Real a = 1; Real x(start = 1, fixed = true); Real y(start = 0, fixed = "
     "true); Real s(start = 0, fixed = true);\nequation der(x) = if y > 0.3 and x < 2 then -a*x "
     "else 1; der(y) = if x > y or time > 1.5 then x - 2*y else min(x, -y); der(s) = 1; end C;",
     "a=0.1:3:50", // modes, and a constant rate
     {"final(x)", "final(y)"},
     3},
    {angles,
     "p=-12.566370614359172:12.566370614359172:257", // multiples of pi/32
     {"final(x)", "final(z)"},
     2},
    {angles, "p=log(1e-20:1e20:161)", {"final(x)", "final(z)"}, 2},
};

// Moments of samples, which lanes let happen: with discretes that flow back, at ticks of two clocks
// that meet or are meant to, at the stop, at an interval that varies, with jumps to what is no
// number, rates that are none after one, and states that are too small for the tolerance.
static const sweep sampled[] = {
    {"model S parameter Real k = 1; Real x(start = 1, fixed = true); Real y(start = 0, fixed = "
     "true); discrete Real u(start = 0, fixed = true); discrete Real i(start = 0, fixed = true); "
     "Integer n(start = 0, fixed = true);\nequation der(x) = y; der(y) = u - x - 0.1*y*abs(y);\n"
     "when sample(0, 0.1) then i = pre(i) + 0.1*x; u = -k*x - 0.3*i; n = pre(n) + 1; end when;\n"
     "when sample(0.3, 0.3) then reinit(y, 0.9*y + 0.01*pre(n)); end when; end S;",
     "k=0:3:75",
     {"final(x)", "final(u) + final(n)"},
     3},
    {"model T parameter Real d = 0.2; Real x(start = 1, fixed = true); discrete Real q(start = 0, "
     "fixed = true);\nequation der(x) = -x + q; when sample(d/3, d) then q = pre(q) + 1; reinit(x, "
     "x/2); elsewhen sample(0, 0.5) then q = pre(q); reinit(x, x + q); end when; end T;",
     "d=0.01:1.3:61",
     {"final(x)", "final(q)"},
     3},
    {"model N parameter Real a = 1; Real x(start = 1, fixed = true); Real y(start = 1, fixed = "
     "true);\nequation der(x) = sqrt(y) - x; der(y) = -0.1*y; when sample(0.5, 0.5) then reinit(x, "
     "x + 1/a); reinit(y, y + a); end when; end N;",
     "a=-1:1:41",
     {"final(x)", "final(y)"},
     2},
    {"model Tiny parameter Real a = 1; Real x(start = 1e-12, fixed = true); Real y(start = 0, "
     "fixed "
     "= true);\nequation der(x) = y; der(y) = -a*x; when sample(0.25, 0.5) then reinit(y, y + "
     "1e-7*a*time^8); end when; end Tiny;",
     "a=1:30:40",
     {"final(x)", "final(y)"},
     4},
    {"model E parameter Real a = 1; Real x(start = 1, fixed = true); Boolean b(start = false, "
     "fixed "
     "= true);\nequation der(x) = if b then -a*x else a; when sample(0.2, 0.3) then b = not pre(b);"
     " end when; when {b, sample(1, 1)} then reinit(x, x + 0.25); end when; end E;",
     "a=0.1:4:40",
     {"final(x)", "final(b)"},
     5},
};

// Equations that are alike: their instructions go over arrays, whose lanes are kept from one loop
// to the next, and over constants, few of them or many.
static const sweep arrays[] = {
    {"model Z parameter Real p = 1; Real a(start = 0.2, fixed = true); Real b(start = -0.9, fixed "
     "= true); Real c(start = 0.9, fixed = true); Real d(start = -0.8, fixed = true);\n"
     "equation der(a) = -p*a + d*exp(-a^2); der(b) = -p*b + a*exp(-b^2); der(c) = -p*c + "
     "d*exp(-c^2); der(d) = -p*d + b*exp(-d^2); end Z;",
     "p=0.1:1:23",
     {"final(a)", "final(d)"},
     3},
    {"model W parameter Real p = 1; Real x[6](start = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, each fixed = "
     "true);\nequation for i in 1:6 loop der(x[i]) = -p*x[i] + 0.1*exp(x[mod(i, 6) + 1]); end for; "
     "end W;",
     "p=0.1:1:23",
     {"final(x[1])", "final(x[6])"},
     3},
    {"model C parameter Real p = 1; constant Real k[7] = {0.31, 0.42, 0.53, 0.74, 0.2, 0.1, -0.4}; "
     "Real x[7](start = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, each fixed = true);\n"
     "equation for i in 1:7 loop der(x[i]) = -p*x[i] + k[i]*tanh(x[8 - i]) + cos(k[i]*time); end "
     "for; end C;",
     "p=0.1:1:23",
     {"final(x[1])", "final(x[7])"},
     3},
    {"model D parameter Real p = 1; constant Real k[7] = {0.31, 0.42, 0.53, 0.74, 0.2, 0.1, -0.4}; "
     "constant Real l[7] = {0.35, 0.45, 0.55, 0.75, 0.25, 0.15, -0.45}; Real x[7](start = {0.1, "
     "0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, each fixed = true);\n"
     "equation for i in 1:7 loop der(x[i]) = -p*x[i] + k[i]*tanh(x[8 - i]) + cos(l[i]*time); end "
     "for; end D;",
     "p=0.1:1:23",
     {"final(x[1])", "final(x[7])"},
     3},
};

// Guards: steps on which none changes its sign are passed in lanes, the others are looked at. With
// several of them, modes, discretes, samples between, functions of all kinds, contacts that come to
// rest, and guards that are no number after some time.
static const sweep guarded[] = {
    {"model R parameter Real e = 0.5; Real h(start = 1.5, fixed = true); Real v(start = 0, fixed = "
     "true);\nequation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -e*pre(v)); end "
     "when; "
     "end R;",
     "e=0.2:0.9:41",
     {"final(h)", "final(v)"},
     2},
    {"model P parameter Real c = 0.1; Real p(start = 1, fixed = true); Real w(start = 0, fixed = "
     "true); discrete Integer n(start = 0, fixed = true);\nequation der(p) = w; der(w) = "
     "-9.81*sin(p) - c*w; when p < -0.4 - c then reinit(w, -0.8*pre(w)); n = pre(n) + 1; end when; "
     "when p > 0.9 then reinit(w, pre(w) - 0.1); end when; end P;",
     "c=0:1:77",
     {"final(p)", "final(n)"},
     8},
    {"model T parameter Real k = 1; Real T(start = 18, fixed = true); Real q(start = 0, fixed = "
     "true); Boolean on(start = true, fixed = true);\nequation der(q) = (if on then 1 else 0) - "
     "3*q; der(T) = 20*q - k*(T - 10 - 3*sin(time)); when T > 22 then on = false; elsewhen T < 20 "
     "then on = true; end when; end T;",
     "k=0.1:1:60",
     {"final(T)", "final(on)"},
     20},
    {"model M parameter Real a = 1; Real x(start = 1, fixed = true); Real y(start = 0, fixed = "
     "true);\nequation der(x) = if x*y > 0.3 then -y - 0.1*x else a - y; der(y) = if max(x, "
     "exp(-y)) > 1.2 and sin(x + y) > 0.2 then x - 0.4*y else min(x, 2 - y)/(1 + y*y); when "
     "sample(0.5, "
     "0.7) then reinit(x, x + 0.05*a); end when; end M;",
     "a=0.2:2:71",
     {"final(x)", "final(y)"},
     6},
    {"model N parameter Real a = 1; Real x(start = 1, fixed = true); Real y(start = 0, fixed = "
     "true);\nequation der(x) = -a + 0.3*sin(3*time); der(y) = if sqrt(x) > 0.2 then x else -y; "
     "end "
     "N;",
     "a=-0.5:1.5:45", // the root of what is negative
     {"final(x)", "final(y)"},
     2},
    {"model D parameter Real e = 0.8; Real a(start = 1, fixed = true); Real b(start = 2, fixed = "
     "true); Real u(start = 0, fixed = true); Real v(start = 0, fixed = true);\nequation der(a) = "
     "u; "
     "der(b) = v; der(u) = -9.81; der(v) = -9.81 - 0.01*v; when a <= 0 then reinit(u, -e*pre(u)); "
     "end "
     "when; when b - a <= 0.1 then reinit(u, pre(v)); reinit(v, e*pre(u)); end when; end D;",
     "e=0.3:0.99:40",
     {"final(a)", "final(b)"},
     1.5},
};

// Guards that have their moments in lanes, and what comes near that: at the stop time, on impacts
// that graze or are exactly at zero, of two contacts at one instant, between two walls, with modes
// and discretes, guards that are products and move with time, jumps that move the guard, a switch
// with hysteresis, contacts that rest from the start or on a floor that moves, and jumps to what is
// no number.
static const sweep hopping[] = {
    {"model W parameter Real e = 0.8; Real h(start = 1, fixed = true); Real v(start = -1, "
     "fixed = true);\nequation der(h) = v; der(v) = 0; when h <= 0 then reinit(v, "
     "-e*pre(v)); end when; end W;",
     "e=0.2:1.2:31",
     {"final(h)", "final(v)"},
     1},
    {"model T parameter Real p = 0; Real h(start = 0.5 + p, fixed = true); Real v(start = "
     "-1, fixed = true);\nequation der(h) = v; der(v) = 1; when h <= 0 then reinit(v, "
     "-0.5*pre(v)); end when; end T;",
     "p=-0.01:0.01:41",
     {"final(h)", "final(v)"},
     3},
    {"model S parameter Real e = 0.8; Real a(start = 1, fixed = true); Real u(start = 0, "
     "fixed = true); Real b(start = 1, fixed = true); Real v(start = 0, fixed = true); "
     "discrete Integer n(start = 0, fixed = true);\nequation der(a) = u; der(u) = -10; "
     "der(b) = v; der(v) = -10; when a <= 0 then reinit(u, -e*pre(u)); n = pre(n) + 1; end "
     "when; when b < 0 then reinit(v, -e*pre(v)); end when; when a < 0 then reinit(b, b + "
     "0.01); end when; end S;",
     "e=0.3:0.9:41",
     {"final(a) + final(b)", "final(n)"},
     1.6},
    {"model G parameter Real w = 0.2; Real h(start = 0.1, fixed = true); Real v(start = 1, "
     "fixed = true); discrete Real n(start = 0, fixed = true);\nequation der(h) = v; "
     "der(v) = 0; when h <= 0 then reinit(v, -pre(v)); n = pre(n) + 1; end when; when h >= "
     "w then reinit(v, -0.99*pre(v)); end when; end G;",
     "w=0.12:0.9:40",
     {"final(h)", "final(n)"},
     5},
    {"model M parameter Real e = 0.8; Real h(start = 1, fixed = true); Real v(start = 0, "
     "fixed = true); discrete Real n(start = 0, fixed = true);\nequation der(h) = v; "
     "der(v) = if n >= 3 then -20*h - 1 else -9.81; when h <= 0.1*n then reinit(v, "
     "-e*pre(v)); n = pre(n) + 1; end when; end M;",
     "e=0.4:0.95:40",
     {"final(h)", "final(n)"},
     4},
    {"model P parameter Real a = 1; Real h(start = 1, fixed = true); Real v(start = 0, "
     "fixed = true);\nequation der(h) = v; der(v) = -9.81; when h*(1 + a*h) - 0.1*time <= "
     "0.02*v then reinit(v, -0.8*pre(v)); reinit(h, h + 1e-3); end when; end P;",
     "a=-0.4:3:40",
     {"final(h)", "final(v)"},
     2},
    {"model R parameter Real d = 0.1; Real x(start = 0, fixed = true); Real u(start = 1, fixed = "
     "true); Boolean on(start = true, fixed = true);\nequation der(x) = u; der(u) = (if on then 1 "
     "else -1) - u; when x > d then on = false; elsewhen x < -d then on = true; end when; end R;",
     "d=0.01:0.5:21",
     {"final(x)", "final(u)"},
     5},
    {"model Z parameter Real e = 0.5; Real h(start = 0, fixed = true); Real v(start = 1, "
     "fixed = true);\nequation der(h) = v; der(v) = -9.81 + 3*sin(10*time); when h <= 0 "
     "then reinit(v, -e*pre(v)); end when; end Z;",
     "e=0:0.9:40",
     {"final(h)", "final(v)"},
     3},
    {"model F parameter Real e = 0.5; Real h(start = 1, fixed = true); Real v(start = 0, "
     "fixed = true); Real f(start = 0, fixed = true); Real w(start = 0.4, fixed = "
     "true);\nequation der(h) = v; der(v) = -9.81; der(f) = w; der(w) = -30*f; when h - f "
     "<= 0 then reinit(v, w + e*(pre(w) - pre(v))); end when; end F;",
     "e=0.1:0.95:40",
     {"final(h)", "final(v)"},
     4},
    {"model I parameter Real e = 1; Real h(start = 1, fixed = true); Real v(start = 0, "
     "fixed = true);\nequation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, 1/(e "
     "- 0.5)); end when; end I;",
     "e=0.4:0.6:21",
     {"final(h)", "final(v)"},
     2},
};

// The long runs try each sweep in all widths, the suite in one, by turns.
static bool is_turn_of(unsigned width)
{
    static unsigned turn;
    if (width == 2) turn++;
    return test_is_long() || width == 2u << turn % 3;
}

static void compare(const sweep *s, bool some_fail)
{
    static table alone, together;
    alone = (table){0};
    run(s, 0, 1, 0, &alone);
    CHECK_STATUS(alone.status, FO_OK, &alone.why);
    for (unsigned width = 2; width <= 8; width *= 2) {
        if (!is_turn_of(width)) continue;
        together = (table){0};
        run(s, width, 1 + width / 4, 0, &together);
        if (is_missing(&together)) return;
        CHECK_STATUS(together.status, FO_OK, &together.why);
        CHECK_INT((long long)together.count, (long long)alone.count);
        CHECK_INT((long long)together.failed, (long long)alone.failed);
        CHECK(memcmp(alone.rows, together.rows, sizeof alone.rows) == 0);
    }
    CHECK_INT(alone.failed > 0, some_fail);
}

// Two whens that set one state meet for every third set, and that run ends; in a group of eight,
// too.
TEST(states_that_two_whens_set)
{
    static const sweep meetings[] = {
        {"model T parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -x;\n"
         "when sample(0, 0.25) then reinit(x, x/2); end when; when sample(k/3, 2) then reinit(x, x "
         "+ "
         "1); end when; end T;",
         "k=1:12:12",
         {"final(x)", "final(x)"},
         4},
        {"model G parameter Real k = 1; Real h(start = 1, fixed = true); Real v(start = -1, fixed "
         "= "
         "true); Real b(start = 0.5, fixed = true); equation der(h) = v; der(v) = 0; der(b) = "
         "1;\nwhen h < 0 then reinit(v, -pre(v)); end when; when b > (if mod(k, 3) < 0.5 then 1.5 "
         "else 1.75) then reinit(v, 0.5*pre(v)); end when; end G;",
         "k=1:12:12",
         {"final(h)", "final(v)"},
         3}};
    for (size_t k = 0; k < sizeof meetings / sizeof meetings[0]; k++) {
        static table alone;
        alone = (table){0};
        run(&meetings[k], 0, 1, 0, &alone);
        CHECK_INT((long long)alone.failed, 4);
        compare(&meetings[k], true);
    }
}

TEST(moments_of_samples)
{
    for (size_t k = 0; k < sizeof sampled / sizeof sampled[0]; k++) compare(&sampled[k], k == 2);
}

TEST(guards)
{
    for (size_t k = 0; k < sizeof guarded / sizeof guarded[0]; k++) compare(&guarded[k], k == 4);
}

TEST(hops)
{
    size_t last = sizeof hopping / sizeof hopping[0] - 1;
    for (size_t k = 0; k <= last; k++) compare(&hopping[k], k == last);
}

// Steps at rest are long; a push of a thousandth of the run lifts what rests all the same.
TEST(short_pushes_end_a_rest)
{
    static table t;
    const sweep s = {
        "model K parameter Real w = 3; Real h(start = 0.2, fixed = true); Real v(start = 0, fixed "
        "= "
        "true); Real q(start = 0, fixed = true);\nequation der(h) = v; der(v) = -9.81 + "
        "20*exp(-((time - w)/0.004)^2); der(q) = noEvent(if h > 1e-6 and time > 1.4 then 1 else "
        "0); "
        "when h <= 0 then reinit(v, -0.3*pre(v)); end when; end K;",
        "w=1.5:5:15",
        {"final(q)", "final(h)"},
        6};
    t = (table){0};
    run(&s, 0, 1, 0, &t);
    CHECK_STATUS(t.status, FO_OK, &t.why);
    CHECK_INT((long long)t.count, 15);
    for (size_t k = 0; k < t.count; k++) CHECK(t.rows[k][1] > 1e-3);
}

// Balls that nobody has chosen.
TEST(generated_balls)
{
    for (uint64_t k = 0; k < (uint64_t)test_inputs(6, 8); k++) CHECK(balls_agree(k, 2u << k % 3));
}

TEST(arrays_of_states)
{
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) compare(&arrays[k], false);
}

TEST(bits_of_each_run_alone)
{
    for (size_t k = 0; k < sizeof sweeps / sizeof sweeps[0]; k++)
        compare(&sweeps[k], k == 4 || k == 7); // those that escape, and far too fast turns
}

// A run in a simulation that others have left has the bits of one that has its own, also where some
// of them have failed, or have ended at rest.
static void use_again(const sweep *s)
{
    static table all, fresh;
    all = (table){0};
    run(s, 0, 1, 0, &all);
    CHECK_INT(all.status, FO_OK);
    for (size_t k = 1; k < all.count; k += (size_t)test_count(21, 7)) {
        fresh = (table){.count = k, .end = k + 1};
        run(s, 0, 1, k, &fresh);
        CHECK(memcmp(all.rows[k], fresh.rows[k], sizeof all.rows[k]) == 0);
    }
}

TEST(used_again)
{
    static const size_t which[] = {0, 2, 4};
    for (size_t i = 0; i < 3; i++) use_again(&sweeps[which[i]]);
    for (size_t k = 0; k < sizeof guarded / sizeof guarded[0]; k += (size_t)test_count(2, 1))
        use_again(&guarded[k]);
}

// Models that nobody has chosen. Most of the time is the C compiler's; tests/soak has more of them.
TEST(generated_models)
{
    for (uint64_t k = 0; k < (uint64_t)test_inputs(6, 10); k++)
        CHECK(lanes_agree(k, 2u << k / 2 % 3));
}

TEST(interruptions)
{
    static table alone, together;
    alone = together = (table){0};
    run(&sweeps[0], 0, 1, 0, &alone);
    together.end = 64;
    run(&sweeps[0], 8, 1, 0, &together);
    if (is_missing(&together)) return;
    CHECK_INT(together.status, FO_ERROR_CANCELLED);
    CHECK_INT((long long)together.count, 64);
    together.end = 0;
    run(&sweeps[0], 4, 2, 64, &together);
    CHECK_INT(together.status, FO_OK);
    CHECK_INT((long long)together.count, (long long)alone.count);
    CHECK(memcmp(alone.rows, together.rows, sizeof alone.rows) == 0);
}

TEST(what_has_no_lanes)
{
    static table t;
    const sweep many = {
        "model M Real x[20](each start = 1, each fixed = true); parameter Real a = 1;\n"
        "equation for i in 1:20 loop der(x[i]) = -a*x[i]; end for; end M;",
        "a=1:2:3",
        {"final(x[1])", "final(x[2])"},
        1};
    t = (table){0};
    run(&many, 8, 1, 0, &t);
    CHECK_INT(t.status, FO_ERROR_UNFIT);
    t = (table){0};
    run(&sweeps[0], 3, 1, 0, &t);
    CHECK_INT(t.status, FO_ERROR_UNFIT);
    CHECK_CONTAINS(t.why.text, "2, 4 or 8");
}

TEST_MAIN(TEST_ENTRY(guards), TEST_ENTRY(hops), TEST_ENTRY(short_pushes_end_a_rest),
          TEST_ENTRY(generated_balls), TEST_ENTRY(arrays_of_states), TEST_ENTRY(generated_models),
          TEST_ENTRY(used_again), TEST_ENTRY(bits_of_each_run_alone),
          TEST_ENTRY(states_that_two_whens_set), TEST_ENTRY(moments_of_samples),
          TEST_ENTRY(interruptions), TEST_ENTRY(what_has_no_lanes))
