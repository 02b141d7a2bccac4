// A guard that is below zero only for a moment: both of its crossings are found.
#include "run.h"

// v = cos t: the guard is zero at pi/2 + k pi -+ asin(width / 2).
static void check_dip(const char *solver, double rtol, double step, double width)
{
    run r;
    run_prepare(&r, "dip");
    r.def.solver = solver;
    r.def.step = step;
    r.def.rtol = rtol, r.def.atol = rtol;
    if (run_create(&r)) {
        run_set(&r, "width", width);
        run_to(&r, 19); // six dips, the wide ones too
        CHECK_INT(run_count(&r, "dip"), 12);
        CHECK(run_value(&r, "crossings") == 12);
    }
    for (size_t i = 0; i < r.moment_count; i++) {
        const fo_moment *m = &r.moments[i];
        double middle = pi / 2 + pi * (double)(i / 2), half = asin(width / 2);
        CHECK_INT(m->direction, i % 2 ? FO_RISING : FO_FALLING);
        if (rtol < 1e-9) CHECK_NEAR(m->t, middle + (i % 2 ? half : -half), 1e-8);
    }
    if (r.moment_count >= 2 && rtol < 1e-9)
        CHECK_NEAR(r.moments[1].t - r.moments[0].t, 2 * asin(width / 2), 1e-8 * width + 1e-14);
    run_end(&r);
}

TEST(both_crossings_are_found)
{
    for (double width = 1; width > 1e-7; width /= 10) {
        check_dip("dp45", 1e-12, 0, width);
        check_dip("dop853", 1e-12, 0, width);
        check_dip("dp45", 1e-4, 0, width);
        check_dip("rk4", 1e-6, 0.1, width);
    }
}

// Counting does not disturb the motion.
TEST(moments_that_change_nothing_leave_the_bits_as_they_are)
{
    double x[2];
    for (int i = 0; i < 2; i++) {
        run r;
        run_prepare(&r, "dip");
        if (run_create(&r)) {
            run_set(&r, "width", i ? 1e-3 : 1.5);
            run_to(&r, 20);
            x[i] = run_value(&r, "x");
        }
        run_end(&r);
    }
    CHECK(x[0] == x[1]);
}

TEST(wrong_values_are_refused)
{
    run_refused("dip", "width", 0, "0");
    run_refused("dip", "width", 2.5, "2.5");
}

TEST_MAIN(TEST_ENTRY(both_crossings_are_found),
          TEST_ENTRY(moments_that_change_nothing_leave_the_bits_as_they_are),
          TEST_ENTRY(wrong_values_are_refused))
