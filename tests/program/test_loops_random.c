// Random loops of equations against an independent solution: Gaussian elimination with full
// pivoting in long double, here in the test. The residual of every accepted solve is computed anew.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "test.h"

#ifndef TIMES
#define TIMES 1 // as many; more in the long runs
#endif

enum { MOST = 60 };

/// A y + phi(y) = b, with phi_i = c_i f_i(y_k).
typedef struct problem {
    int n;
    double A[MOST][MOST], b[MOST], c[MOST];
    int f[MOST], k[MOST]; ///< f: 0 nothing, 1 y^3, 2 atan, 3 sin
    double start[MOST];
} problem;

typedef struct generator {
    uint64_t state;
} generator;

static double uniform(generator *g)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = g->state >> 11;
    return (double)(x ^ (x >> 27)) / (double)(UINT64_C(1) << 53);
}

static double between(generator *g, double a, double b)
{
    return a + (b - a) * uniform(g);
}

// ------------------------------------------------------------------------------------- the truth

static long double phi(const problem *p, int i, const long double *y, long double *slope)
{
    long double c = p->c[i], z = y[p->k[i]];
    switch (p->f[i]) {
    case 1: return *slope = 3 * c * z * z, c * z * z * z;
    case 2: return *slope = c / (1 + z * z), c * atanl(z);
    case 3: return *slope = c * cosl(z), c * sinl(z);
    default: return *slope = 0;
    }
}

// A x = b with full pivoting; A and b are destroyed. The smallest pivot by the largest.
static long double eliminate(int n, long double A[MOST][MOST], long double b[MOST][MOST],
                             int rights)
{
    int column[MOST];
    long double first = 0, last = 0;
    for (int i = 0; i < n; i++) column[i] = i;
    for (int k = 0; k < n; k++) {
        int r = k, c = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabsl(A[i][j]) > fabsl(A[r][c])) r = i, c = j;
        last = fabsl(A[r][c]);
        if (k == 0) first = last;
        if (last == 0) return 0;
        for (int j = 0; j < n; j++) {
            long double t = A[k][j];
            A[k][j] = A[r][j], A[r][j] = t;
        }
        for (int j = 0; j < rights; j++) {
            long double t = b[k][j];
            b[k][j] = b[r][j], b[r][j] = t;
        }
        for (int i = 0; i < n; i++) {
            long double t = A[i][k];
            A[i][k] = A[i][c], A[i][c] = t;
        }
        int t = column[k];
        column[k] = column[c], column[c] = t;
        for (int i = k + 1; i < n; i++) {
            long double f = A[i][k] / A[k][k];
            for (int j = k; j < n; j++) A[i][j] -= f * A[k][j];
            for (int j = 0; j < rights; j++) b[i][j] -= f * b[k][j];
        }
    }
    static long double x[MOST][MOST];
    for (int q = 0; q < rights; q++)
        for (int k = n; k-- > 0;) {
            long double s = b[k][q];
            for (int j = k + 1; j < n; j++) s -= A[k][j] * x[column[j]][q];
            x[column[k]][q] = s / A[k][k];
        }
    for (int i = 0; i < n; i++)
        for (int q = 0; q < rights; q++) b[i][q] = x[i][q];
    return last / first;
}

static long double residual(const problem *p, int i, const long double *y, long double *terms)
{
    long double slope, s = phi(p, i, y, &slope);
    *terms = fabsl(s) + fabsl(slope * y[p->k[i]]) + fabsl((long double)p->b[i]);
    for (int j = 0; j < p->n; j++) {
        s += (long double)p->A[i][j] * y[j];
        *terms += fabsl((long double)p->A[i][j] * y[j]);
    }
    return s - p->b[i];
}

static void jacobian(const problem *p, const long double *y, long double J[MOST][MOST])
{
    for (int i = 0; i < p->n; i++) {
        long double slope;
        for (int j = 0; j < p->n; j++) J[i][j] = p->A[i][j];
        phi(p, i, y, &slope);
        J[i][p->k[i]] += slope;
    }
}

// From a place that is close to the solution. `condition` becomes |J^-1| (|J| |y| + |b|).
static void solve_long(const problem *p, long double *y, long double *condition)
{
    static long double J[MOST][MOST], b[MOST][MOST];
    long double terms;
    for (int steps = 0; steps < 12; steps++) {
        jacobian(p, y, J);
        for (int i = 0; i < p->n; i++) b[i][0] = -residual(p, i, y, &terms);
        eliminate(p->n, J, b, 1);
        for (int i = 0; i < p->n; i++) y[i] += b[i][0];
    }
    jacobian(p, y, J);
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++) b[i][j] = i == j;
    eliminate(p->n, J, b, p->n);
    for (int i = 0; i < p->n; i++) {
        condition[i] = 0;
        for (int j = 0; j < p->n; j++) {
            residual(p, j, y, &terms);
            condition[i] += fabsl(b[i][j]) * terms;
        }
    }
}

// -------------------------------------------------------------------------------------- the text

static char text[400000];

static void write_term(size_t *used, int *terms, double a, const char *format, int k)
{
    char name[40];
    if (a == 0) return;
    snprintf(name, sizeof name, format, k + 1);
    *used += (size_t)snprintf(text + *used, sizeof text - *used, "%s(%.17g)*%s",
                              (*terms)++ ? " + " : "", a, name);
}

static void write_problem(const problem *p)
{
    static const char *const f[] = {"", "y%d^3", "atan(y%d)", "sin(y%d)"};
    size_t used = (size_t)snprintf(text, sizeof text, "model Loop\n");
    for (int i = 0; i < p->n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  Real y%d(start = %.17g);\n",
                                 i + 1, p->start[i]);
    used += (size_t)snprintf(text + used, sizeof text - used, "equation\n");
    for (int i = 0; i < p->n; i++) {
        int terms = 0;
        used += (size_t)snprintf(text + used, sizeof text - used, "  ");
        for (int j = 0; j < p->n; j++) write_term(&used, &terms, p->A[i][j], "y%d", j);
        if (p->f[i]) write_term(&used, &terms, p->c[i], f[p->f[i]], p->k[i]);
        if (!terms) used += (size_t)snprintf(text + used, sizeof text - used, "0*y1");
        used += (size_t)snprintf(text + used, sizeof text - used, " = %.17g;\n", p->b[i]);
    }
    snprintf(text + used, sizeof text - used, "end Loop;\n");
}

// The values at the start, bit for bit; false: refused, and `why` says why.
static bool run_text(fo_way way, int n, double *y, fo_message *why)
{
    fo_text_model_def def = {.path = "loop.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&def, why);
    if (!model) return false;
    fo_system system = fo_text_model_system(model);
    fo_program_def program = fo_default_program_def();
    program.way = way;
    fo_run_def run = fo_default_run_def();
    run.stop = 1;
    bool good = fo_program_run_as(system, &program, why) == FO_OK;
    fo_simulation *sim = good ? fo_simulation_create(system, &run, why) : NULL;
    good = sim && fo_simulation_advance(sim, 0) == FO_REACHED;
    if (sim && !good) *why = *fo_simulation_message(sim);
    for (int i = 0; good && i < n; i++) {
        char name[40];
        fo_reference which;
        snprintf(name, sizeof name, "y%d", i + 1);
        good = fo_system_find(system, name, &which, why) == FO_OK;
        if (good) y[i] = fo_simulation_value(sim, which);
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return good;
}

// Rounding explains an error of eps for every term and every sum of an equation.
static void check_solution(const problem *p, const double *y, int number)
{
    long double x[MOST], condition[MOST], terms, z[MOST];
    for (int i = 0; i < p->n; i++) z[i] = x[i] = y[i];
    solve_long(p, x, condition);
    for (int i = 0; i < p->n; i++) {
        long double F = residual(p, i, z, &terms);
        double count = 4;
        for (int j = 0; j < p->n; j++) count += p->A[i][j] != 0;
        if (!(fabsl(F) <= 8 * DBL_EPSILON * fmin(count, 8) * terms))
            test_fail(__FILE__, __LINE__, "problem %d, equation %d of %d: off by %Lg of %Lg",
                      number, i + 1, p->n, F, terms);
        if (!(fabsl(x[i] - z[i]) <= 64 * DBL_EPSILON * condition[i]))
            test_fail(__FILE__, __LINE__, "problem %d, y%d of %d: %.17Lg, expected %.17Lg", number,
                      i + 1, p->n, z[i], x[i]);
    }
}

static void check(const problem *p, int number)
{
    double y[MOST];
    fo_message why = {0};
    write_problem(p);
    if (!run_text(FO_WAY_BYTECODE, p->n, y, &why)) {
        test_fail(__FILE__, __LINE__, "problem %d of %d unknowns is refused: %s", number, p->n,
                  why.text);
        return;
    }
    check_solution(p, y, number);
}

// --------------------------------------------------------------------------------- the problems

// b such that y is the solution, to rounding.
static void aim(problem *p, const double *y)
{
    long double x[MOST], terms;
    for (int i = 0; i < p->n; i++) p->b[i] = 0, x[i] = y[i];
    for (int i = 0; i < p->n; i++) p->b[i] = (double)residual(p, i, x, &terms);
}

static problem make(generator *g, int n, double density, bool nonlinear)
{
    problem p = {.n = n};
    double y[MOST];
    for (int i = 0; i < n; i++) {
        y[i] = between(g, -2, 2);
        for (int j = 0; j < n; j++)
            if (i == j || uniform(g) < density) p.A[i][j] = between(g, -1, 1);
        p.A[i][i] += p.A[i][i] < 0 ? -0.5 : 0.5;
        if (nonlinear) p.f[i] = (int)(4 * uniform(g)), p.k[i] = (int)(n * uniform(g));
        p.c[i] = between(g, 0.01, 0.1);
        p.start[i] = nonlinear ? y[i] + between(g, -0.01, 0.01) : 0;
    }
    aim(&p, y);
    return p;
}

// Rows and unknowns in other units.
static void rescale(generator *g, problem *p, double decades)
{
    for (int i = 0; i < p->n; i++) {
        double row = pow(10, between(g, -decades, decades));
        double column = pow(10, between(g, -decades, decades));
        p->b[i] *= row, p->c[i] *= row;
        for (int j = 0; j < p->n; j++) p->A[i][j] *= row;
        for (int j = 0; j < p->n; j++) p->A[j][i] *= column;
    }
}

static int many(int count)
{
    return test_count(count / 4, count * TIMES);
}

TEST(dense_loops)
{
    generator g = {1};
    for (int k = 0; k < 60; k += test_count(6, 1)) {
        problem p = make(&g, 1 + k, 1, false);
        check(&p, k);
    }
    for (int k = 0; k < many(40); k++) {
        problem p = make(&g, 1 + k % 12, 1, false);
        check(&p, 100 + k);
    }
}

TEST(sparse_loops)
{
    generator g = {2};
    for (int k = 0; k < many(100); k++) {
        problem p = make(&g, 2 + k % 58, 3.0 / (2 + k % 58), false);
        check(&p, k);
    }
}

TEST(nonlinear_loops)
{
    generator g = {3};
    for (int k = 0; k < many(100); k++) {
        problem p = make(&g, 1 + k % 40, k % 2 ? 1 : 0.2, true);
        check(&p, k);
    }
}

TEST(badly_scaled_loops)
{
    generator g = {4};
    for (int k = 0; k < many(100); k++) {
        problem p = make(&g, 1 + k % 30, k % 2 ? 1 : 0.2, false);
        rescale(&g, &p, 12);
        check(&p, k);
    }
}

// The last row is a combination of the others, up to a small part: either it is solved as well as
// it can be, or it is called singular; and where nothing is left of the small part, it must be.
TEST(near_singular_loops)
{
    generator g = {5};
    int solved = 0, refused = 0;
    for (int k = 0; k < many(120); k++) {
        int n = 2 + k % 20;
        double part = k % 4 == 0 ? 0 : pow(10, between(&g, -18, -4)), y[MOST];
        problem p = make(&g, n, 1, false);
        for (int i = 0; i < n; i++) // multiples of 1/64: their sums are exact
            for (int j = 0; j < n; j++) p.A[i][j] = rint(64 * p.A[i][j]) / 64;
        for (int j = 0; j < n; j++) {
            double own = p.A[n - 1][j];
            p.A[n - 1][j] = 0;
            for (int i = 0; i < n - 1; i++) p.A[n - 1][j] += (i + 1) * p.A[i][j];
            p.A[n - 1][j] += part * own;
        }
        for (int i = 0; i < n; i++) y[i] = between(&g, -2, 2);
        aim(&p, y);
        fo_message why = {0};
        write_problem(&p);
        bool good = run_text(FO_WAY_BYTECODE, n, y, &why);
        if (good) check_solution(&p, y, k);
        if (good && part < 1e-17)
            test_fail(__FILE__, __LINE__, "problem %d is singular, and was solved", k);
        if (!good) CHECK_CONTAINS(why.text, "singular");
        if (!good && part > 1e-7)
            test_fail(__FILE__, __LINE__, "problem %d, part %g: %s", k, part, why.text);
        solved += good, refused += !good;
    }
    CHECK(solved > test_count(3, 20));
    CHECK(refused > test_count(3, 20));
}

static void check_ways(int n, int number)
{
    double y[3][MOST];
    fo_message why = {0};
    static const fo_way ways[] = {FO_WAY_BYTECODE, FO_WAY_MEMORY, FO_WAY_NATIVE};
    for (int w = 0; w < 3; w++) {
        memset(y[w], 0, sizeof y[w]);
        if (!run_text(ways[w], n, y[w], &why)) {
            if (w > 0 && strstr(why.text, "compiler")) continue;
            test_fail(__FILE__, __LINE__, "problem %d, way %d: %s", number, w, why.text);
        } else if (memcmp(y[0], y[w], (size_t)n * sizeof(double)) != 0) {
            test_fail(__FILE__, __LINE__, "problem %d: way %d gives other bits", number, w);
        }
    }
}

TEST(every_way_gives_the_same_bits)
{
    generator g = {6};
    for (int k = 0; k < 8; k++) {
        problem p = make(&g, 1 + 3 * k, k % 2 ? 1 : 0.3, k % 3 == 0);
        if (k % 4 == 1) rescale(&g, &p, 6);
        write_problem(&p);
        check_ways(p.n, k);
    }
}

TEST_MAIN(TEST_ENTRY(dense_loops), TEST_ENTRY(sparse_loops), TEST_ENTRY(nonlinear_loops),
          TEST_ENTRY(badly_scaled_loops), TEST_ENTRY(near_singular_loops),
          TEST_ENTRY(every_way_gives_the_same_bits))
