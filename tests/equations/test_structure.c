// Models that have no solution for structural reasons: the message names what is wrong, and where.
#include "equations/mini.h"
#include "equations/plan.h"
#include "test.h"

static void check(const char *text, const char *expected, uint32_t line)
{
    foi_flat *flat = mini_model(text, NULL);
    foi_equations e;
    fo_message why = {0};
    fo_status status = foi_equations_begin(&e, flat, NULL, &why);
    if (status == FO_OK) {
        foi_plan p;
        status = foi_plan_begin(&p, &e);
        foi_plan_end(&p);
    }
    CHECK(fo_failed(status));
    CHECK_TEXT(why.text, expected);
    CHECK_INT(e.place.line, line);
    foi_equations_end(&e);
    foi_flat_destroy(flat);
}

TEST(too_few_equations)
{
    check("real x 0\n"
          "real y\n"
          "real z\n"
          "eq der(x) = y\n",
          "too few equations, 1 for 3 unknowns: nothing determines `y`, `z`", 2);
}

TEST(too_many_equations)
{
    check("real x 0\n"
          "real y\n"
          "eq der(x) = y\n"
          "eq y = 2\n"
          "eq y = sin(x)\n",
          "the equation y = sin(x) is one too many: `x`, `y` are already determined by "
          "line 3, line 4",
          5);
    check("real x 0\n"
          "param k 2\n"
          "eq der(x) = 1\n"
          "eq k = 3\n",
          "the equation k = 3 has no unknown in it: it is one too many", 4);
}

TEST(two_whens)
{
    check("real x 0\n"
          "disc count 0\n"
          "eq der(x) = 1\n"
          "when x > 1\n"
          "set count = pre(count) + 1\n"
          "end\n"
          "when x > 2\n"
          "set count = pre(count) + 2\n"
          "end\n",
          "`count` is assigned in two when-equations: lines 5 and 8", 8);
}

TEST(discrete_loop)
{
    check("real x 0\n"
          "disc a 0\n"
          "disc b 0\n"
          "eq der(x) = 1\n"
          "when x > 1\n"
          "set a = b + 1\n"
          "end\n"
          "when x > 2\n"
          "set b = a + 1\n"
          "end\n",
          "the discrete variable `b` depends on itself in one moment, through 2 equations; pre() "
          "breaks such a loop",
          9);
}

TEST(parameters_and_states)
{
    check("param a 1\n"
          "real x 0\n"
          "eq der(x) = 1\n"
          "when time > 1\n"
          "reinit a = 2\n"
          "end\n",
          "reinit(a, ...): `a` is not a state; only states can be set", 5);
}

TEST(too_many_initial_conditions)
{
    check("real x 1 fixed\n"
          "eq der(x) = -x\n"
          "init x = 2\n",
          "at the start: the equation x = its start value is one too many: `x` is already "
          "determined by "
          "line 3",
          1);
}

TEST(sorted_equations_are_printed)
{
    foi_flat *flat = mini_model("param m 2\n"
                                "real x 1\n"
                                "real v 0\n"
                                "real F\n"
                                "real a\n"
                                "real p\n"
                                "real q\n"
                                "eq F = -3*x + p\n"
                                "eq v = der(x)\n"
                                "eq m*der(v) = F\n"
                                "eq a^3 + a = x\n"
                                "real s\n"
                                "eq p + s = x\n"
                                "eq s = 2*q\n"
                                "eq m*p - q = 1\n",
                                NULL);
    foi_equations e;
    foi_plan p;
    fo_message why = {0};
    foi_flat_writer out = {0};
    CHECK_STATUS(foi_equations_begin(&e, flat, NULL, &why), FO_OK, &why);
    CHECK_STATUS(foi_plan_begin(&p, &e), FO_OK, &why);
    CHECK_STATUS(foi_sorted_print(&e, &out), FO_OK, &why);
    CHECK_TEXT(out.text, "state x\n"
                         "state v\n"
                         "solve for p, q:\n"
                         "    s := 2 * q\n"
                         "    m * p - q = 1\n"
                         "    p + s = x\n"
                         "F := -3 * x + p\n"
                         "der(x) := v\n"
                         "der(v) := F / m\n"
                         "solve for a:\n"
                         "    a * a * a + a = x\n");
    foi_free(NULL, out.text);
    foi_plan_end(&p);
    foi_equations_end(&e);
    foi_flat_destroy(flat);
}

TEST_MAIN(TEST_ENTRY(sorted_equations_are_printed), TEST_ENTRY(too_few_equations),
          TEST_ENTRY(too_many_equations), TEST_ENTRY(two_whens), TEST_ENTRY(discrete_loop),
          TEST_ENTRY(parameters_and_states), TEST_ENTRY(too_many_initial_conditions))
