// Positions that are bound to each other where the start values or the parameters are those of a
// special case: a choice of states is there, the mechanism is put together as its start values say,
// and the motion is that of closed forms.
#include "program/world.h"

static fo_run_def run_of(double stop)
{
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.rtol = 1e-9;
    return def;
}

// With p = 0 the second equation says x = y, so that 2 x' = -3 x; a formula that divides by p says
// nothing.
TEST(a_coefficient_that_is_zero)
{
    world w;
    fo_run_def def = run_of(2);
    if (world_begin(&w,
                    "model Zero\n  parameter Real p = 0;\n"
                    "  Real x(start = 1, fixed = true), y, q, u, F;\nequation\n"
                    "  q = x; p*u + q = y; 3*u + q = 2*x;\n"
                    "  der(x) = -x + F; der(y) = -2*y - F;\nend Zero;\n",
                    &def)) {
        for (double t = 0.25; t <= 2; t += 0.25) {
            CHECK_NEAR(world_at(&w, t, "x"), exp(-1.5 * t), 1e-8);
            CHECK_NEAR(world_value(&w, "y"), exp(-1.5 * t), 1e-8);
            CHECK_NEAR(world_value(&w, "u"), exp(-1.5 * t) / 3, 1e-8);
        }
    }
    world_end(&w);
}

// A sledge on a telescope moves along a straight line at one speed: no force, no torque. At the
// length zero, where the start values are, its angle would be any.
TEST(start_values_that_leave_no_choice)
{
    world w;
    fo_run_def def = run_of(3);
    if (world_begin(&w,
                    "model Telescope\n  Real r(start = 0), psi(start = 0), w, v, tau, f;\n"
                    "equation\n  r*cos(psi) = 2 + time; r*sin(psi) = 1;\n"
                    "  w = der(psi); v = der(r);\n"
                    "  tau = r^2*der(w) + 2*r*v*w; f = der(v) - r*w^2;\nend Telescope;\n",
                    &def)) {
        for (double t = 0.5; t <= 3; t += 0.5) {
            CHECK_NEAR(world_at(&w, t, "r"), hypot(2 + t, 1), 1e-12);
            CHECK_NEAR(world_value(&w, "psi"), atan2(1, 2 + t), 1e-12);
            CHECK_NEAR(world_value(&w, "w"), -1 / (pow(2 + t, 2) + 1), 1e-12);
            CHECK_NEAR(world_value(&w, "f"), 0, 1e-12);
            CHECK_NEAR(world_value(&w, "tau"), 0, 1e-12);
        }
    }
    world_end(&w);
}

// A crank at its dead centre, whose rod begins at the angle where it fits: it is not turned over,
// though the piston's acceleration would be nearer to zero so. Energy stays.
TEST(a_rod_is_not_turned_over)
{
    world w;
    fo_run_def def = run_of(2);
    if (world_begin(&w,
                    "model Rod\n  parameter Real J = 1, m = 1;\n"
                    "  Real phi(start = 0, fixed = true), w(start = 10, fixed = true), N;\n"
                    "  Real psi(start = 0), s(start = 0), v, a(start = 0), c, d;\n"
                    "equation\n  c = cos(psi); d = sin(psi);\n"
                    "  0.1*cos(phi) = s - 0.2*c; 0.1*sin(phi) = 0.2*d;\n"
                    "  v = der(s); a = der(v); m*a = N*c; w = der(phi);\n"
                    "  J*der(w) = 0.1*N*(sin(phi)*c + cos(phi)*d);\nend Rod;\n",
                    &def)) {
        CHECK_STATUS(fo_simulation_start(w.sim), FO_OK, fo_simulation_message(w.sim));
        CHECK_NEAR(world_value(&w, "s"), 0.3, 1e-12);
        CHECK_NEAR(world_value(&w, "a"), -15, 1e-9);
        for (double t = 0.1; t <= 2; t += 0.1) {
            double phi = world_at(&w, t, "phi"), speed = world_value(&w, "w");
            double root = sqrt(0.04 - pow(0.1 * sin(phi), 2));
            double slope = -0.1 * sin(phi) - 0.01 * sin(phi) * cos(phi) / root;
            CHECK_NEAR(world_value(&w, "s"), 0.1 * cos(phi) + root, 1e-10);
            CHECK_NEAR(speed * speed * (1 + slope * slope), 100, 1e-5);
        }
    }
    world_end(&w);
}

TEST_MAIN(TEST_ENTRY(a_coefficient_that_is_zero), TEST_ENTRY(start_values_that_leave_no_choice),
          TEST_ENTRY(a_rod_is_not_turned_over))
