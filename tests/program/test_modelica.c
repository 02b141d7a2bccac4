// From Modelica text to numbers: the values of the book "Modelica by Example", models of our own.
#include <math.h>
#include <string.h>

#include "language/language.h"
#include "program/program.h"
#include "test.h"

typedef struct world {
    foi_flat *flat;
    foi_program *program;
    fo_simulation *sim;
} world;

static bool begin(world *w, const char *text, double stop)
{
    foi_language_def def = foi_default_language_def();
    foi_messages messages;
    fo_message why = {0};
    *w = (world){0};
    def.path = "test.mo", def.text = text, def.no_files = true;
    foi_messages_begin(&messages, NULL);
    fo_status status = foi_language_load(&def, &w->flat, &messages);
    if (status != FO_OK) {
        foi_messages_print(&messages, stdout);
        test_fail(__FILE__, __LINE__, "the text is refused");
    }
    foi_messages_end(&messages);
    if (status != FO_OK) return false;
    foi_place place;
    w->program = foi_program_create(w->flat, NULL, &why, &place);
    if (!w->program) {
        test_fail(__FILE__, __LINE__, "line %u: %s", place.line, why.text);
        return false;
    }
    fo_run_def run = fo_default_run_def();
    run.stop = stop, run.rtol = 1e-9, run.atol = 1e-11;
    w->sim = fo_simulation_create(foi_program_system(w->program), &run, &why);
    if (!w->sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return w->sim != NULL;
}

static double at(world *w, double t, const char *name)
{
    fo_reference which;
    fo_message why;
    if (t > fo_simulation_time(w->sim)) {
        fo_status status = fo_simulation_advance(w->sim, t);
        CHECK_STATUS(status, FO_REACHED, fo_simulation_message(w->sim));
    }
    fo_status status = fo_system_find(fo_simulation_system(w->sim), name, &which, &why);
    CHECK_STATUS(status, FO_OK, &why);
    return status == FO_OK ? fo_simulation_value(w->sim, which) : NAN;
}

static void end(world *w)
{
    fo_simulation_destroy(w->sim);
    foi_program_destroy(w->program);
    foi_flat_destroy(w->flat);
}

TEST(cooling)
{
    world w;
    if (begin(&w,
              "model Cooling\n"
              "  parameter Real T_inf = 25; parameter Real T0 = 90;\n"
              "  parameter Real h = 0.7; parameter Real A = 1.0;\n"
              "  parameter Real m = 0.1; parameter Real c_p = 1.2;\n"
              "  Real T;\n"
              "initial equation\n  T = T0;\n"
              "equation\n  m*c_p*der(T) = h*A*(T_inf - T);\n"
              "end Cooling;\n",
              1))
        CHECK_NEAR(at(&w, 0.5, "T"), 28.5173948, 1e-6);
    end(&w);
}

TEST(circuit)
{
    world w;
    if (begin(&w,
              "model RLC\n"
              "  parameter Real Vb = 24; parameter Real L = 1; parameter Real R = 100;\n"
              "  parameter Real C = 1e-3;\n"
              "  Real V; Real i_L; Real i_R; Real i_C;\n"
              "equation\n"
              "  V = i_R*R;\n  C*der(V) = i_C;\n  L*der(i_L) = Vb - V;\n  i_L = i_R + i_C;\n"
              "end RLC;\n",
              1)) {
        CHECK_NEAR(at(&w, 0.1, "V"), 38.5095789, 1e-5);
        CHECK_NEAR(at(&w, 1, "V"), 23.8461423, 1e-5);
    }
    end(&w);
}

TEST(two_inertias)
{
    world w;
    if (begin(&w,
              "model Second\n"
              "  parameter Real phi1_init = 0; parameter Real phi2_init = 1;\n"
              "  parameter Real w1_init = 0; parameter Real w2_init = 0;\n"
              "  parameter Real J1 = 0.4; parameter Real J2 = 1.0;\n"
              "  parameter Real k1 = 11; parameter Real k2 = 5;\n"
              "  parameter Real d1 = 0.2; parameter Real d2 = 1.0;\n"
              "  Real phi1; Real phi2; Real w1; Real w2;\n"
              "initial equation\n"
              "  phi1 = phi1_init; phi2 = phi2_init; w1 = w1_init; w2 = w2_init;\n"
              "equation\n"
              "  w1 = der(phi1); w2 = der(phi2);\n"
              "  J1*der(w1) = k1*(phi2 - phi1) + d1*der(phi2 - phi1);\n"
              "  J2*der(w2) = k1*(phi1 - phi2) + d1*der(phi1 - phi2) - k2*phi2 - d2*der(phi2);\n"
              "end Second;\n",
              1)) {
        CHECK_NEAR(at(&w, 1, "phi1"), -0.409827993, 1e-6);
        CHECK_NEAR(at(&w, 1, "phi2"), 0.263925449, 1e-6);
    }
    end(&w);
}

TEST(predators)
{
    world w;
    if (begin(&w,
              "model LotkaVolterra\n"
              "  parameter Real alpha = 0.1; parameter Real beta = 0.02;\n"
              "  parameter Real gamma = 0.4; parameter Real delta = 0.02;\n"
              "  parameter Real x0 = 10; parameter Real y0 = 10;\n"
              "  Real x(start = x0); Real y(start = y0);\n"
              "equation\n"
              "  der(x) = x*(alpha - beta*y);\n  der(y) = y*(delta*x - gamma);\n"
              "end LotkaVolterra;\n",
              50)) {
        CHECK_NEAR(at(&w, 50, "x"), 18.0025034, 1e-4);
        CHECK_NEAR(at(&w, 50, "y"), 0.740423935, 1e-4);
    }
    end(&w);
}

TEST(ball)
{
    world w;
    if (begin(&w,
              "model Ball\n"
              "  parameter Real e = 0.8; parameter Real h0 = 1.0;\n"
              "  Real h; Real v; discrete Integer n(start = 0);\n"
              "initial equation\n  h = h0;\n"
              "equation\n  v = der(h);\n  der(v) = -9.81;\n"
              "  when h < 0 then\n    reinit(v, -e*pre(v));\n    n = pre(n) + 1;\n  end when;\n"
              "end Ball;\n",
              5)) {
        CHECK_NEAR(at(&w, 0.4515235, "n"), 0, 0);
        CHECK_NEAR(at(&w, 0.4515237, "n"), 1, 0);
        CHECK_NEAR(at(&w, 1, "h"), 0.468004453, 1e-6);
        CHECK(at(&w, 4.06, "h") > 0);
        CHECK_NEAR(at(&w, 5, "h"), 0, 1e-15); // rests from 4.0637128 on
        CHECK_NEAR(at(&w, 5, "v"), 0, 1e-15);
    }
    end(&w);
}

TEST(decay_to_zero)
{
    world w;
    if (begin(&w,
              "model Decay\n  Real x(start = 1, fixed = true);\n"
              "equation\n  der(x) = if noEvent(x >= 0) then -sqrt(x) else 0;\nend Decay;\n",
              3)) {
        CHECK_NEAR(at(&w, 1, "x"), 0.25, 1e-7);
        CHECK_NEAR(at(&w, 3, "x"), 0, 1e-6);
    }
    end(&w);
}

TEST(hysteresis_control)
{
    world w;
    if (begin(&w,
              "model Control\n  Boolean heat(start = false);\n"
              "  parameter Real Tbar = 20; parameter Real Q = 100; Real T(start = 25);\n"
              "  Real h;\n"
              "equation\n"
              "  heat = not pre(heat) and T < Tbar - 1 or pre(heat) and T < Tbar + 1;\n"
              "  h = if heat then Q else 0;\n"
              "  der(T) = 2*(5 - T) + h;\nend Control;\n",
              2)) {
        // T = 5 + 20 exp(-2 t) falls to 19 at log(20/14)/2
        double on = log(20.0 / 14) / 2;
        CHECK_NEAR(at(&w, on - 1e-6, "heat"), 0, 0);
        CHECK_NEAR(at(&w, on + 1e-6, "heat"), 1, 0);
        // then T = 55 - 36 exp(-2 s) rises to 21 at log(36/34)/2
        double off = on + log(36.0 / 34) / 2;
        CHECK_NEAR(at(&w, off - 1e-6, "heat"), 1, 0);
        CHECK_NEAR(at(&w, off + 1e-6, "heat"), 0, 0);
    }
    end(&w);
}

// Functions with arrays, loops and early return; algorithms.
TEST(functions_and_algorithms)
{
    world w;
    if (begin(&w,
              "function interpolate\n"
              "  input Real x; input Real points[:, 2]; output Real y;\n"
              "protected\n  Real p;\n"
              "algorithm\n"
              "  for i in 1:size(points, 1) - 1 loop\n"
              "    if x >= points[i, 1] and x < points[i + 1, 1] then\n"
              "      p := (x - points[i, 1])/(points[i + 1, 1] - points[i, 1]);\n"
              "      y := (1 - p)*points[i, 2] + p*points[i + 1, 2];\n"
              "      return;\n"
              "    end if;\n"
              "  end for;\n"
              "  y := points[size(points, 1), 2];\n"
              "end interpolate;\n"
              "function factorial\n  input Integer n; output Integer f;\n"
              "algorithm\n  f := if n <= 1 then 1 else n*factorial(n - 1);\nend factorial;\n"
              "model M\n"
              "  Real y; Real z(start = 0, fixed = true); Real s; Integer f;\n"
              "equation\n"
              "  y = interpolate(time, {{0, 0}, {2, 0}, {4, 2}, {6, 2}});\n"
              "  der(z) = y;\n  f = factorial(5);\n"
              "algorithm\n"
              "  s := 0;\n"
              "  for k in 1:4 loop\n    s := s + k*time;\n  end for;\n"
              "end M;\n",
              6)) {
        CHECK_NEAR(at(&w, 1, "s"), 10, 1e-12);
        CHECK_NEAR(at(&w, 3, "z"), 0.5, 1e-6);
        CHECK_NEAR(at(&w, 3, "y"), 1, 1e-12);
        CHECK_NEAR(at(&w, 6, "z"), 6, 1e-5);
        CHECK_NEAR(at(&w, 6, "f"), 120, 0);
    }
    end(&w);
}

// A while loop that ends when it has converged, which is known in the run only.
TEST(function_with_a_while_loop)
{
    world w;
    if (begin(&w,
              "function root\n  input Real a; output Real y;\n"
              "protected\n  Real old;\n"
              "algorithm\n  y := 1; old := 0;\n"
              "  while abs(y - old) > 1e-13*y loop\n"
              "    old := y;\n    y := (y + a/y)/2;\n  end while;\n"
              "end root;\n"
              "model M\n  Real x(start = 1, fixed = true); Real r;\n"
              "equation\n  der(x) = 1;\n  r = root(x);\nend M;\n",
              3)) {
        CHECK_NEAR(at(&w, 1, "r"), sqrt(2), 1e-12);
        CHECK_NEAR(at(&w, 3, "r"), 2, 1e-12);
    }
    end(&w);
}

// A parameter that the initial equations determine: the growth for a given rate.
TEST(parameter_found_at_the_start)
{
    world w;
    if (begin(&w,
              "model M\n  parameter Real k(fixed = false, start = 1);\n"
              "  Real x(start = 2, fixed = true);\n"
              "initial equation\n  der(x) = 6;\n"
              "equation\n  der(x) = k*x;\nend M;\n",
              0.1)) {
        CHECK_NEAR(at(&w, 0.1, "k"), 3, 1e-14);
        CHECK_NEAR(at(&w, 0.1, "x"), 2 * exp(0.3), 1e-8);
    }
    end(&w);
}

// The guess is no help: y^2 = 2 cannot be left from y = 0.
TEST(guesses_of_no_use)
{
    world w;
    if (begin(&w,
              "model M\n  Real y; Real x(start = 0, fixed = true);\n"
              "equation\n  y^2 = 2 + x;\n  der(x) = 1;\nend M;\n",
              2)) {
        CHECK_NEAR(at(&w, 1, "y"), sqrt(3), 1e-12);
        CHECK_NEAR(at(&w, 2, "y"), 2, 1e-12);
    }
    end(&w);
}

// When-clauses in an algorithm: the statements see what was assigned before.
TEST(when_in_an_algorithm)
{
    world w;
    if (begin(&w,
              "model Counter\n"
              "  Integer n(start = 0); Integer m(start = 0); Real x(start = 0, fixed = true);\n"
              "equation\n  der(x) = 1;\n"
              "algorithm\n"
              "  when sample(0.5, 1) then\n    n := n + 1;\n    m := 2*n;\n"
              "  end when;\n"
              "end Counter;\n",
              4)) {
        CHECK_NEAR(at(&w, 3.9, "n"), 4, 0);
        CHECK_NEAR(at(&w, 3.9, "m"), 8, 0);
    }
    end(&w);
}

// Components and connectors: a rod of heat capacities between two temperatures.
TEST(connected_rod)
{
    world w;
    if (begin(&w,
              "connector Port\n  Real T; flow Real Q;\nend Port;\n"
              "model Mass\n  parameter Real C = 2; Port p; Real T(start = 1, fixed = true);\n"
              "equation\n  T = p.T;\n  C*der(T) = p.Q;\nend Mass;\n"
              "model Link\n  parameter Real G = 3; Port a; Port b;\n"
              "equation\n  a.Q + b.Q = 0;\n  a.Q = G*(a.T - b.T);\nend Link;\n"
              "model Wall\n  parameter Real T = 0; Port p;\nequation\n  p.T = T;\nend Wall;\n"
              "model Rod\n  Mass m; Link l; Wall w;\n"
              "equation\n  connect(m.p, l.a);\n  connect(l.b, w.p);\nend Rod;\n",
              1))
        CHECK_NEAR(at(&w, 1, "m.T"), exp(-1.5), 1e-7);
    end(&w);
}

TEST(cartesian_pendulum)
{
    world w;
    if (begin(&w,
              "model Pendulum\n  parameter Real L = 1; parameter Real g = 9.81;\n"
              "  Real x(start = 0.5, fixed = true); Real y(start = -0.87);\n"
              "  Real vx(start = 0, fixed = true); Real vy; Real F;\n"
              "equation\n  der(x) = vx; der(y) = vy;\n"
              "  der(vx) = -F*x; der(vy) = -F*y - g;\n  x^2 + y^2 = L^2;\nend Pendulum;\n",
              10))
        for (double t = 0.5; t <= 10; t += 0.5) {
            double x = at(&w, t, "x"), y = at(&w, t, "y"), vx = at(&w, t, "vx");
            double vy = at(&w, t, "vy"), energy = (vx * vx + vy * vy) / 2 + 9.81 * y;
            CHECK_NEAR(x * x + y * y, 1, 1e-12);
            CHECK_NEAR(energy, -9.81 * sqrt(0.75), 1e-6);
        }
    end(&w);
}

// From the horizontal it swings through x = 0 and back to y = 0: other states serve by turns.
TEST(pendulum_from_the_horizontal)
{
    world w;
    if (begin(&w,
              "model Pendulum\n  parameter Real L = 1; parameter Real g = 9.81;\n"
              "  Real x(start = 1); Real y(start = 0, fixed = true);\n"
              "  Real vx; Real vy(start = 0, fixed = true); Real F;\n"
              "equation\n  der(x) = vx; der(y) = vy;\n"
              "  der(vx) = -F*x; der(vy) = -F*y - g;\n  x^2 + y^2 = L^2;\nend Pendulum;\n",
              10)) {
        double lowest = 0, left = 0, right = 0;
        for (double t = 0.05; t <= 10; t += 0.05) {
            double x = at(&w, t, "x"), y = at(&w, t, "y"), vx = at(&w, t, "vx");
            double vy = at(&w, t, "vy"), energy = (vx * vx + vy * vy) / 2 + 9.81 * y;
            CHECK_NEAR(x * x + y * y, 1, 1e-12);
            CHECK_NEAR(x * vx + y * vy, 0, 1e-11);
            CHECK_NEAR(energy, 0, 1e-6);
            lowest = fmin(lowest, y), left = fmin(left, x), right = fmax(right, x);
        }
        CHECK(lowest < -0.99 && left < -0.99 && right > 0.99);
        CHECK(fo_simulation_statistics(w.sim).moments > 10);
    }
    end(&w);
}

TEST_MAIN(TEST_ENTRY(parameter_found_at_the_start), TEST_ENTRY(function_with_a_while_loop),
          TEST_ENTRY(guesses_of_no_use), TEST_ENTRY(pendulum_from_the_horizontal),
          TEST_ENTRY(cooling), TEST_ENTRY(circuit), TEST_ENTRY(two_inertias), TEST_ENTRY(predators),
          TEST_ENTRY(ball), TEST_ENTRY(decay_to_zero), TEST_ENTRY(hysteresis_control),
          TEST_ENTRY(functions_and_algorithms), TEST_ENTRY(when_in_an_algorithm),
          TEST_ENTRY(connected_rod), TEST_ENTRY(cartesian_pendulum))
