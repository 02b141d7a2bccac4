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

TEST_MAIN(TEST_ENTRY(a_timer_that_is_set_is_not_due),
          TEST_ENTRY(a_level_that_is_raised_is_not_passed),
          TEST_ENTRY(a_relation_that_moves_its_own_level))
