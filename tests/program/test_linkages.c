// Linkages in Cartesian coordinates: closed chains, cranks through their dead centres, bars in a
// loop. Their energies stay, and variables that are zero but for rounding errors do not end a run.
#include "program/chain.h"

#include <stdarg.h>

enum { TEXT = 8000 };

static void add(char *text, const char *format, ...)
{
    size_t n = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + n, TEXT - n, format, list);
    va_end(list);
}

// The angle between two links of `links` in an arc over a chord of this length.
static double arc(int links, double chord)
{
    double lo = 1e-6, hi = 2 * 3.14159265358979323846 / links;
    for (int k = 0; k < 100; k++) {
        double a = (lo + hi) / 2;
        if (sin(links * a / 2) / sin(a / 2) > chord)
            lo = a;
        else
            hi = a;
    }
    return lo;
}

// Masses on rods of length 1 between two fixed points, put up as an arch: it falls, to both sides
// alike, so that the rod in the middle never turns.
static void arch(char *text, int n, double chord)
{
    double a = arc(n + 1, chord), R = 1 / (2 * sin(a / 2));
    *text = 0;
    add(text, "model Arch\n  Real x0 = 0, y0 = 0, x%d = %.17g, y%d = 0, F%d, E;\n", n + 1, chord,
        n + 1, n + 1);
    for (int i = 1; i <= n; i++) {
        double turn = (i - (n + 1) / 2.0) * a;
        add(text,
            "  Real x%d(start = %.17g), y%d(start = %.17g), u%d(start = 0), v%d(start = 0), F%d;\n",
            i, chord / 2 + R * sin(turn), i, R * (cos(turn) - cos((n + 1) * a / 2)), i, i, i);
    }
    add(text, "equation\n");
    for (int i = 1; i <= n + 1; i++)
        add(text, "  (x%d - x%d)^2 + (y%d - y%d)^2 = 1;\n", i, i - 1, i, i - 1);
    for (int i = 1; i <= n; i++)
        add(text,
            "  der(x%d) = u%d; der(y%d) = v%d;\n"
            "  der(u%d) = -F%d*(x%d - x%d) + F%d*(x%d - x%d);\n"
            "  der(v%d) = -F%d*(y%d - y%d) + F%d*(y%d - y%d) - 9.81;\n",
            i, i, i, i, i, i, i, i - 1, i + 1, i + 1, i, i, i, i, i - 1, i + 1, i + 1, i);
    add(text, "  E = 0");
    for (int i = 1; i <= n; i++) add(text, " + 9.81*y%d + (u%d^2 + v%d^2)/2", i, i, i);
    add(text, ";\nend Arch;\n");
}

// A crank of length 1, a rod of length l and a slider.
static void crank(char *text, double l)
{
    double x = cos(0.3), y = sin(0.3);
    *text = 0;
    add(text,
        "model Crank\n"
        "  Real x(start = %.17g), y(start = %.17g), u(start = %.17g), v(start = %.17g);\n"
        "  Real s(start = %.17g), w, F, G, E;\n"
        "equation\n"
        "  der(x) = u; der(y) = v; der(s) = w;\n"
        "  der(u) = -F*x + G*(s - x); der(v) = -F*y - G*y; 2*der(w) = -G*(s - x);\n"
        "  x^2 + y^2 = 1; (s - x)^2 + y^2 = %.17g;\n"
        "  E = (u^2 + v^2)/2 + w^2;\n"
        "end Crank;\n",
        x, y, -3 * y, 3 * x, x + sqrt(l * l - y * y), l * l);
}

static void energy_stays(const char *text, double stop, double scale)
{
    world w;
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.rtol = 1e-8;
    if (world_begin(&w, text, &def)) {
        double first = NAN, most = 0;
        for (int k = 1; k <= 200; k++) {
            double E = world_at(&w, stop * k / 200, "E");
            if (k == 1) first = E;
            if (!(fabs(E - first) <= most)) most = fabs(E - first); // not a number counts, too
        }
        CHECK(most < 1e-7 * scale);
        printf("energy %.6g, error %.2g\n", first, most);
    }
    world_end(&w);
}

TEST(arches_fall)
{
    static const int masses[] = {4, 6, 8, 10, 12};
    char text[TEXT];
    for (int k = 0; k < (test_is_long() ? 5 : test_count(2, 3)); k++) {
        int n = masses[k];
        arch(text, n, n - 0.2);
        energy_stays(text, 4, 9.81 * n);
        arch(text, n, n + 0.7);
        energy_stays(text, 4, 9.81 * n);
    }
}

// Both dead centres of the slider, and for a rod that is hardly longer than the crank the place
// where crank and rod point the same way up.
TEST(cranks_pass_their_dead_centres)
{
    static const double lengths[] = {3, 1.5, 1.01, 1.0001};
    char text[TEXT];
    for (int k = 0; k < 4; k++) {
        crank(text, lengths[k]);
        energy_stays(text, 10, 5);
    }
}

// So near to where both can go two ways that rates have a few digits only: a method that does not
// iterate does not say that its iteration is in the way. It passes the first such place, at 0.7695
// s (the integral of da/a' up to the upright crank), and ends at the second, half a turn of the
// crank alone later: pi/sqrt(2 E), E = 7.64.
TEST(a_message_fits_the_method)
{
    char text[TEXT];
    world w;
    if (test_is_slow()) return;
    fo_run_def def = fo_default_run_def();
    def.stop = 20, def.rtol = 1e-8, def.solver = "rodas4";
    crank(text, 1 + 1e-10);
    if (world_begin(&w, text, &def)) {
        CHECK_INT(fo_simulation_advance(w.sim, 20), FO_ERROR_STEP);
        const char *why = fo_simulation_message(w.sim)->text;
        CHECK_CONTAINS(why, "rodas4 crawls at t = 1.57");
        CHECK(!strstr(why, "iterat"));
    }
    world_end(&w);
}

// Bars of lengths a, b, c over a ground of 3: a crank that turns, and one that nearly can.
TEST(bars_turn)
{
    static const double bars[][3] = {{1, 3, 3}, {1, 2.5, 2}, {1, 2.5, 2.499}};
    char text[TEXT];
    for (int k = 0; k < 3; k++) {
        double a = bars[k][0], b = bars[k][1], c = bars[k][2], x = a * cos(0.5), y = a * sin(0.5);
        double q = hypot(3 - x, y), along = (b * b - c * c + q * q) / (2 * q);
        double h = sqrt(b * b - along * along), p = (3 - x) / q, r = -y / q;
        snprintf(text, sizeof text,
                 "model Bars\n"
                 "  Real x(start = %.17g), y(start = %.17g), u(start = %.17g), v(start = %.17g);\n"
                 "  Real z(start = %.17g), w(start = %.17g), f, g, F, G, H, E;\n"
                 "equation\n"
                 "  der(x) = u; der(y) = v; der(z) = f; der(w) = g;\n"
                 "  der(u) = -F*x + G*(z - x); der(v) = -F*y + G*(w - y) - 9.81;\n"
                 "  der(f) = -H*(z - 3) - G*(z - x); der(g) = -H*w - G*(w - y) - 9.81;\n"
                 "  x^2 + y^2 = %.17g; (z - x)^2 + (w - y)^2 = %.17g; (z - 3)^2 + w^2 = %.17g;\n"
                 "  E = (u^2 + v^2 + f^2 + g^2)/2 + 9.81*(y + w);\n"
                 "end Bars;\n",
                 x, y, -2 * y, 2 * x, x + along * p - h * r, y + along * r + h * p, a * a, b * b,
                 c * c);
        energy_stays(text, 10, 30);
    }
}

TEST_MAIN(TEST_ENTRY(arches_fall), TEST_ENTRY(cranks_pass_their_dead_centres),
          TEST_ENTRY(a_message_fits_the_method), TEST_ENTRY(bars_turn))
