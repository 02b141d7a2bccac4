/// Tables of two inputs beside an implementation of the definition that looks at one place at a
/// time: generated tables, of every kind, looked up inside, on their edges and outside.
#include "samples.h"

static const char types[] =
    "type Smooth = enumeration(LinearSegments, ContinuousDerivative, ConstantSegments,\n"
    "  Monotone1, Monotone2, Modified);\n"
    "type Extra = enumeration(HoldLastPoint, LastTwoPoints, Periodic, NoExtrapolation);\n"
    "class T2 extends ExternalObject; function constructor input String tableName;\n"
    "  input String fileName; input Real table[:, :];\n"
    "  input Smooth smoothness; input Extra extrapolation; output T2 t; external \"C\"\n"
    "  t = ModelicaStandardTables_CombiTable2D_init2(table); end constructor;\n"
    "  function destructor input T2 t; external \"C\" nothing(t); end destructor; end T2;\n"
    "function get2 input T2 t; input Real u1; input Real u2; output Real y; external \"C\"\n"
    "  y = ModelicaStandardTables_CombiTable2D_getValue(t, u1, u2); end get2;\n"
    "function low2 input T2 t; output Real u[2]; external \"C\"\n"
    "  ModelicaStandardTables_CombiTable2D_minimumAbscissa(t, u); end low2;\n"
    "function high2 input T2 t; output Real u[2]; external \"C\"\n"
    "  ModelicaStandardTables_CombiTable2D_maximumAbscissa(t, u); end high2;\n";

enum { MOST = 6 };
enum { LINEAR, AKIMA, CONSTANT };
enum { HOLD, LAST_TWO, PERIODIC, NONE };

typedef struct grid {
    int n[2], smoothness, extrapolation;
    double x[2][MOST], z[MOST][MOST];
} grid;

static uint32_t seed = 7;

static double random_unit(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0;
}

// Points at many distances, values among which some are equal and some lie on lines.
static grid some_grid(int smoothness, int extrapolation)
{
    grid g = {.smoothness = smoothness, .extrapolation = extrapolation};
    for (int d = 0; d < 2; d++) {
        g.n[d] = 1 + (int)(MOST * random_unit());
        double x = floor(7 * random_unit()) - 3;
        for (int i = 0; i < g.n[d]; i++, x += random_unit() < 0.3 ? 0.5 : 0.1 + 2 * random_unit())
            g.x[d][i] = x;
    }
    for (int i = 0; i < MOST; i++)
        for (int k = 0; k < MOST; k++)
            g.z[i][k] = random_unit() < 0.3 ? floor(3 * random_unit()) : 8 * random_unit() - 4;
    return g;
}

// ----------------------------------------------------------------------------------- the
// definition

/// The value and slopes of a surface at a point of the grid.
typedef struct corner {
    double z, zx, zy, zxy;
} corner;

// A point of the grid or up to two beside it: as the slopes at the end go on.
static double place(const grid *g, int d, int i)
{
    const double *x = g->x[d];
    int n = g->n[d];
    if (i >= 0 && i < n) return x[i];
    if (n == 2) return x[0] + i * (x[1] - x[0]);
    return i < 0 ? place(g, d, i + 2) - (x[2] - x[0]) : place(g, d, i - 2) + (x[n - 1] - x[n - 3]);
}

static double value(const grid *g, int i, int k);

// The slope between points i and i + 1 in direction 1, at k.
static double slope1(const grid *g, int i, int k)
{
    int n = g->n[0];
    if (i < 0) return slope1(g, 0, k) + i * (n > 2 ? slope1(g, 1, k) - slope1(g, 0, k) : 0);
    if (i > n - 2)
        return slope1(g, n - 2, k) +
               (i - n + 2) * (n > 2 ? slope1(g, n - 2, k) - slope1(g, n - 3, k) : 0);
    return (value(g, i + 1, k) - value(g, i, k)) / (g->x[0][i + 1] - g->x[0][i]);
}

static double slope2(const grid *g, int i, int k)
{
    int n = g->n[1];
    if (k < 0) return slope2(g, i, 0) + k * (n > 2 ? slope2(g, i, 1) - slope2(g, i, 0) : 0);
    if (k > n - 2)
        return slope2(g, i, n - 2) +
               (k - n + 2) * (n > 2 ? slope2(g, i, n - 2) - slope2(g, i, n - 3) : 0);
    return (value(g, i, k + 1) - value(g, i, k)) / (g->x[1][k + 1] - g->x[1][k]);
}

static double value(const grid *g, int i, int k)
{
    if (i >= g->n[0])
        return value(g, i - 1, k) + slope1(g, i - 1, k) * (place(g, 0, i) - place(g, 0, i - 1));
    if (i < 0) return value(g, i + 1, k) - slope1(g, i, k) * (place(g, 0, i + 1) - place(g, 0, i));
    if (k >= g->n[1])
        return value(g, i, k - 1) + slope2(g, i, k - 1) * (place(g, 1, k) - place(g, 1, k - 1));
    if (k < 0) return value(g, i, k + 1) - slope2(g, i, k) * (place(g, 1, k + 1) - place(g, 1, k));
    return g->z[i][k];
}

static double twist(const grid *g, int i, int k)
{
    return (value(g, i + 1, k + 1) - value(g, i + 1, k) - value(g, i, k + 1) + value(g, i, k)) /
           ((place(g, 0, i + 1) - place(g, 0, i)) * (place(g, 1, k + 1) - place(g, 1, k)));
}

static corner corner_at(const grid *g, int i, int k)
{
    double p[4], q[4];
    for (int m = 0; m < 4; m++) p[m] = slope1(g, i + m - 2, k), q[m] = slope2(g, i, k + m - 2);
    double a = fabs(p[3] - p[2]), b = fabs(p[1] - p[0]), c = fabs(q[3] - q[2]),
           d = fabs(q[1] - q[0]);
    // what is straight but for rounding counts as straight on both sides
    if (a + b < 1e-12) a = b = 1;
    if (c + d < 1e-12) c = d = 1;
    corner e = {g->z[i][k], (a * p[1] + b * p[2]) / (a + b), (c * q[1] + d * q[2]) / (c + d), 0};
    e.zxy = (a * c * twist(g, i - 1, k - 1) + a * d * twist(g, i - 1, k) +
             b * c * twist(g, i, k - 1) + b * d * twist(g, i, k)) /
            ((a + b) * (c + d));
    return e;
}

// Hermite's cubic with values v, w and slopes m, n at the ends of h, or its slope there.
static double cubic(double s, double h, double v, double w, double m, double n, bool rate)
{
    if (rate)
        return (6 * s * s - 6 * s) * (v - w) / h + (3 * s * s - 4 * s + 1) * m +
               (3 * s * s - 2 * s) * n;
    return (1 + 2 * s) * (1 - s) * (1 - s) * v + s * s * (3 - 2 * s) * w +
           h * s * (1 - s) * (1 - s) * m - h * s * s * (1 - s) * n;
}

// The surface inside, or its derivatives in one direction or both.
static double akima(const grid *g, double u, double v, bool rate1, bool rate2)
{
    int i = 0, k = 0;
    while (i < g->n[0] - 2 && u >= g->x[0][i + 1]) i++;
    while (k < g->n[1] - 2 && v >= g->x[1][k + 1]) k++;
    corner c[2][2];
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) c[a][b] = corner_at(g, i + a, k + b);
    double h1 = g->x[0][i + 1] - g->x[0][i], h2 = g->x[1][k + 1] - g->x[1][k];
    double s1 = (u - g->x[0][i]) / h1, s2 = (v - g->x[1][k]) / h2, w[2], m[2];
    for (int a = 0; a < 2; a++) {
        w[a] = cubic(s2, h2, c[a][0].z, c[a][1].z, c[a][0].zy, c[a][1].zy, rate2);
        m[a] = cubic(s2, h2, c[a][0].zx, c[a][1].zx, c[a][0].zxy, c[a][1].zxy, rate2);
    }
    return cubic(s1, h1, w[0], w[1], m[0], m[1], rate1);
}

static double bilinear(const grid *g, double u, double v)
{
    int i = 0, k = 0;
    while (i < g->n[0] - 2 && u >= g->x[0][i + 1]) i++;
    while (k < g->n[1] - 2 && v >= g->x[1][k + 1]) k++;
    double s = (u - g->x[0][i]) / (g->x[0][i + 1] - g->x[0][i]);
    double t = (v - g->x[1][k]) / (g->x[1][k + 1] - g->x[1][k]);
    return (1 - s) * ((1 - t) * g->z[i][k] + t * g->z[i][k + 1]) +
           s * ((1 - t) * g->z[i + 1][k] + t * g->z[i + 1][k + 1]);
}

static double constant(const grid *g, double u, double v)
{
    int i = 0, k = 0;
    while (i < g->n[0] - 1 && u >= g->x[0][i + 1]) i++;
    while (k < g->n[1] - 1 && v >= g->x[1][k + 1]) k++;
    return g->z[i][k];
}

static double clamp(const grid *g, int d, double u)
{
    return fmin(fmax(u, g->x[d][0]), g->x[d][g->n[d] - 1]);
}

// A row or column alone, as a grid of which the other direction is straight.
static grid as_grid(const grid *g)
{
    grid wide = *g;
    for (int d = 0; d < 2; d++) {
        if (g->n[d] > 1) continue;
        wide.n[d] = 2, wide.x[d][1] = wide.x[d][0] + 1;
        for (int i = 0; i < MOST; i++) {
            if (d == 0) wide.z[1][i] = g->z[0][i];
            if (d == 1) wide.z[i][1] = wide.z[i][0];
        }
    }
    return wide;
}

static double truth(const grid *table, double u, double v)
{
    grid g = as_grid(table);
    int smoothness = g.smoothness;
    if (smoothness == AKIMA && table->n[0] < 3 && table->n[1] < 3) smoothness = LINEAR;
    if (g.extrapolation == PERIODIC) {
        double period = g.x[0][g.n[0] - 1] - g.x[0][0];
        u -= floor((u - g.x[0][0]) / period) * period;
        period = g.x[1][g.n[1] - 1] - g.x[1][0];
        v -= floor((v - g.x[1][0]) / period) * period;
    }
    // the input that does not count
    if (table->n[0] == 1) u = g.x[0][0];
    if (table->n[1] == 1) v = g.x[1][0];
    double p = clamp(&g, 0, u), q = clamp(&g, 1, v);
    bool goes_on = g.extrapolation == LAST_TWO && (p != u || q != v);
    if (smoothness == CONSTANT) return goes_on ? bilinear(&g, u, v) : constant(&g, p, q);
    if (smoothness == LINEAR) return goes_on ? bilinear(&g, u, v) : bilinear(&g, p, q);
    double y = akima(&g, p, q, false, false);
    if (goes_on)
        y += akima(&g, p, q, true, false) * (u - p) + akima(&g, p, q, false, true) * (v - q) +
             akima(&g, p, q, true, true) * (u - p) * (v - q);
    return y;
}

// ------------------------------------------------------------------------------------- what is run

static const char *const smooth[] = {"LinearSegments", "ContinuousDerivative", "ConstantSegments"};
static const char *const extra[] = {"HoldLastPoint", "LastTwoPoints", "Periodic",
                                    "NoExtrapolation"};

// u1 and u2 begin half a table before it and end half of one behind it; `x` is the integral of what
// the derivative of y is said to be.
static bool begin_grid(world *w, const grid *g, bool moves)
{
    char text[8000];
    int n = snprintf(text, sizeof text, "%smodel M parameter T2 t = T2(\"NoName\", \"NoName\", [0",
                     types);
    for (int k = 0; k < g->n[1]; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %.17g", g->x[1][k]);
    for (int i = 0; i < g->n[0]; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "; %.17g", g->x[0][i]);
        for (int k = 0; k < g->n[1]; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, ", %.17g", g->z[i][k]);
    }
    double low1 = g->x[0][0], low2 = g->x[1][0], span1 = g->x[0][g->n[0] - 1] - low1,
           span2 = g->x[1][g->n[1] - 1] - low2;
    snprintf(
        text + n, sizeof text - (size_t)n,
        "], Smooth.%s, Extra.%s);\n  parameter Real low[2] = low2(t); parameter Real high[2] = "
        "high2(t);\n"
        "  Real u1 = %.17g + %.17g*(2*time - 0.5); Real u2 = %.17g + %.17g*(0.5 - "
        "cos(7*time));\n  Real y = get2(t, u1, u2);%s\nend M;\n",
        smooth[g->smoothness], extra[g->extrapolation], low1, span1 > 0 ? span1 : 1, low2,
        span2 > 0 ? span2 : 1,
        moves ? " Real x(start = 0, fixed = true); equation der(x) = der(y);" : "");
    return begin(w, text, 1.01);
}

TEST(generated_grids)
{
    for (int i = 0; i < test_inputs(120, 6000); i++) {
        grid g = some_grid(i % 3, i / 3 % 3);
        world w;
        int wrong = 0;
        REQUIRE(begin_grid(&w, &g, false));
        for (int k = 0; k <= 100; k++) {
            double t = 0.01 * k + 0.003, u = at(&w, t, "u1"), v = at(&w, t, "u2");
            double y = at(&w, t, "y"), wanted = truth(&g, u, v);
            wrong += !(fabs(y - wanted) <= 1e-9 * fmax(8, fabs(wanted)));
        }
        CHECK_NEAR(at(&w, 1.01, "low[1]"), g.x[0][0], 0);
        CHECK_NEAR(at(&w, 1.01, "high[2]"), g.x[1][g.n[1] - 1], 0);
        end(&w);
        if (wrong)
            test_fail(__FILE__, __LINE__, "grid %d (%d by %d, %s, %s): %d of 101 are wrong", i,
                      g.n[0], g.n[1], smooth[g.smoothness], extra[g.extrapolation], wrong);
    }
}

// Points of the grid are met exactly, edges too.
TEST(points_of_grids)
{
    for (int i = 0; i < test_inputs(30, 3000); i++) {
        grid g = some_grid(i % 3, i / 3 % 3);
        if (g.extrapolation == PERIODIC && g.smoothness == CONSTANT)
            continue; // ends are beginnings
        char text[9000];
        int n = snprintf(text, sizeof text, "%smodel M constant Real a[:, :] = [0", types);
        for (int k = 0; k < g.n[1]; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, ", %.17g", g.x[1][k]);
        for (int j = 0; j < g.n[0]; j++) {
            n += snprintf(text + n, sizeof text - (size_t)n, "; %.17g", g.x[0][j]);
            for (int k = 0; k < g.n[1]; k++)
                n += snprintf(text + n, sizeof text - (size_t)n, ", %.17g", g.z[j][k]);
        }
        snprintf(text + n, sizeof text - (size_t)n,
                 "]; parameter T2 t = T2(\"NoName\", \"NoName\", a, Smooth.%s, Extra.%s);\n"
                 "  Real worst = max(abs(get2(t, a[i, 1] + 0*time, a[1, k]) - a[i, k]) for i in "
                 "2:%d, k in 2:%d); end M;\n",
                 smooth[g.smoothness], extra[g.extrapolation], g.n[0] + 1, g.n[1] + 1);
        world w;
        REQUIRE(begin(&w, text, 1));
        CHECK_NEAR(at(&w, 0.5, "worst"), 0, 1e-13 * 8);
        end(&w);
    }
}

// The integral of the derivative is the change of the value, where there are no jumps.
TEST(derivatives_of_grids)
{
    for (int i = 0; i < test_inputs(16, 600); i++) {
        grid g = some_grid(i % 2, i / 2 % 2);
        world w;
        REQUIRE(begin_grid(&w, &g, true));
        double from = at(&w, 0, "y");
        for (double t = 0.1; t < 1; t += 0.1)
            CHECK_NEAR(at(&w, t, "x"), at(&w, t, "y") - from, 2e-4 * fmax(8, fabs(from)));
        end(&w);
    }
}

TEST(a_grid_without_extrapolation_ends_the_run)
{
    grid g = {.n = {2, 2}, .extrapolation = NONE, .x = {{0, 1}, {-2, 3}}};
    world w;
    REQUIRE(begin_grid(&w, &g, false));
    fo_status status = fo_simulation_advance(w.sim, 1);
    CHECK(fo_failed(status));
    CHECK_CONTAINS(fo_simulation_message(w.sim)->text,
                   "a table without extrapolation is asked for");
    end(&w);
}

TEST(grids_that_are_none_are_refused)
{
    static const struct {
        const char *table, *smooth, *part;
    } wrong[] = {
        {"[0, 1, 2; 1, 0, 0; 1, 0, 0]", "LinearSegments", "column of the table must incr"},
        {"[0, 2, 1; 1, 0, 0; 2, 0, 0]", "LinearSegments", "row of the table must increase"},
        {"[0; 1]", "LinearSegments", "has points in its first row and column"},
        {"[0, 1]", "LinearSegments", "has points in its first row and column"},
        {"[0, 1, 2; 1, 0, 0; 2, 0, 0]", "Monotone1", "linear, constant or Akima's"},
        {"[0, 1, 2; 1, 0, 0; 2, 0, 0]", "Modified", "linear, constant or Akima's"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[4000];
        snprintf(text, sizeof text,
                 "%smodel M parameter T2 t = T2(\"NoName\", \"NoName\", %s, Smooth.%s, "
                 "Extra.HoldLastPoint); Real y = get2(t, time, 2*time); end M;\n",
                 types, wrong[i].table, wrong[i].smooth);
        check_refused(text, wrong[i].part);
    }
}

TEST_MAIN(TEST_ENTRY(generated_grids), TEST_ENTRY(points_of_grids),
          TEST_ENTRY(derivatives_of_grids), TEST_ENTRY(a_grid_without_extrapolation_ends_the_run),
          TEST_ENTRY(grids_that_are_none_are_refused))
