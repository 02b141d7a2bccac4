// Circuits of resistors and ideal diodes whose conductances differ by 18 powers of ten: the diodes
// turn where they should, those between nodes that nothing drives apart do not turn at all, and the
// voltages have all their digits.
#include "../language/run.h"

static void near(int line, const char *what, double t, double is, double want, double part)
{
    if (!(fabs(is - want) <= part * fabs(want)))
        test_fail(__FILE__, line, "%s at %.9g is %.17g, not %.17g", what, t, is, want);
}

// v1 hangs on v0 by a resistor and a diode, and nothing else: no current flows there, and the
// diode must not switch with what rounding makes of that.
TEST(a_diode_without_a_current_does_not_turn)
{
    world w;
    if (!begin(&w,
               "model N\n"
               "  Real v0, v1, v2, i0, i1, i2, i3, i4, s0, d0;\n"
               "  Boolean off0;\n"
               "equation\n"
               "  i0 = 375*(0 - v0); i1 = 470300*(v0 - v1); i2 = 139*(v0 - v2);\n"
               "  i3 = 185.1*(v0 - 0); i4 = 27070*(v0 - v2);\n"
               "  off0 = s0 < 0;\n"
               "  v1 - v0 = s0*(if off0 then 1 else 1e-9);\n"
               "  d0 = s0*(if off0 then 1e-9 else 1);\n"
               "  0 = i0 - i1 - i2 - i3 - i4 + d0 - 1.71*cos(time);\n"
               "  0 = i1 - d0;\n"
               "  0 = i2 + i4 - 2.24*cos(time);\n"
               "end N;\n",
               3))
        return;
    for (int k = 0; k <= 30; k++) {
        double t = k / 10.0, v0 = -3.95 * cos(t) / 560.1;
        near(__LINE__, "v0", t, at(&w, t, "v0"), v0, 1e-14);
        near(__LINE__, "v1", t, at(&w, t, "v1"), v0, 1e-14);
        CHECK_NEAR(at(&w, t, "s0"), 0, 0);
    }
    CHECK_INT(fo_simulation_statistics(w.sim).moments, 0);
    end(&w);
}

// The same beside what is not linear, in two branches.
TEST(nor_does_one_in_a_loop_that_is_not_linear)
{
    static const char *const laws[] = {"0.1883*atan(v0 - v1)", "0.1883*(v0 - v1)*(1 + v0^2)"};
    for (int k = 0; k < 2; k++) {
        world w;
        char text[1000];
        snprintf(text, sizeof text,
                 "model N\n"
                 "  Real v0, v1, v2, v3, i0, i1, i2, i3, i4, i5, i6, s0, d0, s1, d1, s2, d2;\n"
                 "  Boolean off0, off1, off2;\n"
                 "equation\n"
                 "  i0 = 36340*(0 - v0); i1 = 18260*(v0 - v1); i2 = 0.07625*(v0 - v2);\n"
                 "  i3 = 8.124e-05*(v0 - v3); i4 = %s;\n"
                 "  i5 = 0.18*(v3 - v2); i6 = 8.092e-05*(v0 - 0);\n"
                 "  off0 = s0 < 0; v0 - v1 = s0*(if off0 then 1 else 1e-9);\n"
                 "  d0 = s0*(if off0 then 1e-9 else 1);\n"
                 "  off1 = s1 < 0; v2 - 0 = s1*(if off1 then 1 else 1e-9);\n"
                 "  d1 = s1*(if off1 then 1e-9 else 1);\n"
                 "  off2 = s2 < 0; 0 - v3 = s2*(if off2 then 1 else 1e-9);\n"
                 "  d2 = s2*(if off2 then 1e-9 else 1);\n"
                 "  0 = i0 - i1 - i2 - i3 - i4 - i6 - d0 + 0.76*cos(time);\n"
                 "  0 = i1 + i4 + d0;\n"
                 "  0 = i2 + i5 - d1 + 0.44*cos(time);\n"
                 "  0 = i3 - i5 + d2;\n"
                 "end N;\n",
                 laws[k]);
        if (!begin(&w, text, 3)) return;
        for (int j = 0; j <= 30; j++) CHECK_NEAR(at(&w, j / 10.0, "s0"), 0, 0);
        CHECK_INT(fo_simulation_statistics(w.sim).moments, 2); // the other two diodes
        end(&w);
    }
}

// The same where many such currents are small for a reason: leaks of 1e-9 S keep their digits.
TEST(a_leak_is_not_taken_for_zero)
{
    world w;
    if (!begin(&w,
               "model L\n"
               "  Real v1, v2, v3, i1, i2, i3, i4;\n"
               "equation\n"
               "  i1 = 1e9*(cos(time) - v1);\n"
               "  i2 = 1e-9*(v1 - v2);\n"
               "  i3 = 1e9*(v2 - 0);\n"
               "  i4 = 1e-9*(v2 - v3);\n"
               "  0 = i1 - i2 - 1e3*v1;\n"
               "  0 = i2 - i3 - i4;\n"
               "  0 = i4 - 1e9*v3;\n"
               "end L;\n",
               3))
        return;
    for (int k = 0; k <= 3; k++) {
        double t = k, v1 = cos(t) / (1 + 1e-6), v2 = v1 * 1e-18;
        near(__LINE__, "v1", t, at(&w, t, "v1"), v1, 1e-15);
        near(__LINE__, "v2", t, at(&w, t, "v2"), v2, 1e-15);
        near(__LINE__, "v3", t, at(&w, t, "v3"), v2 * 1e-18, 1e-15);
        near(__LINE__, "i4", t, at(&w, t, "i4"), v2 * 1e-9, 1e-15);
    }
    end(&w);
}

// All diodes are at zero where the source passes it, and what was a voltage of some volts becomes a
// current through 1e-9 ohms: its sign counts though it is far below the rounding errors of before.
// The mode behind that instant is the same for all times, and everything in it goes with cos(time).
static void same_mode(const char *text, const char *const *names, const double *ratio)
{
    static const double times[] = {1.57079633, 1.5707965, 1.570797, 1.5708, 1.57085, 1.5709,
                                   1.572,      1.575,     1.58,     1.6,    2,       2.6};
    world w;
    if (!begin(&w, text, 3)) return;
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
        for (size_t i = 0; names[i]; i++)
            near(__LINE__, names[i], times[k], at(&w, times[k], names[i]), ratio[i] * cos(times[k]),
                 1e-9);
    end(&w);
}

TEST(a_small_current_to_the_wrong_side_turns_a_diode)
{
    // exact, with the doubles of the text, in rational numbers
    static const char *const names[] = {"v0", "v1", "v2", "i1", "d0", NULL};
    static const double ratio[] = {-3.2125715350542937e-10, -3.299983268927446e-10,
                                   -3.212571535520985e-10, 1.6730605863321317e-06,
                                   -4.6669123842596425e-11};
    same_mode("model N\n"
              "  Real v0, v1, v2, i0, i1, i2, i3, s0, d0, s1, d1, s2, d2;\n"
              "  Boolean off0, off1, off2;\n"
              "equation\n"
              "  i0 = 5208*(0 - v0); i1 = 191400*(v0 - v1); i2 = 6.468*(v0 - v2);\n"
              "  i3 = 5.339*(v1 - v2);\n"
              "  off0 = s0 < 0; v2 - v0 = s0*(if off0 then 1 else 1e-9);\n"
              "  d0 = s0*(if off0 then 1e-9 else 1);\n"
              "  off1 = s1 < 0; v1 - 0 = s1*(if off1 then 1 else 1e-9);\n"
              "  d1 = s1*(if off1 then 1e-9 else 1);\n"
              "  off2 = s2 < 0; 0 - v2 = s2*(if off2 then 1 else 1e-9);\n"
              "  d2 = s2*(if off2 then 1e-9 else 1);\n"
              "  0 = i0 - i1 - i2 + d0;\n"
              "  0 = i1 - i3 - d1 - 0.33*cos(time);\n"
              "  0 = i2 + i3 - d0 + d2;\n"
              "end N;\n",
              names, ratio);
}

TEST(two_diodes_of_four_turn_back)
{
    static const char *const names[] = {"v0", "v1", "v2", "v3", "v4", "i3", NULL};
    static const double ratio[] = {0.23262060058604409, 0.026410667631649464,
                                   0.23262060058520206, 0.04863317860096835,
                                   0.23262060553206368, -0.004020052234349786};
    same_mode(
        "model N\n"
        "  Real v0, v1, v2, v3, v4, i0, i1, i2, i3, i4, i5, i6, i7, i8, i9;\n"
        "  Real s0, d0, s1, d1, s2, d2, s3, d3;\n"
        "  Boolean off0, off1, off2, off3;\n"
        "equation\n"
        "  i0 = 19.08*(0 - v0); i1 = 0.1522*(0 - v1); i2 = 436.9*(v0 - v2); i3 = 0.1809*(v1 - "
        "v3);\n"
        "  i4 = 0.02163*(v3 - v4); i5 = 3.173e-06*(v4 - 0); i6 = 1.874e-05*(v4 - v2);\n"
        "  i7 = 1.32e-05*(v1 - 0); i8 = 0.0002196*(v3 - v0); i9 = 2.182*(v0 - 0);\n"
        "  s0 = v2 - v3; off0 = s0 < 0; d0 = s0*(if off0 then 1e-9 else 1e9);\n"
        "  s1 = v2 - v3; off1 = s1 < 0; d1 = s1*(if off1 then 1e-9 else 1e9);\n"
        "  s2 = v0 - v4; off2 = s2 < 0; d2 = s2*(if off2 then 1e-9 else 1e9);\n"
        "  s3 = v4 - v3; off3 = s3 < 0; d3 = s3*(if off3 then 1e-9 else 1e9);\n"
        "  0 = i0 - i2 + i8 - i9 - d2;\n"
        "  0 = i1 - i3 - i7;\n"
        "  0 = i2 + i6 - d0 - d1;\n"
        "  0 = i3 - i4 - i8 + d0 + d1 + d3;\n"
        "  0 = i4 - i5 - i6 + d2 - d3 + 4.95*cos(time);\n"
        "end N;\n",
        names, ratio);
}

TEST_MAIN(TEST_ENTRY(a_diode_without_a_current_does_not_turn),
          TEST_ENTRY(nor_does_one_in_a_loop_that_is_not_linear),
          TEST_ENTRY(a_leak_is_not_taken_for_zero),
          TEST_ENTRY(a_small_current_to_the_wrong_side_turns_a_diode),
          TEST_ENTRY(two_diodes_of_four_turn_back))
