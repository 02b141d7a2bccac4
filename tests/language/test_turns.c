/// What a turn of a moment changes is seen by the relations of the same turn.
#include "samples.h"

// The timer of a state graph: set when enabled, and due a second later; the enabling at 2 lasts for
// half a second only, so nothing is ever due. What was true for the start of before says nothing.
TEST(a_timer_that_is_set_is_not_due)
{
    world w;
    REQUIRE(begin(&w,
                  "model M\n"
                  "  discrete Real t0(start = 0, fixed = true); Boolean enable; Boolean fire;\n"
                  "  Integer n(start = 0, fixed = true);\n"
                  "equation\n"
                  "  enable = time < 0.5 or time >= 2 and time < 2.5;\n"
                  "  when enable then t0 = time; end when;\n"
                  "  fire = enable and time >= t0 + 1;\n"
                  "  when fire then n = pre(n) + 1; end when;\n"
                  "end M;\n",
                  4));
    CHECK_NEAR(at(&w, 3, "t0"), 2, 0);
    CHECK_NEAR(at(&w, 3, "n"), 0, 0);
    end(&w);
}

// The same with a state: the level is raised in the turn that compares with it.
TEST(a_level_that_is_raised_is_not_passed)
{
    world w;
    REQUIRE(
        begin(&w,
              "model M\n"
              "  Real x(start = 0, fixed = true); discrete Real level(start = 1, fixed = true);\n"
              "  Boolean on; Boolean above; Integer n(start = 0, fixed = true);\n"
              "equation\n"
              "  der(x) = 1; on = time >= 2;\n"
              "  when on then level = 5; end when;\n"
              "  above = on and x > level;\n"
              "  when above then n = pre(n) + 1; end when;\n"
              "end M;\n",
              6));
    CHECK_NEAR(at(&w, 4.9, "n"), 0, 0);
    CHECK_NEAR(at(&w, 5.1, "n"), 1, 0);
    end(&w);
}

// Where the relation decides about what it compares with, it is the one from before.
TEST(a_relation_that_moves_its_own_level)
{
    world w;
    REQUIRE(begin(&w,
                  "model M\n"
                  "  discrete Real next(start = 1, fixed = true); Integer n(start = 0, fixed = "
                  "true);\n"
                  "equation\n"
                  "  when time >= next then next = pre(next) + 1; n = pre(n) + 1; end when;\n"
                  "end M;\n",
                  6));
    for (int k = 0; k < 5; k++) CHECK_NEAR(at(&w, k + 0.5, "n"), k, 0);
    CHECK_NEAR(at(&w, 4.5, "next"), 5, 0);
    end(&w);
}

// pre(v) becomes v when the initial system is solved, until that changes nothing: x follows a at
// the start, and y follows x. What changes in those turns is seen: change(x) acts once at the
// start, where it was false in the initial system, and once at 1.
TEST(the_start_is_iterated)
{
    world w;
    REQUIRE(begin(&w,
                  "model M\n"
                  "  Integer a; Integer x(start = 0); Integer y(start = 7);\n"
                  "  Integer n(start = 0, fixed = true); Integer m(start = 0, fixed = true);\n"
                  "equation\n"
                  "  a = if time > 1 then 5 else 3; x = pre(a); y = pre(x);\n"
                  "  when change(x) then n = pre(n) + 1; end when;\n"
                  "  when x > 2 then m = pre(m) + 1; end when;\n"
                  "end M;\n",
                  3));
    CHECK_NEAR(at(&w, 0, "x"), 3, 0);
    CHECK_NEAR(at(&w, 0, "y"), 3, 0);
    CHECK_NEAR(at(&w, 0.5, "n"), 1, 0);
    CHECK_NEAR(at(&w, 0.5, "m"), 1, 0);
    CHECK_NEAR(at(&w, 1.5, "x"), 5, 0);
    CHECK_NEAR(at(&w, 1.5, "y"), 5, 0);
    CHECK_NEAR(at(&w, 1.5, "n"), 2, 0);
    CHECK_NEAR(at(&w, 1.5, "m"), 1, 0);
    end(&w);
}

// pre(y) of what flows and jumps is its limit from the left.
TEST(pre_of_what_jumps)
{
    world w;
    REQUIRE(begin(&w,
                  "model M\n"
                  "  Real y = (if time >= 1 then 10 else 1)*time; discrete Real l(start = 0);\n"
                  "  discrete Real r(start = 0);\n"
                  "equation when time >= 1 then l = pre(y); r = y; end when; end M;\n",
                  3));
    CHECK_NEAR(at(&w, 2, "l"), 1, 1e-12);
    CHECK_NEAR(at(&w, 2, "r"), 10, 1e-12);
    end(&w);
}

// When-equations are no algorithms that are written out: they may be as many as a text says.
TEST(many_whens)
{
    world w;
    char text[300];
    snprintf(text, sizeof text,
             "model M parameter Integer n = %d; Real x(start = 0, fixed = true);\n"
             "  Integer k[n](each start = 0, each fixed = true);\n"
             "equation der(x) = 1;\n"
             "  for i in 1:n loop when x > i - 0.5 then k[i] = pre(k[i]) + 1; end when;\n"
             "  end for;\nend M;\n",
             test_is_slow() ? 6000 : 60000);
    REQUIRE(begin(&w, text, 1));
    CHECK_NEAR(at(&w, 1, "k[1]"), 1, 0);
    CHECK_NEAR(at(&w, 1, "k[2]"), 0, 0);
    end(&w);
}

// More relations stand at zero at the start than can be slid upon: none is, and all leave it later.
TEST(many_relations_at_rest)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Real x[9](each start = 0, each fixed = true);\nequation\n"
                  "  for i in 1:9 loop der(x[i]) = (if time < 0.5 then 0 else i)\n"
                  "    - (if x[i] > 0 then x[i]^2 else -x[i]^2); end for;\nend M;\n",
                  1));
    CHECK_NEAR(at(&w, 0.4, "x[9]"), 0, 0);
    CHECK_NEAR(at(&w, 1, "x[1]"), tanh(0.5), 1e-7);
    CHECK_NEAR(at(&w, 1, "x[9]"), 3 * tanh(1.5), 1e-7);
    end(&w);
}

// A function that is said to have a derivative has the moments of any other.
TEST(relations_of_smooth_functions)
{
    for (int order = 0; order < 3; order++) {
        char text[400];
        world w;
        snprintf(
            text, sizeof text,
            "model M Real x(start = -1, fixed = true); Real z(start = 0, fixed = true);\n"
            "equation der(x) = 1; der(z) = smooth(%d, if x > 0 then x^%d else -x^%d); end M;\n",
            order, order + 1, order + 1);
        REQUIRE(begin(&w, text, 3));
        double n = order + 2; // of the integral
        CHECK_NEAR(at(&w, 3, "z"), (pow(-1, n) + pow(2, n)) / n, 1e-6);
        CHECK_INT(fo_simulation_statistics(w.sim).moments, 1);
        end(&w);
    }
}

// A pulse of a smooth function is not stepped over, whatever its relations compare: time, time with
// what changes at moments, states that move steadily, slow down, or are fast.
TEST(pulses_of_smooth_functions)
{
    static const struct {
        const char *u, *rest;
        double from, wide, speed; ///< of u, in the pulse
    } cases[] = {
        {"time", "", 5, 0.01, 1},
        {"time", "", 5, 1e-5, 1},
        {"u", "Real u; equation u = 2*time;", 5, 0.01, 2},
        {"u", "Real u(start = 0, fixed = true); equation der(u) = 1;", 5, 0.01, 1},
        {"u", "Real u(start = 0, fixed = true); equation der(u) = 1;", 5, 1e-5, 1},
        {"u", "Real u(start = 0, fixed = true); equation der(u) = 1e6;", 5e6, 1e3, 1e6},
        {"u", "Real u(start = 2, fixed = true); equation der(u) = -1 - u/1e9;", -5, 1e-3, 1},
        {"v", "Real u(start = 0, fixed = true); Real v; equation der(u) = 1; v = 3*u + 1;", 7, 1e-3,
         3},
    };
    for (size_t i = 0; i < FO_COUNT(cases); i++) {
        char text[600];
        world w;
        const char *u = cases[i].u;
        double a = cases[i].from, b = a + cases[i].wide;
        snprintf(text, sizeof text,
                 "model M Real x(start = 0, fixed = true); Real z(start = 1, fixed = true); %s\n"
                 "%s der(z) = -0.01*z; der(x) = smooth(1, if %s > (%.17g) and %s < (%.17g)\n"
                 "  then %.17g*(%s - (%.17g))^2*(%.17g - %s)^2 else 0);\nend M;\n",
                 cases[i].rest, *cases[i].rest ? "" : "equation", u, a, u, b,
                 30 * cases[i].speed / pow(cases[i].wide, 5), u, a, b, u);
        REQUIRE(begin(&w, text, 10));
        CHECK_NEAR(at(&w, 10, "x"), 1, 1e-5);
        CHECK_INT(fo_simulation_statistics(w.sim).moments, 2);
        end(&w);
    }
}

// Loads that go with the square of the speed, at rest: rounding errors turn their relations, more
// of them than can be slid upon, and there is nothing to be slid upon.
TEST(smooth_loads_at_rest)
{
    world w;
    REQUIRE(
        begin(&w,
              "model M Real w[12](each start = 0, each fixed = true);\nequation\n"
              "  for i in 1:12 loop der(w[i]) = sin(3*time) + sin(3*time + 2.0943951023931953)\n"
              "    + sin(3*time - 2.0943951023931953)\n"
              "    - smooth(1, if w[i] >= 0 then w[i]^2 else -w[i]^2); end for;\nend M;\n",
              10));
    for (int i = 1; i <= 10; i++) CHECK_NEAR(at(&w, i, "w[12]"), 0, 1e-14);
    end(&w);
}

TEST_MAIN(TEST_ENTRY(many_relations_at_rest), TEST_ENTRY(relations_of_smooth_functions),
          TEST_ENTRY(pulses_of_smooth_functions), TEST_ENTRY(smooth_loads_at_rest),
          TEST_ENTRY(many_whens), TEST_ENTRY(the_start_is_iterated), TEST_ENTRY(pre_of_what_jumps),
          TEST_ENTRY(a_timer_that_is_set_is_not_due),
          TEST_ENTRY(a_level_that_is_raised_is_not_passed),
          TEST_ENTRY(a_relation_that_moves_its_own_level))
