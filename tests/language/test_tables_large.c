/// Tables of the library with many rows, which are operations and not choices.
#include <stdlib.h>
#include <time.h>

#include "samples.h"
#include "tables.h"

static uint64_t state = 5;

static double between(double lo, double hi)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * (double)(state >> 11) * 0x1p-53;
}

/// A text that grows.
typedef struct paper {
    char *text;
    size_t length, room;
} paper;

__attribute__((format(printf, 2, 3))) static void put(paper *p, const char *format, ...)
{
    va_list list;
    if (p->room - p->length < 8000) p->text = realloc(p->text, p->room = 2 * p->room + 16000);
    va_start(list, format);
    p->length += (size_t)vsnprintf(p->text + p->length, p->room - p->length, format, list);
    va_end(list);
}

static void put_rows(paper *p, const double *x, const double *y, int first, int count)
{
    for (int i = first; i < first + count; i++)
        put(p, "%s%.17g, %.17g", i > first ? "; " : "[", x[i], y[i]);
    put(p, "]");
}

enum { ROWS = 300, WINDOW = 12, FROM = 140 };

// Twelve rows of three hundred are a small table. Away from its ends it has the same curve,
// whatever the rule of the slopes is: the same bits.
static void check_window(const char *smooth, const double *x, const double *y)
{
    paper p = {0};
    world w;
    put(&p, "%smodel M\n  parameter T1 big = T1(\"NoName\", \"NoName\", ", types);
    put_rows(&p, x, y, 0, ROWS);
    put(&p,
        ", {2}, Smooth.%s, Extra.HoldLastPoint);\n  parameter T1 small = T1(\"NoName\", "
        "\"NoName\", ",
        smooth);
    put_rows(&p, x, y, FROM, WINDOW);
    put(&p, ", {2}, Smooth.%s, Extra.HoldLastPoint);\n", smooth);
    put(&p, "  Real u = %.17g + %.17g*time, a = get1(big, 1, u), b = get1(small, 1, u);\n",
        x[FROM + 3], x[FROM + WINDOW - 4] - x[FROM + 3]);
    put(&p, "  Real da = rate1(big, 1, u, 1), db = rate1(small, 1, u, 1);\nend M;\n");
    if (begin(&w, p.text, 1))
        for (double t = 0; t < 1; t += 0.0137) {
            CHECK(at(&w, t, "a") == at(&w, t, "b"));
            CHECK_NEAR(at(&w, t, "da"), at(&w, t, "db"), 1e-9);
        }
    end(&w);
    free(p.text);
}

TEST(a_large_table_has_the_bits_of_a_small_one)
{
    static const char *const kinds[] = {"LinearSegments",   "ContinuousDerivative",
                                        "ConstantSegments", "Monotone1",
                                        "Monotone2",        "Modified"};
    double x[ROWS], y[ROWS];
    for (int i = 0; i < ROWS; i++)
        x[i] = (i ? x[i - 1] : -3) + between(0.01, 1), y[i] = between(-5, 5);
    for (int k = 0; k < 6; k++) check_window(kinds[k], x, y);
}

// Beside it, and by periods.
TEST(what_a_large_table_is_outside)
{
    static const char *const kinds[] = {"HoldLastPoint", "LastTwoPoints", "Periodic"};
    double x[100], y[100];
    for (int i = 0; i < 100; i++) x[i] = i * 0.25, y[i] = i % 2 ? 1.5 : i % 3;
    y[99] = y[0];
    for (int k = 0; k < 3; k++) {
        paper p = {0};
        world w;
        put(&p, "%smodel M\n  parameter T1 t = T1(\"NoName\", \"NoName\", ", types);
        put_rows(&p, x, y, 0, 100);
        put(&p, ", {2}, Smooth.LinearSegments, Extra.%s);\n", kinds[k]);
        put(&p, "  Real u = -50 + 100*time, y = get1(t, 1, u);\nend M;\n");
        if (begin(&w, p.text, 1))
            for (double at_time = 0; at_time < 1; at_time += 0.0073) {
                double u = -50 + 100 * at_time, v = u, end = x[99];
                if (k == 2) v = u - floor(u / end) * end;
                int i = v < 0 ? 0 : v >= end ? 98 : (int)(v / 0.25);
                double wanted = y[i] + (y[i + 1] - y[i]) * (v - x[i]) / 0.25;
                if (k == 0 && v < 0) wanted = y[0];
                if (k == 0 && v > end) wanted = y[99];
                CHECK_NEAR(at(&w, at_time, "y"), wanted, 1e-9);
            }
        end(&w);
        free(p.text);
    }
}

// Each row makes a moment, at which the next one is known, and the state is that of the polygon.
TEST(a_large_table_of_time)
{
    double x[200], y[200], area = 0;
    paper p = {0};
    world w;
    for (int i = 0; i < 200; i++) {
        x[i] = i ? x[i - 1] + between(0.001, 0.02) : 0, y[i] = between(-1, 1);
        if (i) area += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
    }
    put(&p, "%smodel M\n  parameter T0 t = T0(\"NoName\", \"NoName\", ", types);
    put_rows(&p, x, y, 0, 200);
    put(&p, ", 0, {2}, Smooth.LinearSegments, Extra.Periodic);\n"
            "  discrete Real next(start = 0, fixed = true); Real y = get0(t, 1, time, next, "
            "pre(next));\n"
            "  discrete Integer n(start = 0, fixed = true); Real area(start = 0, fixed = true);\n"
            "equation\n  der(area) = y;\n"
            "  when {initial(), time >= pre(next)} then next = next0(t, time); n = pre(n) + 1; "
            "end when;\nend M;\n");
    double period = x[199];
    if (begin(&w, p.text, 2.5 * period)) {
        int i = 0;
        for (double t = 0.00037; t < 2.4 * period; t += 0.0131) {
            double in = fmod(t, period), value = at(&w, t, "y");
            for (i = 0; x[i + 1] < in;) i++;
            CHECK_NEAR(value, y[i] + (y[i + 1] - y[i]) * (in - x[i]) / (x[i + 1] - x[i]), 1e-9);
        }
        for (i = 0; x[i + 1] < 0.45 * period;) i++;
        CHECK_NEAR(at(&w, 2.45 * period, "n"), 1 + 2 * 199 + i, 0); // and one at the start
    }
    end(&w);
    if (begin(&w, p.text, 3 * period)) CHECK_NEAR(at(&w, 2 * period, "area"), 2 * area, 1e-7);
    end(&w);
    free(p.text);
}

// A condition on a large table is found wherever it becomes true.
TEST(a_large_table_is_watched)
{
    double x[401], y[401];
    paper p = {0};
    world w;
    for (int i = 0; i <= 400; i++) x[i] = i, y[i] = i % 2;
    put(&p, "%smodel M\n  parameter T1 t = T1(\"NoName\", \"NoName\", ", types);
    put_rows(&p, x, y, 0, 401);
    put(&p, ", {2}, Smooth.LinearSegments, Extra.HoldLastPoint);\n"
            "  Real x(start = 0, fixed = true), y = get1(t, 1, x);\n"
            "  discrete Integer n(start = 0, fixed = true); discrete Real last(start = 0, fixed = "
            "true);\n"
            "equation\n  der(x) = 40;\n  when y > 0.75 then n = pre(n) + 1; last = x; end when;\n"
            "end M;\n");
    if (begin(&w, p.text, 10)) {
        CHECK_NEAR(at(&w, 9.99, "n"), 200, 0);
        CHECK_NEAR(at(&w, 9.99, "last"), 398.75, 1e-6);
    }
    end(&w);
    free(p.text);
}

// a + b u + c v + d u v, which curved tables of two inputs have, too; and their derivatives.
static double plane(double u, double v)
{
    return 1 + 2 * u - 3 * v + 0.5 * u * v;
}

TEST(a_large_table_of_two_inputs)
{
    static const char *const kinds[] = {"LinearSegments", "ContinuousDerivative",
                                        "ConstantSegments"};
    double x[12], z[15];
    for (int i = 0; i < 12; i++) x[i] = (i ? x[i - 1] : 0) + between(0.2, 1);
    for (int i = 0; i < 15; i++) z[i] = (i ? z[i - 1] : -2) + between(0.2, 1);
    for (int k = 0; k < 3; k++) {
        paper p = {0};
        world w;
        put(&p, "%smodel M\n  parameter T2 t = T2(\"NoName\", \"NoName\", [0", types);
        for (int i = 0; i < 15; i++) put(&p, ", %.17g", z[i]);
        for (int i = 0; i < 12; i++) {
            put(&p, "; %.17g", x[i]);
            for (int n = 0; n < 15; n++) put(&p, ", %.17g", plane(x[i], z[n]));
        }
        put(&p, "], Smooth.%s, Extra.HoldLastPoint);\n", kinds[k]);
        put(&p, "  Real u = %.17g + 8*sin(5*time), v = %.17g + 8*cos(7*time);\n", x[6], z[7]);
        put(&p, "  Real y = get2(t, u, v), d = rate2(t, u, v, 2, 3);\nend M;\n");
        if (begin(&w, p.text, 2))
            for (double t = 0; t < 2; t += 0.0137) {
                double u = x[6] + 8 * sin(5 * t), v = z[7] + 8 * cos(7 * t);
                bool in = u > x[0] && u < x[11] && v > z[0] && v < z[14];
                double a = fmin(fmax(u, x[0]), x[11]), b = fmin(fmax(v, z[0]), z[14]);
                int i = 0, n = 0;
                while (k == 2 && i < 11 && x[i + 1] <= a) i++;
                while (k == 2 && n < 14 && z[n + 1] <= b) n++;
                CHECK_NEAR(at(&w, t, "y"), k == 2 ? plane(x[i], z[n]) : plane(a, b), 1e-11);
                double d = 2 * (2 + 0.5 * v) + 3 * (0.5 * u - 3);
                if (in) CHECK_NEAR(at(&w, t, "d"), k == 2 ? 0 : d, 1e-10);
            }
        end(&w);
        free(p.text);
    }
}

// The derivative by hand of a small one, too: 2 u in the middle of the parabola through its points.
TEST(derivatives_by_hand)
{
    char text[4000];
    world w;
    snprintf(
        text, sizeof text,
        "%smodel M\n  parameter T1 t = T1(\"NoName\", \"NoName\", [0, 0; 1, 1; 2, 4; 3, 9], {2}, "
        "Smooth.ContinuousDerivative, Extra.LastTwoPoints);\n"
        "  Real u = 4*time - 0.5, y = rate1(t, 1, u, 3);\nend M;\n",
        types);
    if (begin(&w, text, 1)) {
        CHECK_NEAR(at(&w, 0.4, "y"), 3 * 2 * 1.1, 1e-12);
        CHECK_NEAR(at(&w, 0.5, "y"), 3 * 2 * 1.5, 1e-12);
        CHECK_NEAR(at(&w, 0.95, "y"), 3 * 2 * 3, 1e-12); // goes on
    }
    end(&w);
}

// Twenty thousand rows are read, translated and run in a moment of the processor.
TEST(a_very_large_table_is_quick)
{
    enum { MANY = 20000 };
    static double x[MANY], y[MANY];
    paper p = {0};
    world w;
    clock_t from = clock();
    for (int i = 0; i < MANY; i++) x[i] = i, y[i] = i % 7;
    put(&p, "%smodel M\n  parameter T1 t = T1(\"NoName\", \"NoName\", ", types);
    put_rows(&p, x, y, 0, MANY);
    put(&p, ", {2}, Smooth.ContinuousDerivative, Extra.HoldLastPoint);\n"
            "  Real y = get1(t, 1, 20000*time);\nend M;\n");
    if (begin(&w, p.text, 1)) CHECK_NEAR(at(&w, 0.5, "y"), 10000 % 7, 1e-9);
    end(&w);
    free(p.text);
    CHECK((double)(clock() - from) / CLOCKS_PER_SEC < 20); // as choices it was minutes
}

TEST_MAIN(TEST_ENTRY(a_large_table_has_the_bits_of_a_small_one),
          TEST_ENTRY(what_a_large_table_is_outside), TEST_ENTRY(a_large_table_of_time),
          TEST_ENTRY(a_large_table_is_watched), TEST_ENTRY(a_large_table_of_two_inputs),
          TEST_ENTRY(derivatives_by_hand), TEST_ENTRY(a_very_large_table_is_quick))
