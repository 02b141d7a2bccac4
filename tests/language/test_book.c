/// Values of the models of "Modelica by Example" (M. Tiller), to six digits, with texts of our own;
/// and the originals where a copy is at hand: FOLIOT_MODELICA_BOOK names the folder
/// ModelicaByExample of its library.
#include "run.h"

static double six_digits(double expected)
{
    return 5e-7 * fabs(expected);
}

// ------------------------------------------------------------------------------------- our texts

TEST(hysteresis_of_a_thermostat)
{
    world w;
    if (begin(&w,
              "model Thermostat\n  parameter Real C = 1, h = 2, power = 25, outside = 285;\n"
              "  parameter Real wanted = 295; Boolean heat; Real T;\n"
              "initial equation\n  T = wanted + 5; heat = false;\n"
              "equation\n  C*der(T) = (if heat then power else 0) - h*(T - outside);\n"
              "  when {T > wanted + 1, T < wanted - 1} then\n    heat = T < wanted;\n  end when;\n"
              "end Thermostat;\n",
              1)) {
        const double on = 0.255412812; // T = 285 + 15 exp(-2 t) is 294
        CHECK_NEAR(log(15.0 / 9) / 2, on, 1e-9);
        CHECK_NEAR(at(&w, on - 5e-8, "heat"), 0, 0);
        CHECK_NEAR(at(&w, on + 5e-8, "heat"), 1, 0);
    }
    end(&w);
}

static const char shafts[] =
    "model Shafts\n  parameter Real J1 = 0.4, J2 = 1, k1 = 11, k2 = 5, d1 = 0.2, d2 = 1;\n"
    "  Real phi1(start = 0, fixed = true), phi2(start = 1, fixed = true);\n"
    "  Real w1(start = 0, fixed = true), w2(start = 0, fixed = true);\n"
    "equation\n  der(phi1) = w1; der(phi2) = w2;\n"
    "  J1*der(w1) = k1*(phi2 - phi1) + d1*der(phi2 - phi1);\n"
    "  J2*der(w2) = k1*(phi1 - phi2) + d1*der(phi1 - phi2) - k2*phi2 - d2*der(phi2);\n"
    "end Shafts;\n";

TEST(sample_and_hold)
{
    char text[2000];
    world w = {0}, smooth;
    snprintf(text, sizeof text,
             "%smodel Measured\n  extends Shafts;\n  parameter Real every = 0.125;\n"
             "  discrete Real speed;\n"
             "equation\n  when sample(0, every) then\n    speed = w1;\n  end when;\n"
             "end Measured;\n",
             shafts);
    if (begin(&smooth, shafts, 2) && begin(&w, text, 2)) {
        for (int i = 0; i < 16; i++) { // between two samples it is what it was at the first
            double then = at(&smooth, 0.125 * i, "w1");
            CHECK_NEAR(at(&w, 0.125 * i + 0.001, "speed"), then, 1e-7);
            CHECK_NEAR(at(&w, 0.125 * i + 0.124, "speed"), then, 1e-7);
        }
        CHECK_NEAR(at(&w, 2, "phi1"), at(&smooth, 2, "phi1"), 1e-7);
    }
    end(&w);
    end(&smooth);
}

TEST(rod_of_ten_pieces)
{
    world w;
    if (begin(&w,
              "model Rod\n  constant Real pi = 3.14159; parameter Integer n = 10;\n"
              "  parameter Real L = 1, R = 0.1, rho = 2, h = 2, k = 10, C = 10, Tamb = 300;\n"
              "  parameter Real A_c = pi*R^2, A_s = 2*pi*R*L, V = A_c*L/n;\n"
              "  Real T[n];\n"
              "initial equation\n  T = linspace(200, 300, n);\n"
              "equation\n"
              "  rho*V*C*der(T[1]) = -h*A_s*(T[1] - Tamb) - k*A_c*(T[1] - T[2])/(L/n);\n"
              "  for i in 2:n - 1 loop\n"
              "    rho*V*C*der(T[i]) = -h*A_s*(T[i] - Tamb) - k*A_c*(T[i] - T[i - 1])/(L/n)\n"
              "      - k*A_c*(T[i] - T[i + 1])/(L/n);\n"
              "  end for;\n"
              "  rho*V*C*der(T[end]) = -h*A_s*(T[end] - Tamb)\n"
              "    - k*A_c*(T[end] - T[end - 1])/(L/n);\n"
              "end Rod;\n",
              0.05)) {
        CHECK_NEAR(at(&w, 0.05, "T[1]"), 268.645486, six_digits(268.645486));
        CHECK_NEAR(at(&w, 0.05, "T[10]"), 294.56657, six_digits(294.56657));
    }
    end(&w);
}

TEST(integral_of_a_table)
{
    world w;
    if (begin(&w,
              "function table\n  input Real x; input Real points[:, 2]; output Real y;\n"
              "protected\n  Integer i; Integer n = size(points, 1); Real p;\n"
              "algorithm\n"
              "  assert(x >= points[1, 1], \"x is below \" + String(points[1, 1]));\n"
              "  assert(x <= points[n, 1], \"x is above \" + String(points[n, 1]));\n"
              "  i := 1;\n"
              "  while x >= points[i + 1, 1] loop\n    i := i + 1;\n  end while;\n"
              "  p := (x - points[i, 1])/(points[i + 1, 1] - points[i, 1]);\n"
              "  y := p*points[i + 1, 2] + (1 - p)*points[i, 2];\n"
              "end table;\n"
              "model Integral\n  Real z(start = 0, fixed = true);\n"
              "equation\n  der(z) = table(time, [0, 0; 2, 0; 4, 2; 6, 0; 8, 0]);\n"
              "end Integral;\n",
              7)) {
        CHECK_NEAR(at(&w, 3, "z"), 0.5, six_digits(0.5));
        CHECK_NEAR(at(&w, 6, "z"), 4, six_digits(4));
    }
    end(&w);
}

// The equation is solved for y, from the guess 2.
TEST(implicit_evaluation)
{
    world w;
    if (begin(&w,
              "function Quadratic\n  input Real a, b, c, x; output Real y;\n"
              "algorithm\n  y := a*x*x + b*x + c;\nend Quadratic;\n"
              "model Implicit\n  parameter Real guess = 2; Real y(start = guess);\n"
              "equation\n  time + 1 = Quadratic(2, 3, 1, y);\nend Implicit;\n",
              1))
        CHECK_NEAR(at(&w, 1, "y"), 0.280776406, six_digits(0.280776406));
    end(&w);
}

// ----------------------------------------------------------------------------------- the originals

typedef struct original {
    const char *path; ///< in the folder of the library
    const char *name;
    double t, value;
} original;

static const original originals[] = {
    {"BasicEquations/CoolingExample/NewtonCoolingWithDefaults.mo", "T", 0.5, 28.5173948},
    {"BasicEquations/LotkaVolterra/ClassicModelInitialEquations.mo", "x", 50, 18.0025034},
    {"BasicEquations/LotkaVolterra/ClassicModelInitialEquations.mo", "y", 50, 0.740423935},
    {"BasicEquations/RLC/RLC1.mo", "V", 0.1, 38.5095789},
    {"BasicEquations/RLC/RLC1.mo", "V", 1, 23.8461423},
    {"BasicEquations/RotationalSMD/SecondOrderSystem.mo", "phi1", 1, -0.409827993},
    {"BasicEquations/RotationalSMD/SecondOrderSystem.mo", "phi2", 1, 0.263925449},
    {"DiscreteBehavior/BouncingBall/BouncingBall.mo", "h", 1, 0.468004453},
    {"DiscreteBehavior/BouncingBall/BouncingBall.mo", "h", 0.4515236, 0},
    {"DiscreteBehavior/Decay/Decay3.mo", "x", 1, 0.25},
    {"DiscreteBehavior/Hysteresis/HysteresisControl.mo", "heat", 0.25541276, 0},
    {"DiscreteBehavior/Hysteresis/HysteresisControl.mo", "heat", 0.25541286, 1},
    {"DiscreteBehavior/SpeedMeasurement/SampleAndHold.mo", "phi1", 1, -0.409827993},
    {"ArrayEquations/HeatTransfer/Rod_ForLoop.mo", "T[1]", 0.05, 268.645486},
    {"ArrayEquations/HeatTransfer/Rod_ForLoop.mo", "T[10]", 0.05, 294.56657},
    {"Functions/Interpolation/IntegrateInterpolatedVector.mo", "z", 3, 0.5},
    {"Functions/Interpolation/IntegrateInterpolatedVector.mo", "z", 6, 4},
    {"Functions/Nonlinearities/ImplicitEvaluation.mo", "y", 1, 0.280776406},
};

TEST(originals_of_the_book)
{
    const char *folder = getenv("FOLIOT_MODELICA_BOOK");
    if (!folder) {
        printf("skipped: FOLIOT_MODELICA_BOOK does not name a copy of the book's library\n");
        return;
    }
    for (size_t i = 0; i < sizeof originals / sizeof originals[0]; i++) {
        const original *o = &originals[i];
        char path[1024];
        world w;
        snprintf(path, sizeof path, "%s/%s", folder, o->path);
        if (world_open(&w, path, NULL, NULL) && world_run(&w, o->t, 1e-9))
            CHECK_NEAR(at(&w, o->t, o->name), o->value, fmax(six_digits(o->value), 1e-6));
        end(&w);
    }
}

TEST_MAIN(TEST_ENTRY(hysteresis_of_a_thermostat), TEST_ENTRY(sample_and_hold),
          TEST_ENTRY(rod_of_ten_pieces), TEST_ENTRY(integral_of_a_table),
          TEST_ENTRY(implicit_evaluation), TEST_ENTRY(originals_of_the_book))
