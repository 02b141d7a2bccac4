/// LU factors: dense, band and sparse, real and complex.
#include "solver/linear.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { N_MAX = 200 };

static double uniform(uint64_t *seed) // in [-1, 1)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

/// A random pattern: `wide` entries at most either side of the diagonal, each with a probability.
typedef struct random_matrix {
    fo_pattern pattern;
    uint32_t start[N_MAX + 1], row[N_MAX * N_MAX];
    double value[N_MAX * N_MAX];
} random_matrix;

static random_matrix *make(uint32_t n, uint32_t wide, double density, uint64_t seed)
{
    random_matrix *a = calloc(1, sizeof *a);
    uint32_t e = 0;
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t r = 0; r < n; r++) {
            uint32_t apart = r > c ? r - c : c - r;
            // diagonals of all sizes, so that rows must be exchanged
            if (apart > wide || (r != c && fabs(uniform(&seed)) > density)) continue;
            a->row[e] = r, a->value[e] = r == c ? 0.1 * uniform(&seed) : uniform(&seed), e++;
        }
        a->start[c + 1] = e;
    }
    a->pattern = (fo_pattern){n, a->start, a->row};
    return a;
}

/// Largest |A x - b| for A = fac M - J.
static double residual(const random_matrix *a, foi_complex fac, const double *mass,
                       const double complex *x, const double complex *b)
{
    uint32_t n = a->pattern.n;
    double complex *r = calloc(n, sizeof *r), f = fac.re + fac.im * I;
    double worst = 0;
    for (uint32_t i = 0; i < n; i++) r[i] = -b[i] + (mass ? 0 : f * x[i]);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t e = a->start[c]; e < a->start[c + 1]; e++) r[a->row[e]] -= a->value[e] * x[c];
        for (uint32_t i = 0; mass && i < n; i++) r[i] += f * mass[c * n + i] * x[c];
    }
    for (uint32_t i = 0; i < n; i++) worst = fmax(worst, cabs(r[i]));
    free(r);
    return worst;
}

/// Solves one random system and returns its residual.
static double solve(const random_matrix *a, foi_linear *l, foi_complex fac, const double *mass,
                    uint32_t *pivots)
{
    uint32_t n = a->pattern.n;
    uint64_t seed = 99;
    double complex *b = calloc(n, sizeof *b), *x = calloc(n, sizeof *x);
    double *real = calloc(n, sizeof *real);
    double worst = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        double re = uniform(&seed), im = uniform(&seed);
        x[i] = b[i] = re + (l->pairs ? im : 0) * I, real[i] = re;
    }
    if (foi_linear_factor(l, fac, a->value, mass, pivots) == FO_OK) {
        foi_linear_solve(l, l->pairs ? (void *)x : (void *)real);
        for (uint32_t i = 0; !l->pairs && i < n; i++) x[i] = real[i];
        if (!l->pairs) fac.im = 0; // a real matrix takes the real part
        worst = residual(a, fac, mass, x, b);
    }
    free(b), free(x), free(real);
    return worst;
}

static void check_kind(foi_linear_kind kind, uint32_t wide, double density, const double *mass)
{
    static const uint32_t sizes[] = {1, 2, 7, 40, 120, N_MAX};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int pairs = 0; pairs < 2; pairs++) {
            random_matrix *a = make(sizes[k], wide, density, 5 + k);
            foi_linear_def def = {
                .n = sizes[k], .pattern = &a->pattern, .mass = mass, .pairs = pairs, .kind = kind};
            foi_linear l = {0};
            CHECK(foi_linear_prepare(&l, &def) == FO_OK);
            CHECK_INT(l.kind, kind);
            CHECK_NEAR(solve(a, &l, (foi_complex){0.7, 0.4}, mass, NULL), 0, 2e-11);
            foi_linear_destroy(&l);
            free(a);
        }
}

TEST(dense_systems_are_solved)
{
    check_kind(FOI_LINEAR_DENSE, N_MAX, 1, NULL);
}

TEST(band_systems_are_solved)
{
    check_kind(FOI_LINEAR_BAND, 1, 1, NULL);
    check_kind(FOI_LINEAR_BAND, 5, 0.7, NULL);
}

TEST(sparse_systems_are_solved)
{
    check_kind(FOI_LINEAR_SPARSE, 1, 1, NULL);
    check_kind(FOI_LINEAR_SPARSE, N_MAX, 0.02, NULL);
    check_kind(FOI_LINEAR_SPARSE, N_MAX, 0.3, NULL);
}

TEST(dense_without_a_pattern)
{
    random_matrix *a = make(30, 30, 1, 3);
    foi_linear l = {0};
    foi_linear_def def = {.n = 30};
    REQUIRE(foi_linear_prepare(&l, &def) == FO_OK);
    CHECK_INT(l.kind, FOI_LINEAR_DENSE);
    CHECK_NEAR(solve(a, &l, (foi_complex){2, 0}, NULL, NULL), 0, 1e-12);
    foi_linear_destroy(&l);
    free(a);
}

TEST(a_mass_matrix_widens_the_pattern)
{
    enum { n = 40 };
    double *mass = calloc(n * n, sizeof *mass);
    for (int i = 0; i < n; i++) {
        mass[i * n + i] = i % 3 ? 1 : 0;
        mass[i * n + (i + 7) % n] = 0.5; // entries that J has not
    }
    random_matrix *a = make(n, n, 0.08, 21);
    for (int kind = FOI_LINEAR_DENSE; kind <= FOI_LINEAR_SPARSE; kind++)
        for (int pass = 0; pass < 2; pass++) {
            foi_linear_def def = {.n = n,
                                  .pattern = &a->pattern,
                                  .mass = mass,
                                  .pairs = pass,
                                  .kind = (foi_linear_kind)kind};
            foi_linear l = {0};
            CHECK(foi_linear_prepare(&l, &def) == FO_OK);
            CHECK_NEAR(solve(a, &l, (foi_complex){3, 1}, mass, NULL), 0, 1e-11);
            foi_linear_destroy(&l);
        }
    free(mass), free(a);
}

/// The five-point Laplacian on a square; values in *value.
static fo_pattern laplacian(uint32_t side, uint32_t **start, uint32_t **row, double **value)
{
    uint32_t n = side * side, e = 0;
    *start = calloc(n + 1, sizeof **start);
    *row = calloc(5 * n, sizeof **row);
    *value = calloc(5 * n, sizeof **value);
    for (uint32_t c = 0; c < n; c++) {
        long near[] = {-(long)side, -1, 0, 1, side};
        for (int k = 0; k < 5; k++) {
            long r = (long)c + near[k];
            bool across =
                (near[k] == -1 && c % side == 0) || (near[k] == 1 && c % side == side - 1);
            if (r < 0 || r >= (long)n || across) continue;
            (*row)[e] = (uint32_t)r, (*value)[e++] = near[k] ? 1 : -4;
        }
        (*start)[c + 1] = e;
    }
    return (fo_pattern){n, *start, *row};
}

TEST(laplacian_is_sparse_and_exact)
{
    uint32_t *start, *row;
    double *value;
    fo_pattern pattern = laplacian(30, &start, &row, &value);
    uint32_t n = pattern.n;
    foi_linear l = {0};
    foi_linear_def def = {.n = n, .pattern = &pattern};
    REQUIRE(foi_linear_prepare(&l, &def) == FO_OK);
    CHECK_INT(l.kind, FOI_LINEAR_SPARSE);
    // the band would have 2 * 30 * 900 = 54000 entries in L and U; nested dissection about 14000
    CHECK(l.fill > 4000 && l.fill < 12000);
    double *x = calloc(n, sizeof *x), *b = calloc(n, sizeof *b), worst = 0;
    uint64_t seed = 4;
    for (uint32_t i = 0; i < n; i++) x[i] = b[i] = uniform(&seed);
    CHECK(foi_linear_factor(&l, (foi_complex){0.01, 0}, value, NULL, NULL) == FO_OK);
    CHECK_INT(l.sparse.l_start[n], l.fill); // all pivots on the diagonal
    foi_linear_solve(&l, x);
    for (uint32_t i = 0; i < n; i++) b[i] -= 0.01 * x[i];
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t e = start[c]; e < start[c + 1]; e++) b[row[e]] += value[e] * x[c];
    for (uint32_t i = 0; i < n; i++) worst = fmax(worst, fabs(b[i]));
    CHECK_NEAR(worst, 0, 1e-12);
    foi_linear_destroy(&l);
    free(start), free(row), free(value), free(x), free(b);
}

TEST(kind_follows_the_pattern)
{
    struct {
        uint32_t n, wide;
        double density;
        foi_linear_kind kind;
    } cases[] = {{100, 1, 1, FOI_LINEAR_BAND},
                 {200, N_MAX, 0.004, FOI_LINEAR_SPARSE},
                 {100, N_MAX, 0.9, FOI_LINEAR_DENSE},
                 {3, 3, 1, FOI_LINEAR_DENSE}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        random_matrix *a = make(cases[k].n, cases[k].wide, cases[k].density, 8);
        foi_linear l = {0};
        foi_linear_def def = {.n = cases[k].n, .pattern = &a->pattern};
        CHECK(foi_linear_prepare(&l, &def) == FO_OK);
        CHECK_INT(l.kind, cases[k].kind);
        foi_linear_destroy(&l);
        free(a);
    }
}

TEST(known_pivots_give_the_same_bits)
{
    enum { n = 120 };
    random_matrix *a = make(n, n, 0.04, 31);
    foi_linear_def def = {.n = n, .pattern = &a->pattern, .kind = FOI_LINEAR_SPARSE};
    foi_linear one = {0}, two = {0};
    uint32_t pivots[n] = {0}, again[n];
    REQUIRE(foi_linear_prepare(&one, &def) == FO_OK);
    REQUIRE(foi_linear_prepare(&two, &def) == FO_OK);
    CHECK(isfinite(solve(a, &one, (foi_complex){1, 0}, NULL, pivots)));
    CHECK(pivots[0] != pivots[1]);
    for (uint32_t e = 0; e < a->start[n]; e++) a->value[e] *= 1 + 1e-3 * (e % 7);
    memcpy(again, pivots, sizeof again);
    // `one` knows its patterns, `two` finds them for the same pivots
    CHECK_NEAR(solve(a, &one, (foi_complex){1, 0}, NULL, pivots), 0, 1e-10);
    CHECK_NEAR(solve(a, &two, (foi_complex){1, 0}, NULL, again), 0, 1e-10);
    CHECK(memcmp(pivots, again, sizeof again) == 0);
    double b1[n], b2[n];
    for (int i = 0; i < n; i++) b1[i] = b2[i] = i;
    foi_linear_solve(&one, b1);
    foi_linear_solve(&two, b2);
    CHECK(memcmp(b1, b2, sizeof b1) == 0);
    foi_linear_destroy(&one), foi_linear_destroy(&two);
    free(a);
}

TEST(bad_known_pivots_are_replaced)
{
    // [d 1; 1 0]: good on the diagonal for large d, not for d = 0
    static const uint32_t start[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
    fo_pattern pattern = {2, start, row};
    foi_linear_def def = {.n = 2, .pattern = &pattern, .kind = FOI_LINEAR_SPARSE};
    foi_linear l = {0};
    uint32_t pivots[2] = {0};
    REQUIRE(foi_linear_prepare(&l, &def) == FO_OK);
    double large[] = {-5, -1, -1, 0}, small[] = {-1e-9, -1, -1, 0}, b[] = {2, 3};
    CHECK(foi_linear_factor(&l, (foi_complex){0, 0}, large, NULL, pivots) == FO_OK);
    uint32_t first = pivots[0];
    CHECK(foi_linear_factor(&l, (foi_complex){0, 0}, small, NULL, pivots) == FO_OK);
    CHECK(l.sparse.order[0] != 0 || pivots[0] != first);
    foi_linear_solve(&l, b); // x0 = 3, 1e-9 x0 + x1 = 2
    CHECK_NEAR(b[0], 3, 1e-15);
    CHECK_NEAR(b[1], 2 - 3e-9, 1e-15);
    foi_linear_destroy(&l);
}

/// Each equation in a unit of its own, that is, its row times a power of two: the same pivots, and
/// the same bits of what solves it.
TEST(units_of_equations_do_not_matter)
{
    enum { n = 90 };
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t more = seed + 1000;
        random_matrix *a = make(n, n, 0.04, seed);
        double *mass = calloc(n * n, sizeof *mass), x[2][n], unit[n];
        uint32_t pivots[2][n] = {{0}};
        for (int i = 0; i < n; i++) unit[i] = ldexp(1, (int)(60 * uniform(&more)));
        for (int pass = 0; pass < 2; pass++) {
            foi_linear_def def = {
                .n = n, .pattern = &a->pattern, .mass = mass, .kind = FOI_LINEAR_SPARSE};
            foi_linear l = {0};
            for (int i = 0; i < n; i++) {
                mass[i * n + i] = pass ? unit[i] : 1;
                x[pass][i] = (i - 20) * mass[i * n + i];
            }
            for (uint32_t e = 0; pass && e < a->start[n]; e++) a->value[e] *= unit[a->row[e]];
            REQUIRE(foi_linear_prepare(&l, &def) == FO_OK);
            CHECK(foi_linear_factor(&l, (foi_complex){0.7, 0}, a->value, mass, pivots[pass]) ==
                  FO_OK);
            foi_linear_solve(&l, x[pass]);
            foi_linear_destroy(&l);
        }
        CHECK(memcmp(pivots[0], pivots[1], sizeof pivots[0]) == 0);
        CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
        free(mass), free(a);
    }
}

/// A wave over a square, places and velocities: x' = v, v' = s lap x. However stiff it is beside
/// the step, pivots stay on the diagonal, where the ordering counts them.
TEST(a_stiff_wave_fills_no_more_than_a_soft_one)
{
    enum { side = 16, half = side * side, n = 2 * half };
    uint32_t *near_start, *near_row, start[n + 1] = {0}, e = 0;
    double *near_value;
    laplacian(side, &near_start, &near_row, &near_value);
    uint32_t *row = calloc(near_start[half] + n, sizeof *row);
    double *value = calloc(near_start[half] + n, sizeof *value), x[n], worst = 0;
    for (double stiff = 1e-3; stiff < 1e9; stiff *= 1e3) {
        e = 0;
        for (uint32_t c = 0; c < half; c++) {
            for (uint32_t k = near_start[c]; k < near_start[c + 1]; k++)
                row[e] = half + near_row[k], value[e++] = stiff * near_value[k];
            start[c + 1] = e;
        }
        for (uint32_t c = 0; c < half; c++) row[e] = c, value[e] = 1, start[half + c + 1] = ++e;
        fo_pattern pattern = {n, start, row};
        foi_linear_def def = {.n = n, .pattern = &pattern, .kind = FOI_LINEAR_SPARSE};
        foi_linear l = {0};
        REQUIRE(foi_linear_prepare(&l, &def) == FO_OK);
        CHECK(foi_linear_factor(&l, (foi_complex){1, 0}, value, NULL, NULL) == FO_OK);
        CHECK(l.sparse.l_start[n] <= l.fill);
        for (int i = 0; i < n; i++) x[i] = i < half ? 0 : 1;
        foi_linear_solve(&l, x); // x - v = 0, v - s lap x = 1
        for (int i = 0; i < half; i++) worst = fmax(worst, fabs(x[i] - x[half + i]) / fabs(x[i]));
        foi_linear_destroy(&l);
    }
    CHECK_NEAR(worst, 0, 1e-12);
    free(near_start), free(near_row), free(near_value), free(row), free(value);
}

TEST(singular_matrices_are_detected)
{
    for (int kind = FOI_LINEAR_DENSE; kind <= FOI_LINEAR_SPARSE; kind++)
        for (int pass = 0; pass < 2; pass++) {
            random_matrix *a = make(20, 3, 1, 77);
            foi_linear_def def = {
                .n = 20, .pattern = &a->pattern, .pairs = pass, .kind = (foi_linear_kind)kind};
            foi_linear l = {0};
            CHECK(foi_linear_prepare(&l, &def) == FO_OK);
            for (uint32_t e = 0; e < a->start[20]; e++)
                if (a->row[e] == 11) a->value[e] = 0; // a row of zeros
            CHECK(foi_linear_factor(&l, (foi_complex){0, 0}, a->value, NULL, NULL) ==
                  FO_ERROR_CONVERGE);
            // and the next one, which is not singular, is not harmed by that
            CHECK_NEAR(solve(a, &l, (foi_complex){1, 0}, NULL, NULL), 0, 1e-10);
            a->value[0] = NAN;
            CHECK(foi_linear_factor(&l, (foi_complex){1, 0}, a->value, NULL, NULL) ==
                  FO_ERROR_CONVERGE);
            foi_linear_destroy(&l);
            free(a);
        }
}

TEST(every_allocation_may_fail)
{
    random_matrix *a = make(60, 60, 0.05, 12);
    for (long fail_at = 1;; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        foi_linear_def def = {.n = 60,
                              .pattern = &a->pattern,
                              .kind = FOI_LINEAR_SPARSE,
                              .allocator = &memory.allocator};
        foi_linear l = {0};
        fo_status status = foi_linear_prepare(&l, &def);
        if (status == FO_OK)
            status = foi_linear_factor(&l, (foi_complex){1, 0}, a->value, NULL, NULL);
        foi_linear_destroy(&l);
        CHECK_INT(memory.live, 0);
        if (status == FO_OK) {
            CHECK(fail_at > 30);
            break;
        }
        CHECK_INT(status, FO_ERROR_MEMORY);
    }
    free(a);
}

TEST_MAIN(TEST_ENTRY(dense_systems_are_solved), TEST_ENTRY(band_systems_are_solved),
          TEST_ENTRY(sparse_systems_are_solved), TEST_ENTRY(dense_without_a_pattern),
          TEST_ENTRY(a_mass_matrix_widens_the_pattern), TEST_ENTRY(laplacian_is_sparse_and_exact),
          TEST_ENTRY(kind_follows_the_pattern), TEST_ENTRY(known_pivots_give_the_same_bits),
          TEST_ENTRY(bad_known_pivots_are_replaced), TEST_ENTRY(singular_matrices_are_detected),
          TEST_ENTRY(units_of_equations_do_not_matter),
          TEST_ENTRY(a_stiff_wave_fills_no_more_than_a_soft_one),
          TEST_ENTRY(every_allocation_may_fail))
